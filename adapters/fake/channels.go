package fake

import (
	"context"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Channels = (*World)(nil)

// A channel is what tmux and the process that waits know of one.
type channel struct {
	woken   bool // tmux keeps a signal
	waiting int
	left    bool // a wait that ended left its place to the next one
	kept    bool // a signal came to that place
	signals int  // how many woke somebody
}

// channel finds a channel, or makes one.
func (s *server) channel(name string) *channel {
	if s.channels[name] == nil {
		s.channels[name] = &channel{}
	}
	return s.channels[name]
}

// Signal implements [ports.Channels].
func (w *World) Signal(ctx context.Context, known tmux.Server, name string) error {
	const op = "signal"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.reached(ctx, op, known); err != nil {
		return err
	}
	c := w.server.channel(name)
	switch {
	case c.waiting > 0:
		c.signals++
	case c.left:
		c.left, c.kept = false, true
	default:
		c.woken = !c.woken
	}
	w.touch()
	return nil
}

// Wait implements [ports.Channels].
func (w *World) Wait(ctx context.Context, known tmux.Server, name string, within time.Duration) (ports.Signal, error) {
	const op = "wait for a signal"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.reached(ctx, op, known); err != nil {
		return ports.Signal{}, err
	}
	c := w.server.channel(name)
	if c.kept || c.woken {
		c.woken = c.woken && c.kept // the one that is taken first
		c.kept = false
		return ports.Signal{Came: true, Early: true}, nil
	}
	waiting, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	life, before := w.server, c.signals
	c.waiting++
	c.left = false
	_ = w.wait(waiting, func() bool { return c.signals > before || w.server != life }) // what holds then says more
	c.waiting--
	switch {
	case w.server != life:
		return ports.Signal{}, failed(fault.ServerGone, op, name, "the server ended")
	case c.signals > before:
		return ports.Signal{Came: true}, nil
	}
	c.left = c.waiting == 0
	return ports.Signal{}, ended(ctx, op)
}

// reached faults if that life of the server cannot be reached.
func (w *World) reached(ctx context.Context, op string, known tmux.Server) error {
	if err := w.contact(ctx, op); err != nil {
		return err
	}
	return w.same(known, op, "")
}
