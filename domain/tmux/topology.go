package tmux

import (
	"cmp"
	"slices"

	"github.com/samber/lo"
)

// A Topology is one server at one instant: everything in it was read in a single command list. The zero
// value is the topology of an absent server.
type Topology struct {
	Server   Server
	Running  bool // false if no server listens at the socket; then all else is empty
	Sessions []Session
	Windows  []Window
	Links    []Link
	Panes    []Pane // each pane once, however many sessions its window is linked into
	Clients  []Client
}

// Session finds a session by id.
func (t Topology) Session(id SessionID) (Session, bool) {
	return lo.Find(t.Sessions, func(s Session) bool { return s.ID == id })
}

// Window finds a window by id.
func (t Topology) Window(id WindowID) (Window, bool) {
	return lo.Find(t.Windows, func(w Window) bool { return w.ID == id })
}

// Pane finds a pane by id.
func (t Topology) Pane(id PaneID) (Pane, bool) {
	return lo.Find(t.Panes, func(p Pane) bool { return p.ID == id })
}

// PanesOf lists the panes of a window, by index.
func (t Topology) PanesOf(id WindowID) []Pane {
	panes := lo.Filter(t.Panes, func(p Pane, _ int) bool { return p.Window == id })
	slices.SortFunc(panes, func(a, b Pane) int { return cmp.Compare(a.Index, b.Index) })
	return panes
}

// LinksOf lists where a window is linked.
func (t Topology) LinksOf(id WindowID) []Link {
	return lo.Filter(t.Links, func(l Link, _ int) bool { return l.Window == id })
}

// Visible reports whether a client whose current window holds the pane shows it: it is not hidden by another
// pane's zoom.
func (t Topology) Visible(p Pane) bool {
	w, ok := t.Window(p.Window)
	return ok && (!w.Zoomed || p.Active)
}

// Watchers lists the clients through which a person sees the pane now: attached, not control clients, not
// suspended, their current window is the pane's, and no other pane's zoom hides it from them.
// Source: measured on tmux 3.2a to 3.7c.
func (t Topology) Watchers(p Pane) []Client {
	return lo.Filter(t.Clients, func(c Client, _ int) bool {
		return !c.Control && !c.Suspended && c.Window == p.Window && (c.ActivePane || t.Visible(p))
	})
}
