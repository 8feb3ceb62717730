package fake

import (
	"context"
	"errors"
	"fmt"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// recoveries say what to do next about a kind of fault, as the real adapters do.
var recoveries = map[fault.Kind]string{
	fault.InvalidInput:   "pass another value",
	fault.NotFound:       "list what exists (list_sessions, list_windows, list_panes)",
	fault.StaleTarget:    "list what exists now (list_sessions, list_windows, list_panes)",
	fault.Refused:        "use another pane (list_panes)",
	fault.CommandFailed:  "look at the pane (capture_pane) and try again, or use another",
	fault.ServerGone:     "start one (create_session)",
	fault.TransportError: "use a socket that this user may open",
	fault.Unsupported:    "use tmux 3.2a or newer",
}

// failed is a fault of which nothing was sent.
func failed(kind fault.Kind, op, target, format string, args ...any) *fault.Error {
	return &fault.Error{
		Kind: kind, Op: op, Target: target, Delivery: fault.NotSent,
		Message: op + ": " + fmt.Sprintf(format, args...), Recovery: recoveries[kind],
	}
}

// ended is the fault of an operation whose context has ended; nil if it has not.
func ended(ctx context.Context, op string) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	kind := fault.Cancelled
	if errors.Is(err, context.DeadlineExceeded) {
		kind = fault.Deadline
	}
	return &fault.Error{Kind: kind, Op: op, Delivery: fault.NotSent, Message: op, Err: err}
}

// contact is what every operation on the server begins with: may it be talked to, and is there one?
func (w *World) contact(ctx context.Context, op string) error {
	if err := w.reach(ctx, op); err != nil {
		return err
	}
	if w.server == nil {
		return failed(fault.ServerGone, op, "", "no server runs at %s", w.options.Socket)
	}
	return nil
}

// reach is contact for an operation that an absent server does not fail.
func (w *World) reach(ctx context.Context, op string) error {
	if err := ended(ctx, op); err != nil {
		return err
	}
	if w.options.Denied {
		return failed(fault.TransportError, op, "", "%s: permission denied", w.options.Socket)
	}
	if !w.options.Version.AtLeast("3.2a") {
		return failed(fault.Unsupported, op, "", "tmux %s is older than 3.2a", w.options.Version)
	}
	return nil
}

// same faults if the server that runs is not the one that the caller knows.
func (w *World) same(known tmux.Server, op, target string) error {
	if w.server.id.PID != known.PID || !w.server.id.StartTime.Equal(known.StartTime) {
		return failed(fault.StaleTarget, op, target, "tmux restarted since %s was listed", target)
	}
	return nil
}
