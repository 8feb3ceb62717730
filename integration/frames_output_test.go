//go:build integration

package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

func TestFramesOutput(t *testing.T) {
	numbers := make([]string, 400)
	for i := range numbers {
		numbers[i] = fmt.Sprint(i + 1)
	}
	long := "printf %s '" + strings.Repeat("0123456789abcdef", 4096)
	long = long[:65536-len("' | wc -c")] + "' | wc -c"
	cases := []struct {
		name, command string
		fish          string // the command in fish's language, if it is another; "-" if fish has no such thing
		lines         []string
	}{
		{name: "nothing", command: "true"},
		{name: "no newline", command: "printf abc", lines: []string{"abc"}},
		{name: "quotes", command: `echo "a'b" 'c"d' ''`, lines: []string{`a'b c"d`}},
		{name: "backslashes", command: `printf '%s\n' 'a\b\\c\'`, fish: `printf '%s\n' 'a\b\\\\c\\'`, lines: []string{`a\b\\c\`}},
		{name: "dollars", command: `printf '%s\n' '$HOME $$ ${x}' "\$"`, lines: []string{"$HOME $$ ${x}", "$"}},
		{name: "backquotes", command: "echo `echo x` '`y`'", fish: "echo (echo x) '`y`'", lines: []string{"x `y`"}},
		{name: "exclamation", command: "echo 'a!b' '!!'", lines: []string{"a!b !!"}},
		{name: "here document", command: "cat <<END\na \\$b\n  c\nEND\n", fish: "-", lines: []string{"a $b", "  c"}},
		{name: "here document without a final newline", command: "cat <<'END'\n$a `b`\nEND", fish: "-", lines: []string{"$a `b`"}},
		{name: "trailing comment", command: "echo a # note", lines: []string{"a"}},
		{name: "comment alone", command: "true #"},
		{name: "trailing semicolon", command: "echo a;", lines: []string{"a"}},
		{name: "trailing backslash", command: `echo a \`, lines: []string{"a"}},
		{name: "several lines", command: "\n\nfor i in 1 2\ndo\n\techo $i\ndone\n\n", fish: "\n\nfor i in 1 2\n\techo $i\nend\n\n", lines: []string{"1", "2"}},
		{name: "empty lines", command: "echo; echo x; echo; echo", lines: []string{"", "x", "", ""}},
		{name: "UTF-8, wide, emoji", command: "echo 'ПРИВЕТ日本🎉 é'", lines: []string{"ПРИВЕТ日本🎉 é"}},
		{name: "tab in the command", command: "printf %s 'a\tb' | od -An -tx1", lines: []string{" 61 09 62"}},
		{name: "leading dash", command: "-x 2>/dev/null; echo a", fish: "-", lines: []string{"a"}},
		{name: "400 lines", command: "seq 1 400", lines: numbers},
		{name: "64 KiB", command: long, lines: []string{fmt.Sprint(65536 - len("printf %s ''' | wc -c") + 1)}},
		{name: "150 columns", command: "printf '%0150d' 7", lines: []string{fmt.Sprintf("%0150d", 7)}},
		{name: "exactly the width", command: "printf '%080d' 7", lines: []string{fmt.Sprintf("%080d", 7)}},
		{name: "a background child", command: "sleep 5 & echo a", lines: []string{"a"}},
		{name: "the terminal is the input", command: "test -t 0 && test -t 1 && test -t 2 && echo yes", lines: []string{"yes"}},
		{name: "no descriptor of the frame", command: "ls -l /proc/self/fd | grep -c frames", lines: []string{"0"}},
	}
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		for _, c := range cases {
			command := c.command
			if family == guard.Fish && c.fish != "" {
				command = c.fish
			}
			if command == "-" {
				continue
			}
			plan := p.plan(command)
			if _, lines := p.run(plan); !cmp.Equal(append([]string{}, c.lines...), lines) {
				t.Errorf("%s: lines (-want +got):\n%s", c.name, cmp.Diff(append([]string{}, c.lines...), lines))
			}
			p.prompt()
		}
	})
}

func TestFramesNarrowPane(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		p.Tmux(t, "resize-window", "-t", "main", "-x", "40", "-y", "12")
		p.expect("printf '%0150d' 7", 0, fmt.Sprintf("%0150d", 7))
		p.expect("printf '%040d' 7", 0, fmt.Sprintf("%040d", 7))
		p.expect("seq 1 40 | tail -n 1", 0, "40")
	})
}

func TestFramesStreams(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		plan := p.plan(`printf 'a\tb\000\377'; sh -c 'echo one >&2; echo two >/dev/stderr'; exit 3`)
		plan.Streams = true
		staged, _ := p.begin(plan)
		end := p.ended(staged)
		stdout, stderr, err := staged.Streams(1024)
		if err != nil {
			t.Fatal(err)
		}
		want := []any{frame.End{Status: 3}, "a\tb\x00\xff", int64(5)}
		if diff := cmp.Diff(want, []any{end, string(stdout.Data), stdout.Total}); diff != "" {
			t.Errorf("end and stdout (-want +got):\n%s", diff)
		}
		if !strings.HasSuffix(string(stderr.Data), "two\n") {
			t.Errorf("stderr: %q", stderr.Data)
		}
		if tail, _, err := staged.Streams(2); err != nil || string(tail.Data) != "\x00\xff" || tail.Total != 5 {
			t.Errorf("the newest 2 bytes: %q of %d, %v", tail.Data, tail.Total, err)
		}
		if err := staged.Close(); err != nil {
			t.Fatal(err)
		}
		if screen := p.Screen(t, "%0", "two"); !strings.Contains(strings.ReplaceAll(screen, "\t", "       "), "a       b") {
			t.Errorf("the person does not see stdout:\n%s", screen)
		}
	})
}

// What a command does to its shell ends with it, and it finds what its shell has.
func TestFramesShellState(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		rc := "greet() { echo \"hi $1\"; }\nalias hey='greet alias'\n"
		change, look := "cd /; export FRAMED=1; FRAMED2=2; set -- a b", `pwd; echo "${FRAMED-no} ${FRAMED2-no} $#"`
		if family == guard.Fish {
			rc = "function greet; echo \"hi $argv[1]\"; end\nalias hey='greet alias'\n"
			change, look = "cd /; set -gx FRAMED 1", `pwd; set -q FRAMED; and echo set; or echo "no no 0"`
		}
		p := startIdle(t, binary, family, rc)
		home, err := filepath.EvalSymlinks(p.home)
		if err != nil {
			t.Fatal(err)
		}
		p.enter("cd " + home)
		p.expect("greet you; hey", 0, "hi you", "hi alias")
		p.expect(change, 0)
		p.expect(look, 0, home, "no no 0")
		if family != guard.Fish { // of fish, what its configuration defines is seen
			p.enter("late() { echo late; }; HERE=1")
			p.expect(`late; echo "$HERE"`, 0, "late", "1")
		}
		p.expect("exec true", 0)
		p.expect("exec sh -c 'exit 9'", 9)
	})
}

// What nobody may find in a pane after a run.
func TestFramesLeaveNothing(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		for range 3 {
			p.expect("echo x", 0, "x")
		}
		p.prompt()
		entries, err := os.ReadDir(p.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if name := entry.Name(); name != ".tidy" && !strings.HasSuffix(name, ".json") {
				t.Errorf("left in the run directory beside the records: %s", name)
			}
		}
		p.enter("set | grep -c __tf; trap; jobs")
		if family == guard.Fish {
			return
		}
		if screen := p.shows("0"); strings.Contains(screen, "INT") {
			t.Errorf("traps or variables of a frame are left:\n%s", screen)
		}
	})
}
