package porttest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// quiet is how long a case waits to see that nothing is told. An event that should not come would be there by then.
const quiet = 600 * time.Millisecond

// Events is the contract of ports.Events.
func Events(t *testing.T, newWorld func(t *testing.T) World) {
	t.Helper()
	watched := func(t *testing.T, w World) (tmux.PaneID, ports.Watch) {
		t.Helper()
		id := w.Session("main", Recorder)
		watch, err := w.Ports().Watch(bounded(t), topology(t, w).Server, id)
		succeeds(t, w, err)
		t.Cleanup(watch.Close)
		return id, watch
	}
	next := func(t *testing.T, w World, watch ports.Watch) ports.Event {
		t.Helper()
		event, err := watch.Next(bounded(t))
		succeeds(t, w, err)
		return event
	}
	// until reads events until one is as wanted.
	until := func(t *testing.T, w World, watch ports.Watch, wanted func(ports.Event) bool) {
		t.Helper()
		for event := next(t, w, watch); !wanted(event); event = next(t, w, watch) {
			if event.Gone || event.ServerGone {
				t.Fatalf("told %+v, after which nothing else comes\n%v", event, w)
			}
		}
	}
	silent := func(t *testing.T, w World, watch ports.Watch) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), quiet)
		defer cancel()
		event, err := watch.Next(ctx)
		for err == nil && event == (ports.Event{Again: true}) { // of what was told before
			event, err = watch.Next(ctx)
		}
		if err == nil {
			t.Errorf("told %+v, want nothing\n%v", event, w)
		} else {
			wants(t, w, fault.Deadline, err)
		}
	}
	runCases(t, newWorld, []testCase{
		{"output", func(t *testing.T, w World) {
			id, watch := watched(t, w)
			time.AfterFunc(50*time.Millisecond, func() { w.Print(id, "hello") })
			until(t, w, watch, func(e ports.Event) bool { return e.Output })
			silent(t, w, watch)
		}},
		{"what happened before is not told", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.Print(id, "before")
			shows(t, w, id, "before")
			watch, err := w.Ports().Watch(bounded(t), topology(t, w).Server, id)
			succeeds(t, w, err)
			defer watch.Close()
			silent(t, w, watch)
		}},
		{"what happens between two Next is told once", func(t *testing.T, w World) {
			id, watch := watched(t, w)
			w.Print(id, strings.Repeat("line\r\n", 100)+"last")
			shows(t, w, id, "last")
			until(t, w, watch, func(e ports.Event) bool { return e.Output })
			silent(t, w, watch)
		}},
		{"other panes are not told of", func(t *testing.T, w World) {
			_, watch := watched(t, w)
			other := w.Session("other", Recorder)
			w.Print(other, "hello")
			shows(t, w, other, "hello")
			silent(t, w, watch)
		}},
		{"a mode", func(t *testing.T, w World) {
			id, watch := watched(t, w)
			w.Put(id, CopyMode)
			until(t, w, watch, func(e ports.Event) bool { return e.State })
		}},
		{"the death of the process", func(t *testing.T, w World) {
			id, watch := watched(t, w)
			w.Die(id)
			until(t, w, watch, func(e ports.Event) bool { return e.State })
		}},
		{"the end of the pane, at every Next", func(t *testing.T, w World) {
			id, watch := watched(t, w)
			w.Session("other", Recorder)
			w.Kill(string(id))
			until(t, w, watch, func(e ports.Event) bool { return e.Gone })
			if event := next(t, w, watch); !event.Gone {
				t.Errorf("then told %+v, want Gone again", event)
			}
		}},
		{"the end of the server, at every Next", func(t *testing.T, w World) {
			_, watch := watched(t, w)
			w.Kill("")
			until(t, w, watch, func(e ports.Event) bool { return e.ServerGone })
			if event := next(t, w, watch); !event.ServerGone {
				t.Errorf("then told %+v, want ServerGone again", event)
			}
		}},
		{"another life of the server", func(t *testing.T, w World) {
			_, watch := watched(t, w)
			newLife(t, w, Recorder)
			until(t, w, watch, func(e ports.Event) bool { return e.ServerGone })
		}},
		{"a pane that does not exist", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			_, err := w.Ports().Watch(bounded(t), topology(t, w).Server, "%99")
			wants(t, w, fault.NotFound, err)
		}},
		{"an earlier life of the server", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			before := topology(t, w).Server
			id := newLife(t, w, Recorder)
			_, err := w.Ports().Watch(bounded(t), before, id)
			wants(t, w, fault.StaleTarget, err)
		}},
		{"Close ends a Next that waits", func(t *testing.T, w World) {
			_, watch := watched(t, w)
			failed := make(chan error)
			go func() {
				_, err := watch.Next(bounded(t))
				failed <- err
			}()
			watch.Close()
			wants(t, w, fault.Cancelled, <-failed)
			_, err := watch.Next(bounded(t))
			wants(t, w, fault.Cancelled, err)
		}},
		{"Next ends with its context", func(t *testing.T, w World) {
			_, watch := watched(t, w)
			endsWithContext(t, w, func(ctx context.Context) error {
				event, err := watch.Next(ctx)
				if err == nil {
					return fmt.Errorf("told %+v", event)
				}
				return err
			})
		}},
	})
}
