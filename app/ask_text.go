package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The bounds of a question, which a person is to read.
const (
	askedArgument = 1000 // bytes of an argument
	askedPanes    = 4    // that are described, at the most
	askedRow      = 120  // bytes of a row of a pane
)

// told are the arguments of a call, a line each.
func told(tool Tool, arguments json.RawMessage) string {
	var given map[string]json.RawMessage
	if json.Unmarshal(arguments, &given) != nil {
		return "" // they were decoded before
	}
	var lines strings.Builder
	for _, name := range tool.Input.PropertyOrder {
		raw, ok := given[name]
		if !ok || slices.Contains(lo.Values(exceptions), name) {
			continue
		}
		text := string(raw)
		if json.Unmarshal(raw, &text) == nil || len(text) > askedArgument {
			text = quoted(text, askedArgument)
		}
		fmt.Fprintf(&lines, "  %s: %s\n", name, text)
	}
	return lines.String()
}

// quoted is a text as one that nothing hides in: of a long one the beginning and the end, because what matters can stand in either.
func quoted(text string, most int) string {
	if len(text) <= most {
		return strconv.Quote(text)
	}
	head, tail := cutAt(text, most/2), text[len(text)-most/2:]
	return fmt.Sprintf("%q ... %d bytes ... %q", head, len(text)-len(head)-len(tail), tail)
}

// shownPanes are the panes that a person has to know of who is asked about a target.
func shownPanes(t tmux.Topology, target string) []tmux.Pane {
	return lo.Filter(t.Panes, func(p tmux.Pane, _ int) bool {
		return target == string(p.ID) || target == string(p.Window) || target != "" && inSession(t.LinksOf(p.Window), target)
	})
}

// described is a pane in the words by which a person knows it, with the last row that it shows.
func (a *App) described(ctx context.Context, t tmux.Topology, pane tmux.Pane) string {
	window, _ := t.Window(pane.Window)
	names := lo.FilterMap(t.LinksOf(pane.Window), func(l tmux.Link, _ int) (string, bool) {
		session, ok := t.Session(l.Session)
		return strconv.Quote(session.Name), ok
	})
	text := fmt.Sprintf("Pane %s of window %q in session %s runs %q", pane.ID, window.Name, strings.Join(lo.Uniq(names), " and "), pane.Command)
	c, err := a.Reader.Capture(ctx, ports.CaptureRequest{Server: t.Server, Pane: pane.ID})
	if rows := screen.TrimEnd(c.Rows); err == nil && len(rows) > 0 { // without it the pane is still named
		text += fmt.Sprintf(" and shows %s", quoted(rows[len(rows)-1], askedRow))
	}
	return text + ".\n"
}
