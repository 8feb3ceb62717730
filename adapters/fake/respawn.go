package fake

import (
	"context"
	"slices"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Respawn implements [ports.Creator].
func (w *World) Respawn(ctx context.Context, known tmux.Server, request ports.Respawn) (tmux.Pane, error) {
	const op = "respawn"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.targeted(ctx, op, known, string(request.Pane)); err != nil {
		return tmux.Pane{}, err
	}
	if err := directory(op, request.Cwd); err != nil {
		return tmux.Pane{}, err
	}
	pane := w.server.pane(request.Pane)
	if !w.options.Version.AtLeast("3.8") && w.server.heard(pane.window) {
		return tmux.Pane{}, failed(fault.Unsupported, op, string(pane.id), "a control client is told what is written in %s", pane.id)
	}
	if !w.server.stillRespawning(pane, request.Respawning) {
		return tmux.Pane{}, failed(fault.PreconditionFailed, op, string(pane.id), "pane %s changed", pane.id)
	}
	pane.enter(request.Cwd)
	w.respawn(pane)
	return pane.describe(pane.index(), tmux.DetailFull), nil
}

// heard reports whether a client is told what panes of a window write.
func (s *server) heard(of *window) bool {
	return slices.ContainsFunc(s.clients, func(c *client) bool {
		return c.Control && !c.Silent && slices.ContainsFunc(c.session.links, func(l *link) bool { return l.window == of })
	})
}

// stillRespawning reports whether what a respawning demands holds.
func (s *server) stillRespawning(p *pane, demands guard.Respawning) bool {
	window := p.window
	return p.describe(0, tmux.DetailBrief).PID == demands.PID && (p.dead || demands.Kill) &&
		(!demands.Unwatched || s.viewers(window) == demands.Viewers && window.zoomed == demands.Zoomed && (window.active == p) == demands.Active)
}

// respawn ends what runs in a pane and starts it again, on an empty screen below the same history.
func (w *World) respawn(p *pane) {
	if !p.dead {
		p.hangUp()
	}
	p.mode = ""
	p.grid.restart()
	w.start(p, p.spawned)
}
