//go:build integration

package integration_test

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A realShell is a way to start an interactive shell without configuration, and what it is to be recognized as.
type realShell struct {
	name  string
	argv  []string
	shell guard.Shell
}

var realShells = []realShell{
	{"bash", []string{"bash", "--norc", "--noprofile"}, guard.Bash},
	{"bash-noediting", []string{"bash", "--norc", "--noediting"}, guard.Bash},
	{"zsh", []string{"zsh", "-f"}, guard.Zsh},
	{"dash", []string{"dash"}, guard.Dash},
	{"sh", []string{"sh"}, guard.Dash}, // Debian
	{"fish", []string{"fish", "--no-config"}, guard.Fish},
	{"mksh", []string{"mksh"}, guard.Mksh},
	{"busybox", []string{"busybox", "ash"}, guard.Busybox},
	{"ksh93", []string{"ksh93"}, guard.Ksh},
}

// foreground samples a pane twice, as the application does.
func foreground(t *testing.T, s *realServer, pane string) guard.Process {
	t.Helper()
	var p tmux.Pane
	if _, err := fmt.Sscan(s.Tmux(t, "display-message", "-p", "-t", pane, "#{pane_id} #{pane_pid} #{pane_tty}"), &p.ID, &p.PID, &p.TTY); err != nil {
		t.Fatal(err)
	}
	inspector := process.New(process.Options{})
	first := guard.Classify(inspector.Sample(t.Context(), p))
	<-time.After(50 * time.Millisecond) // the distance of two samples is part of the procedure
	return guard.Agree(first, guard.Classify(inspector.Sample(t.Context(), p)))
}

// notIdle stands for every state but that of an idle shell.
const notIdle guard.Foreground = ""

// awaitForeground waits until the pane's foreground is in a state, for a reason that says something.
func awaitForeground(t *testing.T, s *realServer, pane string, state guard.Foreground, says string) guard.Process {
	t.Helper()
	var got guard.Process
	eventually(t, fmt.Sprintf("the foreground of %s is %q: %q", pane, state, says), func() (bool, string) {
		got = foreground(t, s, pane)
		is := got.State == state || state == notIdle && got.State != guard.AtPrompt
		return is && strings.Contains(got.Reason, says), fmt.Sprintf("%+v\n%s", got, screenOf(t, s, pane))
	})
	return got
}

// openShell opens a window with a shell and returns its pane.
func openShell(t *testing.T, s *realServer, argv ...string) string {
	t.Helper()
	command := append([]string{"new-window", "-d", "-P", "-F", "#{pane_id}", "--", "env", "PS1=$ ", "HISTFILE="}, argv...)
	return s.Tmux(t, command...)
}

func TestForeground(t *testing.T) {
	for _, name := range []string{"bash", "zsh", "dash", "fish", "mksh", "busybox", "ksh93", "vim", "less", "python3"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Fatalf("a program that this test looks at is not installed: %v", err)
		}
	}
	// ksh93 gives its jobs no group of their own in a pane that it was started in, and its read builtin edits the line as its
	// prompt does, as fish's does: that cannot be told from outside.
	ksh := []string{"ksh93"}
	grouping := []string{"bash", "bash-noediting", "zsh", "dash", "sh", "mksh", "busybox"}
	posix := append(ksh, grouping...)
	all := append([]string{"fish"}, posix...)
	withoutKsh := append([]string{"fish"}, grouping...)
	cases := []struct {
		name   string
		shells []string
		keys   []string // lines; the keys C-c and C-z are keys
		state  guard.Foreground
		says   string // in the reason
	}{
		{"fresh", all, nil, guard.AtPrompt, "waits at its prompt"},
		{"after a command", all, []string{"true"}, guard.AtPrompt, ""},
		{"after C-c", all, []string{"C-c"}, guard.AtPrompt, ""},
		{"a job in the background", all, []string{"sleep 1000 &"}, guard.AtPrompt, ""},
		{"a job stopped", all, []string{"sleep 1000", "C-z"}, guard.AtPrompt, ""},
		{"an inner shell", all, []string{"bash --norc --noprofile"}, guard.AtPrompt, "bash waits"},
		{"a program", withoutKsh, []string{"sleep 1000"}, guard.ForegroundNot, "sleep runs in the foreground"},
		{"a pipeline", withoutKsh, []string{"sleep 1000 | cat"}, guard.ForegroundNot, "sleep runs"},
		{"a pipeline without its head", grouping, []string{"true | sleep 1000"}, guard.ForegroundBusy, "whose first process has ended"},
		{"a loop that computes", posix, []string{"while :; do :; done"}, guard.ForegroundBusy, "is at work"},
		{"a loop of programs", posix, []string{"while :; do sleep 0.001; done"}, notIdle, ""},
		{"a loop of programs", []string{"fish"}, []string{"while true; sleep 0.001; end"}, notIdle, ""},
		{"a subshell", posix, []string{"(sleep 1000; :)"}, notIdle, ""},
		{"wait", all, []string{"sleep 1000 & wait"}, guard.ForegroundBusy, ""},
		{"the read builtin", grouping, []string{"read x"}, guard.ForegroundBusy, "reads the terminal"},
		{"a loop around read", grouping, []string{"while read x; do :; done"}, guard.ForegroundBusy, "reads the terminal"},
		{"read without echo", []string{"bash", "zsh"}, []string{"read -s x"}, guard.ForegroundBusy, "reads without echo"},
		{"a script", posix, []string{"bash -c 'read x; :'"}, guard.ForegroundBusy, "given with -c"},
		{"a program", ksh, []string{"sleep 1000"}, guard.ForegroundBusy, "ksh93 waits for something else"},
		{"a pipeline", ksh, []string{"sleep 1000 | cat"}, guard.ForegroundBusy, "ksh93 waits for something else"},
		{"vim", all, []string{"vim -u NONE"}, guard.ForegroundNot, "vim"},
		{"less", all, []string{"less /etc/passwd"}, guard.ForegroundNot, "less"},
		{"python", all, []string{"python3 -i"}, guard.ForegroundNot, "python3"},
		{"a program in eval", grouping, []string{`eval 'sleep 1000; :'`}, guard.ForegroundNot, "sleep"},
	}
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		in := make([][]string, len(cases)) // which shells
		for i, c := range cases {
			in[i] = few(t, i, 3, c.shells...)
		}
		for _, shell := range realShells {
			t.Run(shell.name, func(t *testing.T) {
				t.Parallel()
				panes := make([]string, len(cases)) // opened first, so that they start while others are looked at
				for i := range cases {
					if slices.Contains(in[i], shell.name) {
						panes[i] = openShell(t, s, shell.argv...)
					}
				}
				for i, c := range cases {
					if panes[i] == "" {
						continue
					}
					t.Run(c.name, func(t *testing.T) {
						awaitForeground(t, s, panes[i], guard.AtPrompt, "")
						for _, line := range c.keys {
							typeLine(t, s, panes[i], line)
						}
						if c.state == guard.AtPrompt && c.says == "" { // or the state before would do
							awaitForeground(t, s, panes[i], guard.AtPrompt, "")
							sayReady(t, s, panes[i])
						}
						got := awaitForeground(t, s, panes[i], c.state, c.says)
						if c.state == guard.AtPrompt && c.says == "" && got.Shell != shell.shell {
							t.Errorf("want %s, got %+v", shell.shell, got)
						}
						if again := foreground(t, s, panes[i]); (again.State == guard.AtPrompt) != (c.state == guard.AtPrompt) {
							t.Errorf("want %q to last, got %+v", c.state, again)
						}
						s.Tmux(t, "kill-pane", "-t", panes[i])
					})
				}
			})
		}
	})
}

// sayReady lets the shell show that it is at its prompt. What is typed before it has dealt with C-c the terminal may discard: then the
// line is typed again.
func sayReady(t *testing.T, s *realServer, pane string) {
	t.Helper()
	again := time.Now()
	eventually(t, "pane "+pane+" shows \"ready\"", func() (bool, string) {
		if screen := screenOf(t, s, pane); strings.Contains(screen, "ready") || time.Now().Before(again) {
			return strings.Contains(screen, "ready"), screen
		}
		typeLine(t, s, pane, "echo rea''dy")
		again = time.Now().Add(2 * time.Second)
		return false, ""
	})
}

// typeLine types a line and Enter, or presses the key C-c, or C-z once a job runs.
func typeLine(t *testing.T, s *realServer, pane, line string) {
	t.Helper()
	if line == "C-z" {
		awaitForeground(t, s, pane, notIdle, "")
	}
	if line == "C-c" || line == "C-z" {
		s.Tmux(t, "send-keys", "-t", pane, line)
		return
	}
	s.Tmux(t, "send-keys", "-t", pane, "-l", line, ";", "send-keys", "-t", pane, "Enter")
}

// screenOf is what a pane shows, without the blank rows below.
func screenOf(t *testing.T, s *realServer, pane string) string {
	t.Helper()
	return strings.TrimRight(s.Tmux(t, "capture-pane", "-p", "-t", pane), "\n")
}
