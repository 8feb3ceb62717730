package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
)

const (
	keepTime    = 24 * time.Hour
	streamLimit = 262144 // bytes of each stream in a record: the wire contract's greatest bound
)

// Names in the shared directory, beside the run directories.
const (
	suffixRecord = ".json"
	suffixLock   = ".lock"
	prefixNew    = ".new-" // not complete yet
	prefixOld    = ".old-" // being removed
	nameTidy     = ".tidy" // locked while a process turns what dead processes left into records
)

// Recall implements ports.Frames.
func (f *Frames) Recall(ctx context.Context, runID string) (frame.Record, error) {
	const op = "recall a run"
	missing := &fault.Error{
		Kind: fault.NotFound, Op: op, Target: runID, Message: fmt.Sprintf("no run %q is known", runID),
		Recovery: "run ids come from run_shell_command; results are kept for 24 hours",
	}
	if !frame.ValidRunID(runID) {
		return frame.Record{}, missing
	}
	record, err := load(f.recordPath(runID))
	if err != nil || !final(record) {
		record, err = f.settleLocked(ctx, runID)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && expired(record):
		return frame.Record{}, missing
	case err != nil:
		return frame.Record{}, failed(op, runID, err)
	}
	return record, nil
}

func expired(record frame.Record) bool {
	return record.EndedAt != 0 && time.Since(time.UnixMilli(record.EndedAt)) > keepTime
}

// settleLocked is settle when no other process does so.
func (f *Frames) settleLocked(ctx context.Context, runID string) (frame.Record, error) {
	for {
		tidy, err := acquire(filepath.Join(f.dir, nameTidy))
		if err == nil {
			record, err := f.settle(runID)
			return record, errors.Join(err, tidy.release())
		}
		if !errors.Is(err, errHeld) {
			return frame.Record{}, err
		}
		if err := pause(ctx); err != nil {
			return frame.Record{}, err
		}
	}
}

// settle tells what is known of a run, and if nobody attends it and nothing needs its directory any more, turns that into a
// record. The tidy lock is held.
func (f *Frames) settle(runID string) (frame.Record, error) {
	dir := filepath.Join(f.dir, runID)
	plan, err := load(filepath.Join(dir, filePlan))
	record, keptErr := load(f.recordPath(runID))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return record, keptErr
	case err != nil:
		return frame.Record{}, err
	case errors.Is(keptErr, fs.ErrNotExist):
		record = plan
	case keptErr != nil:
		return frame.Record{}, keptErr
	}
	attended, err := held(filepath.Join(dir, fileAttended))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f.settle(runID) // its process kept the record and removed the directory just now
	case err != nil:
		return frame.Record{}, err
	}
	leader, err := readLeader(dir)
	if err != nil {
		return frame.Record{}, err
	}
	living := alive(leader) // looked at before the status, which the shell records before it goes
	if !final(record) {
		record.Leader, _ = pidOf(leader)
		record.Started = record.Started || exists(filepath.Join(dir, fileRan))
		record.Running = true
		if !attended {
			record, err = conclude(record, dir, living)
		}
	}
	if attended || living || err != nil {
		return record, err
	}
	return record, errors.Join(f.save(runID, record), f.discard(runID))
}

// conclude tells what became of a run whose process is dead.
func conclude(record frame.Record, dir string, living bool) (frame.Record, error) {
	record.Unattended, record.Complete, record.Reason = true, false, frame.Unattended
	status, ended := readStatus(dir)
	record.Running = living && !ended
	if !record.Running {
		record.EndedAt = time.Now().UnixMilli() // when it is noticed
	}
	switch {
	case ended:
		info, err := os.Stat(filepath.Join(dir, fileStatus))
		if err != nil {
			return record, err
		}
		record.Outcome, record.Status, record.EndedAt = frame.OutcomeOf(status), &status, info.ModTime().UnixMilli()
	case !record.Running && record.Started:
		record.Outcome, record.Reason = frame.PaneDied, frame.ShellGone
	case !record.Running:
		record.Outcome = frame.TimedOut
	}
	if !record.Streamed {
		return record, nil
	}
	var err error
	record.Stdout, record.Stderr, err = readStreams(dir, streamLimit)
	if ended {
		record.Complete, record.Reason = true, ""
	}
	return record, err
}

// readLeader reads the identity of the process that Started answered; empty if it did not.
func readLeader(dir string) (string, error) {
	leader, err := os.ReadFile(filepath.Join(dir, fileLeader))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(leader), err
}

// pidOf is the process id in an identity.
func pidOf(leader string) (pid int, ok bool) {
	number, _, _ := strings.Cut(leader, " ")
	pid, err := strconv.Atoi(number)
	return pid, err == nil
}

// alive reports whether the process of that identity lives.
func alive(leader string) bool {
	pid, ok := pidOf(leader)
	return ok && identity(pid) == leader
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// discard removes a run's directory, at once: whoever comes later finds all of it or nothing.
func (f *Frames) discard(runID string) error {
	aside := filepath.Join(f.dir, prefixOld+runID)
	if err := os.Rename(filepath.Join(f.dir, runID), aside); err != nil {
		return err
	}
	return os.RemoveAll(aside)
}

// sweep turns what dead processes left into records and removes what is older than its keep. It is housekeeping: what
// fails is left to the next process, and Recall judges for itself.
func (f *Frames) sweep() {
	tidy, err := acquire(filepath.Join(f.dir, nameTidy))
	if err != nil {
		return // another process is at it
	}
	defer func() { _ = tidy.release() }()
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return
	}
	for _, entry := range entries {
		name := entry.Name()
		path := filepath.Join(f.dir, name)
		info, err := entry.Info()
		if err != nil {
			continue // gone meanwhile
		}
		age := time.Since(info.ModTime())
		runID, isRecord := strings.CutSuffix(name, suffixRecord)
		switch {
		case strings.HasPrefix(name, prefixNew), strings.HasPrefix(name, prefixOld):
			if age > keepTime {
				_ = os.RemoveAll(path)
			}
		case strings.HasSuffix(name, suffixLock):
			if pane, err := acquire(path); err == nil {
				_ = pane.remove()
			}
		case isRecord:
			if age > keepTime && !exists(filepath.Join(f.dir, runID)) {
				_ = os.Remove(path)
			}
		case entry.IsDir() && frame.ValidRunID(name):
			_, _ = f.settle(name)
		}
	}
}
