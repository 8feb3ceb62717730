package fake

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"mvdan.cc/sh/v3/interp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// recordLife is how long a record is kept after its run ended.
const recordLife = 24 * time.Hour

// Frames is the frames of one process of the user. World itself is one; NewFrames makes others, which model other server
// processes over the same run directory.
type Frames struct {
	world *World
	dead  bool
}

// NewFrames is another process's view.
func (w *World) NewFrames() *Frames { return &Frames{world: w} }

// Stage implements [ports.Frames].
func (w *World) Stage(ctx context.Context, plan ports.Plan) (ports.Frame, error) {
	return w.own.Stage(ctx, plan)
}

// Holder implements [ports.Frames].
func (w *World) Holder(ctx context.Context, server tmux.Server, pane tmux.PaneID) (string, error) {
	return w.own.Holder(ctx, server, pane)
}

// Recall implements [ports.Frames].
func (w *World) Recall(ctx context.Context, runID string) (frame.Record, error) {
	return w.own.Recall(ctx, runID)
}

// A holding is a pane in one life of the server.
type holding struct {
	generation tmux.Generation
	pane       tmux.PaneID
}

// A staged command is what the run directory holds of it, and what its shell has done.
type staged struct {
	plan  ports.Plan
	owner *Frames // whose process may end

	pid      int // of the subshell in which the frame runs
	started  bool
	released bool
	revoked  bool // it never runs
	ended    bool
	status   int
	endedAt  time.Time
	closed   bool // the application is through with it
	gone     bool // its shell ended without a word
	stdout   []byte
	stderr   []byte
	record   *frame.Record
}

// attended reports whether a server process still looks after the run.
func (s *staged) attended() bool { return !s.closed && !s.owner.dead }

func (s *staged) line() string { return ` \. /fake/` + s.plan.RunID + `/go` }

// Stage implements [ports.Frames].
func (f *Frames) Stage(ctx context.Context, plan ports.Plan) (ports.Frame, error) {
	const op = "stage a command"
	w := f.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ended(ctx, op); err != nil {
		return nil, err
	}
	if err := refusable(op, plan); err != nil {
		return nil, err
	}
	place := holding{plan.Server.Generation, plan.Pane}
	if holder := w.holders[place]; holder != nil && holder.attended() {
		busy := failed(fault.Refused, op, string(plan.Pane), "run %s holds %s", holder.plan.RunID, plan.Pane)
		busy.Reason = fault.Busy
		return nil, busy
	}
	s := &staged{plan: plan, owner: f}
	w.frames[plan.RunID], w.holders[place] = s, s
	w.touch()
	return &Frame{world: w, staged: s}, nil
}

// refusable faults for a plan that no shell could run right.
func refusable(op string, plan ports.Plan) error {
	switch {
	case !frame.Runs(plan.Shell):
		return failed(fault.Unsupported, op, plan.RunID, "no command can be framed in shell %q", plan.Shell)
	case !frame.ValidRunID(plan.RunID):
		return failed(fault.InvalidInput, op, plan.RunID, "run id %q is not one", plan.RunID)
	case strings.ContainsRune(plan.Command, 0):
		return failed(fault.InvalidInput, op, plan.RunID, "command holds a NUL byte")
	}
	return nil
}

// Holder implements [ports.Frames].
func (f *Frames) Holder(ctx context.Context, server tmux.Server, pane tmux.PaneID) (string, error) {
	w := f.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ended(ctx, "look who holds "+string(pane)); err != nil {
		return "", err
	}
	if holder := w.holders[holding{server.Generation, pane}]; holder != nil && holder.attended() {
		return holder.plan.RunID, nil
	}
	return "", nil
}

// Recall implements [ports.Frames].
func (f *Frames) Recall(ctx context.Context, runID string) (frame.Record, error) {
	const op = "recall a run"
	w := f.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ended(ctx, op); err != nil {
		return frame.Record{}, err
	}
	s := w.frames[runID]
	if s == nil || !s.endedAt.IsZero() && time.Since(s.endedAt) > recordLife {
		return frame.Record{}, failed(fault.NotFound, op, runID, "no run %s", runID)
	}
	if s.record != nil && !s.record.Running && s.record.Outcome != frame.Stopped {
		return *s.record, nil
	}
	if s.closed && !s.released {
		return frame.Record{}, failed(fault.NotFound, op, runID, "no run %s", runID)
	}
	return s.tell(), nil
}

// tell is what the run directory says of a run whose last word nobody has kept.
func (s *staged) tell() frame.Record {
	record := frame.Record{
		RunID: s.plan.RunID, Pane: s.plan.Pane, Generation: s.plan.Server.Generation, PID: s.plan.PID, Leader: s.pid,
		Streamed: s.plan.Streams, StartedAt: s.plan.Started, Outcome: frame.TimedOut,
	}
	if s.record != nil {
		record = *s.record
	}
	record.Started = record.Started || s.released
	if s.attended() {
		record.Running = true
		return record
	}
	record.Unattended, record.Complete, record.Reason = true, false, frame.Unattended
	record.Running = s.released && !s.ended && !s.gone
	if record.Streamed {
		record.Stdout, record.Stderr = stream(s.stdout, len(s.stdout)), stream(s.stderr, len(s.stderr))
	}
	switch {
	case s.ended:
		status := s.status
		record.Outcome, record.Status, record.EndedAt = frame.OutcomeOf(status), &status, s.endedAt.UnixMilli()
		if record.Streamed {
			record.Complete, record.Reason = true, ""
		}
	case s.gone:
		record.Outcome, record.EndedAt, record.Reason = frame.PaneDied, s.endedAt.UnixMilli(), frame.ShellGone
	case !record.Running:
		record.EndedAt = time.Now().UnixMilli()
	}
	return record
}

// Drop is the death of this process: nobody attends its frames any more.
func (f *Frames) Drop() {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	f.dead = true
	for _, s := range f.world.frames {
		if s.owner == f && !s.released {
			s.revoked = true
		}
	}
	f.world.touch()
}

// A Frame is one staged command of the fake.
type Frame struct {
	world  *World
	staged *staged
}

var _ ports.Frame = (*Frame)(nil)

// Line implements [ports.Frame].
func (f *Frame) Line() string { return f.staged.line() }

// Started implements [ports.Frame].
func (f *Frame) Started(ctx context.Context) (int, error) {
	s := f.staged
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	err := f.world.wait(ctx, func() bool { return s.started || s.gone || s.revoked })
	switch {
	case err != nil:
		s.revoked = true
		f.world.touch()
		return 0, ended(ctx, "wait for the start of run "+s.plan.RunID)
	case !s.started || s.revoked:
		return 0, failed(fault.CommandFailed, "start", s.plan.RunID, "the frame of run %s was revoked, or its shell is gone", s.plan.RunID)
	}
	return s.pid, nil
}

// Release implements [ports.Frame].
func (f *Frame) Release() error {
	s := f.staged
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	if s.revoked || s.gone || s.closed || !s.started {
		return failed(fault.CommandFailed, "release", s.plan.RunID, "the frame of run %s is revoked, or its shell is gone", s.plan.RunID)
	}
	s.released = true
	f.world.touch()
	return nil
}

// Ended implements [ports.Frame].
func (f *Frame) Ended(ctx context.Context) (frame.End, error) {
	s := f.staged
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	if err := f.world.wait(ctx, func() bool { return s.ended || s.gone }); err != nil {
		return frame.End{}, ended(ctx, "wait for the end of run "+s.plan.RunID)
	}
	if !s.ended {
		return frame.End{Gone: true}, nil
	}
	return frame.End{Status: s.status}, nil
}

// Streams implements [ports.Frame].
func (f *Frame) Streams(limit int) (stdout, stderr frame.Stream, err error) {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	return stream(f.staged.stdout, limit), stream(f.staged.stderr, limit), nil
}

func stream(data []byte, limit int) frame.Stream {
	newest := data[max(len(data)-limit, 0):]
	return frame.NewStream(append([]byte(nil), newest...), int64(len(data)))
}

// Keep implements [ports.Frame].
func (f *Frame) Keep(record frame.Record) error {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	f.staged.record = &record
	return nil
}

// Close implements [ports.Frame].
func (f *Frame) Close() error {
	s := f.staged
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	s.closed = true
	s.revoked = s.revoked || !s.released
	place := holding{s.plan.Server.Generation, s.plan.Pane}
	if f.world.holders[place] == s {
		delete(f.world.holders, place)
	}
	f.world.touch()
	return nil
}

// stagedAs finds the frame that a typed line sources.
func (w *World) stagedAs(line string) *staged {
	id, ok := strings.CutPrefix(line, `\. /fake/`)
	id, whole := strings.CutSuffix(id, "/go")
	if !ok || !whole {
		return nil
	}
	return w.frames[id]
}

// play is what the pane's shell does with a frame; it gives the status that $? has then. Called without the mutex.
func (s *shell) play(j *job, f *staged) int {
	w := s.terminal.pane.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if f.revoked || f.closed || f.started {
		s.terminal.pane.write(fmt.Appendf(nil, "%s: %s: No such file or directory\n", s.family(), strings.TrimSpace(f.line())))
		return 1
	}
	j.group = &process{pid: w.newPID(), name: s.self.name, argv: s.self.argv, of: s.terminal}
	w.process[j.group.pid] = j.group
	s.terminal.foreground = j.group
	defer delete(w.process, j.group.pid)

	s.terminal.pane.write([]byte(f.plan.Shown + "\n"))
	f.started, f.pid = true, j.group.pid
	w.touch()
	if w.wait(j.ctx, func() bool { return f.released || f.revoked || f.owner.dead }) != nil || !f.released {
		f.revoked = true
		f.gone = s.terminal.ctx.Err() != nil
		w.touch()
		return 1
	}

	w.mu.Unlock()
	status := s.playCommand(j, f)
	w.mu.Lock()

	f.endedAt = time.Now()
	if s.terminal.ctx.Err() != nil {
		f.gone = true
		w.touch()
		return 1
	}
	f.ended, f.status = true, status
	w.touch()
	_ = w.wait(s.terminal.ctx, func() bool { return !f.attended() }) // the pane may end first
	return status
}

// playCommand runs the command in a subshell of the pane's shell. Called without the mutex.
func (s *shell) playCommand(j *job, f *staged) int {
	var stdout, stderr io.Writer = j, j
	if f.plan.Streams {
		w := s.terminal.pane.world
		stdout, stderr = &streamWriter{w, &f.stdout}, &streamWriter{w, &f.stderr}
	}
	file, err := parse(f.plan.Command)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "%s: syntax error: %v\n", s.family(), err) // fails only when the pane is gone
		return 2
	}
	sub := j.runner.Subshell()
	if err := interp.StdIO(nil, stdout, stderr)(sub); err != nil {
		panic(err) // only opens pipes for a standard input
	}
	status := j.run(j.ctx, sub, file)
	setStatus(j.runner, status)
	return status
}

// A streamWriter is a private file of a run.
type streamWriter struct {
	world *World
	to    *[]byte
}

func (s *streamWriter) Write(data []byte) (int, error) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	*s.to = append(*s.to, data...)
	s.world.touch()
	return len(data), nil
}
