package porttest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// shownRow is what the frames of this suite show.
const shownRow = "[TOKEN] $ shown"

// planFor is a plan for the shell in a pane.
func planFor(t *testing.T, w World, id tmux.PaneID, command string) ports.Plan {
	t.Helper()
	at := pane(t, w, id)
	var random [10]byte
	copy(random[:], fmt.Sprintf("%010d", time.Now().UnixNano()%1e10))
	return ports.Plan{
		RunID: frame.NewRunID(random), Token: "TOKEN", Server: topology(t, w).Server, Pane: id, PID: at.PID,
		Shell:   guard.Classify(w.Ports().Sample(bounded(t), at)).Shell,
		Command: command, Shown: shownRow, Started: time.Now().UnixMilli(),
	}
}

// shellPane is a pane whose shell is at its prompt.
func shellPane(t *testing.T, w World) tmux.PaneID {
	t.Helper()
	id := w.Session("main", Shell)
	prompts(t, w, id)
	return id
}

// staged stages a command; the frame is closed at the end if the case did not.
func staged(t *testing.T, w World, frames ports.Frames, plan ports.Plan) *attended {
	t.Helper()
	made, err := frames.Stage(bounded(t), plan)
	succeeds(t, w, err)
	a := &attended{Frame: made}
	t.Cleanup(func() {
		if !a.closed {
			_ = made.Close() // the pane may be gone
		}
	})
	return a
}

// attended is a frame that is closed once.
type attended struct {
	ports.Frame
	closed bool
}

func (a *attended) Close() error {
	a.closed = true
	return a.Frame.Close()
}

// types types the frame's line.
func types(t *testing.T, w World, id tmux.PaneID, f ports.Frame) {
	t.Helper()
	succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), f.Line(), true))
}

// started types the line and waits for the start.
func started(t *testing.T, w World, id tmux.PaneID, f ports.Frame) (pid int) {
	t.Helper()
	types(t, w, id, f)
	pid, err := f.Started(bounded(t))
	succeeds(t, w, err)
	return pid
}

// running starts a command and lets it run.
func running(t *testing.T, w World, id tmux.PaneID, command string, change func(*ports.Plan)) (*attended, ports.Plan) {
	t.Helper()
	plan := planFor(t, w, id, command)
	if change != nil {
		change(&plan)
	}
	f := staged(t, w, w.Ports(), plan)
	started(t, w, id, f)
	succeeds(t, w, f.Release())
	return f, plan
}

// ends waits for the end.
func ends(t *testing.T, w World, f ports.Frame, want frame.End) {
	t.Helper()
	got, err := f.Ended(bounded(t))
	succeeds(t, w, err)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("end (-want +got):\n%s\n%v", diff, w)
	}
}

// screenOf is all that a pane shows, in rows.
func screenOf(t *testing.T, w World, id tmux.PaneID) []string {
	t.Helper()
	return trimEnd(capture(t, w, ports.CaptureRequest{Pane: id, Join: true}).Rows)
}

// Frames runs the contract of [ports.Frames] and [ports.Frame].
func Frames(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"from the line to the prompt", wholeFrame},
		{"statuses", statuses},
		{"in a subshell of the pane's shell", subshell},
		{"a pane is held by one run, for every process", held},
		{"a start that does not come in time is revoked", lateStart},
		{"a frame that is closed before release does not run", func(t *testing.T, w World) {
			id := shellPane(t, w)
			f := staged(t, w, w.Ports(), planFor(t, w, id, "echo ra''n"))
			started(t, w, id, f)
			succeeds(t, w, f.Close())
			prompts(t, w, id)
			if got := screenOf(t, w, id); strings.Contains(strings.Join(got, "\n"), "ran") {
				t.Errorf("it ran: %q", got)
			}
		}},
		{"a frame that is closed before it is typed does not run", func(t *testing.T, w World) {
			id := shellPane(t, w)
			f := staged(t, w, w.Ports(), planFor(t, w, id, "echo ra''n"))
			succeeds(t, w, f.Close())
			types(t, w, id, f)
			shows(t, w, id, strings.TrimSpace(f.Line()))
			prompts(t, w, id)
			if got := screenOf(t, w, id); strings.Contains(strings.Join(got, "\n"), "ran\n") {
				t.Errorf("it ran: %q", got)
			}
		}},
		{"the wait for the end may end, and begin again", func(t *testing.T, w World) {
			id := shellPane(t, w)
			f, _ := running(t, w, id, "read x; exit 4", nil)
			short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			_, err := f.Ended(short)
			wants(t, w, fault.Deadline, err)
			succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "go on", true))
			ends(t, w, f, frame.End{Status: 4})
			ends(t, w, f, frame.End{Status: 4})
		}},
		{"the shell is gone", func(t *testing.T, w World) {
			id := shellPane(t, w)
			w.Session("other", Recorder) // the server stays
			f, _ := running(t, w, id, "sleep 99", nil)
			w.Kill(string(id))
			ends(t, w, f, frame.End{Gone: true})
			succeeds(t, w, f.Close())
		}},
		{"streams", streams},
		{"a stopped command", stoppedFrame},
		{"a record is kept", records},
		{"a frame that is closed while its command runs", abandoned},
		{"an end of which no record was kept", func(t *testing.T, w World) {
			id := shellPane(t, w)
			f, plan := running(t, w, id, "exit 6", nil)
			ends(t, w, f, frame.End{Status: 6})
			succeeds(t, w, f.Close())
			prompts(t, w, id)
			record, err := w.Peer().Recall(bounded(t), plan.RunID)
			if succeeds(t, w, err); record.Running || !record.Unattended || record.Status == nil || *record.Status != 6 {
				t.Errorf("its record is %+v, want status 6", record)
			}
		}},
		{"no such run", func(t *testing.T, w World) {
			_, err := w.Ports().Recall(bounded(t), "abcdefgh12345678")
			wants(t, w, fault.NotFound, err)
		}},
		{"calls end with their context", func(t *testing.T, w World) {
			id := shellPane(t, w)
			plan := planFor(t, w, id, "true")
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().Stage(ctx, plan)
				return err
			})
			succeeds(t, w, staged(t, w, w.Ports(), plan).Close()) // it left the pane free
		}},
		{"a NUL is invalid", func(t *testing.T, w World) {
			id := shellPane(t, w)
			_, err := w.Ports().Stage(bounded(t), planFor(t, w, id, "echo a\x00b"))
			wants(t, w, fault.InvalidInput, err)
			succeeds(t, w, staged(t, w, w.Ports(), planFor(t, w, id, "true")).Close())
		}},
	})
}

func wholeFrame(t *testing.T, w World) {
	id := shellPane(t, w)
	f := staged(t, w, w.Ports(), planFor(t, w, id, "echo ou''t; exit 7"))
	if line := f.Line(); !strings.HasPrefix(line, " ") || strings.ContainsAny(line, "\n\r") || len(line) > 120 {
		t.Errorf("line %q, want one short line with a leading space", line)
	}
	if pid := started(t, w, id, f); pid <= 0 {
		t.Errorf("process %d", pid)
	}
	want := []string{"$ " + f.Line(), shownRow}
	if diff := cmp.Diff(want, screenOf(t, w, id)); diff != "" {
		t.Errorf("screen before release (-want +got):\n%s", diff)
	}
	succeeds(t, w, f.Release())
	ends(t, w, f, frame.End{Status: 7})
	want = append(want, "out")
	if diff := cmp.Diff(want, screenOf(t, w, id)); diff != "" {
		t.Errorf("screen at the end, where the shell waits (-want +got):\n%s", diff)
	}
	succeeds(t, w, f.Close())
	prompts(t, w, id)
	if diff := cmp.Diff(append(want, "$"), screenOf(t, w, id)); diff != "" {
		t.Errorf("screen afterwards (-want +got):\n%s", diff)
	}
}

func statuses(t *testing.T, w World) {
	id := shellPane(t, w)
	for _, c := range []struct {
		command string
		keys    []string
		want    int
	}{
		{"true", nil, 0},
		{"false", nil, 1},
		{"exit 9", nil, 9},
		{"cat <<E >/dev/null\na 'b\nE", nil, 0},
		{"echo x # note", nil, 0},
		{"echo at wo''rk; sleep 99", []string{"C-c"}, 130},
	} {
		f, _ := running(t, w, id, c.command, nil)
		if c.keys != nil {
			shows(t, w, id, "at work") // C-c before that would hit the frame
			succeeds(t, w, w.Ports().SendKeys(bounded(t), precondition(t, w, true, id), c.keys))
		}
		ends(t, w, f, frame.End{Status: c.want})
		succeeds(t, w, f.Close())
		prompts(t, w, id)
	}
	f, _ := running(t, w, id, "echo 'oops", nil)
	if end, err := f.Ended(bounded(t)); err != nil || end.Status == 0 || end.Gone {
		t.Errorf("a syntax error: %+v, %v", end, err)
	}
	succeeds(t, w, f.Close())
	prompts(t, w, id)
}

func subshell(t *testing.T, w World) {
	id := shellPane(t, w)
	succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "f() { echo fun''ction; }; v=mine", true))
	prompts(t, w, id)
	f, _ := running(t, w, id, "f; echo $v; cd /tmp; v=other; exit 3", nil)
	ends(t, w, f, frame.End{Status: 3})
	succeeds(t, w, f.Close())
	prompts(t, w, id)
	succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "pwd; echo $v", true))
	shows(t, w, id, "\n/\nmine\n")
	shows(t, w, id, "\nfunction\nmine\n")
}

func held(t *testing.T, w World) {
	id := shellPane(t, w)
	first := planFor(t, w, id, "true")
	everybody := map[string]ports.Frames{"this process": w.Ports(), "another": w.Peer()}
	holder := func(when, want string, pane tmux.PaneID, server tmux.Server) {
		t.Helper()
		for name, frames := range everybody {
			got, err := frames.Holder(bounded(t), server, pane)
			if succeeds(t, w, err); got != want {
				t.Errorf("%s, %s: run %q holds %s, want %q", when, name, got, pane, want)
			}
		}
	}
	holder("before", "", id, first.Server)
	f := staged(t, w, w.Ports(), first)
	holder("while it is staged", first.RunID, id, first.Server)
	holder("while another pane's is staged", "", "%99", first.Server)
	holder("in another life of the server", "", id, tmux.Server{Generation: "another"})
	for name, frames := range everybody {
		_, err := frames.Stage(bounded(t), planFor(t, w, id, "true"))
		if got := refuses(t, w, fault.Busy, err); !strings.Contains(got.Message, first.RunID) {
			t.Errorf("%s: the refusal %q does not name %s", name, got.Message, first.RunID)
		}
	}
	started(t, w, id, f)
	succeeds(t, w, f.Release())
	ends(t, w, f, frame.End{})
	holder("until it is closed", first.RunID, id, first.Server)
	succeeds(t, w, f.Close())
	holder("once it is closed", "", id, first.Server)
	prompts(t, w, id)
	other := planFor(t, w, id, "true")
	f = staged(t, w, w.Peer(), other)
	holder("while another process's is staged", other.RunID, id, other.Server)
	succeeds(t, w, f.Close())
}

func lateStart(t *testing.T, w World) {
	id := shellPane(t, w)
	f := staged(t, w, w.Ports(), planFor(t, w, id, "echo ra''n"))
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := f.Started(short)
	wants(t, w, fault.Deadline, err)
	if f.Release() == nil {
		t.Error("it could be released")
	}
	types(t, w, id, f)
	shows(t, w, id, strings.TrimSpace(f.Line()))
	prompts(t, w, id)
	succeeds(t, w, f.Close())
	if got := screenOf(t, w, id); strings.Contains(strings.Join(got, "\n"), "ran\n") {
		t.Errorf("it ran: %q", got)
	}
}

func streams(t *testing.T, w World) {
	id := shellPane(t, w)
	f, _ := running(t, w, id, `printf 'o\tu\001t'; printf 'e%sя日' rr >&2`, func(plan *ports.Plan) { plan.Streams = true })
	ends(t, w, f, frame.End{})
	stdout, stderr, err := f.Streams(100)
	succeeds(t, w, err)
	want := []frame.Stream{{Data: []byte("o\tu\x01t"), Total: 5}, {Data: []byte("errя日"), Total: 8}}
	if diff := cmp.Diff(want, []frame.Stream{stdout, stderr}); diff != "" {
		t.Errorf("streams (-want +got):\n%s", diff)
	}
	stdout, _, err = f.Streams(2)
	succeeds(t, w, err)
	if diff := cmp.Diff(frame.Stream{Data: []byte("\x01t"), Total: 5}, stdout); diff != "" {
		t.Errorf("the newest two bytes (-want +got):\n%s", diff)
	}
	_, stderr, err = f.Streams(4)
	succeeds(t, w, err)
	if diff := cmp.Diff(frame.Stream{Data: []byte("日"), Total: 8}, stderr); diff != "" {
		t.Errorf("the newest four bytes, cut through a character (-want +got):\n%s", diff)
	}
	succeeds(t, w, f.Close())
	prompts(t, w, id)
}

func stoppedFrame(t *testing.T, w World) {
	id := shellPane(t, w)
	f := staged(t, w, w.Ports(), planFor(t, w, id, "echo at wo''rk; sleep 99"))
	pid := started(t, w, id, f)
	succeeds(t, w, f.Release())
	shows(t, w, id, "at work")
	if stopped, exists := w.Ports().Stopped(bounded(t), pid); stopped || !exists {
		t.Errorf("at work: stopped %t, exists %t", stopped, exists)
	}
	succeeds(t, w, w.Ports().SendKeys(bounded(t), precondition(t, w, true, id), []string{"C-z"}))
	eventually(t, w, "the frame's process is stopped", func() (bool, any) {
		stopped, exists := w.Ports().Stopped(bounded(t), pid)
		return stopped && exists, exists
	})
	succeeds(t, w, f.Close())
	succeeds(t, w, staged(t, w, w.Ports(), planFor(t, w, id, "true")).Close())
}

func records(t *testing.T, w World) {
	id := shellPane(t, w)
	f, plan := running(t, w, id, "exit 5", nil)
	ends(t, w, f, frame.End{Status: 5})
	status := 5
	want := frame.Record{
		RunID: plan.RunID, Pane: id, Generation: plan.Server.Generation, PID: plan.PID, Outcome: frame.Completed, Started: true,
		Status: &status, Lines: []string{"a", "日"}, Dropped: 2, Complete: true, StartedAt: plan.Started, EndedAt: time.Now().UnixMilli(),
	}
	succeeds(t, w, f.Keep(want))
	succeeds(t, w, f.Close())
	for name, frames := range map[string]ports.Frames{"this process": w.Ports(), "another": w.Peer()} {
		for range 2 {
			got, err := frames.Recall(bounded(t), plan.RunID)
			succeeds(t, w, err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("record by %s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func abandoned(t *testing.T, w World) {
	id := shellPane(t, w)
	for status, outcome := range map[int]frame.Outcome{6: frame.Completed, 130: frame.Interrupted} {
		abandonedWith(t, w, id, status, outcome)
	}
}

func abandonedWith(t *testing.T, w World, id tmux.PaneID, status int, outcome frame.Outcome) {
	t.Helper()
	f, plan := running(t, w, id, fmt.Sprintf("read x; exit %d", status), nil)
	if record, err := w.Peer().Recall(bounded(t), plan.RunID); err != nil || !record.Running || record.Unattended {
		t.Errorf("while it is attended: %+v, %v", record, err)
	}
	succeeds(t, w, f.Close())
	succeeds(t, w, staged(t, w, w.Peer(), planFor(t, w, id, "true")).Close()) // the pane is free
	if record, err := w.Peer().Recall(bounded(t), plan.RunID); err != nil || !record.Running || !record.Unattended {
		t.Errorf("while nobody attends it: %+v, %v", record, err)
	}
	succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "go on", true))
	prompts(t, w, id)
	eventually(t, w, "its status is told", func() (bool, any) {
		record, err := w.Peer().Recall(bounded(t), plan.RunID)
		return err == nil && !record.Running && record.Unattended && record.Status != nil && *record.Status == status &&
			record.Outcome == outcome && !record.Complete && record.Reason == frame.Unattended, record
	})
}
