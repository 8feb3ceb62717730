package grammar

import (
	"slices"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Respawn is the condition under which a respawn was judged. Where it matters who is attached, attached is what AttachedFormat expanded
// to then, and otherwise empty.
func Respawn(server tmux.Server, respawning guard.Respawning, attached string) Condition {
	c := Exists(server, string(respawning.Pane))
	c.Format += ";#{pane_pid}"
	c.Want += ";"
	if respawning.PID != 0 { // from 3.8 on a dead pane has none
		c.Want += strconv.Itoa(respawning.PID)
	}
	if !respawning.Kill {
		c.Format += ";#{pane_dead}"
		c.Want += ";1"
	}
	if respawning.Unwatched {
		c.Format += ";#{window_zoomed_flag}#{pane_active};#{" + viewersVariable + "}"
		c.Want += ";" + boolean(respawning.Zoomed) + boolean(respawning.Active) + ";" + respawning.Viewers
	}
	if attached != "" {
		c.Format += ";" + AttachedFormat
		c.Want += ";" + attached
	}
	return c
}

// RespawnPane starts a pane's own command again.
func RespawnPane(respawning guard.Respawning, cwd string) []string {
	argv := []string{"respawn-pane", "-t", string(respawning.Pane)}
	if respawning.Kill {
		argv = append(argv, "-k")
	}
	return option(argv, "-c", Literal(cwd))
}

// RespawnLosesCount reports whether this tmux keeps, when it respawns a pane, its counts of how much of the output each control client
// has been sent. Where some was still to be sent, it then reads far beyond what the new process wrote, and dies. Measured on 3.2a
// to 3.7c; 3.8 resets the counts.
func RespawnLosesCount(v tmux.Version) bool { return !v.AtLeast("3.8") }

// AttachedFormat tells which clients are attached to each session. A loop over what does not exist ends the whole expansion.
const AttachedFormat = "#{?pane_id,#{S:#{session_id}=#{session_attached_list} },}"

// A Hearer is a client, and whether tmux tells it what panes of its session write.
type Hearer struct {
	PID     int
	Session tmux.SessionID
	Hears   bool
}

// HearerTable is for list-clients.
var HearerTable = Table[Hearer]{
	number("client_pid", func(h *Hearer, v int) { h.PID = v }),
	id("session_id", func(h *Hearer, v string) { h.Session = tmux.SessionID(v) }),
	id("client_flags", func(h *Hearer, v string) {
		flags := strings.Split(v, ",")
		h.Hears = slices.Contains(flags, "control-mode") && !slices.Contains(flags, "no-output")
	}),
}
