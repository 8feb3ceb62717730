//go:build integration

package integration_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// Before tmux 3.3 the suite asserts the refusal, which names the version.
func TestIdentityContract(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		for name, inspector := range map[string]func(*testing.T, *tmuxWorld) ports.Inspector{"cli": overCLI, "control": overControl} {
			t.Run(name, func(t *testing.T) {
				porttest.Identity(t, func(t *testing.T) porttest.World {
					w := newTmuxWorld(t, binary)
					w.ports.Identity = process.NewIdentity(inspector(t, w))
					return w
				})
			})
		}
	})
}

func overCLI(_ *testing.T, w *tmuxWorld) ports.Inspector { return w.ports.Inspector }

func overControl(t *testing.T, w *tmuxWorld) ports.Inspector {
	t.Helper()
	other := cliConn(t, w.realServer, cli.Options{Config: "/dev/null", Env: plainEnv(t)})
	clients := controlClients(other)
	conn := control.NewConn(clients, other)
	t.Cleanup(conn.Close)
	return tmuxserver.New(conn, tmuxserver.Options{Own: clients.Own})
}
