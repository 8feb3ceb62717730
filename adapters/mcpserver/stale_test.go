package mcpserver_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// What a client was told of one life of tmux changes nothing in the next, whichever tool it is. Integration holds a real tmux to it.
func TestNoToolReachesAnotherLife(t *testing.T) {
	_, rows := catalogue(t)
	converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pair(t, world, world.AddSession("main"))
		mcptest.Stale(t, c, rows, restarter{world})
	})
}

// pair splits a pane, and waits for the shells in both.
func pair(t testing.TB, world *fake.World, first tmux.PaneID) {
	t.Helper()
	for _, pane := range []tmux.PaneID{first, world.Split(first)} {
		if err := world.AwaitPrompt(t.Context(), pane); err != nil {
			t.Fatal(err)
		}
	}
}

type restarter struct{ *fake.World }

func (r restarter) Restart(t testing.TB) {
	t.Helper()
	pair(t, r.World, r.World.Restart("another"))
}

func (r restarter) State(testing.TB) string {
	return r.String() + r.Received("%0") + r.Received("%1")
}
