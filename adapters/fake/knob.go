package fake

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The methods in this file are what a person at this machine does. Given an id that does not exist, or no server, they panic: that
// is a mistake in the test.

func (w *World) running() *server {
	if w.server == nil {
		panic("fake: no server runs")
	}
	return w.server
}

func (w *World) mustPane(id tmux.PaneID) *pane {
	pane := w.running().pane(id)
	if pane == nil {
		panic("fake: no pane " + string(id))
	}
	return pane
}

// AddSession makes a detached session and gives its pane, which runs the default shell or a program in place of it. It starts
// the server if none runs.
func (w *World) AddSession(name string, argv ...string) tmux.PaneID {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.server == nil {
		w.startServer()
	}
	return w.addSession(name, "", spawn{argv: argv}, 0, 0).id
}

// AddWindow makes a window in a session, and gives its pane. The session's current window stays what it is.
func (w *World) AddWindow(in tmux.SessionID, name string, argv ...string) tmux.PaneID {
	w.mu.Lock()
	defer w.mu.Unlock()
	session := w.mustSession(in)
	return w.addWindow(session, name, session.freeIndex(), spawn{argv: argv}).id
}

// Split makes a pane below another.
func (w *World) Split(beside tmux.PaneID, argv ...string) tmux.PaneID {
	w.mu.Lock()
	defer w.mu.Unlock()
	made := w.split(w.mustPane(beside), ports.Below, -1, spawn{argv: argv})
	if made == nil {
		panic("fake: no space for a new pane in " + string(beside))
	}
	return made.id
}

func (w *World) mustSession(id tmux.SessionID) *session {
	session := w.running().session(id)
	if session == nil {
		panic("fake: no session " + string(id))
	}
	return session
}

func (w *World) mustWindow(id tmux.WindowID) *window {
	window := w.running().window(id)
	if window == nil {
		panic("fake: no window " + string(id))
	}
	return window
}

// SessionOf is the first session that shows the pane.
func (w *World) SessionOf(pane tmux.PaneID) tmux.SessionID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.running().linksOf(w.mustPane(pane).window)[0].Session
}

// WindowOf is the pane's window.
func (w *World) WindowOf(pane tmux.PaneID) tmux.WindowID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mustPane(pane).window.id
}

// Link shows a window in another session too.
func (w *World) Link(window tmux.WindowID, in tmux.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	session := w.mustSession(in)
	session.link(w.mustWindow(window), session.freeIndex())
	w.touch()
}

// SelectWindow makes a window the current one of a session.
func (w *World) SelectWindow(in tmux.SessionID, id tmux.WindowID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	to := w.mustWindow(id)
	session := w.mustSession(in)
	session.current = cmp.Or(find(session.links, func(l *link) bool { return l.window == to }), session.current)
	w.touch()
}

// SelectPane makes a pane the active one of its window, which ends a zoom.
func (w *World) SelectPane(id tmux.PaneID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pane := w.mustPane(id)
	pane.window.active, pane.window.zoomed = pane, pane.window.zoomed && pane.window.active == pane
	w.arrange(pane.window)
	w.touch()
}

// Zoom makes a pane cover its window, or shows the others again if it does.
func (w *World) Zoom(id tmux.PaneID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pane := w.mustPane(id)
	pane.window.zoomed = !(pane.window.zoomed && pane.window.active == pane) && len(pane.window.panes) > 1
	pane.window.active = pane
	w.arrange(pane.window)
	w.touch()
}

// EnterMode puts a pane into a mode, such as "copy-mode"; the empty mode leaves it.
func (w *World) EnterMode(id tmux.PaneID, mode string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mustPane(id).mode = mode
	w.touch()
}

// SetInput switches whether a pane takes what is typed (select-pane -d and -e).
func (w *World) SetInput(id tmux.PaneID, on bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mustPane(id).inputOff = !on
	w.touch()
}

// SetOption sets an option, or a hook, of a session, window or pane, or globally if the target is empty.
func (w *World) SetOption(target, name, value string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := strconv.Atoi(value); name == "history-limit" && err != nil {
		panic(fmt.Sprintf("fake: history-limit %q is no number", value))
	}
	levels := w.running().options
	switch {
	case strings.HasPrefix(target, "$"):
		levels = w.mustSession(tmux.SessionID(target)).options
	case strings.HasPrefix(target, "@"):
		levels = w.mustWindow(tmux.WindowID(target)).options
	case strings.HasPrefix(target, "%"):
		levels = w.mustPane(tmux.PaneID(target)).options
	}
	levels[name] = value
	w.touch()
}

// Rename names a session or a window, or gives a pane its title.
func (w *World) Rename(target, name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case strings.HasPrefix(target, "$"):
		w.mustSession(tmux.SessionID(target)).name = w.sessionName(name)
	case strings.HasPrefix(target, "@"):
		w.mustWindow(tmux.WindowID(target)).name = name
	default:
		w.mustPane(tmux.PaneID(target)).title = name
	}
	w.touch()
}

// KillPane ends a pane and what runs in it.
func (w *World) KillPane(id tmux.PaneID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closePane(w.mustPane(id))
}

// KillWindow ends a window.
func (w *World) KillWindow(id tmux.WindowID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closeWindow(w.mustWindow(id))
}

// KillSession ends a session, and the windows that no other has.
func (w *World) KillSession(id tmux.SessionID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closeSession(w.mustSession(id))
}

// KillServer ends the server and everything in it.
func (w *World) KillServer() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running()
	w.stopServer()
}

// Restart kills the server and starts another with one session, whose pane it gives: its id may well have been another's.
func (w *World) Restart(name string, argv ...string) tmux.PaneID {
	w.KillServer()
	return w.AddSession(name, argv...)
}

// Replace kills what runs in a pane and starts the default shell, or a program, in it.
func (w *World) Replace(id tmux.PaneID, argv ...string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pane := w.mustPane(id)
	pane.spawned = spawn{argv: argv}
	w.respawn(pane)
}

// Exit ends the pane's own process with a status, as if by itself: with remain-on-exit the pane stays, dead.
func (w *World) Exit(id tmux.PaneID, status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mustPane(id).terminal.exit(status, "")
}

// Recycle gives the next process a pid that another one had. It panics if that one lives.
func (w *World) Recycle(pid int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.process[pid] != nil {
		panic(fmt.Sprintf("fake: process %d lives", pid))
	}
	w.nextPID = pid
}

// Print shows text in a pane as if its program had written it.
func (w *World) Print(id tmux.PaneID, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mustPane(id).write([]byte(text))
}

// Type is the person typing into a pane, as a terminal sends it: Enter is "\r".
func (w *World) Type(id tmux.PaneID, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mustPane(id).terminal.input([]byte(text))
}

// ClearHistory drops what stands above the screen.
func (w *World) ClearHistory(id tmux.PaneID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.mustPane(id).grid.clearHistory()
	w.touch()
}

// Resize makes a window larger or smaller; one with several panes gives the difference to the last.
func (w *World) Resize(id tmux.WindowID, width, height int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	window := w.mustWindow(id)
	window.root.resize(width, height)
	window.width, window.height = width, height
	w.arrange(window)
	w.touch()
}

// SetBuffer makes a paste buffer, as a person who copies does.
func (w *World) SetBuffer(name, data string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running().buffers[name] = data
}

// Buffers are the paste buffers by name.
func (w *World) Buffers() map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.running().buffers)
}

// SetCaller says in which pane the process that the test is runs.
func (w *World) SetCaller(pane tmux.PaneID, how ports.CallerSource) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.caller = ports.Caller{Pane: pane, How: how}
}
