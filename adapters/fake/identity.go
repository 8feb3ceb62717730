package fake

import (
	"context"
	"fmt"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Identity = (*World)(nil)

// oldestTracked is the oldest tmux whose processes can be held.
const oldestTracked = tmux.Version("3.3")

// Tracking implements [ports.Identity].
func (w *World) Tracking(ctx context.Context, server tmux.Server) (ports.Tracking, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	const op = "look at process tracking"
	if err := w.contact(ctx, op); err != nil {
		return ports.Tracking{}, err
	}
	if err := w.same(server, op, server.SocketPath); err != nil {
		return ports.Tracking{}, err
	}
	return w.tracking(), nil
}

func (w *World) tracking() ports.Tracking {
	switch {
	case !w.options.Version.AtLeast(oldestTracked):
		return ports.Tracking{Lack: ports.LackTmux, Detail: fmt.Sprintf("tmux %s is older than %s", w.options.Version, oldestTracked)}
	case w.options.Untracked != "":
		return ports.Tracking{Lack: w.options.Untracked, Detail: "this machine lacks: " + string(w.options.Untracked)}
	}
	return ports.Tracking{}
}

// A held is a process of a pane, which a test holds.
type held struct {
	world      *World
	life       tmux.Generation
	pane       tmux.PaneID
	process    *process
	generation tmux.ProcessGeneration
	open       context.Context // ends with Close
	close      context.CancelFunc
	told       *ports.Exit // once it was: it stays told when the server ends later
}

// Hold implements [ports.Identity].
func (w *World) Hold(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Held, error) {
	const op = "hold a process"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.contact(ctx, op); err != nil {
		return nil, err
	}
	if err := w.same(server, op, string(pane)); err != nil {
		return nil, err
	}
	if missing := w.tracking(); missing.Lack != "" {
		return nil, failed(fault.Unsupported, op, string(pane), "%s", missing.Detail)
	}
	at := w.server.pane(pane)
	if at == nil {
		return nil, failed(fault.NotFound, op, string(pane), "no pane %s", pane)
	}
	if at.dead {
		refused := failed(fault.Refused, op, string(pane), "the process of %s has ended", pane)
		refused.Reason = fault.Dead
		return nil, refused
	}
	made := &held{
		world: w, life: w.server.id.Generation, pane: pane, process: w.process[at.pid],
		generation: tmux.NewProcessGeneration(w.server.id.Generation, at.pid, at.began),
	}
	made.open, made.close = context.WithCancel(w.ctx)
	return made, nil
}

// Generation implements [ports.Held].
func (h *held) Generation() tmux.ProcessGeneration { return h.generation }

// Wait implements [ports.Held].
func (h *held) Wait(ctx context.Context) (ports.Exit, error) {
	const op = "wait for the end of a process"
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(h.open, cancel)()
	h.world.mu.Lock()
	defer h.world.mu.Unlock()
	if ctx.Err() != nil || h.open.Err() != nil {
		cancel()
		return ports.Exit{}, ended(ctx, op)
	}
	gone := func() bool { return h.world.server == nil || h.world.server.id.Generation != h.life }
	if h.told == nil {
		if h.world.wait(ctx, func() bool { return gone() || h.process.exit != nil }) != nil {
			return ports.Exit{}, ended(ctx, op)
		}
		if gone() {
			return ports.Exit{}, failed(fault.ServerGone, op, string(h.pane), "the tmux server has ended")
		}
		h.told = h.process.exit
	}
	return *h.told, nil
}

// Close implements [ports.Held]. A Wait holds nothing but its caller.
func (h *held) Close() { h.close() }
