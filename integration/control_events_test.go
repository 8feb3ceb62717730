//go:build integration

package integration_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// controlEvents is what is heard over control clients, and the server that commands go to otherwise, from which they are hidden.
func controlEvents(t *testing.T, s *realServer) (*control.Events, *tmuxserver.Server, *control.Clients) {
	t.Helper()
	conn := cliConn(t, s, cli.Options{Config: "/dev/null", Env: plainEnv(t)})
	clients := controlClients(conn)
	server := tmuxserver.New(conn, tmuxserver.Options{Own: clients.Own})
	return heard(t, clients, server), server, clients
}

// heard is what is heard over clients, until the test's end.
func heard(t *testing.T, clients *control.Clients, server *tmuxserver.Server) *control.Events {
	t.Helper()
	events := control.NewEvents(clients, server)
	t.Cleanup(events.Close)
	return events
}

func TestControlEventsContract(t *testing.T) {
	t.Parallel() // most of it is waiting
	eachTmux(t, func(t *testing.T, binary string) {
		porttest.Events(t, func(t *testing.T) porttest.World {
			w := newTmuxWorld(t, binary)
			events, server, _ := controlEvents(t, w.realServer)
			w.ports = porttest.Ports{Reader: server, Events: events, Input: server, Creator: server}
			return w
		})
	})
}

func TestControlConnContract(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		world := func(t *testing.T) porttest.World {
			w := newTmuxWorld(t, binary)
			other := cliConn(t, w.realServer, cli.Options{Config: "/dev/null", Env: plainEnv(t)})
			clients := controlClients(other)
			conn := control.NewConn(clients, other)
			t.Cleanup(conn.Close)
			server := tmuxserver.New(conn, tmuxserver.Options{Own: clients.Own})
			w.ports = porttest.Ports{Reader: server, Events: heard(t, clients, server), Input: server, Creator: server, Inspector: server, Snapshots: server, Channels: channels(t, w.realServer, server)}
			return w
		}
		t.Run("Reader", func(t *testing.T) { t.Parallel(); porttest.Reader(t, world) })
		t.Run("Events", func(t *testing.T) { t.Parallel(); porttest.Events(t, world) })
		t.Run("Input", func(t *testing.T) { t.Parallel(); porttest.Input(t, world) })
		t.Run("Creator", func(t *testing.T) { t.Parallel(); porttest.Creator(t, world) })
		t.Run("Snapshots", func(t *testing.T) { t.Parallel(); porttest.Snapshots(t, world) })
		t.Run("Channels", func(t *testing.T) { t.Parallel(); porttest.Channels(t, world) })
	})
}
