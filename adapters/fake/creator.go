package fake

import (
	"cmp"
	"context"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// NewSession implements [ports.Creator].
func (w *World) NewSession(ctx context.Context, request ports.NewSession) (ports.Created, error) {
	const op = "create a session"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.reach(ctx, op); err != nil {
		return ports.Created{}, err
	}
	if request.In.Generation != "" {
		if err := w.contact(ctx, op); err != nil {
			return ports.Created{}, err
		}
		if err := w.same(request.In, op, request.Name); err != nil {
			return ports.Created{}, err
		}
	}
	if err := cmp.Or(directory(op, request.Cwd), fits(op, request.Start)); err != nil {
		return ports.Created{}, err
	}
	name := w.sessionName(request.Name)
	if w.server != nil && slices.ContainsFunc(w.server.sessions, func(s *session) bool { return s.name == name }) {
		return ports.Created{}, failed(fault.InvalidInput, op, "", "a session %q exists", name)
	}
	started := w.server == nil
	if started {
		w.startServer()
	}
	spec := spawn{argv: request.Argv, cwd: request.Cwd, environment: request.Environment}
	pane := w.addSession(request.Name, request.WindowName, spec, request.Width, request.Height)
	made := w.server.sessions[len(w.server.sessions)-1]
	for name, value := range request.Environment {
		w.server.setEnvironment(made.id, name, value)
	}
	return ports.Created{
		Server: w.server.id, Session: made.id, Window: pane.window.id, Pane: pane.id, ServerStarted: started,
	}, nil
}

// NewWindow implements [ports.Creator].
func (w *World) NewWindow(ctx context.Context, server tmux.Server, request ports.NewWindow) (ports.Created, error) {
	const op = "create a window"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.contact(ctx, op); err != nil {
		return ports.Created{}, err
	}
	if err := w.same(server, op, string(request.Session)); err != nil {
		return ports.Created{}, err
	}
	session := w.server.session(request.Session)
	if session == nil {
		return ports.Created{}, failed(fault.NotFound, op, string(request.Session), "no session %s", request.Session)
	}
	if err := cmp.Or(directory(op, request.Cwd), fits(op, request.Start)); err != nil {
		return ports.Created{}, err
	}
	index := session.freeIndex()
	if request.Index != nil {
		index = *request.Index
		if session.taken(index) {
			return ports.Created{}, failed(fault.InvalidInput, op, string(session.id), "%s has a window at index %d", session.id, index)
		}
	}
	pane := w.addWindow(session, request.Name, index, w.server.spawn(session.id, request.Cwd, request.Start))
	if request.Focus {
		session.current = find(session.links, func(l *link) bool { return l.index == index })
	}
	w.touch()
	return ports.Created{Server: w.server.id, Session: session.id, Window: pane.window.id, Pane: pane.id}, nil
}

// SplitWindow implements [ports.Creator].
func (w *World) SplitWindow(ctx context.Context, server tmux.Server, request ports.SplitWindow) (ports.Created, error) {
	const op = "split a window"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.contact(ctx, op); err != nil {
		return ports.Created{}, err
	}
	if err := w.same(server, op, string(request.Pane)); err != nil {
		return ports.Created{}, err
	}
	beside := w.server.pane(request.Pane)
	if beside == nil {
		return ports.Created{}, failed(fault.NotFound, op, string(request.Pane), "no pane %s", request.Pane)
	}
	if err := cmp.Or(directory(op, request.Cwd), fits(op, request.Start)); err != nil {
		return ports.Created{}, err
	}
	size, err := beside.splitSize(request.Direction, request.Size)
	if err != nil {
		return ports.Created{}, err
	}
	pane := w.split(beside, request.Direction, size, w.server.spawn(beside.window.home(w.server), cmp.Or(request.Cwd, beside.path), request.Start))
	if pane == nil {
		return ports.Created{}, failed(fault.CommandFailed, op, string(request.Pane), "no space for new pane")
	}
	if request.Focus {
		pane.window.active = pane
	}
	w.touch()
	return ports.Created{Server: w.server.id, Window: pane.window.id, Pane: pane.id}, nil
}

// split puts a new pane beside another; nil if there is no room.
func (w *World) split(beside *pane, side ports.Direction, size int, spec spawn) *pane {
	in := beside.window
	made := w.newPane(in, spec)
	side = cmp.Or(side, ports.Below)
	if !in.split(beside, made, side, size) {
		w.server.lastPane--
		return nil
	}
	at := beside.index()
	if side == ports.Below || side == ports.Right {
		at++
	}
	in.panes = slices.Insert(in.panes, at, made)
	w.arrange(in)
	w.start(made, spec)
	return made
}

// spawn is what starts in a session.
func (s *server) spawn(in tmux.SessionID, cwd string, start ports.Start) spawn {
	environment := maps.Clone(s.environment[in])
	if environment == nil {
		environment = map[string]string{}
	}
	maps.Copy(environment, start.Environment)
	return spawn{argv: start.Argv, cwd: cwd, environment: environment}
}

// home is the first session that has a window.
func (w *window) home(of *server) tmux.SessionID {
	return find(of.sessions, func(s *session) bool {
		return slices.ContainsFunc(s.links, func(l *link) bool { return l.window == w })
	}).id
}

// greatestStart is how many bytes what is to start may have, as in tmux's client protocol.
const greatestStart = 15 << 10

// fits faults if what is to start is more than tmux takes.
func fits(op string, start ports.Start) error {
	bytes := len(strings.Join(start.Argv, " "))
	for name, value := range start.Environment {
		bytes += len(name) + len(value)
	}
	if bytes <= greatestStart {
		return nil
	}
	return failed(fault.InvalidInput, op, "", "%d bytes of arguments and variables", bytes)
}

// splitSize is the size of the new pane in cells; negative for half.
func (p *pane) splitSize(side ports.Direction, size string) (int, error) {
	if size == "" {
		return -1, nil
	}
	digits, percent := strings.CutSuffix(size, "%")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 {
		return 0, failed(fault.InvalidInput, "split a window", string(p.id), "size %q is neither cells nor a percentage", size)
	}
	if percent {
		at, _ := p.window.root.find(p, nil)
		n = at.length(side == ports.Left || side == ports.Right) * n / 100
	}
	return n, nil
}

// directory faults if a working directory is none.
func directory(op, name string) error {
	if name == "" {
		return nil
	}
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		invalid := failed(fault.InvalidInput, op, "", "%q is not a directory", name)
		invalid.Err = err
		return invalid
	}
	return nil
}
