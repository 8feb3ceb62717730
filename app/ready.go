package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// How long a shell that is not ready is given, when there is a reason to think that it soon will be.
const (
	secondLook  = 50 * time.Millisecond  // between two looks that must agree
	startGrace  = 10 * time.Second       // age up to which a pane's shell may still be reading its configuration
	execGrace   = time.Second            // age up to which a pane's process may not yet be the shell
	clearGrace  = time.Second            // from C-c to an empty prompt
	settleGrace = time.Second            // for the shell to come back after our last run
	learnGrace  = 300 * time.Millisecond // from the end of a run to a prompt at which nobody can have typed yet
	settleStep  = 10 * time.Millisecond  // between looks at whether it has
)

// A readiness is an idle shell at its prompt.
type readiness struct {
	topology tmux.Topology
	pane     tmux.Pane
	shell    guard.Shell
	wish     guard.Wish
	known    guard.Evidence
	verdict  guard.Verdict
	prompt   screen.Capture // in front of which the line is typed; if the shell comes to the command, that was a prompt
	assumed  bool           // the prompt was never seen idle before: its row only ends like one
	drafted  bool           // something may stand at the prompt, and is to be cleared first
}

// A clearing is what became of what stood at a prompt.
type clearing struct {
	text *string // what stood there, as far as it could be told; nil if nothing was cleared
	at   time.Time
}

// told adds to an error that something was cleared before it, or may have been.
func (c clearing) told(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || c.text == nil {
		return err
	}
	told := *f
	told.Message = fmt.Sprintf("%s; before that C-c was sent to clear the prompt, on which stood %q", f.Error(), *c.text)
	told.Recovery = lo.CoalesceOrEmpty(f.Recovery, inspectFirst)
	told.Err, told.Delivery, told.Effects = nil, fault.Observed, &fault.Effects{State: "known"}
	return &told
}

// ready finds the pane of a wish with an idle shell, at an empty prompt or at one to be cleared, and claims its window. It waits a
// little for a shell that only just started, that only just ran a command of ours, or whose prompt was just cleared.
func (a *App) ready(ctx context.Context, wish guard.Wish, cleared clearing) (found readiness, release func(), err error) {
	for giveUp := time.Now().Add(startGrace); ; {
		if err := a.runs.settled(ctx, wish.Pane); err != nil {
			return readiness{}, nil, asFault(err, "wait for the prompt of the pane")
		}
		var prompt *screen.Capture
		t, pane, release, err := a.claimAs(ctx, func() (t tmux.Topology, pane tmux.Pane, err error) {
			t, pane, prompt, err = a.knownPrompt(ctx, wish.Pane)
			return t, pane, err
		})
		if err != nil {
			return readiness{}, nil, err
		}
		found, err := a.judgeReady(ctx, t, pane, prompt, wish, cleared)
		if err != nil {
			release()
			return readiness{}, nil, err
		}
		refusal := found.verdict.Refusal
		if refusal == nil {
			return found, release, nil
		}
		release()
		if time.Now().After(giveUp) || !passing(refusal, found.known, cleared) {
			return readiness{}, nil, refusal
		}
		long := secondLook
		if refusal.Reason == fault.Busy {
			long = time.Until(giveUp)
		}
		if a.untilPrompt(ctx, t.Server.Generation, pane, long) != nil {
			return readiness{}, nil, refusal
		}
	}
}

// claim reads the server and claims the window of a pane.
func (a *App) claim(ctx context.Context, id tmux.PaneID) (tmux.Topology, tmux.Pane, func(), error) {
	return a.claimAs(ctx, func() (tmux.Topology, tmux.Pane, error) { return a.knownPane(ctx, tmux.DetailBrief, string(id)) })
}

// claimAs claims the window of a pane that read finds, as it is then.
func (a *App) claimAs(ctx context.Context, read func() (tmux.Topology, tmux.Pane, error)) (tmux.Topology, tmux.Pane, func(), error) {
	t, pane, err := read()
	if err != nil {
		return tmux.Topology{}, tmux.Pane{}, nil, err
	}
	release, waited, err := a.claims.take(ctx, claimedWindow{t.Server.Generation, pane.Window})
	if err == nil && waited {
		if t, pane, err = read(); err != nil {
			release()
		}
	}
	return t, pane, release, err
}

// holders are the runs that hold panes of a window: those of this process, and those of others of the same user. For one that was answered
// and is about to leave its pane it waits.
func (a *App) holders(ctx context.Context, t tmux.Topology, window tmux.WindowID) (map[tmux.PaneID]string, error) {
	held := a.runs.holders(t.Server.Generation)
	for _, pane := range t.PanesOf(window) {
		if left := a.runs.leaving(held[pane.ID]); left != nil {
			select {
			case <-left:
				delete(held, pane.ID)
			case <-ctx.Done():
			}
		}
		if held[pane.ID] != "" {
			continue
		}
		holder, err := a.Frames.Holder(ctx, t.Server, pane.ID)
		if err != nil {
			return nil, err
		}
		if holder != "" {
			held[pane.ID] = holder
		}
	}
	return held, nil
}

// judgeReady judges a pane for a run, given what it showed just now if that is known. What cannot pass anyhow is not looked at.
func (a *App) judgeReady(
	ctx context.Context, t tmux.Topology, pane tmux.Pane, shown *screen.Capture, wish guard.Wish, cleared clearing,
) (readiness, error) {
	holders, err := a.holders(ctx, t, pane.Window)
	if err != nil {
		return readiness{}, err
	}
	known := guard.Evidence{
		Caller: a.caller(ctx, t).Pane, Holders: holders,
		Process: guard.Process{State: guard.AtPrompt}, Draft: guard.Draft{State: guard.DraftEmpty},
	}
	if verdict := guard.Judge(t, wish, known); verdict.Refusal != nil {
		return readiness{known: known, verdict: verdict}, nil //nolint:nilerr // a refusal is a finding
	}
	var prompt screen.Capture
	if known.Process, known.Draft, prompt, err = a.look(ctx, t.Server, pane, shown); err != nil {
		return readiness{}, err
	}
	if cleared.text != nil { // once is enough: what still stands there is something else
		wish.ClearDraft = known.Draft.State != guard.DraftPresent
	}
	return readiness{
		topology: t, pane: pane, shell: known.Process.Shell, wish: wish, known: known, verdict: guard.Judge(t, wish, known), prompt: prompt,
		assumed: known.Draft.State == guard.DraftUnknown && cleared.text == nil,
		drafted: wish.ClearDraft && cleared.text == nil && known.Draft.State != guard.DraftEmpty,
	}, nil
}

// clear sends C-c to a prompt at which something stands.
func (a *App) clear(ctx context.Context, ready readiness) (clearing, error) {
	a.runs.touched(ready.verdict.Precondition)
	err := a.Input.SendKeys(ctx, ready.verdict.Precondition, []string{"C-c"})
	if f, failed := errors.AsType[*fault.Error](err); failed && f.Delivery != fault.PossiblySent {
		return clearing{}, err
	}
	cleared := clearing{text: &ready.known.Draft.Text, at: time.Now()}
	if err != nil {
		return cleared, err
	}
	return cleared, pause(ctx, secondLook)
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
func passing(refusal *fault.Error, known guard.Evidence, cleared clearing) bool {
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
	return refusal.Reason == fault.Draft && cleared.text != nil && time.Since(cleared.at) < clearGrace
}

// look says what runs in the foreground of a pane and what stands at its prompt, and gives the screen that says so. Two looks must
// agree, unless the screen, as it was shown just now or is, is just what it was when the shell was last known idle.
func (a *App) look(
	ctx context.Context, server tmux.Server, pane tmux.Pane, shown *screen.Capture,
) (guard.Process, guard.Draft, screen.Capture, error) {
	at := place{server.Generation, pane.ID}
	_, settled := a.runs.learned(at, pane.PID)
	select {
	case <-settled:
	case <-ctx.Done():
	}
	first := guard.Classify(a.Processes.Sample(ctx, pane))
	if first.State != guard.AtPrompt {
		return a.orStarting(ctx, server, pane, first), guard.Draft{}, screen.Capture{}, nil
	}
	learned, _ := a.runs.learned(at, pane.PID)
	known := func(now screen.Capture) bool {
		return lo.SomeBy(learned, func(prompt guard.Prompt) bool { return guard.Settled(prompt.Capture, now) })
	}
	if shown != nil && known(*shown) {
		return first, guard.Draft{State: guard.DraftEmpty}, *shown, nil
	}
	request := promptOf(server, pane.ID)
	before, err := a.Reader.Capture(ctx, request)
	if err != nil {
		return first, guard.Draft{}, screen.Capture{}, err
	}
	if known(before) {
		return first, guard.Draft{State: guard.DraftEmpty}, before, nil
	}
	if err := pause(ctx, secondLook); err != nil {
		return first, guard.Draft{}, screen.Capture{}, err
	}
	after, err := a.Reader.Capture(ctx, request)
	if err != nil {
		return first, guard.Draft{}, screen.Capture{}, err
	}
	process := guard.Agree(first, guard.Classify(a.Processes.Sample(ctx, pane)))
	if !guard.Settled(before, after) {
		return process, guard.Draft{State: guard.DraftUnknown}, after, nil
	}
	return process, guard.JudgeDraft(after, learned), after, nil
}

// promptOf asks for what a prompt is judged by.
func promptOf(server tmux.Server, pane tmux.PaneID) ports.CaptureRequest {
	return ports.CaptureRequest{Server: server, Pane: pane, Styles: true, Blanks: true}
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
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, settleGrace)
	defer cancel()
	idle := func() bool { return guard.Classify(a.Processes.Sample(ctx, r.ready.pane)).State == guard.AtPrompt }
	request := promptOf(r.plan.Server, r.plan.Pane)
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
			if time.Since(began) > learnGrace {
				return nil // another program may have typed since
			}
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
