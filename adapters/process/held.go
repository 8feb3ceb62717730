package process

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A held is a process of a pane that is held.
type held struct {
	daemon     *daemon
	program    *handle
	pane       tmux.PaneID
	generation tmux.ProcessGeneration

	open  context.Context // ends with Close
	shut  context.CancelFunc
	busy  sync.RWMutex // read by every Wait
	close sync.Once

	mu   sync.Mutex
	exit *ports.Exit // once it is known
}

func newHeld(d *daemon, program *handle, pane tmux.PaneID, generation tmux.ProcessGeneration) *held {
	h := &held{daemon: d, program: program, pane: pane, generation: generation}
	h.open, h.shut = context.WithCancel(context.Background())
	return h
}

// Generation implements ports.Held.
func (h *held) Generation() tmux.ProcessGeneration { return h.generation }

// Wait implements ports.Held. No thread waits.
func (h *held) Wait(ctx context.Context) (ports.Exit, error) {
	h.busy.RLock()
	defer h.busy.RUnlock()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(h.open, func() { cancel(context.Canceled) })()
	if h.open.Err() != nil {
		cancel(context.Canceled)
	}
	if ctx.Err() != nil {
		return ports.Exit{}, ended(ctx)
	}
	select {
	case <-h.program.ended:
	case <-h.daemon.handle.ended:
	case <-ctx.Done():
		return ports.Exit{}, ended(ctx)
	}
	if !h.program.over() {
		return ports.Exit{}, gone(string(h.pane))
	}
	return h.exited(ctx)
}

// exited tells how the process ended, once it is certain that the server did not end it by ending itself: a tmux that ends hangs its
// programs up first.
func (h *held) exited(ctx context.Context) (ports.Exit, error) {
	<-h.program.ended // at once: it is over
	h.mu.Lock()
	known := h.exit
	h.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	exit, err := h.program.exit(ctx)
	if err != nil {
		return ports.Exit{}, err
	}
	if err := h.survived(ctx, exit); err != nil {
		if fault.Is(err, fault.ServerGone) || fault.Is(err, fault.StaleTarget) || fault.Is(err, fault.TransportError) && h.ending() {
			return ports.Exit{}, &fault.Error{
				Kind: fault.ServerGone, Op: "wait for the process of", Target: string(h.pane), Err: err,
				Message: "the process of pane " + string(h.pane) + " has ended, and so has the tmux server, before, with or after it",
			}
		}
		return ports.Exit{}, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.exit = &exit
	return exit, nil
}

// busyBound is how long a tmux may be at work before it answers. Builds with utempter run a program for each pane that ends: after
// two hundred ends at once they answer nobody for more than a second.
const busyBound = 40 * time.Millisecond

// survived makes sure that the server survived the end of the process: it answers, or it is at work, runs for certain, and the process
// ended otherwise than by the hangup that the end of a server sends.
func (h *held) survived(ctx context.Context, exit ports.Exit) error {
	soon, cancel := context.WithTimeout(ctx, busyBound)
	defer cancel()
	err := h.daemon.lives(soon)
	if err == nil || ctx.Err() != nil || soon.Err() == nil {
		return err
	}
	const hangUp = 1 // a shell that is asked says 128 more
	if exit.Observed && exit.Signal != hangUp && exit.Status != 128+hangUp && h.daemon.handle.runs() {
		return nil
	}
	return h.daemon.lives(ctx)
}

// ending reports whether the server ends now, which its clients may notice by no more than a broken conversation.
func (h *held) ending() bool {
	select {
	case <-h.daemon.handle.ended:
		return true
	case <-time.After(time.Second):
		return false
	}
}

// Close implements ports.Held.
func (h *held) Close() {
	h.close.Do(func() {
		h.shut()
		h.busy.Lock() // until no Wait is left
		defer h.busy.Unlock()
		h.program.close()
		h.daemon.leave()
	})
}

// ended is the fault of a call whose context has ended.
func ended(ctx context.Context) error {
	kind := fault.Deadline
	if errors.Is(context.Cause(ctx), context.Canceled) {
		kind = fault.Cancelled
	}
	return &fault.Error{Kind: kind, Op: "wait for the end of a process", Message: "the wait for the end of a process ended", Err: context.Cause(ctx)}
}
