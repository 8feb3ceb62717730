package control

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// patience is how long a list waits for the one before it, which may be one that tmux keeps waiting.
const patience = 50 * time.Millisecond

// keepsNothing is the first tmux that frees what capture-pane printed for a control client; those before keep all of it, 140 KB for a history
// of 2000 lines. Measured on 3.2a, 3.3a, 3.4, 3.5a, 3.6b and 3.7c.
const keepsNothing = tmux.Version("3.6")

// leaks reports whether a tmux keeps what it shows of a pane to a control client.
func leaks(version tmux.Version) bool { return !version.AtLeast(keepsNothing) }

// A Conn sends command lists over one client that stays attached, one after the other. What that cannot carry goes another way:
// while there is no session to attach to, while a list takes long, and captures where they would cost tmux memory.
type Conn struct {
	clients *Clients
	other   tmuxserver.Conn

	turn    chan struct{} // holds one while a list is under way
	current *client       // of whose turn it is; nil: none yet
	leaks   bool          // its tmux keeps what it shows of a pane to a control client
	closed  bool
}

var _ tmuxserver.Conn = (*Conn)(nil)

// NewConn makes a Conn and attaches nothing yet. Close it.
func NewConn(clients *Clients, other tmuxserver.Conn) *Conn {
	return &Conn{clients: clients, other: other, turn: make(chan struct{}, 1)}
}

// Run implements [tmuxserver.Conn].
func (c *Conn) Run(ctx context.Context, list tmuxserver.List) (tmuxserver.Result, error) {
	var result tmuxserver.Result
	captures := slices.ContainsFunc(list.Commands, func(command tmuxserver.Command) bool { return command[0] == "capture-pane" })
	err := c.over(ctx, captures, func(to tmuxserver.Conn) (err error) {
		result, err = to.Run(ctx, list)
		return err
	})
	return result, err
}

// Load implements [tmuxserver.Conn].
func (c *Conn) Load(ctx context.Context, buffer string, data []byte) error {
	return c.over(ctx, false, func(to tmuxserver.Conn) error { return to.Load(ctx, buffer, data) })
}

// Room implements [tmuxserver.Conn]: what both ways can carry.
func (c *Conn) Room(list tmuxserver.List) int { return min(room(list), c.other.Room(list)) }

// Socket implements [tmuxserver.Conn].
func (c *Conn) Socket() string { return c.other.Socket() }

// Close detaches the client.
func (c *Conn) Close() {
	c.turn <- struct{}{}
	defer func() { <-c.turn }()
	c.closed = true
	c.drop()
}

// over does something, which may be to capture, over the client if that can be had soon, and else the other way.
func (c *Conn) over(ctx context.Context, captures bool, do func(to tmuxserver.Conn) error) error {
	if ctx.Err() != nil {
		return interrupted(ctx, fault.NotSent)
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case c.turn <- struct{}{}:
	case <-timer.C:
		return do(c.other)
	case <-ctx.Done():
		return interrupted(ctx, fault.NotSent)
	}
	release := func() { <-c.turn }
	for range 2 { // a client that ended meanwhile is replaced once
		to := c.attached(ctx)
		if to == nil || captures && c.leaks {
			break
		}
		err := do(to)
		switch {
		case err == nil:
			release()
			return nil
		case errors.Is(err, errNotRun):
			c.drop()
			continue
		}
		if ctx.Err() != nil || to.dead() {
			c.drop() // what is still under way in it would hold up what comes next
		}
		release()
		return c.explain(ctx, err)
	}
	release()
	return do(c.other)
}

// explain says of a connection that broke whether the server ended.
func (c *Conn) explain(ctx context.Context, err error) error {
	if !fault.Is(err, fault.TransportError) {
		return err
	}
	_, why := c.other.Run(ctx, tmuxserver.List{})
	if e, ok := errors.AsType[*fault.Error](why); ok && e.Kind == fault.ServerGone {
		e.Delivery = fault.PossiblySent
		return e
	}
	return err
}

// attached is the client, attached anew if there is none; nil if none can be had. It is called in one's turn.
func (c *Conn) attached(ctx context.Context) *client {
	if c.current != nil && !c.current.dead() {
		return c.current
	}
	c.drop()
	if c.closed {
		return nil
	}
	result, err := c.other.Run(ctx, tmuxserver.List{Commands: []tmuxserver.Command{{"list-sessions", "-F", "#{version} #{session_id} #{destroy-unattached}"}}})
	if err != nil || result.Replies[0].State != tmuxserver.Done {
		return nil // the other way will say why
	}
	for line := range strings.Lines(result.Replies[0].Output) {
		version, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		session, option, _ := strings.Cut(rest, " ")
		if !grammar.KeepsUnattached(option) {
			continue
		}
		opened, err := c.clients.open(ctx, tmux.SessionID(session), func(Message) {})
		if err == nil {
			c.current, c.leaks = opened, leaks(tmux.Version(version))
		}
		return c.current
	}
	return nil
}

// drop ends the client.
func (c *Conn) drop() {
	if c.current != nil {
		c.current.close()
		c.current = nil
	}
}
