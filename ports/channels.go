package ports

import (
	"context"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Channels are those of tmux's wait-for command, which scripts use too. A signal wakes all who wait on its channel. Of signals for
// which nobody waits, tmux keeps one for the next wait, which takes it; a second one takes it back. Names are literal, and have
// been checked by the caller.
type Channels interface {
	// Signal signals a channel once.
	Signal(ctx context.Context, server tmux.Server, channel string) error

	// Wait waits for a signal for that long, at least until it is known whether one was kept; what came says if one came. If the server
	// ends meanwhile it is ServerGone. A wait that ended without a signal leaves its place to the next one on that channel in this
	// process: what is signalled between the two is not lost, for at least the 16 channels that were left last.
	Wait(ctx context.Context, server tmux.Server, channel string, within time.Duration) (Signal, error)
}

// A Signal is what came of a wait.
type Signal struct {
	Came  bool
	Early bool // it was sent before the wait began, and kept
}
