package fake

import (
	"context"
	"slices"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Terminator = (*World)(nil)

// End implements [ports.Terminator].
func (w *World) End(ctx context.Context, server tmux.Server, ending guard.Ending) (ports.Ended, error) {
	const op = "end"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.targeted(ctx, op, server, ending.Target); err != nil {
		return ports.Ended{}, err
	}
	s := w.server
	for _, known := range ending.Windows {
		if !s.unchanged(known, ending.Unwatched) {
			return ports.Ended{}, failed(fault.PreconditionFailed, op, ending.Target, "window %s changed", known.Window)
		}
	}
	before := s.ids()
	switch ending.Target[0] {
	case tmux.PaneSigil:
		pane := s.pane(tmux.PaneID(ending.Target))
		w.closePane(pane)
		if _, hidden := ending.Hidden(); hidden {
			pane.window.zoomed = len(pane.window.panes) > 1
			w.arrange(pane.window)
		}
	case tmux.WindowSigil:
		w.closeWindow(s.window(tmux.WindowID(ending.Target)))
	default:
		session := s.session(tmux.SessionID(ending.Target))
		if len(session.links) != len(ending.Windows) {
			return ports.Ended{}, failed(fault.PreconditionFailed, op, ending.Target, "session %s changed", ending.Target)
		}
		w.closeSession(session)
	}
	var after ports.Ended
	if w.server != nil {
		after = w.server.ids()
	}
	return ports.Ended{
		Panes:    lo.Without(before.Panes, after.Panes...),
		Windows:  lo.Without(before.Windows, after.Windows...),
		Sessions: lo.Without(before.Sessions, after.Sessions...),
	}, nil
}

// targeted is contact for an operation on an entity, which must exist.
func (w *World) targeted(ctx context.Context, op string, server tmux.Server, target string) error {
	if err := w.contact(ctx, op); err != nil {
		return err
	}
	if err := w.same(server, op, target); err != nil {
		return err
	}
	s := w.server
	if s.pane(tmux.PaneID(target)) == nil && s.window(tmux.WindowID(target)) == nil && s.session(tmux.SessionID(target)) == nil {
		return failed(fault.NotFound, op, target, "no %s", target)
	}
	return nil
}

// unchanged reports whether a window is as it was when its end was judged.
func (s *server) unchanged(known guard.EndingWindow, unwatched bool) bool {
	window := s.window(known.Window)
	if window == nil || known.Shared > 0 && known.Shared != len(s.linksOf(window)) {
		return false
	}
	panes := lo.Map(window.panes, func(p *pane, _ int) tmux.PaneID { return p.id })
	if !slices.Equal(panes, known.Panes) {
		return false
	}
	return window.active.id == known.Active && window.zoomed == known.Zoomed && (!unwatched || s.viewers(window) == known.Viewers)
}

// ids are the ids of all there is.
func (s *server) ids() ports.Ended {
	var all ports.Ended
	for _, session := range s.sessions {
		all.Sessions = append(all.Sessions, session.id)
	}
	for _, window := range s.windows {
		all.Windows = append(all.Windows, window.id)
		for _, pane := range window.panes {
			all.Panes = append(all.Panes, pane.id)
		}
	}
	return all
}

// DropHistory implements [ports.Terminator].
func (w *World) DropHistory(ctx context.Context, server tmux.Server, id tmux.PaneID, screen bool) error {
	const op = "clear the history"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.targeted(ctx, op, server, string(id)); err != nil {
		return err
	}
	pane := w.server.pane(id)
	if pane.mode != "" {
		refused := failed(fault.Refused, op, string(id), "%s is in %s", id, pane.mode)
		refused.Reason = fault.InMode
		return refused
	}
	if screen {
		pane.grid.write([]byte("\x1b[H\x1b[2J"))
	}
	pane.grid.clearHistory()
	w.touch()
	return nil
}
