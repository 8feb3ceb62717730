package tmuxserver

import (
	"context"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The pace of polling: quick after a change, then slower and slower.
const (
	quickestPoll = 20 * time.Millisecond
	slowestPoll  = 250 * time.Millisecond
)

var _ ports.Events = (*Server)(nil)

// Watch polls the pane, in the goroutine of whoever calls Next.
func (s *Server) Watch(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Watch, error) {
	last, err := s.Capture(ctx, ports.CaptureRequest{Server: server, Pane: pane})
	if err != nil {
		return nil, err
	}
	w := &poll{server: s, request: ports.CaptureRequest{Server: last.Server, Pane: pane}, last: last, step: quickestPoll}
	w.open, w.close = context.WithCancel(context.Background())
	return w, nil
}

// A poll is a watch that asks again and again and compares.
type poll struct {
	server  *Server
	request ports.CaptureRequest
	last    screen.Capture
	step    time.Duration
	ended   ports.Event // Gone or ServerGone, once it happened

	open  context.Context // ends with Close
	close context.CancelFunc
	busy  sync.Mutex // held by Next
}

// Next waits for a difference.
func (w *poll) Next(ctx context.Context) (ports.Event, error) {
	w.busy.Lock()
	defer w.busy.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.open, func() { cancel(context.Canceled) })()
	for w.ended == (ports.Event{}) {
		timer := time.NewTimer(w.step)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ports.Event{}, ended(ctx)
		}
		w.step = min(w.step*3/2, slowestPoll)
		now, err := w.server.Capture(ctx, w.request)
		switch fault.KindOf(err) {
		case "":
		case fault.NotFound:
			w.ended = ports.Event{Gone: true}
			continue
		case fault.ServerGone, fault.StaleTarget:
			w.ended = ports.Event{ServerGone: true}
			continue
		default:
			return ports.Event{}, err
		}
		event := ports.Difference(w.last, now)
		w.last = now
		if event != (ports.Event{}) {
			w.step = quickestPoll
			return event, nil
		}
	}
	return w.ended, nil
}

// Close ends Next and waits for it.
func (w *poll) Close() {
	w.close()
	w.busy.Lock()
	w.busy.Unlock() //nolint:staticcheck // waits until Next has returned
}

// ended says that a wait ended with its context.
func ended(ctx context.Context) error {
	kind := fault.Deadline
	if context.Cause(ctx) == context.Canceled { //nolint:errorlint // a cause that is just this
		kind = fault.Cancelled
	}
	return &fault.Error{Kind: kind, Op: "watch", Message: "the wait for something to happen ended", Err: context.Cause(ctx)}
}
