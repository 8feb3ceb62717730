package guard

import (
	"fmt"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A RespawnWish is the wish to start a pane's own command again.
type RespawnWish struct {
	Pane            tmux.PaneID
	Kill            bool // a process that lives there may be ended
	ConfirmAttended bool // the caller named that exception
}

// A Respawning is what must still hold in the same command list that starts a pane's command again: the same process, which must be
// dead unless it may be killed, and the same viewers.
type Respawning struct {
	Pane   tmux.PaneID
	PID    int  // 0 if the pane is dead and tmux has forgotten it
	Kill   bool // the process may live
	Active bool // the pane is its window's active one, which a zoom shows

	// Unwatched demands that who looks at the window has not changed since Viewers (tmux.Window.Viewers) and Zoomed were read. It
	// is not set when the caller confirmed that the pane is attended.
	Unwatched bool
	Viewers   string
	Zoomed    bool
}

// JudgeRespawn says whether a pane's command may be started again, and what must still hold then. It finds the first refusal in this
// order: not found, caller_pane, attended, busy. A run that holds the pane makes it busy whatever may be killed, and so does a
// living process that may not. That the target is of this generation is the caller's to check before.
func JudgeRespawn(t tmux.Topology, wish RespawnWish, known Evidence) (Respawning, *fault.Error) {
	const op = "respawn"
	pane, ok := t.Pane(wish.Pane)
	if !ok {
		return Respawning{}, &fault.Error{
			Kind: fault.NotFound, Op: op, Target: string(wish.Pane), Message: fmt.Sprintf("there is no pane %s", wish.Pane), Recovery: "call list_panes",
		}
	}
	refusal := respawnRefused(t, pane, wish, known)
	if refusal != nil {
		refusal.Op = op
		return Respawning{}, refusal
	}
	window, _ := t.Window(pane.Window)
	return Respawning{
		Pane: pane.ID, PID: pane.PID, Kill: wish.Kill, Active: pane.Active,
		Unwatched: !wish.ConfirmAttended, Viewers: window.Viewers, Zoomed: window.Zoomed,
	}, nil
}

func respawnRefused(t tmux.Topology, pane tmux.Pane, wish RespawnWish, known Evidence) *fault.Error {
	watchers := t.Watchers(pane)
	switch run := known.Holders[pane.ID]; {
	case known.Caller == pane.ID:
		return refuse(pane, fault.CallerPane, "use another pane (list_panes) or create one (split_window, create_window)",
			"is the one that this conversation runs through, which would end with its process")
	case len(watchers) > 0 && !wish.ConfirmAttended:
		return refuse(pane, fault.Attended, "use a pane that nobody looks at (create_window without focus), or, if the person agreed, repeat with confirm_attended",
			"is on the screen of %s", watchers[0].Name)
	case run != "":
		return refuse(pane, fault.Busy, fmt.Sprintf("call get_run with run_id %q and a timeout, or stop it with C-c (send_keys) first", run),
			"is held by run %s", run)
	case !pane.Dead && !wish.Kill:
		return refuse(pane, fault.Busy, "wait until it ends, or, to end it, repeat with kill true",
			"is alive: %s runs in it", orUnknown(pane.Command))
	}
	return nil
}
