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
	pids map[int]bool
}

// NewClients makes clients of the server at a socket.
func NewClients(dial Dial, socket string) *Clients {
	return &Clients{dial: dial, socket: socket, pids: map[int]bool{}}
}

// Own reports whether a client with that process id is one of these.
func (c *Clients) Own(pid int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pids[pid]
}

// openTime bounds how long a client may take to attach.
const openTime = 5 * time.Second

// An owned client is known while it lasts.
type owned struct {
	Stream
	of *Clients
}

// Close ends the client and forgets it.
func (o owned) Close() error {
	err := o.Stream.Close()
	o.of.mu.Lock()
	defer o.of.mu.Unlock()
	delete(o.of.pids, o.PID())
	return err
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
	c.mu.Lock()
	c.pids[stream.PID()] = true
	c.mu.Unlock()
	opened := newClient(owned{stream, c}, c.socket, notify)
	if _, err := opened.Run(ctx, tmuxserver.List{}); err != nil {
		opened.close()
		return nil, err
	}
	return opened, nil
}
