package porttest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Identity runs the contract of [ports.Identity], on a machine where only an old tmux can lack anything.
func Identity(t *testing.T, newWorld func(t *testing.T) World) {
	probe := newWorld(t)
	probe.Session("main", Recorder)
	if !topology(t, probe).Server.Version.AtLeast("3.3") {
		runCases(t, newWorld, []testCase{{"tmux before 3.3 is refused", tooOld}})
		return
	}
	runCases(t, newWorld, slices.Concat(processEnds, processHolds, processWaits))
}

func tooOld(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	server := topology(t, w).Server
	_, err := w.Ports().Hold(bounded(t), server, id)
	if refused := wants(t, w, fault.Unsupported, err); !strings.Contains(refused.Error(), string(server.Version)) {
		t.Errorf("%v does not name tmux %s", refused, server.Version)
	}
	got, err := w.Ports().Tracking(bounded(t), server)
	succeeds(t, w, err)
	if got.Lack != ports.LackTmux || !strings.Contains(got.Detail, string(server.Version)) {
		t.Errorf("tracking %+v, want that tmux %s is too old", got, server.Version)
	}
}

// holding holds the process of a pane, until the case ends.
func holding(t *testing.T, w World, id tmux.PaneID) ports.Held {
	t.Helper()
	made, err := w.Ports().Hold(bounded(t), topology(t, w).Server, id)
	succeeds(t, w, err)
	t.Cleanup(made.Close)
	return made
}

// exits waits for the end of what is held.
func exits(t *testing.T, w World, of ports.Held) ports.Exit {
	t.Helper()
	exit, err := of.Wait(bounded(t))
	succeeds(t, w, err)
	return exit
}

// runsOn checks that nothing is told of a process that lives.
func runsOn(t *testing.T, w World, of ports.Held) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	exit, err := of.Wait(ctx)
	if err == nil {
		t.Fatalf("told %+v of a process that lives\n%v", exit, w)
	}
	wants(t, w, fault.Deadline, err)
}

// processEnds are the cases of how a process ends.
var processEnds = []testCase{
	{"a process ends", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		began := time.Now()
		of := holding(t, w, id)
		runsOn(t, w, of)
		if pane(t, w, id).Dead {
			t.Fatalf("a wait that ended has ended the process\n%v", w)
		}
		w.Die(id)
		exit := exits(t, w, of)
		if exit.At.Before(began) || exit.At.After(time.Now()) {
			t.Errorf("it ended at %v, which is not between %v and now", exit.At, began)
		}
		want := ports.Exit{At: exit.At, Observed: exit.Observed}
		if exit.Observed {
			want.Status = 3
		}
		if diff := cmp.Diff(want, exit); diff != "" {
			t.Errorf("exit (-want +got):\n%s", diff)
		}
	}},
	{"an end stays told, also when the server has ended", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		of := holding(t, w, id)
		w.Die(id)
		exit := exits(t, w, of)
		w.Kill("")
		if diff := cmp.Diff(exit, exits(t, w, of)); diff != "" {
			t.Errorf("exit, told again (-want +got):\n%s", diff)
		}
	}},
	{"the pane is killed", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		w.Session("other", Recorder)
		of := holding(t, w, id)
		w.Kill(string(id))
		if exit := exits(t, w, of); exit.Observed && (exit.Signal == 0 || exit.Status != 0) {
			t.Errorf("exit %+v, want a signal", exit)
		}
	}},
	{"another process comes", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		of := holding(t, w, id)
		w.Respawn(id, Recorder)
		exits(t, w, of)
		next := holding(t, w, id)
		if next.Generation() == of.Generation() {
			t.Errorf("the process that came has the generation %s of the one that went", next.Generation())
		}
		runsOn(t, w, next)
	}},
	{"other panes do not matter", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		other := w.Session("other", Recorder)
		of := holding(t, w, id)
		w.Kill(string(other))
		runsOn(t, w, of)
	}},
	{"the server ends", func(t *testing.T, w World) {
		of := holding(t, w, w.Session("main", Recorder))
		w.Kill("")
		for range 2 {
			_, err := of.Wait(bounded(t))
			wants(t, w, fault.ServerGone, err)
		}
	}},
	{"another server comes", func(t *testing.T, w World) {
		of := holding(t, w, w.Session("main", Recorder))
		newLife(t, w, Recorder)
		_, err := of.Wait(bounded(t))
		wants(t, w, fault.ServerGone, err)
	}},
	{"the server ends with its last process", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		of := holding(t, w, id)
		w.Kill(string(id))
		if _, err := of.Wait(bounded(t)); err != nil { // or tmux answered once more
			wants(t, w, fault.ServerGone, err)
		}
	}},
	{"the server stays without a pane", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		w.SetOption("", "exit-empty", "off")
		of := holding(t, w, id)
		w.Kill(string(id))
		exits(t, w, of)
	}},
}

// processHolds are the cases of what can be held.
var processHolds = []testCase{
	{"processes can be held", func(t *testing.T, w World) {
		w.Session("main", Recorder)
		got, err := w.Ports().Tracking(bounded(t), topology(t, w).Server)
		succeeds(t, w, err)
		if got != (ports.Tracking{}) {
			t.Errorf("tracking %+v, want that nothing is missing", got)
		}
	}},
	{"one process has one generation", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		other := w.Session("other", Recorder)
		one, again, another := holding(t, w, id), holding(t, w, id), holding(t, w, other)
		if one.Generation() == "" || one.Generation() != again.Generation() || one.Generation() == another.Generation() {
			t.Errorf("generations %q and %q of one process, %q of another", one.Generation(), again.Generation(), another.Generation())
		}
		one.Close()
		runsOn(t, w, again)
	}},
	{"a pane that does not exist", func(t *testing.T, w World) {
		w.Session("main", Recorder)
		_, err := w.Ports().Hold(bounded(t), topology(t, w).Server, "%99")
		wants(t, w, fault.NotFound, err)
	}},
	{"a dead pane", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		w.Die(id)
		_, err := w.Ports().Hold(bounded(t), topology(t, w).Server, id)
		refuses(t, w, fault.Dead, err)
	}},
	{"an earlier life of the server", func(t *testing.T, w World) {
		w.Session("main", Recorder)
		before := topology(t, w).Server
		id := newLife(t, w, Recorder)
		_, err := w.Ports().Hold(bounded(t), before, id)
		wants(t, w, fault.StaleTarget, err)
		_, err = w.Ports().Tracking(bounded(t), before)
		wants(t, w, fault.StaleTarget, err)
	}},
	{"no server", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		before := topology(t, w).Server
		w.Kill("")
		_, err := w.Ports().Hold(bounded(t), before, id)
		wants(t, w, fault.ServerGone, err)
		_, err = w.Ports().Tracking(bounded(t), before)
		wants(t, w, fault.ServerGone, err)
	}},
}

// processWaits are the cases of waiting and letting go.
var processWaits = []testCase{
	{"many wait at once", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		w.Session("other", Recorder)
		server := topology(t, w).Server
		const many = 20
		ready, failed := make(chan error), make(chan error)
		for range many {
			go func() {
				of, err := w.Ports().Hold(t.Context(), server, id)
				ready <- err
				if err != nil {
					return
				}
				defer of.Close()
				_, err = of.Wait(t.Context())
				failed <- err
			}()
		}
		for range many {
			succeeds(t, w, <-ready)
		}
		w.Kill(string(id))
		for range many {
			succeeds(t, w, <-failed)
		}
	}},
	{"Close ends every Wait", func(t *testing.T, w World) {
		of := holding(t, w, w.Session("main", Recorder))
		failed := make(chan error)
		for range 2 {
			go func() {
				_, err := of.Wait(context.Background()) // only Close ends it
				failed <- err
			}()
		}
		of.Close()
		wants(t, w, fault.Cancelled, <-failed)
		wants(t, w, fault.Cancelled, <-failed)
		of.Close()
		_, err := of.Wait(bounded(t))
		wants(t, w, fault.Cancelled, err)
	}},
	{"calls end with their context", func(t *testing.T, w World) {
		id := w.Session("main", Recorder)
		server := topology(t, w).Server
		of := holding(t, w, id)
		endsWithContext(t, w, func(ctx context.Context) error {
			_, err := of.Wait(ctx)
			return err
		})
		endsWithContext(t, w, func(ctx context.Context) error {
			_, err := w.Ports().Hold(ctx, server, id)
			return err
		})
		endsWithContext(t, w, func(ctx context.Context) error {
			_, err := w.Ports().Tracking(ctx, server)
			return err
		})
	}},
}
