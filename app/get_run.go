package app

import (
	"context"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
)

// recallStep is how often the record of another process's run is looked at.
const recallStep = 100 * time.Millisecond

// GetRunIn names a run.
type GetRunIn struct {
	RunID   string   `json:"run_id" jsonschema:"as run_shell_command returned it"`
	Timeout *float64 `json:"timeout,omitempty" min:"0" jsonschema:"seconds to wait for its end, 0 by default, at most 120"`
	Bounding
}

// GetRun collects a run, from this or an earlier server process of the same user.
func (a *App) GetRun(ctx context.Context, in GetRunIn) (RunOut, error) {
	ctx, err := a.admit(ctx, "get_run")
	if err != nil {
		return RunOut{}, err
	}
	if !frame.ValidRunID(in.RunID) {
		return RunOut{}, fault.Invalidf("pass a run_id that run_shell_command returned", "run_id %q is not the id of a run", in.RunID)
	}
	deadline, err := wait.Within(in.Timeout, 0)
	if err != nil {
		return RunOut{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, deadline.Timeout)
	defer cancel()
	record, err := a.recall(ctx, waiting, in.RunID)
	if err != nil {
		return RunOut{}, err
	}
	return describeRecord(record, in.Bounding, deadline), nil
}

// recall finds a run's record, and waits for its end if it goes on.
func (a *App) recall(ctx, waiting context.Context, id string) (frame.Record, error) {
	if r, attended := a.runs.find(id); attended {
		return a.await(ctx, waiting, r)
	}
	for {
		record, err := a.Frames.Recall(ctx, id)
		if err != nil {
			return frame.Record{}, err
		}
		if !record.Running {
			return record, nil
		}
		if pause(waiting, recallStep) != nil {
			if ctx.Err() != nil {
				return frame.Record{}, cancelledRun(ctx, id)
			}
			record.Outcome = frame.TimedOut
			if stopped, _ := a.Processes.Stopped(ctx, record.Leader); stopped {
				record.Outcome = frame.Stopped
			}
			return record, nil
		}
	}
}
