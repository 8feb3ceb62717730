package guard

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// An EndWish is the wish to end a pane, a window or a session.
type EndWish struct {
	Target          string // id
	ConfirmSelf     bool   // the caller named that exception
	ConfirmAttended bool   // the caller named that exception
}

// An Ending is what must still hold in the same command list that ends something: the windows that lose by it have the same panes,
// the same one in front, the same links and the same viewers.
type Ending struct {
	Target  string // id of what is to end
	Windows []EndingWindow

	// Unwatched demands that the windows have the same viewers. It is not set when the caller confirmed that they are
	// attended.
	Unwatched bool
}

// An EndingWindow is a window that loses a pane, ends, or is taken out of a session that ends.
type EndingWindow struct {
	Window  tmux.WindowID
	Panes   []tmux.PaneID // all, by index
	Active  tmux.PaneID
	Zoomed  bool
	Viewers string // tmux.Window.Viewers
	Shared  int    // for a window that outlives the session: its links in all sessions; otherwise 0
}

// Hidden reports whether the target is a pane that the zoom of another one hides, and that one, which should stay in front.
func (e Ending) Hidden() (zoomed tmux.PaneID, hidden bool) {
	if kindOf(e.Target) != tmux.KindPane || len(e.Windows) != 1 {
		return "", false
	}
	window := e.Windows[0]
	return window.Active, window.Zoomed && string(window.Active) != e.Target
}

// JudgeEnd says whether something may be ended, and what must still hold then. It finds the first refusal in this order: not
// found, holds_caller, attended. What ends is also what is left empty: a window without panes, a session without windows. That
// the target is of this generation is the caller's to check before. An unknown caller's pane is not "none of these": where a person
// looks it could be, and that is refused without a confirmation anyway.
func JudgeEnd(t tmux.Topology, wish EndWish, caller tmux.PaneID) (Ending, *fault.Error) {
	var windows []tmux.Window // that lose by it
	var panes []tmux.Pane     // that end
	var ends []tmux.SessionID // that end too
	switch kindOf(wish.Target) {
	case tmux.KindPane:
		pane, ok := t.Pane(tmux.PaneID(wish.Target))
		if !ok {
			return Ending{}, absent(wish.Target, "list_panes")
		}
		windows, panes = of(t, pane.Window), []tmux.Pane{pane}
		if len(t.PanesOf(pane.Window)) == 1 {
			ends = emptied(t, pane.Window)
		}
	case tmux.KindWindow:
		if windows = of(t, tmux.WindowID(wish.Target)); len(windows) == 0 {
			return Ending{}, absent(wish.Target, "list_windows")
		}
		panes, ends = t.PanesOf(windows[0].ID), emptied(t, windows[0].ID)
	default:
		session, ok := t.Session(tmux.SessionID(wish.Target))
		if !ok {
			return Ending{}, absent(wish.Target, "list_sessions")
		}
		ends = []tmux.SessionID{session.ID}
		for _, link := range linksIn(t, session.ID) {
			windows = append(windows, of(t, link.Window)...)
			if !linkedElsewhere(t, link) {
				panes = append(panes, t.PanesOf(link.Window)...)
			}
		}
	}
	if refusal := endRefused(t, wish, caller, panes, ends); refusal != nil {
		return Ending{}, refusal
	}
	ending := Ending{Target: wish.Target, Unwatched: !wish.ConfirmAttended}
	for _, window := range windows {
		ending.Windows = append(ending.Windows, endingWindow(t, window, lo.NoneBy(panes, func(p tmux.Pane) bool { return p.Window == window.ID })))
	}
	return ending, nil
}

// kindOf is the kind of a stable id.
func kindOf(id string) tmux.Kind {
	switch {
	case id != "" && id[0] == tmux.PaneSigil:
		return tmux.KindPane
	case id != "" && id[0] == tmux.WindowSigil:
		return tmux.KindWindow
	}
	return tmux.KindSession
}

func absent(id, lister string) *fault.Error {
	return &fault.Error{
		Kind: fault.NotFound, Op: "end", Target: id, Message: fmt.Sprintf("there is no %s %s", kindOf(id), id), Recovery: "call " + lister,
	}
}

// of is the window of that id, if there is one.
func of(t tmux.Topology, id tmux.WindowID) []tmux.Window {
	return lo.Filter(t.Windows, func(w tmux.Window, _ int) bool { return w.ID == id })
}

// linksIn are the links of a session, by index.
func linksIn(t tmux.Topology, session tmux.SessionID) []tmux.Link {
	links := lo.Filter(t.Links, func(l tmux.Link, _ int) bool { return l.Session == session })
	slices.SortFunc(links, func(a, b tmux.Link) int { return cmp.Compare(a.Index, b.Index) })
	return links
}

func linkedElsewhere(t tmux.Topology, link tmux.Link) bool {
	return lo.SomeBy(t.LinksOf(link.Window), func(l tmux.Link) bool { return l.Session != link.Session })
}

// emptied are the sessions that have no other window.
func emptied(t tmux.Topology, window tmux.WindowID) []tmux.SessionID {
	sessions := lo.Uniq(lo.Map(t.LinksOf(window), func(l tmux.Link, _ int) tmux.SessionID { return l.Session }))
	return lo.Filter(sessions, func(id tmux.SessionID, _ int) bool {
		return lo.EveryBy(linksIn(t, id), func(l tmux.Link) bool { return l.Window == window })
	})
}

// endRefused finds what speaks against the end of panes and sessions.
func endRefused(t tmux.Topology, wish EndWish, caller tmux.PaneID, panes []tmux.Pane, sessions []tmux.SessionID) *fault.Error {
	refused := func(reason fault.Reason, recovery, format string, args ...any) *fault.Error {
		return &fault.Error{
			Kind: fault.Refused, Reason: reason, Op: "end", Target: wish.Target, Recovery: recovery,
			Message: fmt.Sprintf("ending %s ", wish.Target) + fmt.Sprintf(format, args...),
		}
	}
	if !wish.ConfirmSelf && lo.SomeBy(panes, func(p tmux.Pane) bool { return p.ID == caller }) {
		return refused(fault.HoldsCaller, "end something else; only if the person wants this conversation to end, repeat with confirm_self",
			"would end pane %s, through which this conversation runs", caller)
	}
	if wish.ConfirmAttended {
		return nil
	}
	const recovery = "leave it, or, if the person agreed, repeat with confirm_attended"
	for _, pane := range panes {
		if watchers := t.Watchers(pane); len(watchers) > 0 {
			return refused(fault.Attended, recovery, "would end pane %s, which is on the screen of %s", pane.ID, watchers[0].Name)
		}
	}
	for _, client := range t.Clients {
		if !client.Control && !client.Suspended && slices.Contains(sessions, client.Session) {
			return refused(fault.Attended, recovery, "would end session %s, to which %s is attached", client.Session, client.Name)
		}
	}
	return nil
}

func endingWindow(t tmux.Topology, window tmux.Window, survives bool) EndingWindow {
	ending := EndingWindow{Window: window.ID, Zoomed: window.Zoomed, Viewers: window.Viewers}
	for _, pane := range t.PanesOf(window.ID) {
		ending.Panes = append(ending.Panes, pane.ID)
		if pane.Active {
			ending.Active = pane.ID
		}
	}
	if survives {
		ending.Shared = len(t.LinksOf(window.ID))
	}
	return ending
}
