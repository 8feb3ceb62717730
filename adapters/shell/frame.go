package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A Frame is one staged command, which this process attends.
type Frame struct {
	frames *Frames
	dir    string
	plan   ports.Plan

	pane     *lock // of the pane
	attended *lock // of the directory: others leave it alone
	up       reader
	keepOpen *os.File      // a writer of our own: no end of file on up before the shell has opened it
	down     *os.File      // both ends, so that it can be opened and written before the shell reads
	turn     chan struct{} // held by who reads up, and needed to set end

	mu       sync.Mutex // of all below
	started  bool
	leader   string // identity of the process that Started answers
	released bool
	end      *frame.End
	final    bool // a record was kept that nothing can change
	revoked  bool
	closed   bool
}

var _ ports.Frame = (*Frame)(nil)

var (
	errRevoked = errors.New("the frame is revoked: its command never runs")
	errClosed  = errors.New("the frame is closed")
	errOrder   = errors.New("called out of order")
)

// Line implements ports.Frame.
func (f *Frame) Line() string { return line(f.dir, f.plan.Shell) }

// Started implements ports.Frame. The process is a subshell of the pane's shell, which leads the job.
func (f *Frame) Started(ctx context.Context) (int, error) {
	pid, err := f.start(ctx)
	if err != nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.revoked = true
		return 0, failed("wait for the shell to start", f.plan.RunID, errors.Join(err, f.shut()))
	}
	return pid, nil
}

func (f *Frame) start(ctx context.Context) (int, error) {
	if err := f.take(ctx); err != nil {
		return 0, err
	}
	defer f.give()
	said, err := f.up.line(ctx)
	if err != nil {
		return 0, err
	}
	number, found := strings.CutPrefix(said, "start ")
	pid, err := strconv.Atoi(number)
	if !found || err != nil {
		return 0, fmt.Errorf("the shell said %q instead of its start", said)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.revoked || f.closed || f.started {
		return 0, errOrder
	}
	f.leader = identity(pid)
	if err := os.WriteFile(filepath.Join(f.dir, fileLeader), []byte(f.leader), 0o600); err != nil {
		return 0, err
	}
	f.started = true
	return pid, f.keepOpen.Close()
}

// take waits until nobody else reads what the shell says.
func (f *Frame) take(ctx context.Context) error {
	select {
	case f.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *Frame) give() { <-f.turn }

// Release implements ports.Frame.
func (f *Frame) Release() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	const op = "let the command run"
	switch {
	case f.closed:
		return failed(op, f.plan.RunID, errClosed)
	case f.revoked:
		return failed(op, f.plan.RunID, errRevoked)
	case !f.started || f.released:
		return failed(op, f.plan.RunID, errOrder)
	}
	f.released = true
	if err := write(f.down, "go\n"); err != nil {
		return failed(op, f.plan.RunID, err)
	}
	return nil
}

// Ended implements ports.Frame.
func (f *Frame) Ended(ctx context.Context) (frame.End, error) {
	const op = "wait for the command's end"
	if err := f.take(ctx); err != nil {
		return frame.End{}, failed(op, f.plan.RunID, err)
	}
	defer f.give()
	if f.end != nil {
		return *f.end, nil
	}
	end, err := f.hear(f.up.line(ctx))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		err = errClosed
	}
	if err != nil {
		return frame.End{}, failed(op, f.plan.RunID, err)
	}
	f.end = &end
	return end, nil
}

// hear understands what the shell said at last.
func (f *Frame) hear(said string, err error) (frame.End, error) {
	if errors.Is(err, io.EOF) {
		// The shell is gone, or was interrupted between recording the status and saying it.
		status, ok := readStatus(f.dir)
		return frame.End{Status: status, Gone: !ok}, nil
	}
	if err != nil {
		return frame.End{}, err
	}
	number, found := strings.CutPrefix(said, "end ")
	status, err := strconv.Atoi(number)
	if !found || err != nil {
		return frame.End{}, fmt.Errorf("the shell said %q instead of its end", said)
	}
	return frame.End{Status: status}, nil
}

// Streams implements ports.Frame.
func (f *Frame) Streams(limit int) (stdout, stderr frame.Stream, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return stdout, stderr, failed("read the streams", f.plan.RunID, errClosed)
	}
	if f.plan.Streams {
		if stdout, stderr, err = readStreams(f.dir, limit); err != nil {
			err = failed("read the streams", f.plan.RunID, err)
		}
	}
	return stdout, stderr, err
}

// Keep implements ports.Frame.
func (f *Frame) Keep(record frame.Record) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.frames.save(f.plan.RunID, record); err != nil {
		return failed("keep the record", f.plan.RunID, err)
	}
	f.final = final(record)
	return nil
}

// Close implements ports.Frame.
func (f *Frame) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	err := f.shut()
	// The directory stays while the command may have a status to record there, or no record tells it.
	over := f.end != nil || f.leader == "" || !alive(f.leader)
	if !f.released || f.final && over {
		err = errors.Join(err, f.frames.discard(f.plan.RunID))
	}
	if err = errors.Join(err, f.attended.release(), f.pane.remove()); err != nil {
		return failed("close the frame", f.plan.RunID, err)
	}
	return nil
}

// shut closes our ends of the FIFOs: the shell, if it waits, goes on, and runs nothing that was not released.
func (f *Frame) shut() error {
	var errs []error
	for _, file := range []*os.File{f.keepOpen, f.down, f.up.file} {
		if file == nil {
			continue
		}
		if err := file.Close(); !errors.Is(err, os.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
