//go:build integration

package integration_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

func boundedContext(t testing.TB) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(context.Background(), hangBound)
}

// What a person may be at when a script comes, whether it runs then, and what brings the prompt back.
func TestEnrolledZshSituations(t *testing.T) {
	t.Parallel() // most of it is waiting
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := enrolled(t, binary, "bindkey -e", "zmodload zsh/complist", "edit() { zle recursive-edit }; zle -N edit; bindkey '^Xr' edit")
		for _, c := range []struct {
			name  string
			line  string   // run first
			keys  []string // then pressed
			shows string   // what is waited for
			why   fault.Reason
			end   []string // keys
		}{
			{name: "an empty prompt", shows: "$"},
			{name: "text", keys: []string{"l", "s"}, shows: "$ ls", why: fault.Draft, end: []string{"C-u"}},
			{name: "blanks", keys: []string{"Space", "Space", "x", "BSpace"}, shows: "$", why: fault.Draft, end: []string{"C-u"}},
			{name: "a job in the background", line: " sleep 60 &!", shows: "$"},
			{name: "a stopped job", line: "sleep 61", keys: []string{"C-z"}, shows: "suspended", end: []string{"C-c"}},
			{name: "C-c at the prompt", keys: []string{"C-c"}, shows: "$\n$"},
			{name: "a command in the foreground", line: "sleep 62", shows: "sleep 62", why: fault.Busy, end: []string{"C-c"}},
			{name: "a command of more lines", line: "for x in a", shows: "for>", why: fault.Busy, end: []string{"C-c"}},
			{name: "vared", line: "y=; vared -p 'edit> ' y", shows: "edit>", why: fault.Busy, end: []string{"C-c"}},
			{name: "select", line: "select y in a b; do break; done", shows: "1) a", why: fault.Busy, end: []string{"C-c"}},
			{name: "read", line: "echo re''ads; read y", shows: "reads", why: fault.Busy, end: []string{"Enter"}},
			{name: "a search backwards for nothing yet", keys: []string{"C-r"}, shows: "bck-i-search:", end: []string{"C-g"}},
			{name: "a search backwards that found", keys: []string{"C-r", "p"}, shows: "bck-i-search: p", why: fault.Draft, end: []string{"C-g"}},
			{name: "the name of a command", keys: []string{"Escape", "x"}, shows: "execute:", end: []string{"C-g"}},
			{name: "a search backwards that finds nothing", keys: []string{"C-r", "~", "~"}, shows: "failing bck-i-search: ~~", end: []string{"C-g"}},
			{name: "a count", keys: []string{"Escape", "5"}, shows: "$", why: fault.Draft, end: []string{"x", "C-u"}},
			{name: "the start of a key sequence", keys: []string{"C-x"}, shows: "$", why: fault.Draft, end: []string{"C-g"}},
			{name: "an edit within the edit", keys: []string{"C-x", "r"}, shows: "$", why: fault.Busy, end: []string{"Enter", "Enter"}}, // whose prompt looks the same
			{name: "a menu of completions", keys: []string{"l", "s", "Space", "/", "Tab", "Tab", "Tab"}, shows: "$ ls /", why: fault.Draft, end: []string{"C-c", "C-u"}},
			{name: "a shell inside", line: "PS1='inner> ' zsh -f", shows: "inner>", why: fault.Busy, end: []string{"C-d"}},
			{name: "a subshell", line: "(sleep 63)", shows: "(sleep 63)", why: fault.Busy, end: []string{"C-c"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				z.t = t
				if c.line != "" {
					z.text(c.line)
					z.keys("Enter")
					z.settle()
				}
				if strings.HasPrefix(c.line, "sleep") {
					z.awaitCommand("sleep")
				}
				if len(c.keys) > 0 {
					z.settle() // a C-c is lost if it comes while the shell answers
					z.keys(c.keys...)
				}
				z.Screen(t, z.pane, c.shows)
				z.settle()
				out, err := z.script("exit 4")
				switch {
				case c.why == "" && (err != nil || *out.ExitStatus != 4):
					t.Errorf("it did not run: %v", err)
				case c.why != "" && !refusedFor(err, c.why):
					t.Errorf("got %v, want refused: %s", err, c.why)
				}
				z.leave(c.end)
				z.alive()
				z.runs("echo ran", "ran\n", 0)
			})
		}
	})
}

// awaitCommand waits until a program has the terminal.
func (z *enrolledZsh) awaitCommand(name string) {
	z.t.Helper()
	eventually(z.t, name+" runs", func() (bool, string) {
		now, _ := z.Try("display-message", "-p", "-t", z.pane, "#{pane_current_command}")
		return now == name, now
	})
}

// leave presses keys until the prompt stands alone.
func (z *enrolledZsh) leave(keys []string) {
	z.t.Helper()
	eventually(z.t, "the prompt is back", func() (bool, string) {
		if len(keys) > 0 {
			z.keys(keys...)
		}
		z.settle()
		screen, _ := z.Try("capture-pane", "-p", "-t", z.pane)
		return strings.HasSuffix("\n"+strings.TrimSpace(screen), "\n$"), screen
	})
}

// settle waits until the shell is where the keys have brought it: it sleeps and has read all of them.
func (z *enrolledZsh) settle() {
	z.t.Helper()
	last, same := "", 0
	eventually(z.t, "the screen stands still", func() (bool, string) {
		screen, _ := z.Try("capture-pane", "-p", "-t", z.pane, ";", "display-message", "-p", "-t", z.pane, "#{cursor_x} #{cursor_y} #{pane_current_command}")
		if screen != last {
			last, same = screen, 0
		}
		same++
		return same > 4, screen
	})
}

func TestEnrolledZshConfigurations(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		var aliases, functions strings.Builder
		for name := range strings.FieldsSeq("read printf echo eval command exec trap set cd test exit return source emulate zle zmodload typeset unset if while case local") {
			aliases.WriteString("alias " + name + "='false evil'; ")
		}
		for name := range strings.FieldsSeq("read printf echo eval command exec set exit test source emulate zle sysread sysopen zsocket zmodload") {
			functions.WriteString("function " + name + " { /bin/echo evil }; ")
		}
		for _, c := range []struct{ name, line string }{
			{"vi mode", "bindkey -v"},
			{"words as ksh has them", "setopt ksh_arrays sh_word_split glob_subst ksh_glob null_glob"},
			{"errors", "setopt no_unset"},
			{"errors that end", "setopt err_return"},
			{"xtrace", "setopt xtrace 2>/dev/null; exec 2>/dev/null"},
			{"noclobber and noglob", "setopt no_clobber no_glob csh_junkie_quotes ignore_braces posix_builtins"},
			{"no job control", "setopt no_monitor"},
			{"aliases", aliases.String()},
			{"functions", functions.String()},
			{"hooks", "preexec() { : evil }; precmd() { : evil }; zshexit() { : }; periodic() { : }; PERIOD=1"},
			{"traps", "trap 'print evil' DEBUG ZERR INT CHLD; trap - DEBUG"},
			{"a prompt that redraws itself", "TMOUT=1; TRAPALRM() { zle && zle reset-prompt }"},
			{"another descriptor in the editor", "exec {fd}< <(while sleep 0.1; do echo; done); redraw() { read -u $1 -t 0; zle reset-prompt }; zle -F $fd redraw"},
			{"as sh", "emulate sh"},
			{"a coloured prompt of two lines", "setopt prompt_subst; PS1=$'\\n%F{red}${PWD}%f\\n$ '"},
			{"a prompt at the right", "RPS1='%T right'"},
		} {
			t.Run(c.name, func(t *testing.T) {
				z := zshPane(t, binary)
				z.text(c.line)
				z.keys("Enter")
				z.settle()
				invitation, err := z.app.InviteShell(t.Context(), z.ref, app.InviteOptions{})
				if err != nil {
					t.Fatal(err)
				}
				z.keys("C-l")
				z.text("\\builtin " + strings.Join(invitation.ShellArguments(), " "))
				z.keys("Enter")
				ctx, cancel := boundedContext(t)
				defer cancel()
				if err := z.app.AcceptShell(ctx, invitation); err != nil {
					screen, _ := z.Try("capture-pane", "-p", "-t", z.pane)
					t.Fatalf("%v\n%s", err, screen)
				}
				for i := range 3 {
					eventually(t, "the shell is at its prompt", func() (bool, string) {
						out, err := z.script("printf ok; exit 5")
						return err == nil && *out.ExitStatus == 5 && out.Stdout.Data == "ok" && out.Stderr.Data == "", describe(out)
					})
					z.text(" \\print -r -- go''es$?")
					z.keys("Enter")
					screen := z.Screen(t, z.pane, "goes0")
					if strings.Contains(screen, "\nevil") {
						t.Errorf("round %d: its own hooks ran:\n%s", i, screen)
					}
					z.text(" clear")
					z.keys("Enter")
				}
			})
		}
	})
}

func refusedFor(err error, reason fault.Reason) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Kind == fault.Refused && f.Reason == reason
}
