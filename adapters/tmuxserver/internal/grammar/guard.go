package grammar

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Condition is a state of tmux that must hold: what a format must expand to for a target.
type Condition struct {
	Target string
	Format string
	Want   string
}

// lifeFormat is the part of a condition, and of what was found instead, that identifies the life of a server.
const lifeFormat = "#{pid}.#{start_time};"

func life(server tmux.Server) string {
	return fmt.Sprintf("%d.%d;", server.PID, server.StartTime.Unix())
}

// SameLife reports whether what a condition found is still the server that it wanted.
func SameLife(found string, server tmux.Server) bool { return strings.HasPrefix(found, life(server)) }

// SameTarget reports whether what a condition found is of the pane or session that it wanted.
func SameTarget(found string, server tmux.Server, target string) bool {
	return strings.HasPrefix(found+";", life(server)+target+";")
}

// SamePane reports whether what ExistsIn, or a condition that begins so, found is of the pane that it wanted, in its session.
func SamePane(found string, server tmux.Server, session tmux.SessionID, pane tmux.PaneID) bool {
	if session == "" {
		return SameTarget(found, server, string(pane))
	}
	return SameTarget(found, server, string(pane)+";"+string(session))
}

// SeesCaptureHook reports whether a format can tell an effective capture hook.
func SeesCaptureHook(v tmux.Version) bool { return v.AtLeast("3.5") }

// Seen is a pane as a target: in a session, or, if that is empty, in the one that tmux takes. One that is not in the session is a
// target that does not exist.
func Seen(session tmux.SessionID, pane tmux.PaneID) string {
	if session == "" {
		return string(pane)
	}
	return string(session) + ":." + string(pane)
}

// ExistsIn is the condition that a pane still exists in a life of a server, and in a session unless that is empty.
func ExistsIn(server tmux.Server, session tmux.SessionID, pane tmux.PaneID) Condition {
	c := Exists(server, string(pane))
	if session != "" {
		c.Target, c.Format, c.Want = Seen(session, pane), c.Format+";#{session_id}", c.Want+";"+string(session)
	}
	return c
}

// Capturable is the condition that a pane exists in a life of a server, in a session unless that is empty, and, where a format can
// tell, has no capture hook there.
func Capturable(server tmux.Server, session tmux.SessionID, pane tmux.PaneID) Condition {
	c := ExistsIn(server, session, pane)
	if SeesCaptureHook(server.Version) {
		c.Format += ";#{" + CaptureHook + "}"
		c.Want += ";"
	}
	return c
}

// AllCapturable is the condition that a pane exists in a life of a server and, where a format can tell, that no pane of any session
// has a capture hook.
func AllCapturable(server tmux.Server, pane tmux.PaneID) Condition {
	c := Exists(server, string(pane))
	if SeesCaptureHook(server.Version) {
		c.Format += ";#{S:#{" + CaptureHook + "}}"
		c.Want += ";"
	}
	return c
}

// Splittable is the condition that a pane exists in a life of a server, and that its window is zoomed or not.
func Splittable(server tmux.Server, pane tmux.PaneID, zoomed bool) Condition {
	c := Exists(server, string(pane))
	c.Format += ";#{window_zoomed_flag}"
	c.Want += ";" + boolean(zoomed)
	return c
}

// recipientFormat is what must hold of each pane that gets input: the same process, alive, accepting input, in no mode.
const recipientFormat = "#{pane_id}=#{pane_pid}=#{pane_dead}#{pane_input_off}#{pane_in_mode}."

func recipient(r guard.Recipient) string { return fmt.Sprintf("%s=%d=000.", r.Pane, r.PID) }

// shownFormat is what must stay of each pane of a zoomed window: that the zoom shows it, or does not.
const shownFormat = "#{pane_active}."

// Input renders a precondition. The target's own id stands in it, because tmux takes a target that does not exist
// for some other pane.
func Input(pre guard.Precondition) Condition {
	format, want := lifeFormat+"#{pane_id};", life(pre.Server)+string(pre.Pane)+";"
	each, shown := recipientFormat, pre.Unwatched && pre.Zoomed
	if shown {
		each += shownFormat
	}
	if pre.Cohort {
		// Every pane of the window that has synchronize-panes on, by index, if the addressed one has.
		format += "#{?pane_synchronized,#{P:#{?pane_synchronized," + each + ",}}," + each + "}"
	} else {
		format += each
	}
	for _, r := range looped(pre.Server.Version, pre.Recipients, func(r guard.Recipient) tmux.PaneID { return r.Pane }) {
		want += recipient(r)
		if shown {
			want += boolean(r.Active) + "."
		}
	}
	if pre.Unwatched {
		format += ";#{window_zoomed_flag};#{" + viewersVariable + "}"
		want += ";" + boolean(pre.Zoomed) + ";" + pre.Viewers
	}
	return Condition{Target: string(pre.Pane), Format: format, Want: want}
}

// looped puts panes that are in the order of their indexes into the order in which a format's loop gives them: from tmux 3.6 on, that
// in which they were made.
func looped[T any](version tmux.Version, panes []T, id func(T) tmux.PaneID) []T {
	if !version.AtLeast("3.6") {
		return panes
	}
	number := func(p T) int { n, _ := strconv.Atoi(string(id(p))[1:]); return n }
	return slices.SortedStableFunc(slices.Values(panes), func(a, b T) int { return cmp.Compare(number(a), number(b)) })
}

// Lives is the condition that a pane has that process, alive, in a life of a server.
func Lives(subject enroll.Subject) Condition {
	c := Exists(subject.Server, string(subject.Pane))
	c.Format += ";#{pane_pid};#{pane_dead}"
	c.Want += fmt.Sprintf(";%d;0", subject.PID)
	return c
}

// Exists is the condition that a session ("$N"), window ("@N") or pane ("%N") still exists in a life of a server.
func Exists(server tmux.Server, target string) Condition {
	c := Condition{Target: target, Format: lifeFormat + "#{pane_id}", Want: life(server) + target}
	switch target[0] {
	case tmux.SessionSigil:
		c.Target, c.Format = target+":", lifeFormat+"#{session_id}"
	case tmux.WindowSigil:
		c.Format = lifeFormat + "#{window_id}"
	}
	return c
}

func boolean(b bool) string { return strconv.Itoa(map[bool]int{true: 1}[b]) }
