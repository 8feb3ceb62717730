//go:build !linux

package process

import (
	"context"
	"runtime"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Sample has no evidence on this system.
func (*Inspector) Sample(_ context.Context, pane tmux.Pane) guard.Sample {
	return guard.Sample{Err: &fault.Error{
		Kind: fault.Unsupported, Op: "inspect", Target: string(pane.ID),
		Message: "processes cannot be inspected on " + runtime.GOOS,
	}}
}

// Caller is unknown on this system.
func (*Inspector) Caller(context.Context, tmux.Topology) ports.Caller {
	return ports.Caller{How: ports.CallerUnknown}
}

// Stopped takes every process to exist and to run.
func (*Inspector) Stopped(context.Context, int) (stopped, exists bool) { return false, true }
