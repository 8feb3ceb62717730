//go:build integration

package integration_test

import (
	"os"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// cliConn is a Conn to a server that may not run yet, with the given options beside executable and socket.
func cliConn(t testing.TB, s *realServer, options cli.Options) *cli.Conn {
	t.Helper()
	options.Tmux, options.SocketPath = s.Binary, s.Socket
	conn, err := cli.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// plainEnv is an environment whose default shell is quick to start.
func plainEnv(t testing.TB) []string {
	t.Helper()
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "SHELL=/bin/sh"}
}

// cliServer is the adapter under test over one tmux process a command list.
func cliServer(t *testing.T, s *realServer) *tmuxserver.Server {
	t.Helper()
	return tmuxserver.New(cliConn(t, s, cli.Options{Config: "/dev/null", Env: plainEnv(t)}), tmuxserver.Options{})
}

// controlServer is one over a control client that stays, until the test ends.
func controlServer(t *testing.T, s *realServer) *tmuxserver.Server {
	t.Helper()
	_, server, _ := controlBackend(t, s)
	return server
}

// controlBackend is a controlServer, with its connection, and what is heard over control clients.
func controlBackend(t *testing.T, s *realServer) (*control.Conn, *tmuxserver.Server, *control.Events) {
	t.Helper()
	other := cliConn(t, s, cli.Options{Config: "/dev/null", Env: plainEnv(t)})
	clients := controlClients(other)
	conn := control.NewConn(clients, other)
	t.Cleanup(conn.Close)
	server := tmuxserver.New(conn, tmuxserver.Options{Own: clients.Own})
	return conn, server, heard(t, clients, server)
}

// serverOver is one over a backend.
func serverOver(t *testing.T, backend string, s *realServer) *tmuxserver.Server {
	t.Helper()
	if backend == backendControl {
		return controlServer(t, s)
	}
	return cliServer(t, s)
}

// topology reads everything in full.
func topology(t *testing.T, server ports.Reader) tmux.Topology {
	t.Helper()
	all, err := server.Topology(t.Context(), tmux.DetailFull)
	if err != nil {
		t.Fatalf("topology: %v", err)
	}
	return all
}

// ready is the precondition of a pane as the topology shows it, alone.
func ready(all tmux.Topology, pane tmux.Pane, cohort bool) guard.Precondition {
	return guard.Precondition{
		Server: all.Server, Pane: pane.ID, Recipients: []guard.Recipient{{Pane: pane.ID, PID: pane.PID}}, Cohort: cohort,
	}
}

func TestTmuxServerFirstSteps(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		real := newServer(t, binary)
		server := cliServer(t, real)
		if all := topology(t, server); all.Running {
			t.Fatalf("a server that was never started runs: %+v", all)
		}
		created, err := server.NewSession(t.Context(), ports.NewSession{Name: "first", Width: 100, Height: 30})
		if err != nil {
			t.Fatal(err)
		}
		if !created.ServerStarted {
			t.Errorf("ServerStarted is false for %+v", created)
		}
		all := topology(t, server)
		pane, ok := all.Pane(created.Pane)
		if !ok || pane.Width != 100 || pane.Height != 30 {
			t.Fatalf("pane %+v in %+v", pane, all)
		}
		if err := server.SendText(t.Context(), ready(all, pane, true), "echo a; echo $((40+2));", true); err != nil {
			t.Fatal(err)
		}
		real.Screen(t, string(pane.ID), "42")
		capture, err := server.Capture(t.Context(), ports.CaptureRequest{Server: all.Server, Pane: pane.ID, Join: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(capture.Rows) != 30 || capture.Pane.ID != pane.ID {
			t.Errorf("captured %q of %+v", capture.Rows, capture.Pane)
		}
	})
}
