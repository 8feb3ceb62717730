package grammar

import (
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// endingFormat tells what an end would take with it: of a window its panes by index, which of them is active, and whether it hides
// the others. viewersFormat tells who looks.
const (
	endingFormat  = "#{window_id}=#{P:#{pane_id}}=#{P:#{?pane_active,#{pane_id},}}#{window_zoomed_flag}"
	viewersFormat = "<#{" + viewersVariable + "}>"
)

// End is the condition under which an ending was judged.
func End(server tmux.Server, ending guard.Ending) Condition {
	c := Exists(server, ending.Target)
	c.Format, c.Want = c.Format+";", c.Want+";"
	each := endingFormat
	if ending.Unwatched {
		each += viewersFormat
	}
	if ending.Target[0] == tmux.SessionSigil {
		each = "#{W:" + each + "}"
	}
	c.Format += "#{?pane_id," + each + ",}" // a loop over what does not exist ends the whole expansion
	for _, window := range ending.Windows {
		c.Want += string(window.Window) + "="
		for _, pane := range looped(server.Version, window.Panes, func(id tmux.PaneID) tmux.PaneID { return id }) {
			c.Want += string(pane)
		}
		c.Want += "=" + string(window.Active) + boolean(window.Zoomed)
		if ending.Unwatched {
			c.Want += "<" + window.Viewers + ">"
		}
	}
	for _, window := range ending.Windows {
		if window.Shared > 0 { // one mark for each of its links, in whatever session
			c.Format += ";#{S:#{W:#{?#{==:#{window_id}," + string(window.Window) + "},x,}}}"
			c.Want += ";" + strings.Repeat("x", window.Shared)
		}
	}
	return c
}

// Kill ends a session, window or pane. With a pane that another's zoom hides the zoom would end: it is begun again.
func Kill[C ~[]string](ending guard.Ending) []C {
	command := map[byte]string{tmux.SessionSigil: "kill-session", tmux.WindowSigil: "kill-window", tmux.PaneSigil: "kill-pane"}[ending.Target[0]]
	kill := []C{{command, "-t", ending.Target}}
	if active, hidden := ending.Hidden(); hidden {
		kill = append(kill, C{"resize-pane", "-Z", "-t", string(active)})
	}
	return kill
}

// A Place is a pane, and one of the places where it is.
type Place struct {
	Session tmux.SessionID
	Window  tmux.WindowID
	Pane    tmux.PaneID
}

// PlaceTable is for list-panes -a.
var PlaceTable = Table[Place]{
	id("session_id", func(p *Place, v string) { p.Session = tmux.SessionID(v) }),
	id("window_id", func(p *Place, v string) { p.Window = tmux.WindowID(v) }),
	id("pane_id", func(p *Place, v string) { p.Pane = tmux.PaneID(v) }),
}

// Places lists every pane with its places.
func Places(nonce Nonce) []string {
	return []string{"list-panes", "-a", "-F", PlaceTable.Format(nonce)}
}

// OutOfMode is the condition that a pane exists in a life of a server and is in no mode.
func OutOfMode(server tmux.Server, pane tmux.PaneID) Condition {
	c := Exists(server, string(pane))
	c.Format += ";#{pane_in_mode}"
	c.Want += ";0"
	return c
}

// ClearHistory drops the rows above a screen.
func ClearHistory(pane tmux.PaneID) []string { return []string{"clear-history", "-t", string(pane)} }

// ResetScreen blanks a screen. It sends the program nothing.
func ResetScreen(pane tmux.PaneID) []string { return []string{"send-keys", "-R", "-t", string(pane)} }
