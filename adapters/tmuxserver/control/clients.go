package control

import (
	"context"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Clients makes the control-mode clients of this process and knows them, so that they can be left out of what is shown.
type Clients struct {
	dial   Dial
	socket string

	mu   sync.Mutex
	pids map[int]int // how many clients each process has
}

// NewClients makes clients of the server at a socket.
func NewClients(dial Dial, socket string) *Clients {
	return &Clients{dial: dial, socket: socket, pids: map[int]int{}}
}

// Own reports whether a client with that process id is one of these.
func (c *Clients) Own(pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pids[pid] > 0
}

// openTime bounds how long a client may take to attach.
const openTime = 5 * time.Second

// An owned client is known while it lasts.
type owned struct {
	Stream
	forget func() // once
}

// Close ends the client and forgets it.
func (o owned) Close() error {
	defer o.forget()
	return o.Stream.Close()
}

// own knows a client until it is closed.
func (c *Clients) own(stream Stream) owned {
	count := func(n int) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.pids[stream.PID()] += n
	}
	count(1)
	return owned{stream, sync.OnceFunc(func() { count(-1) })}
}

// open attaches a client to a session, without any effect on its environment or on the sizes of its windows, and runs an empty list
// on it.
//
// It is told nothing of what panes write: that would reach it through buffers of tmux that a respawn of the pane
// (respawn-pane -k) forgets, and every tmux from 3.2a to 3.7c ends at once if there is something in them then, as there always is
// while a pane writes without pause. Before 3.3 the death of a pane that remains is enough.
func (c *Clients) open(ctx context.Context, session tmux.SessionID, notify func(Message)) (*client, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	stream, err := c.dial(ctx, []string{"attach-session", "-E", "-f", "ignore-size,no-output", "-t", string(session)})
	if err != nil {
		return nil, err
	}
	opened := newClient(c.own(stream), c.socket, notify)
	if _, err := opened.Run(ctx, tmuxserver.List{}); err != nil {
		opened.close()
		return nil, err
	}
	return opened, nil
}
