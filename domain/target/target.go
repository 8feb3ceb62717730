// Package target holds what makes an id safe to act on: parsing that refuses anything but a stable id,
// resolution in a topology, and the acknowledgement of a server's generation.
package target

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// ParsePane refuses anything but a stable pane id. argument names the argument in the message.
func ParsePane(argument, text string) (tmux.PaneID, error) {
	return parse[tmux.PaneID](argument, text, tmux.PaneSigil)
}

// ParseWindow refuses anything but a stable window id. argument names the argument in the message.
func ParseWindow(argument, text string) (tmux.WindowID, error) {
	return parse[tmux.WindowID](argument, text, tmux.WindowSigil)
}

// ParseSession refuses anything but a stable session id. argument names the argument in the message.
func ParseSession(argument, text string) (tmux.SessionID, error) {
	return parse[tmux.SessionID](argument, text, tmux.SessionSigil)
}

// sigils tell for each kind's first byte what it is called and which tool lists it.
var sigils = map[byte]struct{ noun, lister string }{
	tmux.PaneSigil:    {"pane", "list_panes"},
	tmux.WindowSigil:  {"window", "list_windows"},
	tmux.SessionSigil: {"session", "list_sessions"},
}

func parse[ID ~string](argument, text string, sigil byte) (ID, error) {
	want := sigils[sigil]
	recovery := fmt.Sprintf("call %s and pass an id such as \"%c1\"", want.lister, sigil)
	if text == "" {
		return "", fault.Invalidf(recovery, "%s is empty", argument)
	}
	digits := text[1:]
	if text[0] == sigil && canonical(digits) {
		return ID(text), nil
	}
	if got, ok := sigils[text[0]]; ok && text[0] != sigil && canonical(digits) {
		return "", fault.Invalidf(recovery, "%s %q is the id of a %s, not of a %s", argument, text, got.noun, want.noun)
	}
	if canonical(text) {
		return "", fault.Invalidf(recovery, "%s %q is an index, not a stable id", argument, text)
	}
	if strings.ContainsAny(text, ":.=") {
		return "", fault.Invalidf(recovery, "%s %q is a tmux target, not a stable id", argument, text)
	}
	return "", fault.Invalidf(recovery, "%s %q is not a stable %s id", argument, text, want.noun)
}

// canonical accepts the decimal numbers that tmux prints in ids: no sign, no leading zero, 32 bits.
func canonical(digits string) bool {
	n, err := strconv.ParseUint(digits, 10, 32)
	return err == nil && strconv.FormatUint(n, 10) == digits
}

// Pane resolves a pane id in a topology.
func Pane(t tmux.Topology, id tmux.PaneID) (tmux.Pane, error) {
	if p, ok := t.Pane(id); ok {
		return p, nil
	}
	return tmux.Pane{}, missing(t, "pane", string(id), "list_panes")
}

// Window resolves a window id in a topology.
func Window(t tmux.Topology, id tmux.WindowID) (tmux.Window, error) {
	if w, ok := t.Window(id); ok {
		return w, nil
	}
	return tmux.Window{}, missing(t, "window", string(id), "list_windows")
}

// Session resolves a session id in a topology.
func Session(t tmux.Topology, id tmux.SessionID) (tmux.Session, error) {
	if s, ok := t.Session(id); ok {
		return s, nil
	}
	return tmux.Session{}, missing(t, "session", string(id), "list_sessions")
}

func missing(t tmux.Topology, noun, id, lister string) error {
	if !t.Running {
		return &fault.Error{
			Kind: fault.ServerGone, Target: id,
			Message:  fmt.Sprintf("there is no %s %s: no tmux server is running at the socket", noun, id),
			Recovery: "call create_session, which starts one",
		}
	}
	return &fault.Error{
		Kind: fault.NotFound, Target: id,
		Message:  fmt.Sprintf("there is no %s %s", noun, id),
		Recovery: "call " + lister,
	}
}

// An Acknowledgement remembers the generation that the caller was shown: ids count only in that one. The zero
// value has seen none. It is safe for concurrent use.
type Acknowledgement struct {
	mu   sync.Mutex
	seen tmux.Generation
}

// Listed acknowledges a generation: ids of it have been shown.
func (a *Acknowledgement) Listed(g tmux.Generation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.seen = g
}

// FirstContact acknowledges a generation unless another was acknowledged before: ids that a creation returned count, and
// those of an earlier life do not come back to life by it.
func (a *Acknowledgement) FirstContact(g tmux.Generation) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == "" {
		a.seen = g
	}
}

// Check refuses an id when another generation than the last listed one answers. First contact acknowledges.
func (a *Acknowledgement) Check(g tmux.Generation, id, lister string) error {
	a.FirstContact(g)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == g {
		return nil
	}
	return &fault.Error{
		Kind: fault.StaleTarget, Target: id,
		Message:  fmt.Sprintf("tmux restarted since %s was listed", id),
		Recovery: "call " + lister,
	}
}
