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
