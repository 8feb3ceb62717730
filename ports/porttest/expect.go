package porttest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// hangBound is how long anything may take before a case calls it hung.
const hangBound = 10 * time.Second

// bounded is a context that no working call outlives.
func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	t.Cleanup(cancel)
	return ctx
}

// eventually polls another process until check answers true.
func eventually(t *testing.T, w World, what string, check func() (bool, any)) {
	t.Helper()
	deadline := time.Now().Add(hangBound)
	for pause := 2 * time.Millisecond; ; pause = min(pause*3/2, 30*time.Millisecond) { // a check may cost a process
		ok, last := check()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s\nlast: %+v\n%v", hangBound, what, last, w)
		}
		<-time.After(pause)
	}
}

// topology reads all.
func topology(t *testing.T, w World) tmux.Topology {
	t.Helper()
	read, err := w.Ports().Topology(bounded(t), tmux.DetailFull)
	if err != nil {
		t.Fatalf("topology: %v\n%v", err, w)
	}
	return read
}

// pane finds a pane that must exist.
func pane(t *testing.T, w World, id tmux.PaneID) tmux.Pane {
	t.Helper()
	read := topology(t, w)
	found, ok := read.Pane(id)
	if !ok {
		t.Fatalf("no pane %s in %+v\n%v", id, read, w)
	}
	return found
}

// sessionOf is the first session that shows a pane.
func sessionOf(t *testing.T, w World, id tmux.PaneID) tmux.SessionID {
	t.Helper()
	read := topology(t, w)
	at, _ := read.Pane(id)
	links := read.LinksOf(at.Window)
	if len(links) == 0 {
		t.Fatalf("no session shows pane %s\n%v", id, w)
	}
	return links[0].Session
}

// capture captures a pane that must be there.
func capture(t *testing.T, w World, request ports.CaptureRequest) screen.Capture {
	t.Helper()
	captured, err := w.Ports().Capture(bounded(t), request)
	if err != nil {
		t.Fatalf("capture %+v: %v\n%v", request, err, w)
	}
	return captured
}

// shows waits until the pane's screen holds a text.
func shows(t *testing.T, w World, id tmux.PaneID, text string) {
	t.Helper()
	eventually(t, w, "pane "+string(id)+" shows "+text, func() (bool, any) {
		rows := capture(t, w, ports.CaptureRequest{Pane: id, Join: true}).Rows
		return strings.Contains(strings.Join(rows, "\n"), text), rows
	})
}

// prompts waits until the pane's shell is at its prompt and the screen stands still.
func prompts(t *testing.T, w World, id tmux.PaneID) {
	t.Helper()
	at := pane(t, w, id)
	eventually(t, w, "the shell in "+string(id)+" is at its prompt", func() (bool, any) {
		process := guard.Classify(w.Ports().Sample(bounded(t), at))
		return process.State == guard.AtPrompt, process
	})
	eventually(t, w, "pane "+string(id)+" shows a prompt", func() (bool, any) {
		captured := capture(t, w, ports.CaptureRequest{Pane: id})
		return strings.HasSuffix(strings.TrimRight(captured.Rows[captured.Pane.CursorY], " "), "$"), captured.Rows
	})
}

// received waits until a recorder has read exactly that, or fails with what it read.
func received(t *testing.T, w World, id tmux.PaneID, want string) {
	t.Helper()
	eventually(t, w, "pane "+string(id)+" has received what was sent", func() (bool, any) {
		got := w.Received(id)
		return len(got) >= len(want), got
	})
	if got := w.Received(id); got != want {
		t.Errorf("pane %s received %s, want %s\n%v", id, quoted(got), quoted(want), w)
	}
}

// quoted shortens what would fill the log.
func quoted(text string) any {
	if len(text) > 2000 {
		return text[:1000] + "..." + text[len(text)-1000:]
	}
	return []byte(text)
}

// untouched checks that recorders have received nothing. The server answered a question since the input was refused, so that it
// would have passed it on.
func untouched(t *testing.T, w World, ids ...tmux.PaneID) {
	t.Helper()
	topology(t, w)
	for _, id := range ids {
		if got := w.Received(id); got != "" {
			t.Errorf("pane %s received %q, want nothing\n%v", id, got, w)
		}
	}
}

// wants checks the kind of a fault, and that it is one.
func wants(t *testing.T, w World, kind fault.Kind, err error) *fault.Error {
	t.Helper()
	found, ok := errors.AsType[*fault.Error](err)
	if !ok {
		t.Fatalf("got error %v (%T), want a fault of kind %s\n%v", err, err, kind, w)
	}
	if found.Kind != kind {
		t.Errorf("got %s (%v), want %s\n%v", found.Kind, err, kind, w)
	}
	return found
}

// refuses checks for a refusal with a reason.
func refuses(t *testing.T, w World, reason fault.Reason, err error) *fault.Error {
	t.Helper()
	found := wants(t, w, fault.Refused, err)
	if found.Reason != reason {
		t.Errorf("refused for %q, want %q\n%v", found.Reason, reason, w)
	}
	return found
}

// succeeds checks that there is no error.
func succeeds(t *testing.T, w World, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v\n%v", err, w)
	}
}

// endsWithContext checks that a call ends with its context, before it does anything: Cancelled or Deadline.
func endsWithContext(t *testing.T, w World, call func(ctx context.Context) error) {
	t.Helper()
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	wants(t, w, fault.Cancelled, call(cancelled))
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	wants(t, w, fault.Deadline, call(late))
}

// precondition is what a guard would demand now of input to panes, the first of which is addressed.
func precondition(t *testing.T, w World, cohort bool, ids ...tmux.PaneID) guard.Precondition {
	t.Helper()
	read := topology(t, w)
	pre := guard.Precondition{Server: read.Server, Pane: ids[0], Cohort: cohort}
	for _, p := range read.Panes {
		for _, id := range ids {
			if p.ID == id {
				pre.Recipients = append(pre.Recipients, guard.Recipient{Pane: id, PID: p.PID, Active: p.Active})
			}
		}
	}
	at, _ := read.Pane(ids[0])
	window, _ := read.Window(at.Window)
	pre.Unwatched, pre.Viewers, pre.Zoomed = true, window.Viewers, window.Zoomed
	return pre
}

// newLife kills the server and starts another, whose pane runs a program.
func newLife(t *testing.T, w World, program Program) tmux.PaneID {
	t.Helper()
	w.Kill("")
	return w.Session("reborn", program)
}
