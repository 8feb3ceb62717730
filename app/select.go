package app

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// SelectIn says what to bring in front.
type SelectIn struct {
	TargetID  string `json:"target_id" jsonschema:"window (@N), or pane (%N), which becomes the active one of its window"`
	SessionID string `json:"session_id,omitempty" jsonschema:"session ($N) in which to make the window current; for a pane its window too; required for a window linked into several"`
}

// SelectOut names what is in front.
type SelectOut struct {
	Generation string `json:"generation"`
	TargetID   string `json:"target_id"`
	SessionID  string `json:"session_id,omitempty" jsonschema:"where the window is the current one now"`
}

// Select brings a window or a pane in front of whoever looks.
func (a *App) Select(ctx context.Context, in SelectIn) (SelectOut, error) {
	ctx, err := a.admit(ctx, "select")
	if err != nil {
		return SelectOut{}, err
	}
	if err := target.Parse("target_id", in.TargetID, tmux.KindWindow, tmux.KindPane); err != nil {
		return SelectOut{}, err
	}
	session, err := parseOptional("session_id", in.SessionID, target.ParseSession)
	if err != nil {
		return SelectOut{}, err
	}
	after, err := a.change(ctx, in.TargetID, func(t tmux.Topology) error {
		request := ports.Select{Window: windowOf(t, in.TargetID), Session: session}
		if target.Kind(in.TargetID) == tmux.KindPane {
			request.Pane = tmux.PaneID(in.TargetID)
		} else if request.Session, err = placeOf(t, request.Window, session); err != nil {
			return err
		}
		session = request.Session
		return a.Manager.Select(ctx, t.Server, request)
	})
	if err != nil {
		return SelectOut{}, err
	}
	return SelectOut{Generation: string(after.Server.Generation), TargetID: in.TargetID, SessionID: string(session)}, nil
}

// placeOf is the session in which a window is meant: the one that is given, or the only one into which it is linked.
func placeOf(t tmux.Topology, window tmux.WindowID, session tmux.SessionID) (tmux.SessionID, error) {
	links := t.LinksOf(window)
	if session != "" {
		if !inSession(links, string(session)) {
			return "", &fault.Error{
				Kind: fault.NotFound, Target: string(session), Message: string(window) + " is not in session " + string(session),
				Recovery: "call list_windows, which names the sessions of each window",
			}
		}
		return session, nil
	}
	for _, link := range links {
		if link.Session != links[0].Session {
			return "", fault.Invalidf("pass session_id (list_windows names them)", "%s is linked into several sessions", window)
		}
	}
	return links[0].Session, nil
}
