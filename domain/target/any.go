package target

import (
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Kind is the kind of what a stable id names.
func Kind(id string) tmux.Kind {
	switch {
	case strings.HasPrefix(id, string(tmux.PaneSigil)):
		return tmux.KindPane
	case strings.HasPrefix(id, string(tmux.WindowSigil)):
		return tmux.KindWindow
	}
	return tmux.KindSession
}

// listers are the tools that list what there is of a kind.
var listers = map[tmux.Kind]string{tmux.KindPane: "list_panes", tmux.KindWindow: "list_windows", tmux.KindSession: "list_sessions"}

// Lister is the tool that lists what an id names.
func Lister(id string) string { return listers[Kind(id)] }

// Parse refuses anything but a stable id of one of the kinds. argument names the argument in the message.
func Parse(argument, text string, kinds ...tmux.Kind) error {
	parsers := map[tmux.Kind]func() error{
		tmux.KindPane:    func() error { _, err := ParsePane(argument, text); return err },
		tmux.KindWindow:  func() error { _, err := ParseWindow(argument, text); return err },
		tmux.KindSession: func() error { _, err := ParseSession(argument, text); return err },
	}
	kind := kinds[0]
	if named, sigil := sigilOf(text); sigil && lo.Contains(kinds, named) {
		kind = named
	} else if sigil && len(kinds) > 1 {
		return fault.Invalidf("pass an id of a "+anyOf(kinds), "%s %q is not the id of a %s", argument, text, anyOf(kinds))
	}
	return parsers[kind]()
}

func sigilOf(text string) (tmux.Kind, bool) {
	if text == "" {
		return "", false
	}
	_, known := sigils[text[0]]
	return Kind(text), known
}

func anyOf(kinds []tmux.Kind) string {
	return strings.Join(lo.Map(kinds, func(k tmux.Kind, _ int) string { return string(k) }), " or ")
}

// Exists resolves an id of any kind in a topology.
func Exists(t tmux.Topology, id string) error {
	found := false
	switch Kind(id) {
	case tmux.KindPane:
		_, found = t.Pane(tmux.PaneID(id))
	case tmux.KindWindow:
		_, found = t.Window(tmux.WindowID(id))
	default:
		_, found = t.Session(tmux.SessionID(id))
	}
	if found {
		return nil
	}
	return missing(t, string(Kind(id)), id, Lister(id))
}
