package grammar

import (
	"regexp"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A complaint is something that tmux says when it cannot, and the kind of fault that it is.
type complaint struct {
	pattern  *regexp.Regexp
	kind     fault.Kind
	recovery string
}

// complaints are matched in order, against what a command printed to its error output.
var complaints = []complaint{
	{regexp.MustCompile(`(?m)no space for (a )?new pane`), fault.CommandFailed, "split a larger pane, or create a window"},
	{regexp.MustCompile(`(?m)^can't find (pane|window|session|client)|^no such (pane|window|session)`), fault.NotFound, "list what exists and pass an id from there"},
	{regexp.MustCompile(`(?m)^duplicate session: `), fault.InvalidInput, "choose another name, or use the session that has it (list_sessions)"},
	{regexp.MustCompile(`(?m)index (\d+ )?in use|index in use: |^same index: `), fault.InvalidInput, "choose another index, or none for the next free one (list_windows)"},
	{regexp.MustCompile(`(?m)^invalid (session|window) name|^(width|height|size|split size) |^invalid (width|height|size)`), fault.InvalidInput, ""},
	{regexp.MustCompile(`(?m)^(invalid|unknown|ambiguous) option: `), fault.InvalidInput, "leave the name out to list all (show_options)"},
	{regexp.MustCompile(`(?m)^command too long`), fault.InvalidInput, "pass less at once"},
}

// NoRoom reports whether tmux complained that a new pane does not fit.
func NoRoom(words string) bool { return complaints[0].pattern.MatchString(words) }

// NoTarget reports whether tmux complained that it has no session at all.
func NoTarget(words string) bool { return strings.Contains(words, "no current target") }

// CommandFault is the fault of a command that tmux rejected; the others of its list that stood before it ran.
func CommandFault(op, target, words string) *fault.Error {
	words = strings.TrimSpace(words)
	e := &fault.Error{Kind: fault.CommandFailed, Op: op, Target: target, Delivery: fault.Observed}
	for _, c := range complaints {
		if c.pattern.MatchString(words) {
			e.Kind, e.Recovery = c.kind, c.recovery
			break
		}
	}
	e.Message = strings.TrimSpace(op+" "+target) + ": " + words
	return e
}
