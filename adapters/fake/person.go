package fake

import (
	"context"
	"slices"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A Person gives the same answer to whatever they are asked. It is safe for concurrent use.
type Person struct {
	Will ports.Answer // Unanswered: they never answer
	Then func()       // what they do before they answer; nil: nothing

	mu    sync.Mutex
	asked []ports.Question
}

var _ ports.Person = (*Person)(nil)

// Ask implements [ports.Person].
func (p *Person) Ask(ctx context.Context, question ports.Question) ports.Answer {
	if p.Will == ports.Unasked {
		return p.Will
	}
	p.mu.Lock()
	p.asked = append(p.asked, question)
	p.mu.Unlock()
	if p.Then != nil {
		p.Then()
	}
	if p.Will == ports.Unanswered {
		<-ctx.Done()
	}
	return p.Will
}

// Asked is what they were asked so far.
func (p *Person) Asked() []ports.Question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}
