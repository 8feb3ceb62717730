package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// TmuxCaptureIn says what to capture, or, with a cursor, since which capture to tell what changed.
type TmuxCaptureIn struct {
	Reference
	SessionID    string `json:"session_id,omitempty" jsonschema:"session ($N) to see it in; required if several have its window"`
	MaxLines     int    `json:"max_lines,omitempty" min:"1" max:"2000" jsonschema:"newest rows, 200 by default"`
	MaxBytes     int    `json:"max_bytes,omitempty" min:"1" max:"262144" jsonschema:"65536 by default"`
	HistoryLines int    `json:"history_lines,omitempty" min:"0" max:"2000" jsonschema:"rows above the screen, 0 by default"`
	Track        bool   `json:"track,omitempty" jsonschema:"answer next_cursor"`
	Cursor       string `json:"cursor,omitempty" maxLength:"100" jsonschema:"next_cursor of this target: what changed, within the same bounds"`
}

// The modes of a capture.
const (
	modeSnapshot = "snapshot"
	modeDelta    = "delta"
)

// TmuxCaptureOut is what a pane shows, or what changed there.
type TmuxCaptureOut struct {
	CaptureID         string         `json:"capture_id"`
	Generation        string         `json:"generation"`
	TargetID          string         `json:"target_id"`
	SessionID         string         `json:"session_id" jsonschema:"whose hooks counted"`
	Mode              string         `json:"mode" enum:"snapshot,delta"`
	Rows              []string       `json:"rows,omitzero" jsonschema:"untrusted; with line endings, unless they wrap into the next"`
	BaseCaptureID     string         `json:"base_capture_id,omitempty" jsonschema:"whose rows to splice"`
	Reset             *bool          `json:"reset,omitempty" jsonschema:"true: another size or screen, all rows are replaced"`
	Splice            *CaptureSplice `json:"splice,omitempty"`
	Encoding          string         `json:"encoding" enum:"utf-8,base64" jsonschema:"of each row here; base64 if one is not UTF-8"`
	Truncated         bool           `json:"truncated" jsonschema:"older rows left out: raise max_lines, max_bytes"`
	DroppedLines      int            `json:"dropped_lines,omitempty"`
	DroppedBytes      int            `json:"dropped_bytes,omitempty"`
	HistoryContinuity string         `json:"history_continuity" enum:"unknown"`
	ProcessGeneration string         `json:"process_generation,omitempty" jsonschema:"of the tracked process, where there is evidence"`
	Interval          Interval       `json:"interval" open:"true" jsonschema:"started, finished, reads"`
	NextCursor        string         `json:"next_cursor,omitempty" jsonschema:"stale once it expires or another process runs there"`
}

// A CaptureSplice makes the rows of one capture of those of another.
type CaptureSplice struct {
	Start  int      `json:"start" jsonschema:"index of the first row to replace"`
	Delete int      `json:"delete" jsonschema:"how many"`
	Rows   []string `json:"rows" jsonschema:"untrusted; what comes instead"`
}

// A captureWish is what a call wants captured.
type captureWish struct {
	session tmux.SessionID // empty: the only one
	bounds  screen.Bounds
	history int // rows above the screen
}

// TmuxCapture captures the screen of a pane. Given the cursor of an earlier capture, it tells what changed.
func (a *App) TmuxCapture(ctx context.Context, in TmuxCaptureIn) (TmuxCaptureOut, error) {
	ctx, err := a.admit(ctx, "tmux_capture")
	if err != nil {
		return TmuxCaptureOut{}, err
	}
	wish, base, err := a.captureWish(in)
	if err != nil {
		return TmuxCaptureOut{}, err
	}
	acquiring, cancel := context.WithTimeout(ctx, a.options.AcquisitionTimeout)
	defer cancel()
	started := time.Now()
	t, err := a.exact(acquiring, tmux.DetailBrief, "target_id", in.Reference, tmux.KindPane)
	if err != nil {
		return TmuxCaptureOut{}, notCaptured(err)
	}
	id := tmux.PaneID(in.TargetID)
	session, err := seenIn(t, id, wish.session)
	if err != nil {
		return TmuxCaptureOut{}, err
	}
	request := ports.CaptureRequest{Server: t.Server, Pane: id, Session: session, History: wish.history, Wraps: true}
	var c screen.Capture
	var held ports.Held
	if in.Track || base != nil {
		c, held, err = a.tracked(acquiring, request, base)
	} else {
		c, err = a.Reader.Capture(acquiring, request)
	}
	if err != nil {
		return TmuxCaptureOut{}, notCaptured(err)
	}
	finished := time.Now()
	wish.session = session
	made := &trackedCapture{captureWish: wish, handle: a.retained.New(), server: c.Server, pane: c.Pane, process: generationOf(held)}
	made.id = a.retained.ID(made.handle)
	var cut screen.Cut
	made.rows, cut = wish.bounds.Ended(c)
	out := TmuxCaptureOut{
		CaptureID: made.id, Generation: in.Generation, TargetID: in.TargetID, SessionID: string(session), Mode: modeSnapshot,
		Truncated: cut.Any(), DroppedLines: cut.Lines, DroppedBytes: cut.Bytes, HistoryContinuity: "unknown",
		ProcessGeneration: string(made.process), Interval: interval(started, finished, 1),
	}
	if base == nil {
		out.Encoding, out.Rows = encodedRows(made.rows)
	} else {
		out.tell(base, made)
	}
	if !in.Track && base == nil {
		return out, nil
	}
	out.NextCursor = a.retained.Cursor(made.handle, 0)
	return out, a.retained.Keep(made.handle, made.entry(held))
}

// captureWish is what a call wants, and the capture that its cursor stands for; nil if it has none.
func (a *App) captureWish(in TmuxCaptureIn) (captureWish, *trackedCapture, error) {
	if in.SessionID != "" {
		if err := target.Parse("session_id", in.SessionID, tmux.KindSession); err != nil {
			return captureWish{}, nil, fromSnapshot(err)
		}
	}
	if in.Cursor == "" {
		bounds := screen.Bounds{Lines: lo.CoalesceOrEmpty(in.MaxLines, screen.DefaultLines), Bytes: lo.CoalesceOrEmpty(in.MaxBytes, 64<<10)}
		return captureWish{session: tmux.SessionID(in.SessionID), bounds: bounds, history: in.HistoryLines}, nil, nil
	}
	if in.MaxLines != 0 || in.MaxBytes != 0 || in.HistoryLines != 0 {
		return captureWish{}, nil, fault.Invalidf("pass the cursor with generation and target_id alone: bounds stay as they were, or begin again without it",
			"cursor stands beside max_lines, max_bytes or history_lines")
	}
	base, _, err := snapshot.Find(a.retained.Retention, time.Now(), in.Cursor, func(c *trackedCapture) string {
		switch {
		case in.TargetID != string(c.pane.ID), in.Generation != string(c.server.Generation):
			return fmt.Sprintf("is of %s in generation %s", c.pane.ID, c.server.Generation)
		case in.SessionID != "" && in.SessionID != string(c.session):
			return "is of the pane in session " + string(c.session)
		}
		return ""
	})
	if err != nil {
		return captureWish{}, nil, err
	}
	return base.captureWish, base, nil
}

// seenIn is the session in which a pane is seen: the one that was given, or else the only one.
func seenIn(t tmux.Topology, id tmux.PaneID, given tmux.SessionID) (tmux.SessionID, error) {
	pane, _ := t.Pane(id) // as exact made sure
	sessions := lo.Uniq(lo.Map(t.LinksOf(pane.Window), func(l tmux.Link, _ int) tmux.SessionID { return l.Session }))
	one := "pass one of: " + strings.Join(lo.Map(sessions, func(s tmux.SessionID, _ int) string { return string(s) }), ", ")
	if given == "" {
		if len(sessions) != 1 {
			return "", fault.Invalidf(one, "session_id is missing: %s is in %d sessions, whose capture hooks may differ", id, len(sessions))
		}
		return sessions[0], nil
	}
	if !slices.Contains(sessions, given) {
		return "", &fault.Error{Kind: fault.NotFound, Target: string(id), Message: fmt.Sprintf("%s is not in session %s", id, given), Recovery: one}
	}
	return given, nil
}
