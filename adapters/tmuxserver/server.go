// Package tmuxserver implements the ports of one tmux server, typed and once, over a Conn that carries command lists.
package tmuxserver

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/wake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Options adjust a Server. The zero value is usable.
type Options struct {
	// Own reports whether a client with that process id is one of this process's, and so is left out of every
	// listing. Nil: the clients of this process itself.
	Own func(pid int) bool
}

// A Server is one tmux server, running or not.
type Server struct {
	conn      Conn
	own       func(pid int) bool
	terminals wake.Terminals              // of panes that are watched
	latest    atomic.Pointer[tmux.Server] // the life that answered last
}

var (
	_ ports.Reader  = (*Server)(nil)
	_ ports.Input   = (*Server)(nil)
	_ ports.Creator = (*Server)(nil)
)

// New makes a Server of a Conn, which stays the caller's to close.
func New(conn Conn, options Options) *Server {
	if options.Own == nil {
		options.Own = func(pid int) bool { return pid == os.Getpid() }
	}
	return &Server{conn: conn, own: options.Own}
}

// run runs a list and gives the first command that tmux rejected as a fault.
func (s *Server) run(ctx context.Context, op, target string, list List) (Result, error) {
	result, err := s.send(ctx, list)
	if err != nil {
		return result, naming(op, target, err)
	}
	for _, reply := range result.Replies {
		if reply.State == Failed {
			return result, grammar.CommandFault(op, target, reply.Error)
		}
	}
	return result, nil
}

// send runs a list, and again if tmux gave up its guard: nothing of it ran.
func (s *Server) send(ctx context.Context, list List) (result Result, err error) {
	for range looks {
		if result, err = s.conn.Run(ctx, list); err != nil || !result.GivenUp {
			return result, err
		}
	}
	return result, GivenUp()
}

// GivenUp is the fault of what a guard held back because tmux gave it up.
func GivenUp() error {
	return &fault.Error{
		Kind: fault.CommandFailed, Message: "tmux did not find out in 100 ms whether its target is as it was", Delivery: fault.NotSent,
		Recovery: "nothing was done: call again",
	}
}

// naming says of a transport's fault what was being done.
func naming(op, target string, err error) error {
	e, ok := err.(*fault.Error) //nolint:errorlint // a Conn's faults are not wrapped
	if !ok {
		return &fault.Error{Kind: fault.Internal, Op: op, Target: target, Delivery: fault.PossiblySent, Err: err}
	}
	named := *e
	named.Op, named.Target = op, target
	return &named
}

// identify completes what a server said of itself.
func (s *Server) identify(server tmux.Server) (tmux.Server, error) {
	server.SocketPath = s.conn.Socket()
	server.Generation = tmux.NewGeneration(server.SocketPath, server.PID, server.StartTime.Unix())
	if !server.Version.AtLeast(oldest) {
		return server, &fault.Error{
			Kind: fault.Unsupported, Message: fmt.Sprintf("the server at %s is tmux %s, which is too old", server.SocketPath, server.Version),
			Recovery: "restart it as tmux " + string(oldest) + " or newer, or choose another socket",
		}
	}
	return server, nil
}

// looks is how often an answer is read anew that cannot be understood.
const looks = 3

// anew reads, again if the answer cannot be understood: from 3.7 on tmux gives up a format after 100 ms, and leaves out the rest of a row, on
// a machine where it does not get to run for so long. What it read must have changed nothing.
func anew[T any](read func() (T, error)) (result T, err error) {
	for range looks {
		if result, err = read(); !fault.Is(err, fault.DecodeError) {
			break
		}
	}
	return result, err
}

// oldest is the oldest tmux that is supported.
const oldest = tmux.Version("3.2a")

// one parses an answer that must hold exactly one row.
func one[T any](table grammar.Table[T], nonce grammar.Nonce, output string, version tmux.Version) (T, error) {
	rows, err := table.Parse(nonce, output, version)
	if err == nil && len(rows) != 1 {
		err = &fault.Error{Kind: fault.DecodeError, Message: fmt.Sprintf("tmux answered %d rows instead of one", len(rows)), Delivery: fault.Observed}
	}
	if err != nil {
		var none T
		return none, err
	}
	return rows[0], nil
}

// staleTarget is the fault of acting on another life of the server.
func staleTarget(op, target string) *fault.Error {
	return &fault.Error{
		Kind: fault.StaleTarget, Op: op, Target: target, Message: "tmux restarted since " + target + " was listed",
		Recovery: "list what exists now (list_panes)",
	}
}
