package app

import (
	"context"
	"slices"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// ResizeIn is a size.
type ResizeIn struct {
	TargetID string `json:"target_id" jsonschema:"window (@N) or pane (%N)"`
	Width    int    `json:"width,omitempty" min:"1" max:"10000" jsonschema:"cells"`
	Height   int    `json:"height,omitempty" min:"1" max:"10000" jsonschema:"cells"`
	Zoom     *bool  `json:"zoom,omitempty" jsonschema:"let a pane cover its window, or end that; exclusive with a size"`
}

// ResizeOut is the size in force.
type ResizeOut struct {
	Generation string `json:"generation"`
	TargetID   string `json:"target_id"`
	Width      int    `json:"width" jsonschema:"cells, in force"`
	Height     int    `json:"height" jsonschema:"cells, in force"`
	Zoomed     bool   `json:"zoomed" jsonschema:"of a pane: it covers its window"`
}

// Resize gives a window or a pane a size, or zooms a pane.
func (a *App) Resize(ctx context.Context, in ResizeIn) (ResizeOut, error) {
	ctx, err := a.admit(ctx, "resize")
	if err != nil {
		return ResizeOut{}, err
	}
	if err := target.Parse("target_id", in.TargetID, tmux.KindWindow, tmux.KindPane); err != nil {
		return ResizeOut{}, err
	}
	isPane, sized := target.Kind(in.TargetID) == tmux.KindPane, in.Width > 0 || in.Height > 0
	switch {
	case sized == (in.Zoom != nil):
		return ResizeOut{}, fault.Invalidf("pass width, height or both; or zoom", "zoom and a size exclude each other, and one of them is needed")
	case in.Zoom != nil && !isPane:
		return ResizeOut{}, fault.Invalidf("pass the pane that is to cover it (list_panes)", "a window cannot be zoomed")
	}
	after, err := a.change(ctx, in.TargetID, func(t tmux.Topology) error {
		return a.Manager.SetSize(ctx, t.Server, ports.SetSize{
			Target: in.TargetID, Front: front(t, windowOf(t, in.TargetID)), Width: in.Width, Height: in.Height, Zoom: in.Zoom,
		})
	})
	if err != nil {
		return ResizeOut{}, err
	}
	out := ResizeOut{Generation: string(after.Server.Generation), TargetID: in.TargetID}
	window, _ := after.Window(windowOf(after, in.TargetID))
	out.Width, out.Height = window.Width, window.Height
	if isPane {
		pane, _ := after.Pane(tmux.PaneID(in.TargetID))
		out.Width, out.Height, out.Zoomed = pane.Width, pane.Height, window.Zoomed && pane.Active
	}
	return out, nil
}

// SelectLayoutIn is a layout for a window.
type SelectLayoutIn struct {
	WindowID string `json:"window_id" jsonschema:"window (@N)"`
	Layout   string `json:"layout" jsonschema:"even-horizontal, even-vertical, main-horizontal, main-vertical, tiled, or a layout of list_windows for as many panes and the size that the window has"`
}

// SelectLayoutOut is the layout in force.
type SelectLayoutOut struct {
	Generation string `json:"generation"`
	WindowID   string `json:"window_id"`
	Layout     string `json:"layout" jsonschema:"in force; give it back later to restore it"`
}

// SelectLayout lays the panes of a window out.
func (a *App) SelectLayout(ctx context.Context, in SelectLayoutIn) (SelectLayoutOut, error) {
	ctx, err := a.admit(ctx, "select_layout")
	if err != nil {
		return SelectLayoutOut{}, err
	}
	id, err := target.ParseWindow("window_id", in.WindowID)
	if err != nil {
		return SelectLayoutOut{}, err
	}
	wanted, invalid := tmux.ParseLayout(in.Layout)
	named := slices.Contains(tmux.LayoutNames, in.Layout)
	if !named && invalid != nil {
		return SelectLayoutOut{}, fault.Invalidf("pass "+strings.Join(tmux.LayoutNames, ", ")+", or a layout exactly as list_windows shows it",
			"layout %q: %v", clipped(in.Layout), invalid)
	}
	layout := in.Layout
	if !named {
		layout = wanted.String() // never makes a pane active, as JSON of tmux does
	}
	after, err := a.change(ctx, in.WindowID, func(t tmux.Topology) error {
		window, _ := t.Window(id)
		if !named && (wanted.Panes() != window.Panes || wanted.Width != window.Width || wanted.Height != window.Height) {
			return fault.Invalidf("use a named layout, or resize the window or close panes before", "layout has %d panes in %dx%d, the window %d in %dx%d",
				wanted.Panes(), wanted.Width, wanted.Height, window.Panes, window.Width, window.Height)
		}
		return a.Manager.Arrange(ctx, t.Server, ports.Arrange{Window: id, Front: front(t, id), Layout: layout})
	})
	if err != nil {
		return SelectLayoutOut{}, err
	}
	window, _ := after.Window(id)
	return SelectLayoutOut{Generation: string(after.Server.Generation), WindowID: in.WindowID, Layout: window.Layout}, nil
}
