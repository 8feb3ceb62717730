package ports

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Snapshots reads metadata of all entities of a kind, and changes nothing.
type Snapshots interface {
	// Snapshot reads every entity of a kind at one instant, with all of [snapshot.Fields] that this tmux has and that
	// apply. An absent server is no error: Running is false; nor is one without sessions. Every text is exact, whatever bytes it
	// holds. A window that is linked into several sessions is there once, as are its panes, and has as many links. Clients of this
	// process are left out, and are not counted in session_attached.
	Snapshot(ctx context.Context, kind tmux.Kind) (snapshot.Reading, error)
}
