package app

import (
	"context"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A place is a pane in one life of a server.
type place struct {
	generation tmux.Generation
	pane       tmux.PaneID
}

// The registry knows which runs this process attends, which panes they hold, and what the prompts of panes look like. It owns
// the goroutines that attend runs.
type registry struct {
	base   context.Context // ends when the application is closed
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	live    map[string]*run  // by id: attended
	held    map[place]string // ids of runs
	prompts map[place]*prompts
}

func newRegistry() *registry {
	base, cancel := context.WithCancel(context.Background())
	return &registry{
		base: base, cancel: cancel,
		live: map[string]*run{}, held: map[place]string{}, prompts: map[place]*prompts{},
	}
}

// close ends all attendance and waits for it.
func (r *registry) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.tasks.Wait()
}

// task runs f in a goroutine that close waits for. It reports false, and does nothing, after close.
func (r *registry) task(f func(ctx context.Context)) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.tasks.Go(func() { f(r.base) })
	return true
}

// hold gives a pane to a run unless another holds it; then it answers that one's id.
func (r *registry) hold(at place, id string) (holder string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if holder, ok := r.held[at]; ok {
		return holder
	}
	r.held[at] = id
	return ""
}

// release gives a pane free that a run holds.
func (r *registry) release(at place, id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held[at] == id {
		delete(r.held, at)
	}
}

// holders are the panes of a server that runs hold.
func (r *registry) holders(generation tmux.Generation) map[tmux.PaneID]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	held := map[tmux.PaneID]string{}
	for at, id := range r.held {
		if at.generation == generation {
			held[at.pane] = id
		}
	}
	return held
}

// leaving is closed when a run that was answered holds its pane no more; nil if it was not answered yet, or is not attended.
func (r *registry) leaving(id string) <-chan struct{} {
	if run, attended := r.find(id); attended {
		select {
		case <-run.ended:
			return run.left
		default:
		}
	}
	return nil
}

func (r *registry) add(run *run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[run.plan.RunID] = run
}

func (r *registry) drop(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, id)
}

func (r *registry) find(id string) (*run, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.live[id]
	return found, ok
}

// prompts are what the idle prompts of one shell looked like.
type prompts struct {
	pid     int            // of the shell
	seen    []guard.Prompt // the newest first
	before  []guard.Prompt // in front of which a line was typed that its shell came to: what a later one is held against
	inputs  int            // how often this process gave the pane input
	settled chan struct{}  // closed when the shell came back after our last run, or was given up
}

// greatestPlaces is of how many panes prompts are remembered.
const greatestPlaces = 1024

// promptsOf finds what is remembered of a pane's shell; it forgets those of an earlier one. The caller holds the lock.
func (r *registry) promptsOf(at place, pid int) *prompts {
	known, ok := r.prompts[at]
	if ok && known.pid == pid {
		return known
	}
	if !ok && len(r.prompts) >= greatestPlaces {
		for old := range r.prompts {
			delete(r.prompts, old) // any: what was learned there is learned anew
			break
		}
	}
	settled := make(chan struct{})
	close(settled)
	known = &prompts{pid: pid, settled: settled}
	r.prompts[at] = known
	return known
}

// touched notes that this process gave panes input, so that what they show next is no idle prompt.
func (r *registry) touched(pre guard.Precondition) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, recipient := range pre.Recipients {
		r.promptsOf(place{pre.Server.Generation, recipient.Pane}, recipient.PID).inputs++
	}
}

// learned are the prompts that were seen in a pane, and a channel that is closed once the last run there has settled.
func (r *registry) learned(at place, pid int) ([]guard.Prompt, <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.promptsOf(at, pid)
	return known.seen, known.settled
}

// settled waits until the last run in a pane has settled, in whatever life of the server.
func (r *registry) settled(ctx context.Context, pane tmux.PaneID) error {
	r.mu.Lock()
	var settling []<-chan struct{}
	for at, known := range r.prompts {
		if at.pane == pane {
			settling = append(settling, known.settled)
		}
	}
	r.mu.Unlock()
	for _, settled := range settling {
		select {
		case <-settled:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// inputs counts how often this process gave a pane input.
func (r *registry) inputs(at place, pid int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.promptsOf(at, pid).inputs
}

// learn keeps what stood in a pane when a line was typed that its shell then came to.
func (r *registry) learn(at place, pid int, prompt screen.Capture) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.promptsOf(at, pid)
	known.before = guard.Learn(known.before, prompt)
}

// settle begins to wait for a shell to come back after a run. The caller calls done once, with what was seen if that may be a prompt;
// it is not kept if something seems typed there, or if this process gave the pane input since it had counted so many.
func (r *registry) settle(at place, pid, inputs int) (done func(*screen.Capture)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.promptsOf(at, pid)
	settled := make(chan struct{})
	known.settled = settled
	return func(seen *screen.Capture) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if seen != nil && known.inputs == inputs && guard.CameBack(*seen, known.before) {
			known.seen = guard.Learn(known.seen, *seen)
		}
		close(settled)
	}
}
