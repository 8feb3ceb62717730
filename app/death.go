package app

import (
	"context"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
)

// deathGrace is how long a pane that is dead may still go. Unless it is to remain, tmux removes one once it knows both that its terminal was
// closed and that its process ended; in between it is as dead as one that remains.
const deathGrace = 50 * time.Millisecond

// afterDeath is what became of a pane that is dead: PaneGone, ServerGone, or PaneDied if it stays, or if nothing else can be found out. To runs
// and waits it has the same names.
func (a *App) afterDeath(ctx context.Context, server tmux.Server, id tmux.PaneID) wait.Outcome {
	for began := time.Now(); time.Since(began) < deathGrace && pause(ctx, 5*time.Millisecond) == nil; {
		t, err := a.Reader.Topology(ctx, tmux.DetailBrief)
		if err != nil {
			continue
		}
		if t.Server.Generation != server.Generation {
			return wait.ServerGone
		}
		if _, there := t.Pane(id); !there {
			return wait.PaneGone
		}
	}
	return wait.PaneDied
}
