package process

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// oldestTracked is the oldest tmux whose processes are held. Source: the specification of process tracking.
const oldestTracked = tmux.Version("3.3")

// An Identity implements ports.Identity by handles that the kernel gives on processes. It holds as many as its callers hold, and
// one for each server of theirs. Close it.
type Identity struct {
	tmux ports.Inspector
	work sync.WaitGroup // of questions to tmux whose asker may have gone

	mu      sync.Mutex
	daemons map[tmux.Generation]*daemon
}

var _ ports.Identity = (*Identity)(nil)

// NewIdentity makes an Identity that asks tmux itself for the pids of its panes.
func NewIdentity(tmuxOf ports.Inspector) *Identity {
	return &Identity{tmux: tmuxOf, daemons: map[tmux.Generation]*daemon{}}
}

// Close waits until nothing is at work any more. Everything that is held has been closed before.
func (i *Identity) Close() { i.work.Wait() }

// A lacking is why nothing can be held.
type lacking ports.Tracking

func (l *lacking) Error() string { return l.Detail }

func lacks(lack ports.Lack, format string, args ...any) error {
	return &lacking{lack, fmt.Sprintf(format, args...)}
}

// Tracking holds the server for a moment.
func (i *Identity) Tracking(ctx context.Context, server tmux.Server) (ports.Tracking, error) {
	d, err := i.join(ctx, server)
	if missing, ok := errors.AsType[*lacking](err); ok {
		return ports.Tracking(*missing), nil
	}
	if err != nil {
		return ports.Tracking{}, err
	}
	defer d.leave()
	if d.handle.over() {
		return ports.Tracking{}, gone(server.SocketPath)
	}
	return ports.Tracking{}, nil
}

// Hold looks at the pane, opens a handle, and looks again: what was the pane's process before and after was it when the handle was
// opened, because no pid passes from one child of a living server to another without being seen at the handle.
func (i *Identity) Hold(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Held, error) {
	d, err := i.join(ctx, server)
	if missing, ok := errors.AsType[*lacking](err); ok {
		return nil, &fault.Error{
			Kind: fault.Unsupported, Op: "hold the process of", Target: string(pane), Message: missing.Detail,
			Recovery: "nothing was done; tmux_capabilities says what process tracking lacks here",
		}
	}
	if err != nil {
		return nil, err
	}
	const looks = 3 // tmux learns at once that a process ended; but never, if it lost the signal
	for range looks {
		held, err := i.look(ctx, d, pane)
		if err != nil {
			d.leave()
			return nil, err
		}
		if held != nil {
			return held, nil
		}
	}
	d.leave()
	return nil, dead(pane)
}

// look holds the process that the pane has; nil if that changed meanwhile.
func (i *Identity) look(ctx context.Context, d *daemon, pane tmux.PaneID) (*held, error) {
	pid, err := i.processOf(ctx, d.server, pane)
	if err != nil {
		return nil, err
	}
	program, err := openProcess(pid)
	if errors.Is(err, errEnded) {
		return nil, nil
	}
	if err != nil {
		return nil, d.failed(ctx, err)
	}
	kept := false
	defer func() {
		if !kept {
			program.close()
		}
	}()
	parent, began, err := birthOf(pid)
	if program.over() {
		return nil, nil
	}
	if err != nil {
		return nil, d.failed(ctx, err)
	}
	if parent != d.server.PID {
		return nil, d.failed(ctx, fmt.Errorf("process %d, which pane %s should have, is a child of process %d", pid, pane, parent))
	}
	again, err := i.processOf(ctx, d.server, pane)
	if err != nil {
		return nil, err
	}
	if d.handle.over() {
		return nil, gone(string(pane))
	}
	if again != pid || program.over() {
		return nil, nil
	}
	kept = true
	return newHeld(d, program, pane, tmux.NewProcessGeneration(d.server.Generation, pid, began)), nil
}

// processOf asks tmux for the process of a pane.
func (i *Identity) processOf(ctx context.Context, server tmux.Server, pane tmux.PaneID) (pid int, err error) {
	values, err := i.tmux.Variables(ctx, server, pane, []string{"pane_pid", "pane_dead"})
	if err != nil {
		return 0, err
	}
	if values["pane_dead"] == "1" {
		return 0, dead(pane)
	}
	if _, err := fmt.Sscan(values["pane_pid"], &pid); err != nil || pid <= 0 {
		return 0, &fault.Error{
			Kind: fault.DecodeError, Op: "hold the process of", Target: string(pane), Delivery: fault.Observed,
			Message: fmt.Sprintf("tmux gives %q as the process of pane %s", values["pane_pid"], pane), Err: err,
		}
	}
	return pid, nil
}

// dead refuses a pane without a process.
func dead(pane tmux.PaneID) error {
	return &fault.Error{
		Kind: fault.Refused, Reason: fault.Dead, Op: "hold the process of", Target: string(pane),
		Message: fmt.Sprintf("the process of pane %s has ended already", pane), Recovery: "look at the pane: nothing runs in it that could end",
	}
}

// gone is the fault of a server that has ended.
func gone(target string) error {
	return &fault.Error{
		Kind: fault.ServerGone, Op: "hold a process of", Target: target, Message: "the tmux server of " + target + " has ended",
	}
}
