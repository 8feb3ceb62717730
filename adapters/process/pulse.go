package process

import (
	"context"
	"sync"
)

// A pulse asks one question again and again, and each answer serves all who asked before the question was put: two hundred who ask at
// once cost two questions. Close it.
type pulse struct {
	ask   func(context.Context) error
	work  *sync.WaitGroup // of questions: a tmux that is at work takes its time to let go of one
	open  context.Context // ends with close
	close context.CancelFunc
	turn  sync.Mutex // held while a question is under way

	mu   sync.Mutex
	next *beat // the question that is not yet put; nil: none
}

// A beat is one question.
type beat struct {
	done chan struct{} // closed once err is set
	err  error
}

func newPulse(work *sync.WaitGroup, ask func(context.Context) error) *pulse {
	p := &pulse{ask: ask, work: work}
	p.open, p.close = context.WithCancel(context.Background())
	return p
}

// check gives the answer to a question that is put after check was called. Who goes away before leaves the question to others.
func (p *pulse) check(ctx context.Context) error {
	b := p.enter()
	select {
	case <-b.done:
		return b.err
	case <-ctx.Done():
		return ended(ctx)
	}
}

// enter joins the next question. Who finds none makes it be put.
func (p *pulse) enter() *beat {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next == nil {
		b := &beat{done: make(chan struct{})}
		p.next = b
		p.work.Go(func() { p.put(b) })
	}
	return p.next
}

// put waits until no other question is under way and puts this one. Who asks from then on asks the next.
func (p *pulse) put(b *beat) {
	p.turn.Lock()
	defer p.turn.Unlock()
	p.mu.Lock()
	p.next = nil
	p.mu.Unlock()
	b.err = p.ask(p.open)
	close(b.done)
}
