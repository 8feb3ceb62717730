package app

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// CaptureSinceIn names a cursor.
type CaptureSinceIn struct {
	PaneID string `json:"pane_id" jsonschema:"pane (%N)"`
	Cursor string `json:"cursor" jsonschema:"from capture_pane, capture_since, wait_for_text or a run in this pane"`
	Bounding
}

// CaptureSinceOut is what was written since.
type CaptureSinceOut struct {
	Generation string   `json:"generation"`
	PaneID     string   `json:"pane_id"`
	Lines      []string `json:"lines" jsonschema:"untrusted lines finished since the cursor; the line at the cursor comes once it is finished"`
	Cursor     string   `json:"cursor" jsonschema:"for the next call"`
	Continuous bool     `json:"continuous" jsonschema:"true: these lines follow exactly on those before; false: lines may be missing or repeated"`
	Reason     string   `json:"reason,omitempty" enum:"cleared,trimmed,resized,respawned,restarted" jsonschema:"why it is not continuous"`
	Truncation
}

// CaptureSince reads the lines that were finished since a cursor.
func (a *App) CaptureSince(ctx context.Context, in CaptureSinceIn) (CaptureSinceOut, error) {
	ctx, err := a.admit(ctx, "capture_since")
	if err != nil {
		return CaptureSinceOut{}, err
	}
	t, pane, err := a.knownPane(ctx, tmux.DetailBrief, in.PaneID)
	if err != nil {
		return CaptureSinceOut{}, err
	}
	at, err := a.sealer.Open(in.Cursor, pane.ID, t.Server.Generation)
	if err != nil {
		return CaptureSinceOut{}, err
	}
	delta, _, err := a.since(ctx, t.Server, pane.ID, at)
	if err != nil {
		return CaptureSinceOut{}, err
	}
	lines, truncation := bounded(delta.Lines, 0, in.Bounding)
	return CaptureSinceOut{
		Generation: string(t.Server.Generation), PaneID: string(pane.ID), Lines: lines, Cursor: a.sealer.Seal(delta.Next),
		Continuous: delta.Break == screen.Unbroken, Reason: string(delta.Break), Truncation: truncation,
	}, nil
}

// since reads what was written since a cursor, from its fingerprint on if that is enough and else from the oldest row.
func (a *App) since(ctx context.Context, server tmux.Server, pane tmux.PaneID, at screen.Cursor) (screen.Delta, screen.Capture, error) {
	c, err := a.lines(ctx, server, pane, at.First)
	if err == nil && !screen.Enough(c, at) {
		c, err = a.lines(ctx, server, pane, 0)
	}
	if err != nil {
		return screen.Delta{}, screen.Capture{}, err
	}
	return screen.Since(c, at), c, nil
}

// lines reads the lines of a pane from an absolute row on.
func (a *App) lines(ctx context.Context, server tmux.Server, pane tmux.PaneID, from int) (screen.Capture, error) {
	return a.Reader.Capture(ctx, ports.CaptureRequest{Server: server, Pane: pane, Join: true, Starts: true, FromRow: &from})
}
