package ports

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Manager rearranges what there is. A target that does not exist is NotFound. Texts are literal: nothing in them is expanded.
// Nothing but Select, and SetSize where it zooms, changes which windows are current and which panes are active, or ends or begins a
// zoom. Where a request has a Front and that is not in front any more, it is PreconditionFailed, and nothing was changed.
type Manager interface {
	// SetName names a session or a window, or gives a pane its title. A name that another session has is InvalidInput.
	SetName(ctx context.Context, server tmux.Server, request SetName) error

	// Select makes a pane the active one of its window, a window the current one of a session, or both. NotFound if the session
	// does not have the window.
	Select(ctx context.Context, server tmux.Server, request Select) error

	// Arrange lays the panes of a window out. A layout string has been checked by the caller; it holds as many panes as the window
	// and gives them their places in the order of their indexes.
	Arrange(ctx context.Context, server tmux.Server, request Arrange) error

	// SetSize gives a window a size of its own, which it keeps whoever attaches, or a pane one within its window, as far as there is
	// room; or it zooms a pane, or ends its zoom.
	SetSize(ctx context.Context, server tmux.Server, request SetSize) error

	// Move moves a window from its place in one session to a place in the same or another; InvalidInput if the
	// index is taken. The window that was current in its own session stays it.
	Move(ctx context.Context, server tmux.Server, request Move) error

	// Swap swaps the places of two panes. The active pane of a window stays active if it stays in the window, and a zoom stays a
	// zoom.
	Swap(ctx context.Context, server tmux.Server, pane, other tmux.PaneID) error

	// Configure sets an option of a session, window or pane, or globally, and answers the value that is then set there, as tmux
	// writes it. Name and value have been checked by the caller.
	Configure(ctx context.Context, server tmux.Server, request Configure) (string, error)
}

// A Front is what is in front of a window.
type Front struct {
	Active tmux.PaneID
	Zoomed bool
}

// A SetName is a name for a session ("$1"), window ("@1") or pane ("%1").
type SetName struct {
	Target string
	Name   string
}

// A Select says what to bring in front.
type Select struct {
	Pane    tmux.PaneID    // within its window; empty: none
	Window  tmux.WindowID  // within Session
	Session tmux.SessionID // empty: only the pane
}

// An Arrange is a layout for a window.
type Arrange struct {
	Window tmux.WindowID
	Front  Front
	Layout string // a name that tmux knows, or a layout string in the form of [tmux.ClassicLayout]
}

// A SetSize is a size for a window or a pane, or whether a pane is zoomed.
type SetSize struct {
	Target string // a window or a pane
	Front  Front  // of the window
	Width  int    // cells; 0: as it is
	Height int    // cells; 0: as it is
	Zoom   *bool  // of a pane; nil: as it is
}

// A Move is where a window goes.
type Move struct {
	Window  tmux.WindowID
	From    tmux.SessionID
	To      tmux.SessionID
	Index   *int // nil: the next free one
	Current bool // the window is the current one of From, and stays it: From is To
}

// A Configure is an option to set.
type Configure struct {
	Target string // a session, window or pane; empty: globally
	Name   string
	Value  string
}
