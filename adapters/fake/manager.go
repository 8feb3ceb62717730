package fake

import (
	"context"
	"slices"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Manager = (*World)(nil)

// change runs an operation on an entity, which must exist.
func (w *World) change(ctx context.Context, op string, known tmux.Server, target string, change func(*server) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.targeted(ctx, op, known, target); err != nil {
		return err
	}
	defer w.touch()
	return change(w.server)
}

// SetName implements [ports.Manager].
func (w *World) SetName(ctx context.Context, known tmux.Server, request ports.SetName) error {
	const op = "rename"
	return w.change(ctx, op, known, request.Target, func(s *server) error {
		switch request.Target[0] {
		case tmux.PaneSigil:
			s.pane(tmux.PaneID(request.Target)).title = request.Name
		case tmux.WindowSigil:
			s.window(tmux.WindowID(request.Target)).name = request.Name
		default:
			renamed, name := s.session(tmux.SessionID(request.Target)), w.sessionName(request.Name)
			if slices.ContainsFunc(s.sessions, func(other *session) bool { return other != renamed && other.name == name }) {
				return failed(fault.InvalidInput, op, request.Target, "a session %q exists", name)
			}
			renamed.name = name
		}
		return nil
	})
}

// Select implements [ports.Manager].
func (w *World) Select(ctx context.Context, known tmux.Server, request ports.Select) error {
	const op = "select"
	target := string(request.Window)
	if request.Pane != "" {
		target = string(request.Pane)
	}
	return w.change(ctx, op, known, target, func(s *server) error {
		if request.Session != "" {
			session := s.session(request.Session)
			if session == nil {
				return failed(fault.NotFound, op, string(request.Session), "no session %s", request.Session)
			}
			to := find(session.links, func(l *link) bool { return l.window.id == request.Window })
			if to == nil {
				return failed(fault.NotFound, op, target, "%s is not in %s", request.Window, request.Session)
			}
			session.current = to
		}
		if pane := s.pane(request.Pane); pane != nil && pane.window.active != pane {
			pane.window.active, pane.window.zoomed = pane, false
			w.arrange(pane.window)
		}
		return nil
	})
}

// inFront faults if that is not in front of a window.
func (w *window) inFront(op string, front ports.Front) error {
	if w.active.id != front.Active || w.zoomed != front.Zoomed {
		return failed(fault.PreconditionFailed, op, string(w.id), "%s is in front, zoomed: %t", w.active.id, w.zoomed)
	}
	return nil
}

// Arrange implements [ports.Manager].
func (w *World) Arrange(ctx context.Context, known tmux.Server, request ports.Arrange) error {
	const op = "lay out"
	return w.change(ctx, op, known, string(request.Window), func(s *server) error {
		window := s.window(request.Window)
		if err := window.inFront(op, request.Front); err != nil {
			return err
		}
		layout, err := tmux.ParseLayout(request.Layout)
		if err != nil {
			layout = namedLayout(request.Layout, len(window.panes), window.width, window.height)
		}
		if layout.Panes() != len(window.panes) {
			return failed(fault.CommandFailed, op, string(window.id), "can't set layout: %s", request.Layout)
		}
		panes := window.panes
		window.root = cellOf(layout, &panes)
		window.width, window.height = layout.Width, layout.Height
		w.arrange(window)
		return nil
	})
}

// SetSize implements [ports.Manager].
func (w *World) SetSize(ctx context.Context, known tmux.Server, request ports.SetSize) error {
	const op = "resize"
	return w.change(ctx, op, known, request.Target, func(s *server) error {
		if window := s.window(tmux.WindowID(request.Target)); window != nil {
			if err := window.inFront(op, request.Front); err != nil {
				return err
			}
			width, height := orElse(request.Width, window.width), orElse(request.Height, window.height)
			window.root.resize(width, height)
			window.width, window.height = width, height
			w.arrange(window)
			return nil
		}
		pane := s.pane(tmux.PaneID(request.Target))
		window := pane.window
		if err := window.inFront(op, request.Front); err != nil {
			return err
		}
		switch {
		case request.Zoom == nil:
			window.root.resizePane(pane, true, request.Width)
			window.root.resizePane(pane, false, request.Height)
		case *request.Zoom && len(window.panes) > 1:
			window.active, window.zoomed = pane, true
		case !*request.Zoom && window.active == pane:
			window.zoomed = false
		}
		w.arrange(window)
		return nil
	})
}

func orElse(cells, otherwise int) int {
	if cells == 0 {
		return otherwise
	}
	return cells
}

// Move implements [ports.Manager].
func (w *World) Move(ctx context.Context, known tmux.Server, request ports.Move) error {
	const op = "move"
	return w.change(ctx, op, known, string(request.Window), func(s *server) error {
		from, to := s.session(request.From), s.session(request.To)
		if from == nil || to == nil {
			return failed(fault.NotFound, op, string(request.Window), "no session %s or %s", request.From, request.To)
		}
		moved := find(from.links, func(l *link) bool { return l.window.id == request.Window })
		if moved == nil {
			return failed(fault.NotFound, op, string(request.Window), "%s is not in %s", request.Window, request.From)
		}
		index := to.freeIndex()
		if request.Index != nil {
			index = *request.Index
		}
		if to.taken(index) {
			return failed(fault.InvalidInput, op, string(request.Window), "index in use: %d", index)
		}
		made := to.link(moved.window, index)
		from.links = slices.DeleteFunc(from.links, func(l *link) bool { return l == moved })
		switch {
		case request.Current:
			to.current = made
		case from.current == moved && len(from.links) > 0:
			from.current = from.links[0]
		case len(from.links) == 0:
			w.closeSession(from)
		}
		return nil
	})
}

// Swap implements [ports.Manager].
func (w *World) Swap(ctx context.Context, known tmux.Server, one, other tmux.PaneID) error {
	const op = "swap"
	return w.change(ctx, op, known, string(other), func(s *server) error {
		a, b := s.pane(one), s.pane(other)
		if a == nil {
			return failed(fault.NotFound, op, string(one), "no pane %s", one)
		}
		first, second := a.window, b.window
		cellA, _ := first.root.find(a, nil)
		cellB, _ := second.root.find(b, nil)
		cellA.pane, cellB.pane = b, a
		at, to := a.index(), b.index()
		first.panes[at], second.panes[to] = b, a
		if first != second {
			a.window, b.window = second, first
			if first.active == a {
				first.active = b
			}
			if second.active == b {
				second.active = a
			}
		}
		w.arrange(first)
		w.arrange(second)
		return nil
	})
}

// Configure implements [ports.Manager].
func (w *World) Configure(ctx context.Context, known tmux.Server, request ports.Configure) (string, error) {
	const op = "set an option of"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.contact(ctx, op); err != nil {
		return "", err
	}
	if err := w.same(known, op, request.Target); err != nil {
		return "", err
	}
	if request.Target != "" {
		if err := w.targeted(ctx, op, known, request.Target); err != nil {
			return "", err
		}
	}
	w.server.level(request.Target)[request.Name] = request.Value
	w.touch()
	return request.Value, nil
}

// level are the options that are set for a session, window or pane that exists, or globally.
func (s *server) level(target string) options {
	switch {
	case target == "":
		return s.options
	case target[0] == tmux.PaneSigil:
		return s.pane(tmux.PaneID(target)).options
	case target[0] == tmux.WindowSigil:
		return s.window(tmux.WindowID(target)).options
	}
	return s.session(tmux.SessionID(target)).options
}
