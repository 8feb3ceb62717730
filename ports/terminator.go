package ports

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Terminator ends panes, windows and sessions, and drops what panes have kept. A target that does not exist is NotFound. There is
// nothing that ends the server, but a tmux whose exit-empty is on ends by itself with its last session.
type Terminator interface {
	// End ends the target of an ending, and answers all that ended with it: a window with its last pane, in whatever session it is
	// linked, a session with its last window, and with a session the windows that no other one has. If something that
	// the ending demands does not hold any more it is PreconditionFailed, and nothing ended.
	End(ctx context.Context, server tmux.Server, ending guard.Ending) (Ended, error)

	// DropHistory drops the rows above the pane's screen, and with screen set blanks the screen too and moves the cursor to its first
	// cell; its program learns nothing of it. A pane in a mode is Refused with reason InMode, and keeps its history: tmux
	// would end the mode.
	DropHistory(ctx context.Context, server tmux.Server, pane tmux.PaneID, screen bool) error
}

// Ended is what an end took with it, in the order of the ids.
type Ended struct {
	Panes    []tmux.PaneID
	Windows  []tmux.WindowID
	Sessions []tmux.SessionID
}
