package process

import (
	"context"
	"sync"
)

// A pulse asks a question whose answer serves all who asked before it was put: two hundred who ask at once cost two questions.
type pulse struct {
	turn chan struct{} // holds one token while a question is under way

	mu   sync.Mutex
	next *beat // the question that is not yet put; nil: none
}

// A beat is one question.
type beat struct {
	done    chan struct{} // closed once err is set
	err     error
	aborted bool // who had to put it went away
}

func newPulse() *pulse { return &pulse{turn: make(chan struct{}, 1)} }

// check gives the answer to a question that is put after check was called.
func (p *pulse) check(ctx context.Context, ask func(context.Context) error) error {
	for {
		b, mine := p.enter()
		if mine {
			p.put(ctx, b, ask)
			return b.err
		}
		select {
		case <-b.done:
		case <-ctx.Done():
			return ended(ctx)
		}
		if !b.aborted {
			return b.err
		}
	}
}

// enter joins the next question. Who finds none has to put it.
func (p *pulse) enter() (b *beat, mine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.next != nil {
		return p.next, false
	}
	p.next = &beat{done: make(chan struct{})}
	return p.next, true
}

// put waits until no other question is under way and puts this one. Who asks from then on asks the next.
func (p *pulse) put(ctx context.Context, b *beat, ask func(context.Context) error) {
	defer close(b.done)
	var waited error
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		waited = ended(ctx)
	}
	p.mu.Lock()
	p.next = nil
	p.mu.Unlock()
	if b.err = waited; waited == nil {
		b.err = ask(ctx)
	}
	b.aborted = ctx.Err() != nil
}
