//go:build integration

package integration_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

// Configurations of people that must neither change a command's status and output nor hurt their shell.
func TestFramesHostileShells(t *testing.T) {
	posix := []guard.Shell{guard.Bash, guard.Zsh, guard.Dash, guard.Mksh, guard.Busybox, guard.Ksh}
	var aliases, functions strings.Builder
	for name := range strings.FieldsSeq("read printf echo eval command exec trap set cd test cat history unsetopt exit return") {
		fmt.Fprintf(&aliases, "alias %s='false evil'\n", name)
	}
	for name := range strings.FieldsSeq("read printf echo eval command exec set exit test cat history") {
		fmt.Fprintf(&functions, "%s() { /bin/echo evil; }\n", name)
	}
	cases := []struct {
		name     string
		families []guard.Shell
		typed    string // at the prompt, after which the screen is cleared
	}{
		{"errexit and nounset", posix, "set -eu"},
		{"noclobber", posix, "set -C"},
		{"xtrace", posix, "set -x"},
		{"verbose", posix, "set -v"},
		{"noglob", posix, "set -f"},
		{"posix", []guard.Shell{guard.Bash, guard.Mksh}, "set -o posix"},
		{"odd IFS", posix, "IFS=/abcdefghijk"},
		{"no PATH", posix, "PATH="},
		{"umask", posix, "umask 0777"},
		{"readonly", posix, "readonly x=1 f=2 D=3 TOKEN=4"},
		{"exit trap", posix, "trap 'echo evil' EXIT"},
		{"int trap", posix, "trap 'echo evil' INT"},
		{"no job control", []guard.Shell{guard.Bash, guard.Zsh, guard.Dash, guard.Mksh, guard.Ksh}, "set +m"},
		{"debug trap", []guard.Shell{guard.Bash, guard.Zsh, guard.Ksh}, "trap 'echo evil' DEBUG"},
		{"err trap", []guard.Shell{guard.Bash, guard.Zsh, guard.Mksh, guard.Ksh}, "trap 'echo evil' ERR"},
		{"inherited traps", []guard.Shell{guard.Bash}, "set -ET; trap 'echo evil' DEBUG ERR RETURN"},
		{"prompt command", []guard.Shell{guard.Bash}, "PROMPT_COMMAND='echo evil' PS0='evil\n'"},
		{"exported functions", []guard.Shell{guard.Bash}, functions.String() + "export -f read printf echo test cat"},
		{"exported options", []guard.Shell{guard.Bash}, "set -xu; export SHELLOPTS"},
		{"shopt", []guard.Shell{guard.Bash}, "shopt -s failglob extdebug lastpipe inherit_errexit sourcepath xpg_echo; shopt -u expand_aliases"},
		{"aliases", posix, aliases.String()},
		{"functions", []guard.Shell{guard.Bash, guard.Zsh}, functions.String()},
		{"zsh errors", []guard.Shell{guard.Zsh}, "setopt err_exit err_return no_unset"},
		{"zsh words", []guard.Shell{guard.Zsh}, "setopt sh_word_split glob_subst ksh_arrays ksh_glob null_glob csh_junkie_quotes"},
		{"zsh braces", []guard.Shell{guard.Zsh}, "setopt ignore_braces posix_aliases posix_builtins no_multios no_clobber"},
		{"zsh hooks", []guard.Shell{guard.Zsh}, "preexec() { echo evil }; precmd() { echo evil }; TRAPDEBUG() { echo evil }; TRAPINT() { echo evil }; TRAPZERR() { echo evil }"},
		{"zsh as sh", []guard.Shell{guard.Zsh}, "emulate sh"},
		{"zsh as ksh", []guard.Shell{guard.Zsh}, "emulate ksh"},
		{"fish hooks", []guard.Shell{guard.Fish}, "function a --on-event fish_preexec; echo evil; end; function b --on-event fish_postexec; echo evil; end"},
		{"fish functions", []guard.Shell{guard.Fish}, "function echo; builtin echo evil; end; alias exec=false; alias source=false"},
	}
	eachTmux(t, func(t *testing.T, binary string) {
		for i, c := range cases {
			for _, family := range few(t, i, 2, c.families...) {
				t.Run(c.name+" "+string(family), func(t *testing.T) {
					t.Parallel()
					p := startIdle(t, binary, family, "")
					for line := range strings.Lines(c.typed) {
						p.enter(strings.TrimSuffix(line, "\n"))
					}
					for range 2 {
						status, lines := p.run(p.plan("/bin/sh -c 'echo out; exit 4'"))
						if diff := cmp.Diff([]any{4, []string{"out"}}, []any{status, lines}); diff != "" {
							t.Errorf("(-want +got):\n%s\nscreen:\n%s", diff, p.Screen(t, "%0", ""))
						}
					}
					if dead := p.Tmux(t, "list-panes", "-t", "main", "-F", "#{pane_pid}"); dead != fmt.Sprint(p.pid) {
						t.Errorf("the shell is another one: %s", dead)
					}
				})
			}
		}
	})
}
