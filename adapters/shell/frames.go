// Package shell makes commands ready for the shell of a pane, outside the line editor and the screen: private files that the
// shell sources, and FIFOs over which it says that it started and ended and waits to go on. Nothing of it can leave a pane
// hanging: when this process dies, the ends of the FIFOs close, and the shell goes on by itself.
package shell

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Options say where frames are.
type Options struct {
	// Dir is a private directory, absolute, made if it does not exist. Empty: /run/user/UID/libtmux-mcp if
	// /run/user/UID is the user's, else /tmp/libtmux-mcp-UID.
	Dir string
}

// Frames are the framed commands of this user on this machine. All processes of the user share one directory, in which each
// run has a directory of its own while its shell may need it, and then a record.
type Frames struct{ dir string }

var _ ports.Frames = (*Frames)(nil)

// Open finds or makes the directory, and tidies what dead processes left there and what is older than its keep. A directory
// that is not private and ours is TransportError.
func Open(options Options) (*Frames, error) {
	dir := options.Dir
	if dir == "" {
		dir = defaultPlace()
	}
	if err := prepare(dir); err != nil {
		return nil, err
	}
	f := &Frames{dir: dir}
	f.sweep()
	return f, nil
}

// Stage implements ports.Frames.
func (f *Frames) Stage(ctx context.Context, plan ports.Plan) (ports.Frame, error) {
	const op = "stage a command"
	if err := ctx.Err(); err != nil {
		return nil, failed(op, plan.RunID, err)
	}
	if err := check(plan); err != nil {
		return nil, err
	}
	pane, err := f.hold(ctx, plan)
	if err != nil {
		return nil, err
	}
	staged, err := f.build(plan)
	if err != nil {
		return nil, failed(op, plan.RunID, errors.Join(err, pane.remove()))
	}
	staged.pane = pane
	return staged, nil
}

// check refuses what no shell could run right.
func check(plan ports.Plan) error {
	switch {
	case !frame.Runs(plan.Shell):
		return &fault.Error{Kind: fault.Unsupported, Op: "stage a command", Message: fmt.Sprintf("no command can be framed in shell %q", plan.Shell)}
	case !frame.ValidRunID(plan.RunID):
		return fault.Invalidf("lower-case letters and digits", "run id %q is not one", plan.RunID)
	case !frame.ValidToken(plan.Token):
		return fault.Invalidf("upper-case letters and the digits 2 to 7", "token %q is not one", plan.Token)
	case strings.ContainsRune(plan.Command, 0):
		return fault.Invalidf("leave the NUL out", "command holds a NUL byte, which no shell can read")
	case strings.ContainsFunc(plan.Shown, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fault.Invalidf("one printable line", "what is to be shown, %q, is not one printable line", plan.Shown)
	}
	return nil
}

// lockOf is where the lock of a pane is.
func (f *Frames) lockOf(server tmux.Server, pane tmux.PaneID) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", server.Generation, pane))
	return filepath.Join(f.dir, hex.EncodeToString(sum[:12])+suffixLock)
}

// lookBound is how long a look at a lock, by Holder or by the sweep of another process, may be taken for its holder.
const lookBound = 50 * time.Millisecond

// hold takes the pane for the plan's run, across all processes of the user.
func (f *Frames) hold(ctx context.Context, plan ports.Plan) (*lock, error) {
	op, path := "hold pane "+string(plan.Pane), f.lockOf(plan.Server, plan.Pane)
	pane, err := acquire(path)
	for since := time.Now(); errors.Is(err, errHeld) && time.Since(since) < lookBound; pane, err = acquire(path) {
		if err := pause(ctx); err != nil {
			return nil, failed(op, plan.RunID, err)
		}
	}
	if errors.Is(err, errHeld) {
		holder, _ := os.ReadFile(path) // only for the message
		return nil, &fault.Error{
			Kind: fault.Refused, Reason: fault.Busy, Op: "stage a command", Target: string(plan.Pane),
			Message:  fmt.Sprintf("run %s holds pane %s", holder, plan.Pane),
			Recovery: fmt.Sprintf("wait for it with get_run (run_id %q), or use another pane", holder),
		}
	}
	if err != nil {
		return nil, failed(op, plan.RunID, err)
	}
	if err := errors.Join(pane.file.Truncate(0), write(pane.file, plan.RunID)); err != nil {
		return nil, failed(op, plan.RunID, errors.Join(err, pane.remove()))
	}
	return pane, nil
}

// Holder implements ports.Frames.
func (f *Frames) Holder(ctx context.Context, server tmux.Server, pane tmux.PaneID) (string, error) {
	path := f.lockOf(server, pane)
	for {
		runID, err := holderOf(path)
		if err == nil && runID != "" && exists(filepath.Join(f.dir, runID)) {
			return runID, nil
		}
		if err == nil { // it is being taken, and not yet signed by its new holder, or being given free
			err = pause(ctx)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return "", nil
		case err != nil:
			return "", failed("look who holds pane "+string(pane), "", err)
		}
	}
}

// holderOf reads who holds the lock at path: fs.ErrNotExist if nobody does.
func holderOf(path string) (runID string, err error) {
	taken, err := held(path)
	if err != nil {
		return "", err
	}
	if !taken { // by a process that died
		return "", fs.ErrNotExist
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

func write(file *os.File, text string) error {
	_, err := file.WriteString(text)
	return err
}

// build makes the run's directory. It is built aside and appears under its name complete and attended.
func (f *Frames) build(plan ports.Plan) (*Frame, error) {
	dir := filepath.Join(f.dir, plan.RunID)
	if _, err := os.Lstat(filepath.Join(f.dir, plan.RunID+suffixRecord)); err == nil {
		return nil, fs.ErrExist
	}
	aside, err := os.MkdirTemp(f.dir, prefixNew)
	if err != nil {
		return nil, err
	}
	built := &Frame{frames: f, dir: dir, plan: plan, turn: make(chan struct{}, 1)}
	if err = built.fill(aside); err == nil {
		err = os.Rename(aside, dir)
	}
	if err != nil {
		err = errors.Join(err, built.shut(), os.RemoveAll(aside))
		if built.attended != nil {
			err = errors.Join(err, built.attended.release())
		}
		return nil, err
	}
	return built, nil
}

// fill writes the files of the frame into dir and opens our ends of the FIFOs.
func (f *Frame) fill(dir string) (err error) {
	files := texts(f.dir, f.plan)
	plan, err := json.Marshal(frame.Record{
		RunID: f.plan.RunID, Pane: f.plan.Pane, Generation: f.plan.Server.Generation, PID: f.plan.PID, Streamed: f.plan.Streams,
		Running: true, Outcome: frame.TimedOut, StartedAt: f.plan.Started,
	})
	if err != nil {
		return err
	}
	files[filePlan] = string(plan)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	up, down := filepath.Join(dir, fileUp), filepath.Join(dir, fileDown)
	if err := errors.Join(unix.Mkfifo(up, 0o600), unix.Mkfifo(down, 0o600)); err != nil {
		return err
	}
	if f.attended, err = acquire(filepath.Join(dir, fileAttended)); err != nil {
		return err
	}
	if f.up, err = openReader(up); err != nil {
		return err
	}
	if f.keepOpen, err = os.OpenFile(up, os.O_WRONLY|unix.O_NONBLOCK, 0); err != nil {
		return err
	}
	f.down, err = os.OpenFile(down, os.O_RDWR|unix.O_NONBLOCK, 0)
	return err
}

// failed translates an error of the system or of a context.
func failed(op, run string, err error) error {
	kind := fault.Internal
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		kind = fault.Deadline
	case errors.Is(err, context.Canceled):
		kind = fault.Cancelled
	}
	return &fault.Error{Kind: kind, Op: op, Target: run, Message: fmt.Sprintf("%s (run %s)", op, run), Err: err}
}
