package fake

import (
	"context"
	"fmt"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Topology implements [ports.Reader].
func (w *World) Topology(ctx context.Context, detail tmux.Detail) (tmux.Topology, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.reach(ctx, "read the topology"); err != nil {
		return tmux.Topology{}, err
	}
	if w.server == nil {
		return tmux.Topology{}, nil
	}
	s := w.server
	t := tmux.Topology{Server: s.id, Running: true}
	for _, session := range s.sessions {
		t.Sessions = append(t.Sessions, s.describeSession(session))
	}
	for _, window := range s.windows {
		t.Windows = append(t.Windows, tmux.Window{
			ID: window.id, Name: window.name, Width: window.width, Height: window.height, Panes: len(window.panes),
			Zoomed: window.zoomed, Layout: window.layout(), Viewers: s.viewers(window),
		})
		t.Links = append(t.Links, s.linksOf(window)...)
		for i, pane := range window.panes {
			t.Panes = append(t.Panes, pane.describe(i, detail))
		}
	}
	for _, client := range s.clients {
		if !client.Own {
			t.Clients = append(t.Clients, client.describe())
		}
	}
	return t, nil
}

func (s *server) describeSession(of *session) tmux.Session {
	attached := 0
	for _, client := range s.clients {
		if client.session == of && !client.Control && !client.Own {
			attached++
		}
	}
	return tmux.Session{
		ID: of.id, Name: of.name, Created: of.created, Windows: len(of.links), Attached: attached,
	}
}

func (c *client) describe() tmux.Client {
	at := c.session.current.window
	described := tmux.Client{
		Name: c.name, PID: c.pid, TTY: c.name, Session: c.session.id, Window: at.id, Pane: at.active.id,
		Control: c.Control, Suspended: c.Suspended, ActivePane: c.ActivePane, Activity: c.activity,
	}
	if c.Control {
		described.TTY = ""
	}
	return described
}

func (p *pane) describe(index int, detail tmux.Detail) tmux.Pane {
	left, top, width, height := p.window.rectangle(p)
	described := tmux.Pane{
		ID: p.id, Window: p.window.id, Index: index, PID: p.pid, TTY: p.tty(),
		Title: p.title, Command: p.terminal.foreground.name, Path: p.path,
		Left: left, Top: top, Width: width, Height: height,
		Active: p.window.active == p, Dead: p.dead, InputOff: p.inputOff, Synchronized: p.synchronized(),
		Mode: p.mode, Alternate: p.grid.alternate,
	}
	if p.dead && p.world.options.Version.AtLeast("3.8") {
		described.PID = 0
	}
	if detail != tmux.DetailFull {
		return described
	}
	described.Full = true
	if p.dead && p.signal == "" {
		status := p.status
		described.DeadStatus = &status
	}
	if p.world.options.Version.AtLeast("3.3") {
		described.DeadSignal = p.signal
	}
	described.HistorySize, described.HistoryLimit = p.grid.history(), p.grid.limit
	described.CursorX, described.CursorY = p.grid.x, p.grid.y
	described.StartCommand = strings.Join(p.spawned.argv, " ")
	return described
}

func (p *pane) tty() string { return fmt.Sprintf("/dev/pts/%s", string(p.id)[1:]) }

func (p *pane) index() int {
	for i, sibling := range p.window.panes {
		if sibling == p {
			return i
		}
	}
	return -1
}

// Look implements [ports.Reader], as a tmux does that tells in a format whether a capture would run a hook.
func (w *World) Look(ctx context.Context, detail tmux.Detail, request ports.CaptureRequest) (tmux.Topology, *screen.Capture, error) {
	t, err := w.Topology(ctx, detail)
	if err != nil || !t.Server.Version.AtLeast("3.5") {
		return t, nil, err
	}
	c, err := w.Capture(ctx, request)
	if err != nil {
		return t, nil, nil //nolint:nilerr // a Capture tells
	}
	return t, &c, nil
}

// Capture implements [ports.Reader].
func (w *World) Capture(ctx context.Context, request ports.CaptureRequest) (screen.Capture, error) {
	const op = "capture"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.contact(ctx, op); err != nil {
		return screen.Capture{}, err
	}
	if request.Server != (tmux.Server{}) {
		if err := w.same(request.Server, op, string(request.Pane)); err != nil {
			return screen.Capture{}, err
		}
	}
	pane := w.server.pane(request.Pane)
	if pane == nil {
		return screen.Capture{}, failed(fault.NotFound, op, string(request.Pane), "no pane %s", request.Pane)
	}
	var in *session
	if request.Session != "" {
		in = w.server.session(request.Session)
		if in == nil || !in.has(pane.window) {
			return screen.Capture{}, failed(fault.NotFound, op, string(pane.id), "%s is not in session %s", pane.id, request.Session)
		}
	}
	if pane.hooked("after-capture-pane", in) {
		refused := failed(fault.Refused, op, string(pane.id), "a hook would run after each capture of %s", pane.id)
		refused.Reason = fault.Hooked
		return screen.Capture{}, refused
	}
	first := pane.grid.history()
	switch {
	case request.FromRow != nil:
		first = min(max(*request.FromRow, 0), len(pane.grid.lines))
	case request.History < 0:
		first = 0
	default:
		first = max(first-request.History, 0)
	}
	rows, starts := pane.grid.text(first, rendering{
		join: request.Join, styles: request.Styles, blanks: request.Blanks && !request.Join,
	})
	if !request.Join || !request.Starts {
		starts = nil
	}
	var wraps []bool
	if request.Wraps && !request.Join {
		rows, wraps = pane.grid.rows(first)
	}
	return screen.Capture{
		Server: w.server.id,
		Pane:   pane.describe(pane.index(), tmux.DetailFull),
		First:  first,
		Rows:   rows,
		Joined: request.Join,
		Starts: starts,
		Wraps:  wraps,
	}, nil
}
