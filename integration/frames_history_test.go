//go:build integration

package integration_test

import (
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

// What a shell keeps of a framed command in its history: nothing, or the path of the frame at most. docs/shells.md says the same.
func TestFramesHistory(t *testing.T) {
	const list = "fc -l 1"
	cases := []struct {
		family   guard.Shell
		name, rc string
		list     string // what lists the history
		path     bool   // the path is in it
	}{
		{guard.Bash, "plain", "", "history", false},
		{guard.Bash, "with times", "HISTTIMEFORMAT='%F %T '\n", "history", false},
		{guard.Bash, "ignorespace", "HISTCONTROL=ignoreboth\n", "history", false},
		{guard.Bash, "appended at each prompt", "shopt -s histappend; PROMPT_COMMAND='history -a'\n", "cat $HISTFILE", false},
		{guard.Zsh, "plain", "HISTSIZE=100\n", list, true},
		{guard.Zsh, "hist_ignore_space", "HISTSIZE=100; setopt hist_ignore_space\n", list, false},
		{guard.Mksh, "plain", "HISTSIZE=100\n", list, false},
		{guard.Ksh, "plain", "", list, true},
		{guard.Fish, "plain", "", "history", false},
		{guard.Busybox, "plain", "", "history", true},
	}
	eachTmux(t, func(t *testing.T, binary string) {
		for _, c := range cases {
			t.Run(string(c.family)+" "+c.name, func(t *testing.T) {
				t.Parallel()
				p := startIdle(t, binary, c.family, c.rc)
				p.enter("echo be" + "fore")
				p.shows("before")
				p.expect("echo sec''ret", 0, "secret")
				p.prompt()
				p.Tmux(t, "send-keys", "-t", "%0", "-l", "clear", ";", "send-keys", "-t", "%0", "Enter")
				p.prompt()
				p.enter(c.list + "; echo listed")
				screen := p.shows("listed")
				if !strings.Contains(screen, "echo before") {
					t.Errorf("what the person typed is not in the history:\n%s", screen)
				}
				if strings.Contains(screen, "sec''ret") || strings.Contains(screen, p.dir) != c.path {
					t.Errorf("the path is in the history: want %v, and never the command:\n%s", c.path, screen)
				}
			})
		}
	})
}
