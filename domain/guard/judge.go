package guard

import (
	"fmt"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Judge says whether the wish may be granted. It finds the first refusal in this order: not found, dead, input_off,
// in_mode, caller_pane, synchronized, attended, not_a_shell, busy, draft. For Keys each is asked of every pane of the synchronized
// cohort before the next. That the target is of this generation is the caller's to check before.
func Judge(t tmux.Topology, wish Wish, known Evidence) Verdict {
	pane, ok := t.Pane(wish.Pane)
	if !ok {
		return Verdict{Refusal: &fault.Error{
			Kind: fault.NotFound, Op: string(wish.Action), Target: string(wish.Pane),
			Message: fmt.Sprintf("there is no pane %s", wish.Pane), Recovery: "call list_panes",
		}}
	}
	recipients := []tmux.Pane{pane}
	if wish.Action == Keys && pane.Synchronized {
		recipients = lo.Filter(t.PanesOf(pane.Window), func(p tmux.Pane, _ int) bool { return p.Synchronized })
	}
	judges := []func(tmux.Pane) *fault.Error{
		dead, inputOff, inMode,
		func(p tmux.Pane) *fault.Error { return callerPane(p, known) },
		func(p tmux.Pane) *fault.Error { return synchronized(p, wish) },
		func(p tmux.Pane) *fault.Error { return attended(t, p, wish) },
		func(p tmux.Pane) *fault.Error { return notAShell(p, wish, known) },
		func(p tmux.Pane) *fault.Error { return busy(p, wish, known) },
		func(p tmux.Pane) *fault.Error { return draft(t, p, wish, known) },
	}
	for _, judge := range judges {
		for _, p := range recipients {
			if refusal := judge(p); refusal != nil {
				refusal.Op = string(wish.Action)
				if p.ID != pane.ID {
					refusal.Message += fmt.Sprintf(" (it would receive what is sent to %s: synchronize-panes is on)", pane.ID)
				}
				return Verdict{Refusal: refusal}
			}
		}
	}
	window, _ := t.Window(pane.Window)
	return Verdict{
		Recipients: lo.Map(recipients, func(p tmux.Pane, _ int) tmux.PaneID { return p.ID }),
		Precondition: Precondition{
			Server: t.Server,
			Pane:   pane.ID,
			Recipients: lo.Map(recipients, func(p tmux.Pane, _ int) Recipient {
				return Recipient{Pane: p.ID, PID: p.PID, Active: p.Active}
			}),
			Cohort:    wish.Action != Paste,
			Unwatched: !wish.ConfirmAttended,
			Viewers:   window.Viewers,
			Zoomed:    window.Zoomed,
		},
	}
}

func refuse(p tmux.Pane, reason fault.Reason, recovery, format string, args ...any) *fault.Error {
	return &fault.Error{
		Kind: fault.Refused, Reason: reason, Target: string(p.ID),
		Message: fmt.Sprintf("pane %s ", p.ID) + fmt.Sprintf(format, args...), Recovery: recovery,
	}
}

func dead(p tmux.Pane) *fault.Error {
	if !p.Dead {
		return nil
	}
	return refuse(p, fault.Dead, "use another pane (list_panes) or create one (split_window, create_window)",
		"is dead: its process has ended")
}

func inputOff(p tmux.Pane) *fault.Error {
	if !p.InputOff {
		return nil
	}
	return refuse(p, fault.InputOff, "ask the person to turn input on (select-pane -e), or use another pane (list_panes)",
		"has its input turned off: tmux would discard what is sent")
}

func inMode(p tmux.Pane) *fault.Error {
	if p.Mode == "" {
		return nil
	}
	return refuse(p, fault.InMode, "wait until the person leaves the mode, or use another pane (list_panes)",
		"is in %s: keys would drive the mode, not the program", p.Mode)
}

func callerPane(p tmux.Pane, known Evidence) *fault.Error {
	if known.Caller != p.ID {
		return nil
	}
	return refuse(p, fault.CallerPane, "use another pane (list_panes) or create one (split_window, create_window)",
		"is the one that this conversation runs in: input would come back to the agent itself")
}

func synchronized(p tmux.Pane, wish Wish) *fault.Error {
	if wish.Action != Run && !wish.Alone || !p.Synchronized {
		return nil
	}
	return refuse(p, fault.Synchronized, "use paste_text, which reaches one pane, or turn synchronize-panes off, or use another window",
		"has synchronize-panes on: what is typed would go to its siblings too")
}

func attended(t tmux.Topology, p tmux.Pane, wish Wish) *fault.Error {
	watchers := t.Watchers(p)
	if wish.ConfirmAttended || len(watchers) == 0 {
		return nil
	}
	return refuse(p, fault.Attended, "use a pane that nobody looks at (create_window without focus), or, if the person agreed, repeat with confirm_attended",
		"is on the screen of %s: a person may be typing there", watchers[0].Name)
}

func notAShell(p tmux.Pane, wish Wish, known Evidence) *fault.Error {
	if wish.Action != Run {
		return nil
	}
	const recovery = "use a pane with an idle shell (list_panes with detail full) or create one (create_window); send_keys types into programs"
	switch known.Process.State {
	case AtPrompt, ForegroundBusy:
		return nil
	case ForegroundNot:
		return refuse(p, fault.NotAShell, recovery, "holds %s, not a shell", orUnknown(known.Process.Name))
	case ForegroundUnknown:
	}
	return refuse(p, fault.NotAShell, recovery, "cannot be shown to hold an idle shell (reason unknown: %s)",
		orUnknown(known.Process.Reason))
}

func busy(p tmux.Pane, wish Wish, known Evidence) *fault.Error {
	if run := known.Holders[p.ID]; run != "" && !wish.StopKeys {
		return refuse(p, fault.Busy, fmt.Sprintf("call get_run with run_id %q and a timeout, send C-c to stop it, or use another pane", run),
			"is held by run %s", run)
	}
	if wish.Action == Run && known.Process.State != AtPrompt {
		return refuse(p, fault.Busy, "wait for it (wait_for_text, capture_pane), send C-c, or use another pane (list_panes)",
			"is busy: %s", orUnknown(known.Process.Reason))
	}
	return nil
}

// draft refuses what is not known to be empty. The exception is the first contact with a pane that nobody attends and whose
// row ends like a prompt; the application says prompt_assumed then.
func draft(t tmux.Topology, p tmux.Pane, wish Wish, known Evidence) *fault.Error {
	if wish.Action != Run || wish.ClearDraft || known.Draft.State == DraftEmpty {
		return nil
	}
	const recovery = "ask the person, use another pane (create_window), or repeat with draft \"clear\", which discards what was typed"
	if known.Draft.State == DraftPresent {
		return refuse(p, fault.Draft, recovery, "has something typed at its prompt that was not sent")
	}
	if known.Draft.Promptlike && len(t.Watchers(p)) == 0 {
		return nil
	}
	return refuse(p, fault.Draft, recovery, "may have something typed at its prompt: it cannot be told from the prompt itself")
}

func orUnknown(text string) string { return lo.CoalesceOrEmpty(text, "an unknown program") }
