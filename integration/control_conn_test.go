//go:build integration

package integration_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/conntest"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// controlClients makes control-mode clients of a server through one tmux process each.
func controlClients(conn *cli.Conn) *control.Clients {
	dial := func(ctx context.Context, attach []string) (control.Stream, error) { return conn.Attach(ctx, attach) }
	return control.NewClients(dial, conn.Socket())
}

// A countingConn counts the lists that it carries.
type countingConn struct {
	tmuxserver.Conn
	runs atomic.Int32
}

func (c *countingConn) Run(ctx context.Context, list tmuxserver.List) (tmuxserver.Result, error) {
	c.runs.Add(1)
	return c.Conn.Run(ctx, list)
}

func TestConnControl(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		conntest.Test(t, func(t *testing.T) conntest.Harness {
			server, harness := connHarness(t, binary)
			other := cliConn(t, server, cli.Options{Env: plainEnv(t)})
			conn := control.NewConn(controlClients(other), other)
			t.Cleanup(conn.Close)
			harness.Conn = conn
			return harness
		})
	})
}

// TestConnControlStays sees that lists go over one client, which leaves when it is closed, and is replaced when it ends.
func TestConnControlStays(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server, _ := connHarness(t, binary)
		other := &countingConn{Conn: cliConn(t, server, cli.Options{Env: plainEnv(t)})}
		clients := controlClients(other.Conn.(*cli.Conn))
		conn := control.NewConn(clients, other)
		t.Cleanup(conn.Close)
		run := func() {
			t.Helper()
			for range 20 {
				result, err := conn.Run(t.Context(), tmuxserver.List{Commands: []tmuxserver.Command{{"display-message", "-p", "#{client_pid}"}}})
				if err != nil || result.Replies[0].State != tmuxserver.Done {
					t.Fatalf("%+v, %v", result, err)
				}
				if pid, err := strconv.Atoi(strings.TrimSpace(result.Replies[0].Output)); err != nil || !clients.Own(pid) {
					t.Fatalf("client %q is none of ours", result.Replies[0].Output)
				}
			}
		}
		run()
		if got := other.runs.Load(); got != 1 {
			t.Errorf("%d lists went the other way, want the one that finds a session", got)
		}
		server.Tmux(t, "detach-client", "-s", "main")
		eventually(t, "the client is gone", noClients(server))
		run()
		conn.Close()
		eventually(t, "the client is gone", noClients(server))
		eventually(t, "it is none of ours any more", func() (bool, string) { return !clients.Own(os.Getpid()), "" })
		if _, err := conn.Run(t.Context(), tmuxserver.List{Commands: []tmuxserver.Command{{"list-sessions"}}}); err != nil {
			t.Errorf("after Close: %v", err)
		}
		if clients := server.Tmux(t, "list-clients"); clients != "" {
			t.Errorf("attached again after Close: %s", clients)
		}
	})
}

// TestConnControlCaptures sees that captures do not cost tmux memory, as they do before 3.6 over a control client: neither those over a client
// that stays nor those of a pane that is watched.
func TestConnControlCaptures(t *testing.T) {
	const times, most = 100, 4 << 10 // KiB, where all that is captured is 14 MB
	eachTmux(t, func(t *testing.T, binary string) {
		for name, reader := range map[string]func(s *realServer, pane tmux.PaneID) ports.Reader{
			"over a client that stays": func(s *realServer, _ tmux.PaneID) ports.Reader { return controlServer(t, s) },
			"of a pane that is watched": func(s *realServer, pane tmux.PaneID) ports.Reader {
				events, server, _ := controlEvents(t, s)
				watching(t, events, topology(t, server).Server, pane)
				return events.Reader(server)
			},
		} {
			s := startServer(t, binary)
			pane := tmux.PaneID(s.window(t, 2000, "sh", "-c", "yes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -n 3000; echo the end; exec cat"))
			s.Screen(t, string(pane), "the end")
			read := reader(s, pane)
			server := topology(t, cliServer(t, s)).Server
			capture := func() {
				oldest := 0
				if _, err := read.Capture(t.Context(), ports.CaptureRequest{Server: server, Pane: pane, FromRow: &oldest}); err != nil {
					t.Fatal(err)
				}
			}
			capture()
			before := memory(t, server.PID, "VmRSS")
			for range times {
				capture()
			}
			if now := memory(t, server.PID, "VmRSS"); now-before > most {
				t.Errorf("%s: tmux grew from %d KiB to %d, want at most %d more", name, before, now, most)
			}
		}
	})
}

// noClients sees that nothing is attached.
func noClients(server *realServer) func() (bool, string) {
	return func() (bool, string) {
		clients, _ := server.Try("list-clients")
		return clients == "", clients
	}
}
