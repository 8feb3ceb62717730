//go:build integration

package integration_test

import (
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// viewed attaches a terminal of 200 columns and 50 rows.
func viewed(t testing.TB, s *realServer, session string) {
	t.Helper()
	cmd := exec.Command(s.Binary, "-u", "-S", s.Socket, "attach-session", "-t", session)
	cmd.Env = append(plainEnv(t), "TERM=xterm-256color")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, terminal) }() // a terminal that nobody reads stops the client
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
		_ = terminal.Close()
	})
	eventually(t, "the terminal is attached", func() (bool, string) {
		clients := s.Tmux(t, "list-clients", "-F", "#{client_width}x#{client_height}")
		return strings.Contains(clients, "200x50"), clients
	})
}

func TestBinaryControlBackend(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		pane := s.Tmux(t, "new-session", "-d", "-s", "other", "-P", "-F", "#{pane_id}", "env", "PS1=$ ", "sh")
		s.Screen(t, pane, "$")
		viewed(t, s, "main")
		sizes := func() string {
			return s.Tmux(t, "list-windows", "-a", "-F", "#{window_id} #{window_width}x#{window_height}")
		}
		before := sizes()
		p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", "control")
		info := call(t, p, "get_server_info", nil)
		info.want(t, fields{"backend": "control", "server": "running"})
		if terminals := info["terminal_clients"].([]any); len(terminals) != 1 {
			t.Errorf("terminal clients %v, want the one", terminals)
		}
		clients := func() string {
			return s.Tmux(t, "list-clients", "-F", "#{session_name} #{client_control_mode} #{client_flags}")
		}
		if got := clients(); strings.Count(got, "\n") != 1 || strings.Count(got, "ignore-size") != 1 || strings.Count(got, "no-output") != 1 {
			t.Errorf("clients:\n%s\nwant the terminal and one control client without output and size", got)
		}
		call(t, p, "run_shell_command", fields{"pane_id": pane, "command": "echo hello"}).want(t, fields{"outcome": "completed", "exit_status": 0.0})
		call(t, p, "list_sessions", fields{"name": "main"})
		if got := sizes(); got != before {
			t.Errorf("sizes were\n%s\nand are\n%s", before, got)
		}

		// The session that the client is attached to goes, and then another one will do.
		s.Tmux(t, "kill-session", "-t", "=main")
		eventually(t, "its clients are gone", noClients(s)) // what is asked while the client ends may fail
		call(t, p, "run_shell_command", fields{"pane_id": pane, "command": "echo again"}).want(t, fields{"outcome": "completed"})
		if got := clients(); !strings.HasPrefix(got, "other 1") || strings.Contains(got, "\n") {
			t.Errorf("clients:\n%s\nwant one control client of the other session", got)
		}
		endWithin(t, p, (*pipes.Process).CloseInput)
		eventually(t, "the client is gone", noClients(s))
		s.Tmux(t, "has-session", "-t", "=other")
	})
}

func TestBinaryControlBackendLeavesFleetingSessions(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		viewed(t, s, "main")
		s.Tmux(t, "set-option", "-g", "destroy-unattached", "on")
		p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", "control")
		call(t, p, "list_panes", nil).want(t, fields{"total": 1.0})
		if clients := s.Tmux(t, "list-clients", "-F", "#{client_control_mode}"); clients != "0" {
			t.Errorf("control mode of the clients: %q, want the terminal alone", clients)
		}
	})
}

func TestBinaryControlBackendOutlivesServers(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", "control")
		for range 3 {
			call(t, p, "list_panes", nil).want(t, fields{"total": 1.0})
			s.Tmux(t, "kill-server")
			eventually(t, "the server is gone", func() (bool, string) {
				out, err := s.Try("list-sessions")
				return err != nil && strings.HasPrefix(out, "no server running"), out
			})
			call(t, p, "list_panes", nil).want(t, fields{"total": 0.0, "server": "absent"})
			s.Tmux(t, "-f", "/dev/null", "new-session", "-d", "-s", "main", "sh")
		}
	})
}
