package app

import (
	"context"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// pulse is how often a run is looked at whose end only its processes show: C-z, or a death that says nothing.
const pulse = 100 * time.Millisecond

// attend stays at a run until it ends, however long the call that started it waits: it keeps the result, lets the shell go on, and
// learns what its prompt looks like.
func (a *App) attend(ctx context.Context, r *run) {
	end, outcome, ok := a.watch(ctx, r)
	if !ok { // the application closes: the command goes on and records its status
		a.leave(r)
		return
	}
	record := r.newRecord()
	record.Started, record.EndedAt = true, time.Now().UnixMilli()
	switch {
	case outcome == frame.Stopped:
		record.Outcome, record.Running, record.EndedAt = frame.Stopped, true, 0
		a.readOutput(ctx, r, &record)
		record.Complete = false
	case outcome != "":
		record.Outcome, record.Reason = outcome, frame.ShellGone
		a.readOutput(ctx, r, &record)
	default:
		record.Outcome, record.Status = frame.OutcomeOf(end.Status), &end.Status
		a.readOutput(ctx, r, &record)
	}
	a.keep(r, record)
	settled := a.runs.settle(r.place(), r.plan.PID, r.inputs)
	r.record = record
	close(r.ended) // whoever waits need not wait for what follows
	a.leave(r)
	a.runs.drop(r.plan.RunID) // from now on its record answers
	settled(a.settle(ctx, r))
}

// watch waits for the end of a run. It answers the end, or an outcome that is none, or not ok if ctx ended first.
func (a *App) watch(ctx context.Context, r *run) (end frame.End, outcome frame.Outcome, ok bool) {
	stops := 0
	for {
		beat, cancel := context.WithTimeout(ctx, pulse)
		end, err := r.frame.Ended(beat)
		cancel()
		stopped, exists := a.Processes.Stopped(ctx, r.leader)
		switch {
		case ctx.Err() != nil && err != nil:
			return frame.End{}, "", false
		case err == nil && !end.Gone:
			if _, lives := a.Processes.Stopped(ctx, r.plan.PID); !lives { // the command killed the shell that ran it
				return frame.End{}, a.fate(ctx, r, frame.Interrupted), true
			}
			return end, "", true
		case err == nil || !exists:
			return frame.End{}, a.fate(ctx, r, frame.Interrupted), true
		case stopped:
			if stops++; stops == 2 { // twice: not in passing
				return frame.End{}, frame.Stopped, true
			}
		default:
			stops = 0
		}
	}
}

// fateBound is how long tmux may take to notice that a process ended.
const fateBound = time.Second

// fate says what became of the pane of a run whose shell fell silent: otherwise if the shell lives.
func (a *App) fate(ctx context.Context, r *run, otherwise frame.Outcome) frame.Outcome {
	ctx, cancel := context.WithTimeout(ctx, fateBound)
	defer cancel()
	for {
		t, err := a.Reader.Topology(ctx, tmux.DetailBrief)
		if fault.Is(err, fault.ServerGone) || err == nil && t.Server.Generation != r.plan.Server.Generation {
			return frame.ServerGone
		}
		if err == nil {
			pane, ok := t.Pane(r.plan.Pane)
			switch {
			case !ok:
				return frame.PaneGone
			case pane.Dead:
				return frame.Outcome(a.afterDeath(ctx, r.plan.Server, r.plan.Pane))
			case pane.PID != r.plan.PID:
				return frame.PaneDied
			}
		}
		if _, lives := a.Processes.Stopped(ctx, r.plan.PID); lives && err == nil {
			return otherwise
		}
		if pause(ctx, 10*time.Millisecond) != nil {
			return frame.PaneDied
		}
	}
}

// readOutput fills in what the command wrote, as far as it can still be read. The shell waits meanwhile, so that nothing of its
// next prompt is among it.
func (a *App) readOutput(ctx context.Context, r *run, record *frame.Record) {
	if r.plan.Streams {
		var err error
		record.Stdout, record.Stderr, err = r.frame.Streams(screen.GreatestBytes)
		if record.Complete = err == nil; err != nil {
			a.log.Warn("streams of a run cannot be read", "run", r.plan.RunID, "err", err)
		}
		record.Reason = ""
		if !record.Complete {
			record.Reason = frame.Unattended
		}
		return
	}
	lines, loss, cursor, err := a.persistently(ctx, r)
	if err != nil {
		a.log.Info("output of a run cannot be read", "run", r.plan.RunID, "err", err)
		record.Reason = lo.CoalesceOrEmpty(record.Reason, frame.Unattended)
		return
	}
	kept, cut := screen.Bounds{Lines: screen.GreatestLines, Bytes: screen.GreatestBytes}.Apply(lines)
	record.Lines, record.Dropped = kept, cut.Lines
	if record.Reason == "" {
		record.Reason = frame.Reason(loss)
	}
	record.Complete = record.Reason == ""
	record.Cursor = a.sealer.Seal(cursor)
}

// persistently reads the output of a run, again if tmux does not answer: the shell waits, and the text stands there.
func (a *App) persistently(ctx context.Context, r *run) (lines []string, loss screen.Loss, cursor screen.Cursor, err error) {
	ctx, cancel := context.WithTimeout(ctx, a.options.CallTimeout)
	defer cancel()
	for {
		lines, loss, cursor, err = a.output(ctx, r)
		switch fault.KindOf(err) { //nolint:exhaustive // the others do not pass by themselves
		case fault.TransportError, fault.IncompleteSnapshot, fault.DecodeError:
			if pause(ctx, pulse) == nil {
				continue
			}
		}
		return lines, loss, cursor, err
	}
}

// aboveToken is how many rows above the token's are read too, for the fingerprint of the cursor.
const aboveToken = 16

// output reads what stands between a run's anchor and the cursor, and remembers the place.
func (a *App) output(ctx context.Context, r *run) ([]string, screen.Loss, screen.Cursor, error) {
	c, err := a.lines(ctx, r.plan.Server, r.plan.Pane, max(0, r.anchor.Row-aboveToken))
	if err == nil && !screen.HasToken(c, r.anchor) {
		c, err = a.lines(ctx, r.plan.Server, r.plan.Pane, 0)
	}
	if err != nil {
		return nil, "", screen.Cursor{}, err
	}
	lines, loss := screen.Output(c, r.anchor)
	return lines, loss, screen.CursorAt(c), nil
}

// soFar is what is known of a run that goes on.
func (a *App) soFar(ctx context.Context, r *run) frame.Record {
	record := r.newRecord()
	record.Started, record.Running, record.Outcome = true, true, frame.TimedOut
	a.readOutput(ctx, r, &record)
	record.Complete = false
	return record
}

// keep stores a record for get_run. Without it the run is still answered once, to whoever waits for it.
func (a *App) keep(r *run, record frame.Record) {
	if err := r.frame.Keep(record); err != nil {
		a.log.Warn("the result of a run cannot be kept", "run", r.plan.RunID, "err", err)
	}
}

// leave lets the pane go.
func (a *App) leave(r *run) {
	if err := r.frame.Close(); err != nil {
		a.log.Warn("a frame cannot be closed", "run", r.plan.RunID, "err", err)
	}
	a.runs.release(r.place(), r.plan.RunID)
	close(r.left)
}
