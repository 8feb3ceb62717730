package control

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

const (
	// maxOutput is how much one command may print.
	maxOutput = 64 << 20 // bytes

	// greatestLine is how long a line that is sent may be. tmux takes more, but remembers each in its message log.
	greatestLine = 64 << 10 // bytes
)

// errNotRun says of a call that tmux surely ran none of it.
var errNotRun = errors.New("the client ended before")

// A client is one attached control-mode client, and a Conn of its own: lists are sent as they come and answered in that order. What
// tmux says is read at once, always, whoever waits for it.
type client struct {
	stream Stream
	socket string
	notify func(Message) // each notification, in the order of what is heard; nobody may wait in it

	sending  chan struct{} // holds one while something is written
	attached chan struct{} // closed once tmux said to which session: before that it takes commands for another client's
	attach   sync.Once
	ended    chan struct{} // closed when nothing will be heard any more

	mu    sync.Mutex
	calls []*call // sent and not over, in order
	gone  bool    // ended, or about to
	exit  bool    // tmux let the client go in order: all that it had to say was said
}

var _ tmuxserver.Conn = (*client)(nil)

// newClient begins to read a stream. The client is the caller's to close.
func newClient(stream Stream, socket string, notify func(Message)) *client {
	c := &client{stream: stream, socket: socket, notify: notify, sending: make(chan struct{}, 1), attached: make(chan struct{}), ended: make(chan struct{})}
	go c.read()
	return c
}

// read hears everything until the stream ends.
func (c *client) read() {
	defer close(c.ended)
	parser := Parser{MaxOutput: maxOutput}
	buffer := make([]byte, 64<<10)
	for {
		n, err := c.stream.Read(buffer)
		parser.Feed(buffer[:n], c.hear)
		if err != nil {
			break
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gone = true
	for _, call := range c.calls {
		call.answer(outcome{err: c.lost(call)})
	}
	c.calls = nil
}

// hear takes one message.
func (c *client) hear(m Message) {
	switch {
	case m.Block == nil && m.Name == "%exit":
		c.mu.Lock()
		c.gone, c.exit = true, !strings.Contains(m.Rest, "unexpectedly") && !strings.Contains(m.Rest, "lost")
		c.mu.Unlock()
	case m.Block == nil:
		if m.Name == "%session-changed" {
			c.attach.Do(func() { close(c.attached) })
		}
		c.notify(m)
	case m.Block.Own:
		c.mu.Lock()
		if len(c.calls) > 0 && c.calls[0].hear(*m.Block) {
			c.calls = c.calls[1:]
		}
		c.mu.Unlock()
	}
}

// lost is the fault of a call whose answer will not come.
func (c *client) lost(call *call) error {
	if call.unsent || c.exit && !call.began {
		return broken(fault.NotSent, "the client ended", errNotRun)
	}
	return broken(fault.PossiblySent, "the client ended before tmux answered", nil)
}

// Run implements [tmuxserver.Conn].
func (c *client) Run(ctx context.Context, list tmuxserver.List) (tmuxserver.Result, error) {
	call := newCall(list)
	if err := c.send(ctx, call); err != nil {
		return tmuxserver.Result{}, err
	}
	select {
	case out := <-call.done:
		return out.result, out.err
	case <-ctx.Done():
		return tmuxserver.Result{}, interrupted(ctx, fault.PossiblySent)
	}
}

// send writes a call. A context that ends while it is written ends the client: nobody could tell where the next line begins.
func (c *client) send(ctx context.Context, call *call) error {
	if ctx.Err() != nil {
		return interrupted(ctx, fault.NotSent)
	}
	select {
	case c.sending <- struct{}{}:
	case <-ctx.Done():
		return interrupted(ctx, fault.NotSent)
	}
	defer func() { <-c.sending }()
	select {
	case <-c.attached:
	case <-c.ended:
	case <-ctx.Done():
		return interrupted(ctx, fault.NotSent)
	}
	c.mu.Lock()
	if c.gone {
		c.mu.Unlock()
		return broken(fault.NotSent, "the client ended", errNotRun)
	}
	c.calls = append(c.calls, call)
	c.mu.Unlock()
	stop := context.AfterFunc(ctx, c.close)
	defer stop()
	text := call.text()
	if n, err := c.stream.Write([]byte(text)); err != nil {
		c.mu.Lock()
		call.unsent = !strings.Contains(text[:n], "\n")
		c.mu.Unlock()
		c.close() // then the call is answered that it is lost
	}
	return nil
}

// interrupted is the fault of a call whose context ended.
func interrupted(ctx context.Context, delivery fault.Delivery) *fault.Error {
	kind, message := fault.Cancelled, "the call was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind, message = fault.Deadline, "tmux did not answer in time"
	}
	return &fault.Error{Kind: kind, Message: message, Delivery: delivery, Err: ctx.Err()}
}

// Load implements [tmuxserver.Conn]: piece by piece, in a buffer that nobody else knows yet.
func (c *client) Load(ctx context.Context, buffer string, data []byte) error {
	if len(data) == 0 {
		_, err := c.Run(ctx, tmuxserver.List{})
		return err
	}
	for sent := 0; sent < len(data); {
		command := tmuxserver.Command{"set-buffer", "-b", buffer, "--", ""}
		if sent > 0 {
			command = tmuxserver.Command{"set-buffer", "-a", "-b", buffer, "--", ""}
		}
		list := tmuxserver.List{Commands: []tmuxserver.Command{command}}
		piece := data[sent:min(len(data), sent+c.Room(list))]
		command[len(command)-1] = string(piece)
		result, err := c.Run(ctx, list)
		if err != nil {
			return err
		}
		if reply := result.Replies[0]; reply.State != tmuxserver.Done {
			return broken(fault.PossiblySent, "a buffer could not be filled: "+reply.Error, nil)
		}
		sent += len(piece)
	}
	return nil
}

// Room implements [tmuxserver.Conn].
func (c *client) Room(list tmuxserver.List) int { return room(list) }

func room(list tmuxserver.List) int {
	left := greatestLine - len(newCall(list).text())
	if left < 0 {
		return left
	}
	return left / quoted
}

// Socket implements [tmuxserver.Conn].
func (c *client) Socket() string { return c.socket }

// dead reports whether nothing more can be sent.
func (c *client) dead() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.gone
}

// close ends the client. When it returns nothing of it is left.
func (c *client) close() {
	c.mu.Lock()
	c.gone = true
	c.mu.Unlock()
	_ = c.stream.Close() // it is gone, whatever it says
	<-c.ended
}
