package app

import (
	"context"
	"fmt"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// MoveWindowIn says where a window goes.
type MoveWindowIn struct {
	WindowID  string `json:"window_id" jsonschema:"window (@N) that is in one session only"`
	SessionID string `json:"session_id,omitempty" jsonschema:"session ($N) to move it to; its own by default"`
	Index     *int   `json:"index,omitempty" min:"0" max:"2147483647" jsonschema:"a free index; left out, the next free one"`
}

// MoveWindowOut says where it is.
type MoveWindowOut struct {
	Generation string    `json:"generation"`
	WindowID   string    `json:"window_id"`
	Links      []LinkRow `json:"links" jsonschema:"where it is now"`
}

// MoveWindow moves a window within its session, where it stays current if it was, or into another.
func (a *App) MoveWindow(ctx context.Context, in MoveWindowIn) (MoveWindowOut, error) {
	ctx, err := a.admit(ctx, "move_window")
	if err != nil {
		return MoveWindowOut{}, err
	}
	id, err := target.ParseWindow("window_id", in.WindowID)
	if err != nil {
		return MoveWindowOut{}, err
	}
	session, err := parseOptional("session_id", in.SessionID, target.ParseSession)
	if err != nil {
		return MoveWindowOut{}, err
	}
	after, err := a.change(ctx, in.WindowID, func(t tmux.Topology) error {
		request, err := judgeMove(t, id, session, in.Index)
		if err != nil {
			return err
		}
		return a.Manager.Move(ctx, t.Server, request)
	})
	if err != nil {
		return MoveWindowOut{}, err
	}
	links := lo.Map(after.LinksOf(id), func(l tmux.Link, _ int) LinkRow { return LinkRow{string(l.Session), l.Index} })
	return MoveWindowOut{Generation: string(after.Server.Generation), WindowID: in.WindowID, Links: links}, nil
}

// judgeMove refuses a move that would end a session or take away what a person looks at.
func judgeMove(t tmux.Topology, window tmux.WindowID, to tmux.SessionID, index *int) (ports.Move, error) {
	links := t.LinksOf(window)
	if len(links) != 1 {
		return ports.Move{}, fault.Invalidf("leave it where it is", "%s has %d places, so that it is not said which one to leave", window, len(links))
	}
	from := links[0]
	to = lo.CoalesceOrEmpty(to, from.Session)
	if _, err := target.Session(t, to); err != nil {
		return ports.Move{}, err
	}
	taken := lo.SomeBy(t.Links, func(l tmux.Link) bool { return l.Session == to && index != nil && l.Index == *index })
	if taken {
		return ports.Move{}, fault.Invalidf("choose another index, or none for the next free one (list_windows)", "session %s has a window at index %d", to, *index)
	}
	if to == from.Session {
		return ports.Move{Window: window, From: from.Session, To: to, Index: index, Current: from.Active}, nil
	}
	if lo.CountBy(t.Links, func(l tmux.Link) bool { return l.Session == from.Session }) == 1 {
		return ports.Move{}, fault.Invalidf("create another window there before (create_window)", "%s is the only window of session %s, which would end", window, from.Session)
	}
	for _, client := range t.Clients {
		if from.Active && client.Session == from.Session && !client.Control && !client.Suspended {
			return ports.Move{}, &fault.Error{
				Kind: fault.Refused, Reason: fault.Attended, Op: "move", Target: string(window),
				Message:  fmt.Sprintf("window %s is on the screen of %s, which would show another one", window, client.Name),
				Recovery: "ask the person to look at another window, or leave it",
			}
		}
	}
	return ports.Move{Window: window, From: from.Session, To: to, Index: index}, nil
}

// SwapPanesIn names two panes.
type SwapPanesIn struct {
	PaneID      string `json:"pane_id" jsonschema:"pane (%N)"`
	OtherPaneID string `json:"other_pane_id" jsonschema:"pane (%N)"`
}

// SwapPanesOut says where both are.
type SwapPanesOut struct {
	Generation string     `json:"generation"`
	Panes      []PlaceRow `json:"panes" jsonschema:"both, where they are now"`
}

// A PlaceRow is where a pane is.
type PlaceRow struct {
	PaneID   string `json:"pane_id"`
	WindowID string `json:"window_id"`
	Index    int    `json:"index"`
}

// SwapPanes swaps the places of two panes.
func (a *App) SwapPanes(ctx context.Context, in SwapPanesIn) (SwapPanesOut, error) {
	ctx, err := a.admit(ctx, "swap_panes")
	if err != nil {
		return SwapPanesOut{}, err
	}
	pane, err := target.ParsePane("pane_id", in.PaneID)
	if err != nil {
		return SwapPanesOut{}, err
	}
	other, err := target.ParsePane("other_pane_id", in.OtherPaneID)
	if err != nil {
		return SwapPanesOut{}, err
	}
	if pane == other {
		return SwapPanesOut{}, fault.Invalidf("pass two panes", "pane_id and other_pane_id are the same pane")
	}
	after, err := a.change(ctx, in.PaneID, func(t tmux.Topology) error {
		if _, err := target.Pane(t, other); err != nil {
			return err
		}
		return a.Manager.Swap(ctx, t.Server, pane, other)
	})
	if err != nil {
		return SwapPanesOut{}, err
	}
	rows := lo.FilterMap([]tmux.PaneID{pane, other}, func(id tmux.PaneID, _ int) (PlaceRow, bool) {
		p, ok := after.Pane(id)
		return PlaceRow{PaneID: string(id), WindowID: string(p.Window), Index: p.Index}, ok
	})
	return SwapPanesOut{Generation: string(after.Server.Generation), Panes: rows}, nil
}
