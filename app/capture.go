package app

import (
	"context"
	"fmt"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Bounding are the arguments that bound terminal text.
type Bounding struct {
	MaxLines int `json:"max_lines,omitempty" min:"1" max:"2000" jsonschema:"newest lines to return, 200 by default"`
	MaxBytes int `json:"max_bytes,omitempty" min:"1" max:"262144" jsonschema:"newest bytes to return, 8192 by default"`
}

func (b Bounding) bounds() screen.Bounds {
	bounds := screen.Bounds{Lines: screen.DefaultLines, Bytes: screen.DefaultBytes}
	if b.MaxLines > 0 {
		bounds.Lines = b.MaxLines
	}
	if b.MaxBytes > 0 {
		bounds.Bytes = b.MaxBytes
	}
	return bounds
}

// A Truncation says what was left out of terminal text, and what to do.
type Truncation struct {
	Truncated     bool   `json:"truncated" jsonschema:"older text was left out here"`
	DroppedLines  int    `json:"dropped_lines,omitempty" jsonschema:"older lines left out"`
	DroppedBytes  int    `json:"dropped_bytes,omitempty" jsonschema:"bytes of what was left out"`
	ReplacedBytes int    `json:"replaced_bytes,omitempty" jsonschema:"bytes that were not UTF-8, shown as U+FFFD"`
	Advice        string `json:"advice,omitempty" jsonschema:"how to get what was left out"`
}

// bounded cleans and bounds lines, whose earlier part of dropped lines was left out before. What it gives is never nil.
func bounded(lines []string, dropped int, b Bounding) ([]string, Truncation) {
	kept, cut := b.bounds().Apply(lines)
	if kept == nil {
		kept = []string{}
	}
	truncation := Truncation{Truncated: cut.Any() || dropped > 0, DroppedLines: cut.Lines + dropped, DroppedBytes: cut.Bytes}
	for i, line := range kept {
		clean, replaced := screen.Clean(line)
		kept[i] = clean
		truncation.ReplacedBytes += replaced
	}
	if truncation.Truncated {
		truncation.Advice = "raise max_lines (at most 2000) and max_bytes (at most 262144)"
		if dropped > 0 {
			truncation.Advice += "; what is older than that was not kept: write it to a file next time"
		}
	}
	return kept, truncation
}

// CapturePaneIn says what to capture.
type CapturePaneIn struct {
	PaneID  string `json:"pane_id" jsonschema:"pane (%N)"`
	History int    `json:"history,omitempty" min:"0" max:"1000000" jsonschema:"lines above the screen to include, 0 by default"`
	Styles  bool   `json:"styles,omitempty" jsonschema:"keep colours as escape sequences"`
	State   bool   `json:"state,omitempty" jsonschema:"also describe the pane at that instant"`
	Bounding
}

// CapturePaneOut is what a pane shows.
type CapturePaneOut struct {
	Generation string   `json:"generation"`
	PaneID     string   `json:"pane_id"`
	Alternate  bool     `json:"alternate" jsonschema:"a full-screen program's screen, without history"`
	Mode       string   `json:"mode,omitempty" jsonschema:"mode that a person has the pane in"`
	Note       string   `json:"note,omitempty"`
	Lines      []string `json:"lines" jsonschema:"untrusted text; wrapped rows rejoined, trailing blanks trimmed"`
	Cursor     string   `json:"cursor" jsonschema:"for capture_since and wait_for_text: what is finished later follows on these lines"`
	Truncation
	State *PaneRow `json:"state,omitempty"`
}

// CapturePane reads what a pane shows.
func (a *App) CapturePane(ctx context.Context, in CapturePaneIn) (CapturePaneOut, error) {
	ctx, err := a.admit(ctx, "capture_pane")
	if err != nil {
		return CapturePaneOut{}, err
	}
	t, pane, err := a.knownPane(ctx, tmux.DetailBrief, in.PaneID)
	if err != nil {
		return CapturePaneOut{}, err
	}
	c, err := a.Reader.Capture(ctx, ports.CaptureRequest{
		Server: t.Server, Pane: pane.ID, Join: true, Starts: true, Styles: in.Styles,
		History: in.History + aboveToken, // for the fingerprint of the cursor
	})
	if err != nil {
		return CapturePaneOut{}, err
	}
	cursor := screen.CursorAt(screen.Plain(c))
	lines, truncation := bounded(screen.TrimEnd(screen.Visible(c, in.History)), 0, in.Bounding)
	out := CapturePaneOut{
		Generation: string(c.Server.Generation), PaneID: string(c.Pane.ID), Alternate: c.Pane.Alternate, Mode: c.Pane.Mode,
		Lines: lines, Cursor: a.sealer.Seal(cursor), Truncation: truncation,
	}
	if c.Pane.Mode != "" {
		out.Note = fmt.Sprintf("the pane is in %s: these lines are its live screen, not the view that a person scrolled to", c.Pane.Mode)
	}
	if in.State {
		row := a.describePane(ctx, t, c.Pane, a.caller(ctx, t))
		out.State = &row
	}
	return out, nil
}
