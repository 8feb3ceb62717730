//go:build integration

package integration_test

import (
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/app"
)

// What a client was told of one life of tmux changes nothing in the next, whichever tool it is, over both backends.
func TestNoToolReachesAnotherLife(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		s := startServer(t, binary)
		s.Tmux(t, "split-window", "-d", "-t", "%0", "env", "PS1=$ ", "sh")
		application := app.New(app.Ports{}, app.Options{})
		defer application.Close()
		mcptest.Stale(t, converseOver(t, backend, s, nil).Conversation, application.Tools(), restartable{s})
	})
}

type restartable struct{ *realServer }

func (r restartable) Restart(t testing.TB) {
	t.Helper()
	r.Tmux(t, "kill-server")
	eventually(t, "nobody listens", func() (bool, string) {
		out, err := r.Try("list-sessions")
		return err != nil && strings.HasPrefix(out, "no server running"), out
	})
	r.Tmux(t, "-f", "/dev/null", "new-session", "-d", "-s", "another", "-n", "named", "-x", "80", "-y", "24", "env", "PS1=$ ", "sh", ";",
		"split-window", "-d", "env", "PS1=$ ", "sh")
	for _, pane := range []string{"%0", "%1"} {
		r.Screen(t, pane, "$")
	}
}

func (r restartable) State(t testing.TB) string {
	t.Helper()
	list := []string{
		"list-sessions", "-F", "#{session_id} #{session_name}", ";", "list-windows", "-a", "-F", "#{window_id} #{window_name} #{window_index} #{window_layout}", ";",
		"list-panes", "-a", "-F", "#{pane_id} #{pane_pid} #{pane_title} #{pane_active} #{history_size} #{cursor_x}", ";", "list-buffers",
	}
	for _, target := range [][]string{{"-g"}, {"-t", "$0"}, {"-w", "-t", "@0"}, {"-p", "-t", "%0"}} {
		list = append(append(list, ";", "show-options"), target...)
	}
	for _, pane := range []string{"%0", "%1"} {
		list = append(list, ";", "capture-pane", "-p", "-t", pane)
	}
	return r.Tmux(t, list...)
}
