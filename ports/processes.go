package ports

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Processes inspects processes of this machine, without touching them.
type Processes interface {
	// Sample looks once at the foreground of the pane's terminal. What cannot be read is unset in the sample; if
	// nothing can, Sample.Err says why. It is no error of the method.
	Sample(ctx context.Context, pane tmux.Pane) guard.Sample

	// Caller finds the pane in which this process runs. Unknown is an answer, not "none of these panes".
	Caller(ctx context.Context, topology tmux.Topology) Caller

	// Stopped reports whether a process is stopped (SIGSTOP, C-z) now, and whether it exists at all. A process that
	// cannot be inspected exists and is not stopped.
	Stopped(ctx context.Context, pid int) (stopped, exists bool)
}

// A Caller is the pane that this conversation runs through.
type Caller struct {
	Pane tmux.PaneID // empty if unknown
	How  CallerSource
}

// A CallerSource says how the caller's pane was found.
type CallerSource string

// The sources.
const (
	CallerEnvironment CallerSource = "environment" // TMUX and TMUX_PANE, checked against the server
	CallerAncestor    CallerSource = "ancestor"    // an ancestor is the pane's process
	CallerTerminal    CallerSource = "terminal"    // the controlling terminal is the pane's
	CallerUnknown     CallerSource = "unknown"
)
