package app

import (
	"context"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A claimed window is one in which this process judges or sends an input.
type claimedWindow struct {
	generation tmux.Generation
	window     tmux.WindowID
}

// claims let the inputs of this process to the panes of one window come one after the other, each from its judgement to its last
// key: a run must not find a prompt empty into which another call is about to type. The zero value is ready.
type claims struct {
	mu    sync.Mutex
	turns map[claimedWindow]*turn
}

type turn struct {
	free  chan struct{} // holds one token while nobody has the turn
	users int           // having it or waiting
}

// take waits for the window and claims it. waited says that another input was sent meanwhile, so that what was read before is old.
func (c *claims) take(ctx context.Context, at claimedWindow) (release func(), waited bool, err error) {
	c.mu.Lock()
	if c.turns == nil {
		c.turns = map[claimedWindow]*turn{}
	}
	t := c.turns[at]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		c.turns[at] = t
	}
	t.users++
	c.mu.Unlock()
	leave := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(c.turns, at)
		}
	}
	release = func() {
		t.free <- struct{}{}
		leave()
	}
	select {
	case <-t.free:
		return release, false, nil
	default:
	}
	select {
	case <-t.free:
		return release, true, nil
	case <-ctx.Done():
		leave()
		return nil, true, asFault(ctx.Err(), "wait for another input to the window")
	}
}
