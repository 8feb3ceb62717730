package tmuxserver

import (
	"context"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/wake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// How often a watch looks while nothing happens.
const (
	restHeard   = time.Second            // where the kernel tells of output: for modes, sizes, deaths and what terminals echo
	restUnheard = 250 * time.Millisecond // where nothing does
)

var _ ports.Events = (*Server)(nil)

// Watch looks at the pane when the kernel tells that something was written to its terminal, and now and then; where the kernel does not
// tell, often. It looks in the goroutine of whoever calls Next.
func (s *Server) Watch(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Watch, error) {
	w := &poll{server: s, wake: make(chan struct{}, 1), unlisten: func() {}}
	at, err := s.Locate(ctx, server, pane)
	if err != nil {
		return nil, err
	}
	w.listen(at)
	w.request = ports.CaptureRequest{Server: at.Server, Pane: pane}
	if w.last, err = s.Capture(ctx, w.request); err != nil {
		w.unlisten()
		return nil, err
	}
	w.open, w.close = context.WithCancel(context.Background())
	return w, nil
}

// A poll is a watch that asks, and compares.
type poll struct {
	server  *Server
	request ports.CaptureRequest
	last    screen.Capture
	rhythm  wake.Rhythm
	ended   ports.Event // Gone or ServerGone, once it happened

	wake     chan struct{} // holds one if something was written
	unlisten func()

	open  context.Context // ends with Close
	close context.CancelFunc
	busy  sync.Mutex // held by Next
}

// listen hears what is written to the terminal that the pane has now, if that can be.
func (w *poll) listen(at Location) {
	w.unlisten()
	stop, err := w.server.terminals.Listen(at, w.woke)
	w.unlisten, w.rhythm.Rest = stop, restHeard
	if err != nil { // then it looks more often
		w.unlisten, w.rhythm.Rest = func() {}, restUnheard
		w.rhythm.Looked(true, false)
	}
}

// woke notes that something was written.
func (w *poll) woke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Next waits for a difference.
func (w *poll) Next(ctx context.Context) (ports.Event, error) {
	w.busy.Lock()
	defer w.busy.Unlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.open, func() { cancel(context.Canceled) })()
	for w.ended == (ports.Event{}) {
		woken := w.rhythm.Await(ctx, w.wake)
		event, err := w.look(ctx, woken)
		if err != nil {
			if woken {
				w.woke() // it was told to nobody
			}
			return ports.Event{}, err
		}
		if event != (ports.Event{}) {
			return event, nil
		}
	}
	return w.ended, nil
}

// look finds out what happened.
func (w *poll) look(ctx context.Context, woken bool) (ports.Event, error) {
	if ctx.Err() != nil {
		return ports.Event{}, ended(ctx)
	}
	now, err := w.server.Capture(ctx, w.request)
	switch fault.KindOf(err) {
	case "":
	case fault.NotFound:
		w.ended = ports.Event{Gone: true}
		return w.ended, nil
	case fault.ServerGone, fault.StaleTarget:
		w.ended = ports.Event{ServerGone: true}
		return w.ended, nil
	default:
		return ports.Event{}, err
	}
	event := ports.Difference(w.last, now)
	w.rhythm.Looked(woken || event != ports.Event{}, false)
	respawned := now.Pane.PID != w.last.Pane.PID
	w.last = now
	if respawned { // it has another terminal
		if at, err := w.server.Locate(ctx, w.request.Server, w.request.Pane); err == nil { // or the next look says why not
			w.listen(at)
		}
	}
	return event, nil
}

// Close ends Next and waits for it.
func (w *poll) Close() {
	w.close()
	w.busy.Lock()
	defer w.busy.Unlock()
	w.unlisten()
}

// ended says that a wait ended with its context.
func ended(ctx context.Context) error {
	kind := fault.Deadline
	if context.Cause(ctx) == context.Canceled { //nolint:errorlint // a cause that is just this
		kind = fault.Cancelled
	}
	return &fault.Error{Kind: kind, Op: "watch", Message: "the wait for something to happen ended", Err: context.Cause(ctx)}
}
