package app

import (
	"context"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// ListWindowsIn filters the windows.
type ListWindowsIn struct {
	SessionID string `json:"session_id,omitempty" jsonschema:"only windows linked into this session ($N)"`
	Name      string `json:"name,omitempty" jsonschema:"only windows of exactly this name"`
}

// ListWindowsOut are the windows.
type ListWindowsOut struct {
	Listing
	Windows []WindowRow `json:"windows"`
}

// A WindowRow is one listed window.
type WindowRow struct {
	WindowID string    `json:"window_id"`
	Name     string    `json:"name"`
	Panes    int       `json:"panes"`
	Active   bool      `json:"active" jsonschema:"the current window of a session"`
	Zoomed   bool      `json:"zoomed"`
	Layout   string    `json:"layout"`
	Links    []LinkRow `json:"links"`
}

// A LinkRow is one place of a window in a session.
type LinkRow struct {
	SessionID string `json:"session_id"`
	Index     int    `json:"index"`
}

// ListWindows lists windows, each once.
func (a *App) ListWindows(ctx context.Context, in ListWindowsIn) (ListWindowsOut, error) {
	ctx, err := a.admit(ctx, "list_windows")
	if err != nil {
		return ListWindowsOut{}, err
	}
	t, err := a.filtered(ctx, tmux.DetailBrief, in.SessionID, "")
	if err != nil {
		return ListWindowsOut{}, err
	}
	rows := lo.FilterMap(t.Windows, func(w tmux.Window, _ int) (WindowRow, bool) {
		links := t.LinksOf(w.ID)
		row := WindowRow{
			WindowID: string(w.ID), Name: w.Name, Panes: w.Panes, Zoomed: w.Zoomed, Layout: w.Layout,
			Active: lo.SomeBy(links, func(l tmux.Link) bool { return l.Active }),
			Links:  lo.Map(links, func(l tmux.Link, _ int) LinkRow { return LinkRow{string(l.Session), l.Index} }),
		}
		return row, (in.Name == "" || in.Name == w.Name) && inSession(links, in.SessionID)
	})
	return ListWindowsOut{Listing: listingOf(t, len(rows)), Windows: rows}, nil
}

// filtered reads the server for a listing that may be limited to a session or a window, which must then exist.
func (a *App) filtered(ctx context.Context, detail tmux.Detail, session, window string) (tmux.Topology, error) {
	if session == "" && window == "" {
		return a.listing(ctx, detail)
	}
	sessionID, err := parseOptional("session_id", session, target.ParseSession)
	if err != nil {
		return tmux.Topology{}, err
	}
	windowID, err := parseOptional("window_id", window, target.ParseWindow)
	if err != nil {
		return tmux.Topology{}, err
	}
	t, err := a.known(ctx, detail, lo.CoalesceOrEmpty(window, session), "list_sessions")
	if err != nil {
		return tmux.Topology{}, err
	}
	if sessionID != "" {
		if _, err := target.Session(t, sessionID); err != nil {
			return tmux.Topology{}, err
		}
	}
	if windowID != "" {
		if _, err := target.Window(t, windowID); err != nil {
			return tmux.Topology{}, err
		}
	}
	return t, nil
}

func parseOptional[ID ~string](argument, text string, parse func(argument, text string) (ID, error)) (ID, error) {
	if text == "" {
		return "", nil
	}
	return parse(argument, text)
}

func inSession(links []tmux.Link, session string) bool {
	return session == "" || lo.SomeBy(links, func(l tmux.Link) bool { return string(l.Session) == session })
}

// CreateWindowIn describes a window.
type CreateWindowIn struct {
	SessionID string `json:"session_id" jsonschema:"session to create it in ($N)"`
	Name      string `json:"name,omitempty" jsonschema:"left out, tmux names it after its program"`
	Cwd       string `json:"cwd,omitempty" jsonschema:"absolute path of an existing directory"`
	Index     *int   `json:"index,omitempty" min:"0" max:"2147483647" jsonschema:"a free index; left out, the next free one"`
	Focus     bool   `json:"focus,omitempty" jsonschema:"make it the session's current window, in front of whoever looks"`
}

// CreateWindowOut names what was created.
type CreateWindowOut struct {
	Generation string `json:"generation"`
	WindowID   string `json:"window_id"`
	PaneID     string `json:"pane_id"`
}

// CreateWindow creates a window in a session.
func (a *App) CreateWindow(ctx context.Context, in CreateWindowIn) (CreateWindowOut, error) {
	ctx, err := a.admit(ctx, "create_window")
	if err != nil {
		return CreateWindowOut{}, err
	}
	id, err := target.ParseSession("session_id", in.SessionID)
	if err != nil {
		return CreateWindowOut{}, err
	}
	if err := firstError(checkName("name", in.Name), checkCwd(in.Cwd)); err != nil {
		return CreateWindowOut{}, err
	}
	t, err := a.known(ctx, tmux.DetailBrief, in.SessionID, "list_sessions")
	if err != nil {
		return CreateWindowOut{}, err
	}
	if _, err := target.Session(t, id); err != nil {
		return CreateWindowOut{}, err
	}
	created, err := a.Creator.NewWindow(ctx, t.Server, ports.NewWindow{Session: id, Name: in.Name, Cwd: in.Cwd, Index: in.Index, Focus: in.Focus})
	if err != nil {
		return CreateWindowOut{}, err
	}
	return CreateWindowOut{Generation: string(created.Server.Generation), WindowID: string(created.Window), PaneID: string(created.Pane)}, nil
}
