package shell_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestFrame(t *testing.T) {
	dir := place(t)
	staged := stage(t, open(t, dir), planOf("run1", "echo out; exit 7"))
	shell, pid := begin(t, staged)
	if pid == shell.Process.Pid || pid <= 1 {
		t.Errorf("process %d is not a subshell of %d", pid, shell.Process.Pid)
	}
	if end := ended(t, staged); end != (frame.End{Status: 7}) {
		t.Errorf("end %+v, want status 7", end)
	}
	if end := ended(t, staged); end != (frame.End{Status: 7}) {
		t.Errorf("end at the second call %+v, want status 7", end)
	}
	if err := staged.Keep(told()); err != nil {
		t.Fatal(err)
	}
	closes(t, staged)
	if diff := cmp.Diff("[TOKEN] $ it's\nout\nstatus 7\n", shell.says(t)); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	if got := names(t, dir); got != "[run1.json]" {
		t.Errorf("left: %s", got)
	}
}

func TestFrameIsPrivate(t *testing.T) {
	staged := stage(t, open(t, place(t)), planOf("run1", "true"))
	seen := 0
	err := filepath.WalkDir(filepath.Dir(dirOf(staged)), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if seen++; info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return nil
	})
	if err != nil || seen < 8 {
		t.Errorf("saw %d files: %v", seen, err)
	}
}

func TestStageRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ports.Plan)
		want   fault.Kind
	}{
		"a NUL":                        {func(p *ports.Plan) { p.Command = "a\x00b" }, fault.InvalidInput},
		"a path for an id":             {func(p *ports.Plan) { p.RunID = "../x" }, fault.InvalidInput},
		"a token that may be any text": {func(p *ports.Plan) { p.Token = "a b" }, fault.InvalidInput},
		"another shell":                {func(p *ports.Plan) { p.Shell = "csh" }, fault.Unsupported},
		"two lines to show":            {func(p *ports.Plan) { p.Shown = "a\nb" }, fault.InvalidInput},
		"an escape to show":            {func(p *ports.Plan) { p.Shown = "\x1b[2J" }, fault.InvalidInput},
		"an id that is used":           {func(p *ports.Plan) { p.RunID, p.Pane = "used", "%2" }, fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			dir := place(t)
			frames := open(t, dir)
			stage(t, frames, planOf("used", "true"))
			before := names(t, dir)
			plan := planOf("run1", "true")
			plan.Pane = "%3"
			c.change(&plan)
			if _, err := frames.Stage(bounded(t), plan); !fault.Is(err, c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if after := names(t, dir); after != before {
				t.Errorf("left %s, there was %s", after, before)
			}
		})
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := open(t, place(t)).Stage(cancelled, planOf("run1", "true")); !fault.Is(err, fault.Cancelled) {
		t.Errorf("with a cancelled context: %v", err)
	}
}

func TestStagePaneIsHeld(t *testing.T) {
	dir := place(t)
	one, other := open(t, dir), open(t, dir)
	staged := stage(t, one, planOf("run1", "true"))
	_, err := other.Stage(bounded(t), planOf("run2", "true"))
	refusal, ok := errors.AsType[*fault.Error](err)
	if !ok || refusal.Kind != fault.Refused || refusal.Reason != fault.Busy || !strings.Contains(refusal.Message, "run1") {
		t.Errorf("another process gets %v, want busy with run1", err)
	}
	elsewhere := planOf("run3", "true")
	elsewhere.Pane = "%2"
	closes(t, stage(t, other, elsewhere))
	later := planOf("run4", "true")
	later.Server.Generation = "g2"
	closes(t, stage(t, other, later))
	closes(t, staged)
	closes(t, stage(t, other, planOf("run5", "true")))
}

// However many processes try, one holds the pane.
func TestStageRace(t *testing.T) {
	dir := place(t)
	var holders, held atomic.Int64
	var group sync.WaitGroup
	for worker := range 8 {
		frames := open(t, dir)
		group.Go(func() {
			for i := range 25 {
				staged, err := frames.Stage(t.Context(), planOf(fmt.Sprintf("run%dx%d", worker, i), "true"))
				if err != nil {
					if refusal, ok := errors.AsType[*fault.Error](err); !ok || refusal.Reason != fault.Busy {
						t.Error(err)
					}
					continue
				}
				held.Add(1)
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d frames hold the pane", n)
				}
				holders.Add(-1)
				if err := staged.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if held.Load() == 0 {
		t.Error("nobody ever held the pane")
	}
	if got := names(t, dir); got != "[]" {
		t.Errorf("left: %s", got)
	}
}

func TestStartedRevokes(t *testing.T) {
	dir := place(t)
	marker := filepath.Join(t.TempDir(), "marker")
	staged := stage(t, open(t, dir), planOf("run1", "touch "+marker))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := staged.Started(ctx); !fault.Is(err, fault.Cancelled) {
		t.Errorf("Started: %v, want cancelled", err)
	}
	if err := staged.Release(); err == nil {
		t.Error("Release of a revoked frame says nothing")
	}
	shell := enter(t, staged)
	if got := shell.says(t); got != "[TOKEN] $ it's\nstatus 0\n" {
		t.Errorf("output %q", got)
	}
	closes(t, staged)
	if _, err := os.Stat(marker); err == nil {
		t.Error("the command ran")
	}
}

func TestReleaseNeedsStart(t *testing.T) {
	staged := stage(t, open(t, place(t)), planOf("run1", "true"))
	if err := staged.Release(); err == nil {
		t.Error("Release before Started says nothing")
	}
	shell, _ := begin(t, staged)
	if err := staged.Release(); err == nil {
		t.Error("Release twice says nothing")
	}
	ended(t, staged)
	closes(t, staged)
	shell.says(t)
	if err := staged.Release(); err == nil {
		t.Error("Release after Close says nothing")
	}
}

func TestEndedWaitsAgain(t *testing.T) {
	hold := newGate(t)
	staged := stage(t, open(t, place(t)), planOf("run1", hold.command()+"; exit 3"))
	shell, _ := begin(t, staged)
	ctx, cancel := context.WithCancel(t.Context())
	waiting := make(chan error, 1)
	go func() {
		_, err := staged.Ended(ctx)
		waiting <- err
	}()
	cancel()
	if err := <-waiting; !fault.Is(err, fault.Cancelled) {
		t.Errorf("Ended: %v, want cancelled", err)
	}
	hold.open(t)
	if end := ended(t, staged); end != (frame.End{Status: 3}) {
		t.Errorf("end %+v, want status 3", end)
	}
	closes(t, staged)
	shell.says(t)
}

// Close ends a wait that goes on elsewhere.
func TestCloseEndsWait(t *testing.T) {
	hold := newGate(t)
	staged := stage(t, open(t, place(t)), planOf("run1", hold.command()))
	shell, _ := begin(t, staged)
	waiting := make(chan error, 1)
	go func() {
		_, err := staged.Ended(bounded(t))
		waiting <- err
	}()
	closes(t, staged)
	if err := <-waiting; !fault.Is(err, fault.Internal) {
		t.Errorf("Ended: %v, want that the frame is closed", err)
	}
	hold.open(t)
	shell.says(t)
}

// A shell that is gone without a word, but for what it recorded, and only if that is whole.
func TestEndedGone(t *testing.T) {
	for name, c := range map[string]struct {
		status string
		want   frame.End
	}{
		"nothing":      {"", frame.End{Gone: true}},
		"a part":       {"1", frame.End{Gone: true}},
		"the status":   {"13\n", frame.End{Status: 13}},
		"not a status": {"x\n", frame.End{Gone: true}},
	} {
		t.Run(name, func(t *testing.T) {
			hold := newGate(t)
			staged := stage(t, open(t, place(t)), planOf("run1", hold.command()))
			_, pid := begin(t, staged)
			if c.status != "" {
				if err := os.WriteFile(filepath.Join(dirOf(staged), "st"), []byte(c.status), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if end := ended(t, staged); end != c.want {
				t.Errorf("end %+v, want %+v", end, c.want)
			}
			hold.open(t)
			closes(t, staged)
		})
	}
}

func TestStreams(t *testing.T) {
	plan := planOf("run1", `printf 'a\0b'; printf 'err%s' or >&2; exit 2`)
	plan.Streams = true
	staged := stage(t, open(t, place(t)), plan)
	shell, _ := begin(t, staged)
	ended(t, staged)
	for _, c := range []struct {
		limit       int
		out, errout frame.Stream
	}{
		{100, frame.Stream{Data: []byte("a\x00b"), Total: 3}, frame.Stream{Data: []byte("error"), Total: 5}},
		{2, frame.Stream{Data: []byte("\x00b"), Total: 3}, frame.Stream{Data: []byte("or"), Total: 5}},
		{0, frame.Stream{Data: []byte{}, Total: 3}, frame.Stream{Data: []byte{}, Total: 5}},
	} {
		out, errout, err := staged.Streams(c.limit)
		if diff := cmp.Diff([]any{c.out, c.errout, nil}, []any{out, errout, err}); diff != "" {
			t.Errorf("limit %d (-want +got):\n%s", c.limit, diff)
		}
	}
	closes(t, staged)
	if got := shell.says(t); got != "[TOKEN] $ it's\na\x00berrorstatus 2\n" {
		t.Errorf("shown: %q", got)
	}
}

// However often others look who holds a pane, whoever stages finds it free, even where a dead process left its lock.
func TestHolderDisturbsNobody(t *testing.T) {
	dir := place(t)
	frames := open(t, dir)
	plan := planOf("run1", "true")
	lock := lockOf(t, dir, frames, plan)
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if got, err := frames.Holder(t.Context(), plan.Server, plan.Pane); err != nil || got != "" && !strings.HasPrefix(got, "run2x") {
					t.Errorf("run %q holds the pane, %v", got, err)
					return
				}
			}
		}
	})
	for i := range 50 {
		if err := os.WriteFile(lock, []byte("dead"), 0o600); err != nil {
			t.Fatal(err)
		}
		plan.RunID = fmt.Sprintf("run2x%d", i)
		closes(t, stage(t, frames, plan))
	}
	close(stop)
	group.Wait()
}

// lockOf is where the lock of a plan's pane is.
func lockOf(t *testing.T, dir string, frames ports.Frames, plan ports.Plan) string {
	t.Helper()
	staged := stage(t, frames, plan)
	defer closes(t, staged)
	found, err := filepath.Glob(filepath.Join(dir, "*.lock"))
	if err != nil || len(found) != 1 {
		t.Fatalf("locks %q, %v", found, err)
	}
	return found[0]
}
