package tmuxserver

import (
	"context"
	"sync"
	"sync/atomic"
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

// Watch tells at once when the kernel tells that something was written to the pane's terminal, and then looks at the pane, as it does now
// and then; where the kernel does not tell, often. It looks in the goroutine of whoever calls Next.
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
	told    bool // something was written since the last look
	rhythm  wake.Rhythm
	ended   ports.Event // Gone or ServerGone, once it happened

	heard    int           // process whose terminal it hears, or could not
	wake     chan struct{} // holds one if something happened to the terminal
	written  atomic.Bool   // and something was written to it
	unlisten func()

	open  context.Context // ends with Close
	close context.CancelFunc
	busy  sync.Mutex // held by Next
}

// listen hears what is written to the terminal that the pane has now, if that can be.
func (w *poll) listen(at Location) {
	w.unlisten()
	w.heard = at.PID
	stop, err := w.server.terminals.Listen(at, w.woke)
	w.unlisten, w.rhythm.Rest = stop, restHeard
	if err != nil { // then it looks more often
		w.unlisten, w.rhythm.Rest = func() {}, restUnheard
		w.rhythm.Looked(true, false)
	}
}

// woke notes that something happened to the terminal.
func (w *poll) woke(written bool) {
	if written {
		w.written.Store(true)
	}
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
		if ctx.Err() != nil {
			if woken {
				w.woke(false) // it was told to nobody
			}
			return ports.Event{}, ended(ctx)
		}
		if woken || w.rhythm.Follows() {
			w.rhythm.Looked(woken, false) // whoever is told does
			written := w.written.Swap(false)
			w.told = w.told || written
			return ports.Event{Output: written, Again: !written}, nil
		}
		event, err := w.look(ctx)
		if err != nil || event != (ports.Event{}) {
			return event, err
		}
	}
	return w.ended, nil
}

// look finds out what happened.
func (w *poll) look(ctx context.Context) (ports.Event, error) {
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
	event.Output, event.Again = event.Output && !w.told, event.Output && w.told
	w.rhythm.Looked(event.Output || event.State, false)
	w.last, w.told = now, false
	if now.Pane.PID != w.heard { // it was respawned, and has another terminal
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
