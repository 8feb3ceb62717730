package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// recalls compares what is told of run1; Leader and EndedAt are whatever they are, but consistent with Running.
func recalls(t *testing.T, frames ports.Frames, want frame.Record) {
	t.Helper()
	got, err := frames.Recall(bounded(t), "run1")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(frame.Record{}, "Leader", "EndedAt")); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	if got.Running != (got.EndedAt == 0) {
		t.Errorf("running %t, ended at %d", got.Running, got.EndedAt)
	}
}

// told is what is known of run1 from its plan alone.
func told() frame.Record {
	return frame.Record{RunID: "run1", Pane: "%1", Generation: "g1", PID: 4711, Outcome: frame.TimedOut, StartedAt: 1000}
}

func TestRecallKept(t *testing.T) {
	dir := place(t)
	frames := open(t, dir)
	staged := stage(t, frames, planOf("run1", "exit 5"))
	shell, _ := begin(t, staged)
	ended(t, staged)
	status := 5
	want := told()
	want.Outcome, want.Status, want.Started, want.Complete = frame.Completed, &status, true, true
	want.Lines, want.Dropped, want.Cursor = []string{"a", "日"}, 2, "sealed"
	want.Stdout = frame.Stream{Data: []byte{0, 255}, Total: 9}
	want.EndedAt = time.Now().UnixMilli()
	if err := staged.Keep(want); err != nil {
		t.Fatal(err)
	}
	recalls(t, frames, want)
	closes(t, staged)
	shell.says(t)
	for range 2 {
		recalls(t, open(t, dir), want)
	}
	if got := names(t, dir); got != "[run1.json]" {
		t.Errorf("left: %s", got)
	}
	if _, err := frames.Stage(bounded(t), planOf("run1", "true")); err == nil {
		t.Error("a run id is used twice")
	}
}

// A run that nobody attends any more, from its release to its end.
func TestRecallUnattended(t *testing.T) {
	for name, streams := range map[string]bool{"on the screen": false, "with streams": true} {
		t.Run(name, func(t *testing.T) {
			dir := place(t)
			hold := newGate(t)
			plan := planOf("run1", "echo out; "+hold.command()+"; echo more; exit 6")
			plan.Streams = streams
			staged := stage(t, open(t, dir), plan)
			shell, pid := begin(t, staged)
			want := told()
			want.Running, want.Started, want.Streamed = true, true, streams
			other := open(t, dir)
			eventually(t, "it is known to run", func() bool {
				got, err := other.Recall(bounded(t), "run1")
				return err == nil && got.Started
			})
			recalls(t, other, want)
			if got, err := other.Recall(bounded(t), "run1"); err != nil || got.Leader != pid {
				t.Errorf("leader %d, %v, want %d", got.Leader, err, pid)
			}

			closes(t, staged)
			want.Unattended, want.Reason = true, frame.Unattended
			if streams {
				want.Stdout, want.Stderr = frame.Stream{Data: []byte("out\n"), Total: 4}, frame.Stream{Data: []byte{}, Total: 0}
				eventually(t, "the first line is written", func() bool {
					got, err := other.Recall(bounded(t), "run1")
					return err == nil && got.Stdout.Total == 4
				})
			}
			recalls(t, other, want)
			recalls(t, open(t, dir), want) // a new process leaves it alone

			hold.open(t)
			shell.says(t)
			status := 6
			want.Running, want.Outcome, want.Status = false, frame.Completed, &status
			if streams {
				want.Complete, want.Reason, want.Stdout = true, "", frame.Stream{Data: []byte("out\nmore\n"), Total: 9}
			}
			recalls(t, other, want)
			recalls(t, open(t, dir), want)
			if got := names(t, dir); got != "[run1.json]" {
				t.Errorf("left: %s", got)
			}
		})
	}
}

// A record that cannot be kept, as on a full disk, takes nothing with it: the status is still told.
func TestRecallWhatCouldNotBeKept(t *testing.T) {
	dir := place(t)
	staged := stage(t, open(t, dir), planOf("run1", "exit 7"))
	shell, _ := begin(t, staged)
	ended(t, staged)
	inTheWay := filepath.Join(dir, "run1.json")
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := staged.Keep(told()); err == nil {
		t.Error("a record was kept in place of a directory")
	}
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	closes(t, staged)
	shell.says(t)
	status := 7
	want := told()
	want.Unattended, want.Started, want.Outcome, want.Status, want.Reason = true, true, frame.Completed, &status, frame.Unattended
	recalls(t, open(t, dir), want)
	if got := names(t, dir); got != "[run1.json]" {
		t.Errorf("left: %s", got)
	}
}

func eventually(t *testing.T, what string, check func() bool) {
	t.Helper()
	for !check() {
		select {
		case <-bounded(t).Done():
			t.Fatalf("not within %v: %s", hangBound, what)
		case <-time.After(time.Millisecond): // polls another process: there is no event to wait for
		}
	}
}

func TestRecallShellGone(t *testing.T) {
	dir := place(t)
	hold := newGate(t)
	staged := stage(t, open(t, dir), planOf("run1", hold.command()))
	shell, pid := begin(t, staged)
	eventually(t, "it is known to run", func() bool {
		got, err := open(t, dir).Recall(bounded(t), "run1")
		return err == nil && got.Started
	})
	closes(t, staged)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	hold.open(t)
	shell.says(t)
	want := told()
	want.Started, want.Unattended, want.Outcome, want.Reason = true, true, frame.PaneDied, frame.ShellGone
	for range 2 {
		recalls(t, open(t, dir), want)
	}
	if got := names(t, dir); got != "[run1.json]" {
		t.Errorf("left: %s", got)
	}
}

func TestRecallUnknown(t *testing.T) {
	frames := open(t, place(t))
	for _, run := range []string{"run1", "", "..", "../run1", "RUN1", ".tidy", strings.Repeat("a", 300)} {
		if _, err := frames.Recall(bounded(t), run); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: %v, want not found", run, err)
		}
	}
}

// What ended a day ago is not told any more, and taken away by the next process.
func TestRecallExpires(t *testing.T) {
	dir := place(t)
	for run, age := range map[string]time.Duration{"young": 23 * time.Hour, "old": 25 * time.Hour} {
		staged := stage(t, open(t, dir), planOf(run, "true"))
		record := told()
		record.RunID, record.EndedAt = run, time.Now().Add(-age).UnixMilli()
		if err := staged.Keep(record); err != nil {
			t.Fatal(err)
		}
		closes(t, staged)
		at := time.Now().Add(-age)
		if err := os.Chtimes(filepath.Join(dir, run+".json"), at, at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := open(t, place(t)).Recall(bounded(t), "old"); !fault.Is(err, fault.NotFound) {
		t.Errorf("elsewhere: %v", err)
	}
	frames := open(t, dir)
	if _, err := frames.Recall(bounded(t), "old"); !fault.Is(err, fault.NotFound) {
		t.Errorf("old: %v, want not found", err)
	}
	if _, err := frames.Recall(bounded(t), "young"); err != nil {
		t.Errorf("young: %v", err)
	}
	if got := names(t, dir); got != "[young.json]" {
		t.Errorf("left: %s", got)
	}
}

func TestRecallBroken(t *testing.T) {
	dir := place(t)
	frames := open(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "run1.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := frames.Recall(bounded(t), "run1"); err == nil || fault.Is(err, fault.NotFound) {
		t.Errorf("a record that is not one: %v", err)
	}
}

// A new process tidies what dead ones left, and nothing else.
func TestOpenSweeps(t *testing.T) {
	dir := place(t)
	first := open(t, dir)
	attended := stage(t, first, planOf("attended", "true"))
	long := time.Now().Add(-25 * time.Hour)
	for name, old := range map[string]bool{".new-1": true, ".new-2": false, ".old-1": true, "notes": true, "x.lock": true, "Other": true} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if old {
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
		}
	}
	before := names(t, dir)
	open(t, dir)
	want := strings.NewReplacer(".new-1 ", "", ".old-1 ", "", " x.lock", "").Replace(before)
	if diff := cmp.Diff(want, names(t, dir)); diff != "" || want == before {
		t.Errorf("left of %s (-want +got):\n%s", before, diff)
	}
	shell, _ := begin(t, attended)
	if end := ended(t, attended); end != (frame.End{}) {
		t.Errorf("what is attended was disturbed: %+v", end)
	}
	closes(t, attended)
	shell.says(t)
}

// A process that died between keeping a record and closing its frame leaves both.
func TestRecallKeptNotClosed(t *testing.T) {
	dir, died := place(t), place(t)
	staged := stage(t, open(t, dir), planOf("run1", "exit 5"))
	shell, _ := begin(t, staged)
	ended(t, staged)
	want := told()
	want.Outcome, want.Started, want.Lines, want.Complete, want.EndedAt = frame.Interrupted, true, []string{"a"}, true, time.Now().UnixMilli()
	if err := staged.Keep(want); err != nil {
		t.Fatal(err)
	}
	open(t, died)
	if err := os.Mkdir(filepath.Join(died, "run1"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"run1.json", "run1/plan", "run1/attended", "run1/ran", "run1/st"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(died, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	closes(t, staged)
	shell.says(t)
	recalls(t, open(t, died), want)
	if got := names(t, died); got != "[run1.json]" {
		t.Errorf("left: %s", got)
	}
}
