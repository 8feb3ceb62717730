package app

import (
	"context"
	"errors"
	"fmt"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A trackedCapture is a capture that a cursor stands for. It never changes.
type trackedCapture struct {
	captureWish
	handle  snapshot.Capture
	id      string // as it is told
	server  tmux.Server
	pane    tmux.Pane              // as it was
	process tmux.ProcessGeneration // empty if processes cannot be held here
	rows    []string               // as they were answered
}

// rowOverhead is what a row takes in memory beside its text, in bytes.
const rowOverhead = 16

// entry is the capture to be retained. As long as it is, the process is held, so that no other can be taken for it.
func (c *trackedCapture) entry(held ports.Held) snapshot.Entry {
	bytes := lo.SumBy(c.rows, func(row string) int { return len(row) + rowOverhead })
	return snapshot.Entry{Value: c, Bytes: bytes, Release: func() { letGo(held) }}
}

// tell says what changed since the base. Of another size, or of the other screen, rows are not the same ones though they be equal.
func (out *TmuxCaptureOut) tell(base, next *trackedCapture) {
	was, is := base.pane, next.pane
	reset := was.Width != is.Width || was.Height != is.Height || was.Alternate != is.Alternate
	splice := screen.Splice{Delete: len(base.rows), Rows: next.rows}
	if !reset {
		splice = screen.SpliceOf(base.rows, next.rows)
	}
	told := &CaptureSplice{Start: splice.Start, Delete: splice.Delete}
	out.Encoding, told.Rows = encodedRows(splice.Rows)
	out.Mode, out.BaseCaptureID, out.Reset, out.Splice = modeDelta, base.id, &reset, told
}

// tracked captures a pane together with the process whose screen that is: the one that the pane had before and after, which it holds.
// If there is a base that has to be the process of that. Where processes cannot be held it holds none, and the pid has to do.
func (a *App) tracked(ctx context.Context, request ports.CaptureRequest, base *trackedCapture) (screen.Capture, ports.Held, error) {
	for {
		before, err := a.processBefore(ctx, request, base)
		if err != nil {
			return screen.Capture{}, nil, err
		}
		c, err := a.Reader.Capture(ctx, request)
		if err != nil {
			return screen.Capture{}, nil, err
		}
		held, err := a.hold(ctx, request)
		switch {
		case base != nil && (c.Pane.Dead || isDead(err)):
			letGo(held)
			return screen.Capture{}, nil, otherProcess(request.Pane)
		case err != nil:
			return screen.Capture{}, nil, err
		case c.Pane.Dead:
			letGo(held)
			return screen.Capture{}, nil, notTracked(request.Pane)
		case generationOf(held) == before && (base == nil || c.Pane.PID == base.pane.PID):
			return c, held, nil
		}
		letGo(held)
		if base != nil {
			return screen.Capture{}, nil, otherProcess(request.Pane)
		}
	}
}

// processBefore is the process that the pane must have: the one of the base, or else the one that it has now.
func (a *App) processBefore(ctx context.Context, request ports.CaptureRequest, base *trackedCapture) (tmux.ProcessGeneration, error) {
	if base != nil {
		return base.process, nil
	}
	held, err := a.hold(ctx, request)
	defer letGo(held)
	return generationOf(held), err
}

// hold holds the process of the pane; nil if processes cannot be held here.
func (a *App) hold(ctx context.Context, request ports.CaptureRequest) (ports.Held, error) {
	held, err := a.Identity.Hold(ctx, request.Server, request.Pane)
	switch {
	case fault.Is(err, fault.Unsupported):
		return nil, nil // a capture is tracked without, then
	case isDead(err):
		return nil, notTracked(request.Pane)
	}
	return held, err
}

func letGo(held ports.Held) {
	if held != nil {
		held.Close()
	}
}

func generationOf(held ports.Held) tmux.ProcessGeneration {
	if held == nil {
		return ""
	}
	return held.Generation()
}

func isDead(err error) bool {
	f, ok := errors.AsType[*fault.Error](err)
	return ok && f.Reason == fault.Dead
}

func notTracked(pane tmux.PaneID) error {
	return &fault.Error{
		Kind: fault.Refused, Reason: fault.Dead, Target: string(pane), Message: fmt.Sprintf("the process of %s has ended: there is nothing to track", pane),
		Recovery: "call tmux_capture without track",
	}
}

func otherProcess(pane tmux.PaneID) error {
	return &fault.Error{
		Kind: fault.StaleCursor, Target: string(pane), Message: fmt.Sprintf("the cursor is of a process of %s that has ended", pane),
		Recovery: "begin again without a cursor",
	}
}

// notCaptured makes the fault of a capture name what can be done where exact tools are on offer.
func notCaptured(err error) error {
	switch fault.KindOf(err) {
	case fault.NotFound, fault.StaleTarget:
		return fromSnapshot(err)
	case fault.ServerGone:
		return recovering(err, "call tmux_capabilities: it says whether a server runs, and which")
	case fault.Deadline:
		return recovering(err, "nothing was changed: call tmux_capture again")
	default: // what is not about what there is
		return err
	}
}
