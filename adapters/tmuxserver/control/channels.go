package control

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

const opWait = "wait for a signal on"

// greatestLeft is how many places stay that waits have left.
const greatestLeft = 16

// Channels waits on channels, each through a client of its own, because tmux runs nothing for a client that waits.
//
// A client that ends while it waits stays on tmux's list of those who do: the next signal goes to it, and nobody else is told. So the
// client of a wait that ends without a signal stays, and the next wait on that channel goes on with it.
type Channels struct {
	dial   func(ctx context.Context, argv []string) (Markable, error)
	server *tmuxserver.Server // signals
	fresh  *tmuxserver.Server // answers over a new connection each time

	mu     sync.Mutex
	places map[waitedOn]*place
	left   []*place // by nobody any more, the oldest first
	closed bool
	open   sync.WaitGroup // places that are watched
}

var _ ports.Channels = (*Channels)(nil)

// A waitedOn is a channel in one life of a server.
type waitedOn struct {
	generation tmux.Generation
	channel    string
}

// NewChannels makes Channels; nothing is started yet. The clients that dial makes are as those of a [Dial]. Signals go through server;
// fresh must open a connection for each list, because a server that ends answers those who came before. Close it.
func NewChannels(dial func(ctx context.Context, argv []string) (Markable, error), server, fresh *tmuxserver.Server) *Channels {
	return &Channels{dial: dial, server: server, fresh: fresh, places: map[waitedOn]*place{}}
}

// Signal implements [ports.Channels].
func (c *Channels) Signal(ctx context.Context, server tmux.Server, channel string) error {
	return c.server.Signal(ctx, server, channel)
}

// Wait implements [ports.Channels].
func (c *Channels) Wait(ctx context.Context, server tmux.Server, channel string, within time.Duration) (ports.Signal, error) {
	if ctx.Err() != nil {
		return ports.Signal{}, interrupted(ctx, fault.NotSent)
	}
	timer := time.NewTimer(within)
	defer timer.Stop()
	p, left, err := c.join(server, channel)
	if err != nil {
		return ports.Signal{}, err
	}
	kept := (left || within <= 0) && c.settle(ctx, p)
	if !kept && within > 0 {
		select {
		case <-p.ended:
		case <-ctx.Done():
		case <-timer.C:
			c.settle(ctx, p)
		}
	}
	signal, err := c.leave(ctx, p)
	signal.Early = signal.Early || signal.Came && kept
	return signal, err
}

// settle waits until what was signalled before is heard, and reports whether something was. tmux answers a new connection only after it wrote that down for the client of
// the place, and then a mark behind it shows when it was read.
func (c *Channels) settle(ctx context.Context, p *place) (heard bool) {
	select {
	case <-p.asked:
	case <-p.ended:
		return true
	case <-ctx.Done():
		return false
	}
	read := make(chan struct{})
	if c.fresh.Lives(ctx, p.server) == nil {
		c.mu.Lock()
		token := rand.Text()
		p.marks[token] = read
		c.mu.Unlock()
		_ = p.stream.Mark(mark + " " + token) // if that fails, the client has ended, and so does the wait
	}
	select {
	case <-read:
	case <-p.ended:
		return true
	case <-ctx.Done():
	}
	return false
}

// join takes a place at a channel: the one that is there, maybe left by all who waited, or a new one.
func (c *Channels) join(server tmux.Server, channel string) (p *place, left bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, false, closing(channel)
	}
	on := waitedOn{server.Generation, channel}
	p = c.places[on]
	left = p != nil && p.waiting == 0
	if p == nil {
		p = &place{of: c, on: on, server: server, marks: map[string]chan struct{}{}}
		p.asked, p.ended, p.retired = make(chan struct{}), make(chan struct{}), make(chan struct{})
		c.places[on] = p
		c.open.Go(p.keep)
	}
	c.left = lo.Without(c.left, p)
	p.waiting++
	return p, left, nil
}

// leave ends one's wait at a place. The last one leaves it to the next wait.
func (c *Channels) leave(ctx context.Context, p *place) (ports.Signal, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.waiting--
	if p.over {
		c.forget(p)
		return ports.Signal{Came: p.err == nil, Early: p.early}, p.err
	}
	if p.waiting == 0 {
		c.left = append(c.left, p)
		if len(c.left) > greatestLeft {
			c.retire(c.left[0])
		}
	}
	if ctx.Err() != nil {
		return ports.Signal{}, interrupted(ctx, fault.NotSent)
	}
	return ports.Signal{}, nil
}

// read notes that a mark was read.
func (c *Channels) read(p *place, token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if marked := p.marks[token]; marked != nil {
		delete(p.marks, token)
		close(marked)
	}
}

// end notes how the wait of a place ended. A signal for which nobody waited is kept.
func (c *Channels) end(p *place, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p.over, p.err = true, err
	if err != nil || p.waiting > 0 {
		c.forget(p)
	}
	close(p.ended)
}

// retire gives a place up. The next signal on its channel is lost if nobody else waits.
func (c *Channels) retire(p *place) {
	c.forget(p)
	close(p.retired)
}

// forget keeps nobody from a place of their own.
func (c *Channels) forget(p *place) {
	if c.places[p.on] == p {
		delete(c.places, p.on)
	}
	c.left = slices.DeleteFunc(c.left, func(other *place) bool { return other == p })
}

// Close gives up every place and ends every wait. When it returns nothing is left of them here.
func (c *Channels) Close() {
	c.mu.Lock()
	c.closed = true
	for _, p := range lo.Values(c.places) {
		c.retire(p)
	}
	c.mu.Unlock()
	c.open.Wait()
}

func closing(channel string) error {
	return &fault.Error{Kind: fault.Cancelled, Op: opWait, Target: channel, Message: "this server is closing", Delivery: fault.NotSent}
}
