package porttest

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A Fault is what goes wrong with one call.
type Fault struct {
	Delay time.Duration // before anything happens; the call's context may end it
	Err   error         // fails the call, and nothing was done; nil: the call is only delayed
	Lost  bool          // the call is done, and then its answer is lost: Err, or PossiblySent without one
	Times int           // how many calls it befalls; 0: all
}

// Faulty wraps any implementation of the ports and makes calls fail, be late, or lose their answers. It is safe for concurrent use.
type Faulty struct {
	Ports

	mu     sync.Mutex
	faults map[string]*Fault
}

var (
	_ ports.Reader   = (*Faulty)(nil)
	_ ports.Input    = (*Faulty)(nil)
	_ ports.Creator  = (*Faulty)(nil)
	_ ports.Identity = (*Faulty)(nil)
	_ ports.Frames   = (*Faulty)(nil)
)

// NewFaulty wraps an implementation; no call fails until Inject says so.
func NewFaulty(of Ports) *Faulty { return &Faulty{Ports: of, faults: map[string]*Fault{}} }

// Inject gives an operation, named as its method, a fault. The zero fault heals it.
func (f *Faulty) Inject(operation string, of Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[operation] = &of
}

// take is the fault that befalls a call of the operation now.
func (f *Faulty) take(operation string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	found := f.faults[operation]
	if found == nil {
		return Fault{}
	}
	now := *found
	if found.Times > 0 {
		if found.Times--; found.Times == 0 {
			delete(f.faults, operation)
		}
	}
	return now
}

// befall runs a call under the fault of its operation.
func befall[T any](ctx context.Context, f *Faulty, operation string, call func() (T, error)) (T, error) {
	var none T
	fails := f.take(operation)
	if fails.Delay > 0 {
		timer := time.NewTimer(fails.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			kind := fault.Cancelled
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				kind = fault.Deadline
			}
			return none, &fault.Error{Kind: kind, Op: operation, Message: operation, Delivery: fault.NotSent, Err: ctx.Err()}
		}
	}
	switch {
	case fails.Lost:
		if _, err := call(); err != nil {
			return none, err
		}
		if fails.Err != nil {
			return none, fails.Err
		}
		return none, &fault.Error{
			Kind: fault.TransportError, Op: operation, Message: operation + ": the answer was lost", Delivery: fault.PossiblySent,
		}
	case fails.Err != nil:
		return none, fails.Err
	}
	return call()
}

func befallSend(ctx context.Context, f *Faulty, operation string, call func() error) error {
	_, err := befall(ctx, f, operation, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

// Topology implements [ports.Reader].
func (f *Faulty) Topology(ctx context.Context, detail tmux.Detail) (tmux.Topology, error) {
	return befall(ctx, f, "Topology", func() (tmux.Topology, error) { return f.Ports.Topology(ctx, detail) })
}

// Look implements [ports.Reader]. A fault befalls it as a Topology, and then there is no capture.
func (f *Faulty) Look(ctx context.Context, detail tmux.Detail, _ ports.CaptureRequest) (tmux.Topology, *screen.Capture, error) {
	t, err := f.Topology(ctx, detail)
	return t, nil, err
}

// Snapshot implements [ports.Snapshots].
func (f *Faulty) Snapshot(ctx context.Context, kind tmux.Kind) (snapshot.Reading, error) {
	return befall(ctx, f, "Snapshot", func() (snapshot.Reading, error) { return f.Ports.Snapshot(ctx, kind) })
}

// Lines implements [ports.Reader]. A fault befalls the next pane.
func (f *Faulty) Lines(ctx context.Context, request ports.LinesRequest) iter.Seq[ports.Lines] {
	return func(yield func(ports.Lines) bool) {
		for lines := range f.Ports.Lines(ctx, request) {
			lines, err := befall(ctx, f, "Lines", func() (ports.Lines, error) { return lines, nil })
			if err != nil {
				lines = ports.Lines{Pane: lines.Pane, Err: err}
			}
			if !yield(lines) || ports.EndsLines(lines.Err) {
				return
			}
		}
	}
}

// Capture implements [ports.Reader].
func (f *Faulty) Capture(ctx context.Context, request ports.CaptureRequest) (screen.Capture, error) {
	return befall(ctx, f, "Capture", func() (screen.Capture, error) { return f.Ports.Capture(ctx, request) })
}

// SendText implements [ports.Input].
func (f *Faulty) SendText(ctx context.Context, pre guard.Precondition, text string, enter bool) error {
	return befallSend(ctx, f, "SendText", func() error { return f.Ports.SendText(ctx, pre, text, enter) })
}

// SendKeys implements [ports.Input].
func (f *Faulty) SendKeys(ctx context.Context, pre guard.Precondition, keys []string) error {
	return befallSend(ctx, f, "SendKeys", func() error { return f.Ports.SendKeys(ctx, pre, keys) })
}

// Paste implements [ports.Input].
func (f *Faulty) Paste(ctx context.Context, pre guard.Precondition, text string, bracket ports.Bracket) error {
	return befallSend(ctx, f, "Paste", func() error { return f.Ports.Paste(ctx, pre, text, bracket) })
}

// NewSession implements [ports.Creator].
func (f *Faulty) NewSession(ctx context.Context, request ports.NewSession) (ports.Created, error) {
	return befall(ctx, f, "NewSession", func() (ports.Created, error) { return f.Ports.NewSession(ctx, request) })
}

// NewWindow implements [ports.Creator].
func (f *Faulty) NewWindow(ctx context.Context, server tmux.Server, request ports.NewWindow) (ports.Created, error) {
	return befall(ctx, f, "NewWindow", func() (ports.Created, error) { return f.Ports.NewWindow(ctx, server, request) })
}

// SplitWindow implements [ports.Creator].
func (f *Faulty) SplitWindow(ctx context.Context, server tmux.Server, request ports.SplitWindow) (ports.Created, error) {
	return befall(ctx, f, "SplitWindow", func() (ports.Created, error) { return f.Ports.SplitWindow(ctx, server, request) })
}

// Respawn implements [ports.Creator].
func (f *Faulty) Respawn(ctx context.Context, server tmux.Server, request ports.Respawn) (tmux.Pane, error) {
	return befall(ctx, f, "Respawn", func() (tmux.Pane, error) { return f.Ports.Respawn(ctx, server, request) })
}

// Tracking implements [ports.Identity].
func (f *Faulty) Tracking(ctx context.Context, server tmux.Server) (ports.Tracking, error) {
	return befall(ctx, f, "Tracking", func() (ports.Tracking, error) { return f.Ports.Tracking(ctx, server) })
}

// Hold implements [ports.Identity]. Wait of what is held is an operation too.
func (f *Faulty) Hold(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Held, error) {
	made, err := befall(ctx, f, "Hold", func() (ports.Held, error) { return f.Ports.Hold(ctx, server, pane) })
	if err != nil {
		return nil, err
	}
	return &faultyHeld{Held: made, of: f}, nil
}

type faultyHeld struct {
	ports.Held
	of *Faulty
}

func (h *faultyHeld) Wait(ctx context.Context) (ports.Exit, error) {
	return befall(ctx, h.of, "Wait", func() (ports.Exit, error) { return h.Held.Wait(ctx) })
}

// Stage implements [ports.Frames]. The frame's own calls are operations too: Started, Release, Ended, Keep and Close.
func (f *Faulty) Stage(ctx context.Context, plan ports.Plan) (ports.Frame, error) {
	made, err := befall(ctx, f, "Stage", func() (ports.Frame, error) { return f.Ports.Stage(ctx, plan) })
	if err != nil {
		return nil, err
	}
	return &faultyFrame{Frame: made, of: f}, nil
}

// Holder implements [ports.Frames].
func (f *Faulty) Holder(ctx context.Context, server tmux.Server, pane tmux.PaneID) (string, error) {
	return befall(ctx, f, "Holder", func() (string, error) { return f.Ports.Holder(ctx, server, pane) })
}

// Recall implements [ports.Frames].
func (f *Faulty) Recall(ctx context.Context, runID string) (frame.Record, error) {
	return befall(ctx, f, "Recall", func() (frame.Record, error) { return f.Ports.Recall(ctx, runID) })
}

type faultyFrame struct {
	ports.Frame
	of *Faulty
}

func (f *faultyFrame) Started(ctx context.Context) (int, error) {
	return befall(ctx, f.of, "Started", func() (int, error) { return f.Frame.Started(ctx) })
}

func (f *faultyFrame) Release() error {
	return befallSend(context.Background(), f.of, "Release", f.Frame.Release)
}

func (f *faultyFrame) Ended(ctx context.Context) (frame.End, error) {
	return befall(ctx, f.of, "Ended", func() (frame.End, error) { return f.Frame.Ended(ctx) })
}

func (f *faultyFrame) Keep(record frame.Record) error {
	return befallSend(context.Background(), f.of, "Keep", func() error { return f.Frame.Keep(record) })
}

func (f *faultyFrame) Close() error {
	return befallSend(context.Background(), f.of, "Close", f.Frame.Close)
}

// Invite implements [ports.Enrollments].
func (f *Faulty) Invite(ctx context.Context, invitation enroll.Invitation) (ports.Invited, error) {
	return befall(ctx, f, "Invite", func() (ports.Invited, error) { return f.Ports.Invite(ctx, invitation) })
}

// Authorize implements [ports.Authorizer].
func (f *Faulty) Authorize(ctx context.Context, subject enroll.Subject, order enroll.Order) (enroll.Evidence, error) {
	return befall(ctx, f, "Authorize", func() (enroll.Evidence, error) { return f.Ports.Authorize(ctx, subject, order) })
}
