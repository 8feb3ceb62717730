package app

import (
	"context"
	"strings"
	"unicode"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// ListSessionsIn filters the sessions.
type ListSessionsIn struct {
	Name     string `json:"name,omitempty" jsonschema:"only the session of exactly this name"`
	Attached *bool  `json:"attached,omitempty" jsonschema:"only those with (true) or without (false) a terminal attached"`
}

// ListSessionsOut are the sessions.
type ListSessionsOut struct {
	Listing
	Sessions []SessionRow `json:"sessions"`
}

// A SessionRow is one listed session.
type SessionRow struct {
	SessionID string `json:"session_id"`
	Name      string `json:"name"`
	Windows   int    `json:"windows"`
	Attached  int    `json:"attached" jsonschema:"terminals attached"`
	Created   int64  `json:"created" jsonschema:"epoch seconds"`
	Group     string `json:"group,omitempty"`
}

// ListSessions lists sessions.
func (a *App) ListSessions(ctx context.Context, in ListSessionsIn) (ListSessionsOut, error) {
	ctx, err := a.admit(ctx, "list_sessions")
	if err != nil {
		return ListSessionsOut{}, err
	}
	t, err := a.listing(ctx, tmux.DetailBrief)
	if err != nil {
		return ListSessionsOut{}, err
	}
	rows := lo.FilterMap(t.Sessions, func(s tmux.Session, _ int) (SessionRow, bool) {
		row := SessionRow{
			SessionID: string(s.ID), Name: s.Name, Windows: s.Windows, Attached: s.Attached, Created: s.Created.Unix(), Group: s.Group,
		}
		return row, (in.Name == "" || in.Name == s.Name) && (in.Attached == nil || *in.Attached == (s.Attached > 0))
	})
	return ListSessionsOut{Listing: listingOf(t, len(rows)), Sessions: rows}, nil
}

// CreateSessionIn describes a session.
type CreateSessionIn struct {
	Name       string `json:"name,omitempty" jsonschema:"without : and . which tmux uses in targets; left out, tmux numbers it"`
	WindowName string `json:"window_name,omitempty" jsonschema:"name of its first window"`
	Cwd        string `json:"cwd,omitempty" jsonschema:"absolute path of an existing directory"`
	Width      int    `json:"width,omitempty" min:"1" max:"10000" jsonschema:"cells"`
	Height     int    `json:"height,omitempty" min:"1" max:"10000" jsonschema:"cells"`
}

// CreateSessionOut names what was created.
type CreateSessionOut struct {
	Generation    string `json:"generation"`
	SessionID     string `json:"session_id"`
	WindowID      string `json:"window_id"`
	PaneID        string `json:"pane_id"`
	ServerStarted bool   `json:"server_started,omitempty" jsonschema:"no tmux server was running: this call started one"`
}

// CreateSession creates a detached session, and starts the server if none runs.
func (a *App) CreateSession(ctx context.Context, in CreateSessionIn) (CreateSessionOut, error) {
	ctx, err := a.admit(ctx, "create_session")
	if err != nil {
		return CreateSessionOut{}, err
	}
	if strings.ContainsAny(in.Name, ":.") {
		return CreateSessionOut{}, fault.Invalidf("use another character, such as _", "name %q holds : or . which tmux would replace", in.Name)
	}
	if err := firstError(checkName("name", in.Name), checkName("window_name", in.WindowName), checkCwd(in.Cwd)); err != nil {
		return CreateSessionOut{}, err
	}
	created, err := a.Creator.NewSession(ctx, ports.NewSession{
		Name: in.Name, WindowName: in.WindowName, Cwd: in.Cwd, Width: in.Width, Height: in.Height,
	})
	if err != nil {
		return CreateSessionOut{}, err
	}
	a.acknowledged.FirstContact(created.Server.Generation)
	return CreateSessionOut{
		Generation: string(created.Server.Generation), SessionID: string(created.Session), WindowID: string(created.Window),
		PaneID: string(created.Pane), ServerStarted: created.ServerStarted,
	}, nil
}

// checkName refuses names that tmux would alter or that would break a listing.
func checkName(argument, name string) error {
	for _, r := range name {
		if unicode.IsControl(r) {
			return fault.Invalidf("leave it out", "%s holds the control character %q", argument, r)
		}
	}
	return nil
}

// checkCwd refuses paths that would depend on where some process happens to be.
func checkCwd(path string) error {
	if path != "" && !strings.HasPrefix(path, "/") {
		return fault.Invalidf("pass an absolute path", "cwd %q is relative", path)
	}
	return nil
}

func firstError(errs ...error) error {
	err, _ := lo.Find(errs, func(err error) bool { return err != nil })
	return err
}
