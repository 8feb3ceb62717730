package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// RunShellCommandIn is a command.
type RunShellCommandIn struct {
	PaneID          string   `json:"pane_id" jsonschema:"pane with an idle shell (%N)"`
	Command         string   `json:"command" jsonschema:"in the language of the pane's shell; at most 65536 bytes"`
	Timeout         *float64 `json:"timeout,omitempty" min:"0" jsonschema:"seconds to wait for its end, 30 by default, at most 120; it goes on after that: get_run"`
	Streams         bool     `json:"streams,omitempty" jsonschema:"return stdout and stderr apart and exact instead of screen lines; the program then has no terminal to write to"`
	ConfirmAttended bool     `json:"confirm_attended,omitempty" jsonschema:"run although a person looks at the pane: only if they agreed"`
	Draft           string   `json:"draft,omitempty" enum:"refuse,clear" jsonschema:"what to do if something stands at the prompt: refuse (default), or clear, which discards it"`
	Bounding
}

// A run is a framed command that this process started.
type run struct {
	plan    ports.Plan
	frame   ports.Frame
	ready   readiness
	anchor  screen.Anchor
	leader  int     // process whose state shows C-z
	cleared *string // what stood at the prompt and was discarded; nil if nothing was
	inputs  int     // how often this process had given the pane input when the run began

	ended  chan struct{} // closed once record is set
	record frame.Record  // how it ended; Running if it was left stopped
	left   chan struct{} // closed once it holds its pane no more
}

func (r *run) place() place { return place{r.plan.Server.Generation, r.plan.Pane} }

// RunShellCommand runs a command in the shell of a pane: guard, stage, type, start, anchor, release, wait. What follows is
// the business of attend, which outlives the call.
func (a *App) RunShellCommand(ctx context.Context, in RunShellCommandIn) (RunOut, error) {
	ctx, err := a.admit(ctx, "run_shell_command")
	if err != nil {
		return RunOut{}, err
	}
	id, err := target.ParsePane("pane_id", in.PaneID)
	if err != nil {
		return RunOut{}, err
	}
	deadline, err := wait.Within(in.Timeout, wait.Default)
	if err != nil {
		return RunOut{}, err
	}
	switch {
	case len(in.Command) > greatestText:
		return RunOut{}, fault.Invalidf("write it to a file and run that", "command has %d bytes, more than %d", len(in.Command), greatestText)
	case strings.TrimSpace(in.Command) == "":
		return RunOut{}, fault.Invalidf("pass a command", "command is empty")
	}
	wish := guard.Wish{Action: guard.Run, Pane: id, ConfirmAttended: in.ConfirmAttended, ClearDraft: in.Draft == "clear"}
	waiting, cancel := context.WithTimeout(ctx, deadline.Timeout)
	defer cancel()
	r, err := a.start(ctx, max(deadline.Timeout, a.options.CallTimeout), wish, in.Command, in.Streams)
	if err != nil {
		return RunOut{}, err
	}
	record, err := a.await(ctx, waiting, r)
	if err != nil {
		return RunOut{}, err
	}
	out := describeRecord(record, in.Bounding, deadline)
	out.PromptAssumed, out.ClearedDraft = r.ready.assumed, r.cleared
	return out, nil
}

// await waits for the end of a run, or tells what is known when the wait ends.
func (a *App) await(ctx, waiting context.Context, r *run) (frame.Record, error) {
	select {
	case <-r.ended:
	case <-waiting.Done():
	case <-a.runs.base.Done():
	}
	select {
	case <-r.ended: // also if both are
		return r.record, nil
	default:
	}
	if ctx.Err() != nil || a.runs.base.Err() != nil {
		return frame.Record{}, cancelledRun(ctx, r.plan.RunID)
	}
	return a.soFar(ctx, r), nil
}

// cancelledRun says that a call ended before its run did.
func cancelledRun(ctx context.Context, id string) error {
	return &fault.Error{
		Kind: fault.Cancelled, Op: "wait for a run", Message: "the call was cancelled; the command of run " + id + " goes on", Delivery: fault.Observed,
		Recovery: "call get_run with run_id " + id, Err: context.Cause(ctx),
	}
}

// start brings a command to its start within a time, and leaves it to attend. If the shell does not start it, the record says so
// and the command never runs.
func (a *App) start(ctx context.Context, within time.Duration, wish guard.Wish, command string, streams bool) (*run, error) {
	starting, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var cleared clearing
	for range attempts + 1 { // clearing is one
		r, discarded, err := a.stage(starting, wish, cleared, command, streams)
		if discarded.text != nil {
			cleared = discarded
		}
		if err == nil && r != nil {
			r.cleared = cleared.text
			err = a.launch(starting, r)
			if err == nil {
				return r, nil
			}
			if errors.Is(err, errNotStarted) && ctx.Err() == nil {
				r.record = r.newRecord()
				r.record.Outcome, r.record.EndedAt = a.fate(ctx, r, frame.TimedOut), time.Now().UnixMilli()
				close(r.ended)
				a.keep(r, r.record)
				a.leave(r)
				return r, nil
			}
			a.leave(r)
		}
		if err != nil && !fault.Is(err, fault.PreconditionFailed) {
			return nil, cleared.told(err)
		}
	}
	return nil, cleared.told(keepsChanging(wish.Pane))
}

// stage finds the pane ready, takes it, and makes the command ready; or clears what stands at the prompt, and there is no run yet.
func (a *App) stage(ctx context.Context, wish guard.Wish, cleared clearing, command string, streams bool) (*run, clearing, error) {
	ready, release, err := a.ready(ctx, wish, cleared)
	if err != nil {
		return nil, clearing{}, notTyped(err)
	}
	defer release()
	plan, err := newPlan(ready, command, streams)
	if err != nil {
		return nil, clearing{}, err
	}
	if ready.drafted {
		cleared, err := a.clear(ctx, ready)
		return nil, cleared, err
	}
	r := &run{plan: plan, ready: ready, ended: make(chan struct{}), left: make(chan struct{})}
	if holder := a.runs.hold(r.place(), plan.RunID); holder != "" {
		ready.known.Holders = map[tmux.PaneID]string{plan.Pane: holder}
		return nil, clearing{}, guard.Judge(ready.topology, ready.wish, ready.known).Refusal
	}
	if r.frame, err = a.Frames.Stage(ctx, plan); err != nil {
		a.runs.release(r.place(), plan.RunID)
		return nil, clearing{}, notTyped(err)
	}
	return r, clearing{}, nil
}

// notTyped says of a fault that came before the command was typed that it was not.
func notTyped(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		f.Delivery = fault.NotSent
	}
	return err
}

// newPlan plans a command for a pane, if its shell and its width can frame one.
func newPlan(ready readiness, command string, streams bool) (ports.Plan, error) {
	if !frame.Runs(ready.shell) {
		return ports.Plan{}, &fault.Error{
			Kind: fault.Refused, Reason: fault.NotAShell, Op: string(guard.Run), Target: string(ready.pane.ID),
			Message:  "pane " + string(ready.pane.ID) + " holds " + string(ready.shell) + ", in which commands cannot be framed",
			Recovery: "use a pane with bash, zsh, dash, mksh, busybox ash, fish or ksh93; or send_keys",
		}
	}
	var random [15]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand
	plan := ports.Plan{
		RunID: frame.NewRunID([10]byte(random[:10])), Token: frame.NewToken([5]byte(random[10:])),
		Server: ready.topology.Server, Pane: ready.pane.ID, PID: ready.pane.PID, Shell: ready.shell,
		Command: command, Streams: streams, Started: time.Now().UnixMilli(),
	}
	plan.Shown = frame.Shown(command, plan.Token, ready.pane.Width)
	if plan.Shown == "" {
		return ports.Plan{}, &fault.Error{
			Kind: fault.Unsupported, Op: string(guard.Run), Target: string(plan.Pane),
			Message:  "the pane is too narrow to tell a command's output from what stands above it",
			Recovery: "use a wider pane (list_panes, create_window)",
		}
	}
	return plan, nil
}

// errNotStarted says that the shell did not come to the command in time.
var errNotStarted = errors.New("not started")

// launch types the frame's line, waits for the shell, takes the anchor and lets the command run.
func (a *App) launch(ctx context.Context, r *run) error {
	a.runs.touched(r.ready.verdict.Precondition)
	r.inputs = a.runs.inputs(r.place(), r.plan.PID)
	if err := a.Input.SendText(ctx, r.ready.verdict.Precondition, r.frame.Line(), true); err != nil {
		return err
	}
	leader, err := a.started(ctx, r)
	if err != nil {
		return r.didNotRun(fmt.Errorf("%w: %w", errNotStarted, err))
	}
	r.leader = leader
	a.runs.learn(r.place(), r.plan.PID, r.ready.prompt)
	c, err := a.Reader.Capture(ctx, ports.CaptureRequest{Server: r.plan.Server, Pane: r.plan.Pane})
	if err != nil {
		return r.didNotRun(err)
	}
	r.anchor = screen.AnchorAt(c, r.plan.Token)
	if err := r.frame.Release(); err != nil {
		return err
	}
	a.runs.add(r)
	if !a.runs.task(func(ctx context.Context) { a.attend(ctx, r) }) {
		a.runs.drop(r.plan.RunID)
		return &fault.Error{Kind: fault.Cancelled, Message: "this server is closing", Delivery: fault.Observed}
	}
	return nil
}

// started waits for the shell, but not for one that is gone.
func (a *App) started(ctx context.Context, r *run) (leader int, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for pause(ctx, pulse) == nil {
			if _, lives := a.Processes.Stopped(ctx, r.plan.PID); !lives {
				cancel()
			}
		}
	}()
	leader, err = r.frame.Started(ctx)
	cancel()
	<-watched
	return leader, err
}

// didNotRun says of a fault that came after the line was typed and before the command was let go.
func (r *run) didNotRun(err error) error {
	cause, ok := errors.AsType[*fault.Error](err)
	if !ok {
		cause = &fault.Error{Kind: fault.Internal}
	}
	return &fault.Error{
		Kind: cause.Kind, Reason: cause.Reason, Op: string(guard.Run), Target: string(r.plan.Pane), Delivery: fault.Observed, Err: err,
		Message: "the line of run " + r.plan.RunID + " was typed, but its command did not run and never will", Recovery: inspectFirst,
	}
}

func (r *run) newRecord() frame.Record {
	return frame.Record{
		RunID: r.plan.RunID, Pane: r.plan.Pane, Generation: r.plan.Server.Generation, PID: r.plan.PID, Streamed: r.plan.Streams,
		Leader: r.leader, StartedAt: r.plan.Started,
	}
}
