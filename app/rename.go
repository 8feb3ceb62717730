package app

import (
	"context"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// change lets do change something that an id names, and reads the server again. If what do had looked at was not so any more, nothing was
// changed, and it is done anew.
func (a *App) change(ctx context.Context, id string, do func(t tmux.Topology) error) (tmux.Topology, error) {
	for range attempts {
		t, err := a.known(ctx, tmux.DetailBrief, id, target.Lister(id))
		if err == nil {
			err = target.Exists(t, id)
		}
		if err == nil {
			err = do(t)
		}
		if fault.Is(err, fault.PreconditionFailed) {
			continue
		}
		if err != nil {
			return tmux.Topology{}, err
		}
		after, err := a.topology(ctx, tmux.DetailBrief)
		if err == nil {
			err = a.acknowledged.Check(after.Server.Generation, id, target.Lister(id))
		}
		if err == nil {
			err = target.Exists(after, id)
		}
		return after, done(err)
	}
	return tmux.Topology{}, &fault.Error{
		Kind: fault.CommandFailed, Target: id, Message: fmt.Sprintf("%s changed each time just before the change; nothing was done", id),
		Recovery: "look at it (" + target.Lister(id) + ") and try again",
	}
}

// done says of a fault that it came after the change.
func done(err error) error {
	if f, ok := err.(*fault.Error); ok { //nolint:errorlint // a port's or made here
		f.Delivery = fault.Observed
		f.Message = "the change was made; what came of it cannot be told: " + f.Error()
	}
	return err
}

// front is what is in front of a window.
func front(t tmux.Topology, window tmux.WindowID) ports.Front {
	w, _ := t.Window(window)
	active, _ := lo.Find(t.PanesOf(window), func(p tmux.Pane) bool { return p.Active })
	return ports.Front{Active: active.ID, Zoomed: w.Zoomed}
}

// windowOf is the window that an id of a window or of a pane is about.
func windowOf(t tmux.Topology, id string) tmux.WindowID {
	if target.Kind(id) == tmux.KindPane {
		pane, _ := t.Pane(tmux.PaneID(id))
		return pane.Window
	}
	return tmux.WindowID(id)
}

// RenameIn is a name for something.
type RenameIn struct {
	TargetID string `json:"target_id" jsonschema:"session ($N), window (@N) or pane (%N)"`
	Name     string `json:"name" jsonschema:"literal; of a pane it is the title, which its program may change again"`
}

// RenameOut is what it is called now.
type RenameOut struct {
	Generation string `json:"generation"`
	TargetID   string `json:"target_id"`
	Name       string `json:"name" jsonschema:"as tmux has it now"`
}

// Rename names a session or a window, or gives a pane its title.
func (a *App) Rename(ctx context.Context, in RenameIn) (RenameOut, error) {
	ctx, err := a.admit(ctx, "rename")
	if err != nil {
		return RenameOut{}, err
	}
	if err := firstError(
		target.Parse("target_id", in.TargetID, tmux.KindSession, tmux.KindWindow, tmux.KindPane), checkName("name", in.Name),
	); err != nil {
		return RenameOut{}, err
	}
	kind := target.Kind(in.TargetID)
	if kind != tmux.KindPane && in.Name == "" {
		return RenameOut{}, fault.Invalidf("pass a name", "name is empty")
	}
	if kind == tmux.KindSession && strings.ContainsAny(in.Name, ":.") {
		return RenameOut{}, fault.Invalidf("use another character, such as _", "name %q holds : or . which tmux would replace", in.Name)
	}
	after, err := a.change(ctx, in.TargetID, func(t tmux.Topology) error {
		return a.Manager.SetName(ctx, t.Server, ports.SetName{Target: in.TargetID, Name: in.Name})
	})
	if err != nil {
		return RenameOut{}, err
	}
	out := RenameOut{Generation: string(after.Server.Generation), TargetID: in.TargetID}
	switch kind {
	case tmux.KindPane:
		pane, _ := after.Pane(tmux.PaneID(in.TargetID))
		out.Name = pane.Title
	case tmux.KindWindow:
		window, _ := after.Window(tmux.WindowID(in.TargetID))
		out.Name = window.Name
	default:
		session, _ := after.Session(tmux.SessionID(in.TargetID))
		out.Name = session.Name
	}
	return out, nil
}
