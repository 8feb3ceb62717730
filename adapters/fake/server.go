package fake

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A server is one life of the tmux server.
type server struct {
	id       tmux.Server
	sessions []*session // by id
	windows  []*window  // by id
	clients  []*client
	options  options
	buffers  map[string]string
	channels map[string]*channel

	environment map[tmux.SessionID]map[string]string // by session; empty: global

	lastSession, lastWindow, lastPane, lastClient int
}

type session struct {
	id      tmux.SessionID
	name    string
	created time.Time
	width   int
	height  int
	links   []*link // by index
	current *link
	options options
}

type link struct {
	window *window
	index  int
}

type window struct {
	id      tmux.WindowID
	name    string
	width   int
	height  int
	panes   []*pane // by index
	active  *pane
	zoomed  bool
	root    *cell
	options options
}

// startServer begins a new life.
func (w *World) startServer() {
	pid, now := w.newPID(), time.Now().Truncate(time.Second)
	w.server = &server{
		id: tmux.Server{
			SocketPath: w.options.Socket,
			PID:        pid,
			StartTime:  now,
			Version:    w.options.Version,
			Generation: tmux.NewGeneration(w.options.Socket, pid, now.Unix()),
		},
		lastSession: -1, lastWindow: -1, lastPane: -1, lastClient: -1,
		options: options{},
		buffers: map[string]string{}, channels: map[string]*channel{},
	}
	w.touch()
}

// stopServer ends the life: every process in it is hung up.
func (w *World) stopServer() {
	for _, window := range w.server.windows {
		for _, pane := range window.panes {
			pane.hangUp()
		}
	}
	w.server = nil
	w.touch()
}

// addSession makes a session with one window.
func (w *World) addSession(name, windowName string, spec spawn, width, height int) *pane {
	s := w.server
	s.lastSession++
	made := &session{
		id:      tmux.SessionID(fmt.Sprintf("$%d", s.lastSession)),
		name:    w.sessionName(cmp.Or(name, fmt.Sprint(s.lastSession))),
		created: time.Now().Truncate(time.Second),
		width:   cmp.Or(width, w.options.Width),
		height:  cmp.Or(height, w.options.Height),
		options: options{},
	}
	s.sessions = append(s.sessions, made)
	pane := w.addWindow(made, windowName, 0, spec)
	made.current = made.links[0]
	return pane
}

// sessionName is what this tmux makes of a name. Source: measured, session_check_name replaces ":" and "." up to 3.6.
func (w *World) sessionName(name string) string {
	if w.options.Version.AtLeast("3.7") {
		return name
	}
	return strings.NewReplacer(":", "_", ".", "_").Replace(name)
}

// addWindow makes a window with one pane and links it.
func (w *World) addWindow(in *session, name string, index int, spec spawn) *pane {
	s := w.server
	s.lastWindow++
	made := &window{
		id:      tmux.WindowID(fmt.Sprintf("@%d", s.lastWindow)),
		name:    cmp.Or(name, spec.name(w)),
		width:   in.width,
		height:  in.height,
		options: options{},
	}
	s.windows = append(s.windows, made)
	in.link(made, index)
	first := w.newPane(made, spec)
	made.panes, made.active = []*pane{first}, first
	made.root = &cell{pane: first, width: made.width, height: made.height}
	w.arrange(made)
	w.start(first, spec)
	return first
}

// link puts a window at an index of the session.
func (s *session) link(to *window, index int) *link {
	made := &link{window: to, index: index}
	s.links = append(s.links, made)
	slices.SortFunc(s.links, func(a, b *link) int { return cmp.Compare(a.index, b.index) })
	return made
}

// freeIndex is the lowest index without a window.
func (s *session) freeIndex() int {
	index := 0
	for _, link := range s.links { // sorted
		if link.index == index {
			index++
		}
	}
	return index
}

func (s *session) taken(index int) bool {
	return slices.ContainsFunc(s.links, func(l *link) bool { return l.index == index })
}

func (s *server) session(id tmux.SessionID) *session {
	return find(s.sessions, func(x *session) bool { return x.id == id })
}

// has reports whether a window is linked into the session.
func (s *session) has(of *window) bool {
	return slices.ContainsFunc(s.links, func(l *link) bool { return l.window == of })
}

func (s *server) window(id tmux.WindowID) *window {
	return find(s.windows, func(x *window) bool { return x.id == id })
}

func (s *server) pane(id tmux.PaneID) *pane {
	for _, window := range s.windows {
		if pane := find(window.panes, func(x *pane) bool { return x.id == id }); pane != nil {
			return pane
		}
	}
	return nil
}

func find[T any](in []*T, matches func(*T) bool) *T {
	if i := slices.IndexFunc(in, matches); i >= 0 {
		return in[i]
	}
	return nil
}

// closePane takes a pane away: with its last pane a window goes, with its last window a session, and
// with its last session the server, unless exit-empty is off.
func (w *World) closePane(gone *pane) {
	gone.hangUp()
	in := gone.window
	in.panes = slices.DeleteFunc(in.panes, func(p *pane) bool { return p == gone })
	if len(in.panes) == 0 {
		w.closeWindow(in)
		return
	}
	in.zoomed = false
	in.root = in.root.without(gone)
	if in.active == gone {
		in.active = in.panes[0]
	}
	w.arrange(in)
	w.touch()
}

// closeWindow takes a window away from every session.
func (w *World) closeWindow(gone *window) {
	s := w.server
	s.forget(gone)
	for _, in := range slices.Clone(s.sessions) {
		in.unlink(gone)
		if len(in.links) == 0 {
			w.closeSession(in)
		}
	}
	w.touch()
}

// forget ends what runs in a window that no session has any more.
func (s *server) forget(gone *window) {
	for _, pane := range gone.panes {
		pane.hangUp()
	}
	s.windows = slices.DeleteFunc(s.windows, func(x *window) bool { return x == gone })
}

func (s *session) unlink(gone *window) {
	s.links = slices.DeleteFunc(s.links, func(l *link) bool { return l.window == gone })
	if s.current.window == gone && len(s.links) > 0 {
		s.current = s.links[0]
	}
}

// closeSession takes a session away with the windows that no other session has.
func (w *World) closeSession(gone *session) {
	s := w.server
	s.sessions = slices.DeleteFunc(s.sessions, func(x *session) bool { return x == gone })
	s.clients = slices.DeleteFunc(s.clients, func(c *client) bool { return c.session == gone })
	for _, link := range gone.links {
		if len(s.linksOf(link.window)) == 0 {
			s.forget(link.window)
		}
	}
	if len(s.sessions) == 0 && s.options.get("exit-empty", "on") == "on" {
		w.stopServer()
		return
	}
	w.touch()
}

// linksOf finds the sessions that show a window.
func (s *server) linksOf(of *window) []tmux.Link {
	var found []tmux.Link
	for _, session := range s.sessions {
		for _, link := range session.links {
			if link.window == of {
				found = append(found, tmux.Link{
					Session: session.id, Window: of.id, Index: link.index, Active: link == session.current,
				})
			}
		}
	}
	return found
}
