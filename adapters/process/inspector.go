// Package process inspects the processes of this machine: what runs in the foreground of a pane's terminal, and in which
// pane this process runs. It only looks. On Linux it reads /proc; elsewhere it answers that it has no evidence.
package process

import (
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Options are what an Inspector takes from the environment of this process.
type Options struct {
	TMUX     string // $TMUX: "socket,server pid,session"; empty if unset
	TMUXPane string // $TMUX_PANE: a pane id; empty if unset
}

// An Inspector implements ports.Processes. It holds nothing that must be closed.
type Inspector struct {
	options Options

	mu   sync.Mutex
	real life // the server that the kernel has confirmed last
}

// A life is one life of a tmux server.
type life struct {
	socket  string
	pid     int
	started int64 // Unix seconds
}

// New makes an Inspector.
func New(options Options) *Inspector { return &Inspector{options: options} }

var _ ports.Processes = (*Inspector)(nil)
