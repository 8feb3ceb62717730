package ports

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Events tells when something happens in panes, so that nobody has to ask.
type Events interface {
	// Watch begins to watch a pane. NotFound if it does not exist. The caller closes the watch. What happens after Watch
	// returned is not missed; what happened before is not told.
	Watch(ctx context.Context, server tmux.Server, pane tmux.PaneID) (Watch, error)
}

// A Watch is one watched pane. It is used by one goroutine; Close may be called from any.
type Watch interface {
	// Next waits until something happened since the last Next, and tells it all at once: however much happens meanwhile,
	// there is one event, and nobody waits for its reader. After Gone, ServerGone or Close it answers the same again at once.
	Next(ctx context.Context) (Event, error)

	// Close ends the watch, and a Next that waits, with Cancelled. When it returns nothing of the watch is left.
	Close()
}

// An Event is what happened in a pane. It says where to look, not what is there.
type Event struct {
	Output     bool // something was written, or the screen changed otherwise; it may show only after one of the events that follow
	Again      bool // what was written before may show only now
	State      bool // mode, size, process or input changed; the pane may be dead
	Gone       bool // the pane does not exist any more
	ServerGone bool // the server ended, or another one answers
	Gap        bool // events may have been missed: look at everything
}

// Difference is what happened between two captures of a pane's screen, taken alike, for implementations that compare.
func Difference(before, now screen.Capture) Event {
	old, pane := before.Pane, now.Pane
	return Event{
		Output: !guard.Settled(before, now),
		State: old.PID != pane.PID || old.Dead != pane.Dead || old.Mode != pane.Mode || old.InputOff != pane.InputOff ||
			old.Width != pane.Width || old.Height != pane.Height || old.Alternate != pane.Alternate,
	}
}
