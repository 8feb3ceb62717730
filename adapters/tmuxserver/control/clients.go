package control

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
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

// open attaches a client to a session, without any effect on its environment or on the sizes of its windows, and runs a first list
// on it. The flags are those of tmux's attach-session -f.
func (c *Clients) open(ctx context.Context, session tmux.SessionID, flags string, notify func(Message), first ...tmuxserver.Command) (*client, error) {
	ctx, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	stream, err := c.dial(ctx, []string{"attach-session", "-E", "-f", "ignore-size," + flags, "-t", string(session)})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.pids[stream.PID()] = true
	c.mu.Unlock()
	opened := newClient(owned{stream, c}, c.socket, notify)
	result, err := opened.Run(ctx, tmuxserver.List{Commands: first})
	for i, reply := range result.Replies {
		if reply.State == tmuxserver.Failed {
			err = broken(fault.NotSent, fmt.Sprintf("%q: %s", first[i], reply.Error), nil)
		}
	}
	if err != nil {
		opened.close()
		return nil, err
	}
	return opened, nil
}
