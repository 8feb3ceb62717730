package app

import (
	"context"
	"fmt"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// How long a shell that is not ready is given, when there is a reason to think that it soon will be.
const (
	secondLook  = 50 * time.Millisecond // between two looks that must agree
	startGrace  = 10 * time.Second      // age up to which a pane's shell may still be reading its configuration
	execGrace   = time.Second           // age up to which a pane's process may not yet be the shell
	clearGrace  = time.Second           // from C-c to an empty prompt
	settleGrace = time.Second           // for the shell to come back after our last run
	settleStep  = 10 * time.Millisecond // between looks at whether it has
)

// A readiness is an idle shell with an empty prompt.
type readiness struct {
	topology tmux.Topology
	pane     tmux.Pane
	shell    guard.Shell
	wish     guard.Wish
	known    guard.Evidence
	verdict  guard.Verdict
	assumed  bool    // the prompt was never seen idle before: its row only ends like one
	cleared  *string // what stood at the prompt and was discarded; nil if nothing was
}

// ready finds the pane of a wish with an idle shell at an empty prompt. It waits a little for a shell that only just started or
// that only just ran a command of ours, and clears a draft if the wish says so.
func (a *App) ready(ctx context.Context, wish guard.Wish) (readiness, error) {
	giveUp := time.Now().Add(startGrace)
	var cleared *string
	var clearedAt time.Time
	for {
		t, err := a.known(ctx, tmux.DetailBrief, string(wish.Pane), "list_panes")
		if err != nil {
			return readiness{}, err
		}
		pane, err := target.Pane(t, wish.Pane)
		if err != nil {
			return readiness{}, err
		}
		known := guard.Evidence{Caller: a.caller(ctx, t).Pane, Holders: a.runs.holders(t.Server.Generation)}
		// What cannot pass anyhow is not looked at.
		blind := wish
		blind.Action, blind.StopKeys = guard.Run, true
		known.Process, known.Draft = guard.Process{State: guard.AtPrompt}, guard.Draft{State: guard.DraftEmpty}
		if v := guard.Judge(t, blind, known); v.Refusal != nil {
			return readiness{}, v.Refusal
		}
		if known.Process, known.Draft, err = a.look(ctx, t.Server, pane, known.Holders); err != nil {
			return readiness{}, err
		}
		judged := wish
		judged.ClearDraft = wish.ClearDraft && (clearedAt.IsZero() || known.Draft.State != guard.DraftPresent)
		verdict := guard.Judge(t, judged, known)
		if verdict.Refusal != nil {
			if time.Now().After(giveUp) || !passing(verdict.Refusal, known, clearedAt) {
				return readiness{}, afterClearing(verdict.Refusal, cleared)
			}
			wait := secondLook
			if verdict.Refusal.Reason == fault.Busy {
				wait = time.Until(giveUp)
			}
			if a.untilPrompt(ctx, t.Server.Generation, pane, wait) != nil {
				return readiness{}, afterClearing(verdict.Refusal, cleared)
			}
			continue
		}
		if wish.ClearDraft && clearedAt.IsZero() && known.Draft.State != guard.DraftEmpty {
			a.runs.touched(verdict.Precondition)
			err := a.Input.SendKeys(ctx, verdict.Precondition, []string{"C-c"})
			if err != nil && !fault.Is(err, fault.PreconditionFailed) {
				return readiness{}, err
			}
			if err == nil {
				cleared, clearedAt = &known.Draft.Text, time.Now()
			}
			if err := pause(ctx, secondLook); err != nil {
				return readiness{}, err
			}
			continue
		}
		return readiness{
			topology: t, pane: pane, shell: known.Process.Shell, wish: judged, known: known, verdict: verdict,
			assumed: known.Draft.State == guard.DraftUnknown && clearedAt.IsZero(), cleared: cleared,
		}, nil
	}
}

// afterClearing says of a refusal that a draft was discarded before it.
func afterClearing(refusal *fault.Error, cleared *string) error {
	if cleared != nil {
		refusal.Delivery, refusal.Effects = fault.Observed, &fault.Effects{State: "known"}
		refusal.Message += fmt.Sprintf("; C-c was sent to clear its prompt, on which stood %q", *cleared)
	}
	return refusal
}

// untilPrompt waits until the shell of a pane is at its prompt, a run holds the pane, or for so long. It asks nothing of tmux.
func (a *App) untilPrompt(ctx context.Context, generation tmux.Generation, pane tmux.Pane, long time.Duration) error {
	for end := time.Now().Add(long); ; {
		if err := pause(ctx, secondLook); err != nil {
			return err
		}
		_, held := a.runs.holders(generation)[pane.ID]
		if held || !time.Now().Before(end) || guard.Classify(a.Processes.Sample(ctx, pane)).State == guard.AtPrompt {
			return nil
		}
	}
}

// passing reports whether a refusal is likely to pass by itself: a shell that starts, or a prompt that was just cleared.
func passing(refusal *fault.Error, known guard.Evidence, clearedAt time.Time) bool {
	if known.Holders[tmux.PaneID(refusal.Target)] != "" {
		return false
	}
	age := known.Process.Age
	switch {
	case refusal.Reason == fault.NotAShell:
		return age < execGrace
	case refusal.Reason == fault.Busy:
		return age < startGrace
	case refusal.Reason == fault.Draft && known.Draft.State == guard.DraftUnknown && age < startGrace:
		return true
	}
	return refusal.Reason == fault.Draft && !clearedAt.IsZero() && time.Since(clearedAt) < clearGrace
}

// look says what runs in the foreground of a pane and what stands at its prompt. Two looks must agree, unless the screen is
// just what it was when the shell was last known idle.
func (a *App) look(ctx context.Context, server tmux.Server, pane tmux.Pane, holders map[tmux.PaneID]string) (guard.Process, guard.Draft, error) {
	if run, held := holders[pane.ID]; held {
		return guard.Process{State: guard.ForegroundBusy, Reason: "run " + run}, guard.Draft{}, nil
	}
	at := place{server.Generation, pane.ID}
	_, settled := a.runs.learned(at, pane.PID)
	select {
	case <-settled:
	case <-ctx.Done():
	}
	first := guard.Classify(a.Processes.Sample(ctx, pane))
	if first.State != guard.AtPrompt {
		return a.orStarting(ctx, server, pane, first), guard.Draft{}, nil
	}
	request := ports.CaptureRequest{Server: server, Pane: pane.ID, Styles: true, Blanks: true}
	before, err := a.Reader.Capture(ctx, request)
	if err != nil {
		return first, guard.Draft{}, err
	}
	learned, _ := a.runs.learned(at, pane.PID)
	for _, prompt := range learned {
		if guard.Settled(prompt.Capture, before) {
			return first, guard.Draft{State: guard.DraftEmpty}, nil
		}
	}
	if err := pause(ctx, secondLook); err != nil {
		return first, guard.Draft{}, err
	}
	after, err := a.Reader.Capture(ctx, request)
	if err != nil {
		return first, guard.Draft{}, err
	}
	process := guard.Agree(first, guard.Classify(a.Processes.Sample(ctx, pane)))
	if !guard.Settled(before, after) {
		return process, guard.Draft{State: guard.DraftUnknown}, nil
	}
	return process, guard.JudgeDraft(after, learned), nil
}

// orStarting takes a program for a part of its shell's start if the pane is young, the program is not the pane's own, and nothing was
// ever shown: no prompt at which it could have been typed.
func (a *App) orStarting(ctx context.Context, server tmux.Server, pane tmux.Pane, seen guard.Process) guard.Process {
	if seen.State != guard.ForegroundNot || seen.PID == pane.PID || seen.Age >= startGrace {
		return seen
	}
	c, err := a.Reader.Capture(ctx, ports.CaptureRequest{Server: server, Pane: pane.ID})
	if err == nil && c.Pane.HistorySize == 0 && len(screen.TrimEnd(c.Rows)) == 0 {
		seen.State, seen.Reason = guard.ForegroundBusy, "its shell starts: "+seen.Name+" runs"
	}
	return seen
}

// settle waits until the shell of a run has come back to its prompt, and gives what that looks like; nil if that cannot be said for
// certain: a person who can see the pane did something since the run began, and may have typed ahead.
func (a *App) settle(ctx context.Context, r *run) *screen.Capture {
	ctx, cancel := context.WithTimeout(ctx, settleGrace)
	defer cancel()
	idle := func() bool { return guard.Classify(a.Processes.Sample(ctx, r.ready.pane)).State == guard.AtPrompt }
	request := ports.CaptureRequest{Server: r.plan.Server, Pane: r.plan.Pane, Styles: true, Blanks: true}
	for step := time.Millisecond; pause(ctx, step) == nil; step = min(2*step, settleStep) {
		if !idle() {
			continue
		}
		before, errBefore := a.Reader.Capture(ctx, request)
		t, err := a.topology(ctx, tmux.DetailBrief)
		after, errAfter := a.Reader.Capture(ctx, request)
		if firstError(errBefore, err, errAfter) != nil || activeSince(t, r.ready.pane, time.UnixMilli(r.plan.Started)) {
			return nil // the next run looks anew
		}
		if guard.Settled(before, after) && idle() {
			return &after
		}
	}
	return nil
}

// activeSince reports whether someone whose session has the pane's window used their terminal since a moment. tmux tells whole
// seconds.
func activeSince(t tmux.Topology, pane tmux.Pane, moment time.Time) bool {
	links := t.LinksOf(pane.Window)
	return lo.SomeBy(t.Clients, func(c tmux.Client) bool {
		return !c.Control && inSession(links, string(c.Session)) && !c.Activity.Before(moment.Truncate(time.Second))
	})
}
