package grammar

import "github.com/libtmux-mcp/libtmux-mcp/domain/tmux"

// A Location is where a pane is, and in what state.
type Location struct {
	Server   tmux.Server
	Pane     tmux.PaneID
	Session  tmux.SessionID // one of those that show it
	Fleeting bool           // the session ends when its last client leaves it
	Dead     bool
	PID      int    // of the pane's process
	TTY      string // the pane's terminal, such as "/dev/pts/3", as the server sees it
	State    string // what StateFormat expanded to
}

// StateFormat tells of a pane what may change: its process, whether that lives and gets input, its screen, size and mode, where it
// writes, and in which second something was last written in its window. Before 3.3 tmux crashes when it is asked for a time of what
// does not exist.
const (
	StateFormat    = "#{" + stateVariables + "}"
	stateVariables = "pane_pid}.#{pane_dead}#{pane_input_off}#{alternate_on}.#{pane_width}x#{pane_height}.#{pane_mode}" +
		".#{history_size}.#{cursor_x}.#{cursor_y}.#{?pane_id,#{window_activity},"
)

// LocationTable describes the location of one pane.
var LocationTable = append(
	within(ServerTable, func(l *Location) *tmux.Server { return &l.Server }),
	id("pane_id", func(l *Location, v string) { l.Pane = tmux.PaneID(v) }),
	id("session_id", func(l *Location, v string) { l.Session = tmux.SessionID(v) }),
	id("destroy-unattached", func(l *Location, v string) { l.Fleeting = !KeepsUnattached(v) }),
	flag("pane_dead", func(l *Location, v bool) { l.Dead = v }),
	number("pane_pid", func(l *Location, v int) { l.PID = v }),
	text("pane_tty", func(l *Location, v string) { l.TTY = v }),
	id(stateVariables, func(l *Location, v string) { l.State = v }),
)

// KeepsUnattached reports whether a session with that value of destroy-unattached, which was a flag up to tmux 3.3, stays
// when its last client leaves it.
func KeepsUnattached(option string) bool { return option == "0" || option == "off" }
