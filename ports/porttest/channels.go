package porttest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A waited is how a wait on a channel ended.
type waited struct {
	signal ports.Signal
	err    error
}

// Channels is the contract of [ports.Channels].
func Channels(t *testing.T, newWorld func(t *testing.T) World) {
	t.Helper()
	signal := func(t *testing.T, w World, channel string) {
		t.Helper()
		succeeds(t, w, w.Ports().Signal(bounded(t), topology(t, w).Server, channel))
	}
	// begin begins a wait.
	begin := func(t *testing.T, w World, channel string, within time.Duration) <-chan waited {
		t.Helper()
		ended, server, ctx := make(chan waited, 1), topology(t, w).Server, bounded(t)
		go func() {
			came, err := w.Ports().Wait(ctx, server, channel, within)
			ended <- waited{came, err}
		}()
		return ended
	}
	// finds waits no longer than it takes to find out whether a signal was kept.
	finds := func(t *testing.T, w World, channel string, want bool) {
		t.Helper()
		came, err := w.Ports().Wait(bounded(t), topology(t, w).Server, channel, 0)
		succeeds(t, w, err)
		if diff := cmp.Diff(ports.Signal{Came: want, Early: want}, came); diff != "" {
			t.Errorf("a wait on %q (-want +got):\n%s\n%v", channel, diff, w)
		}
	}
	// signalled signals a channel while some wait on it, and is how the waits ended. That they all had begun nobody can see: where it is
	// too slow for that, it is done again on another channel.
	signalled := func(t *testing.T, w World, waits int, prepare func(channel string)) {
		t.Helper()
		want, n := slices.Repeat([]waited{{signal: ports.Signal{Came: true}}}, waits), 0
		eventually(t, w, "a signal ends waits that have begun", func() (bool, any) {
			n++
			channel := fmt.Sprint("done", n)
			prepare(channel)
			var begun []<-chan waited
			for range waits {
				begun = append(begun, begin(t, w, channel, time.Second))
			}
			<-time.After(time.Duration(n) * 20 * time.Millisecond)
			signal(t, w, channel)
			var got []waited
			for _, ended := range begun {
				got = append(got, <-ended)
			}
			return reflect.DeepEqual(want, got), got
		})
		finds(t, w, fmt.Sprint("done", n), false)
	}

	runCases(t, newWorld, []testCase{
		{"a signal ends a wait", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			signalled(t, w, 1, func(string) {})
		}},
		{"a signal ends all waits", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			signalled(t, w, 3, func(string) {})
		}},
		{"a signal ends a wait after one that ended", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			signalled(t, w, 1, func(channel string) { finds(t, w, channel, false) })
		}},
		{"a signal before is kept for one wait", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			signal(t, w, "done")
			finds(t, w, "done", true)
			finds(t, w, "done", false)
		}},
		{"a second signal before takes the first back", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			signal(t, w, "done")
			signal(t, w, "done")
			finds(t, w, "done", false)
		}},
		{"a signal after a wait that ended is kept for the next", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			finds(t, w, "done", false)
			signal(t, w, "done")
			finds(t, w, "done", true)
			finds(t, w, "done", false)
		}},
		{"a signal after a wait that was cancelled is kept for the next", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			finds(t, w, "done", false) // so that the wait is one as soon as it is called
			ctx, cancel := context.WithCancel(t.Context())
			ended, server := make(chan waited, 1), topology(t, w).Server
			go func() {
				came, err := w.Ports().Wait(ctx, server, "done", hangBound)
				ended <- waited{came, err}
			}()
			<-time.After(50 * time.Millisecond) // it may be called or not: either must do
			cancel()
			wants(t, w, fault.Cancelled, (<-ended).err)
			signal(t, w, "done")
			finds(t, w, "done", true)
		}},
		{"so it is for the 16 channels that were left last", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			const more = 20
			for i := range more {
				finds(t, w, fmt.Sprint("c", i), false)
			}
			for i := more - 16; i < more; i++ {
				signal(t, w, fmt.Sprint("c", i))
			}
			for i := more - 16; i < more; i++ {
				finds(t, w, fmt.Sprint("c", i), true)
			}
		}},
		{"channels do not know each other, and names are literal", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			names := []string{"done", "-S", "--", ";", `a;`, `\;`, "a b ", "$HOME#{pid}#(id)", "ПРИВЕТ日本🎉", `"'`, "%1"}
			for i, name := range names {
				signal(t, w, name)
				for _, other := range names[i+1:] {
					finds(t, w, other, false)
				}
				finds(t, w, name, true)
			}
		}},
		{"the server ends", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			finds(t, w, "done", false) // so that the wait is one as soon as it is called
			ended := begin(t, w, "done", 2*hangBound)
			<-time.After(50 * time.Millisecond) // it may be called or not: either must do
			w.Kill("")
			wants(t, w, fault.ServerGone, (<-ended).err)
		}},
		{"no server, and another life", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			old := topology(t, w).Server
			w.Kill("")
			calls := []func(context.Context) error{
				func(ctx context.Context) error { return w.Ports().Signal(ctx, old, "done") },
				func(ctx context.Context) error { _, err := w.Ports().Wait(ctx, old, "done", 0); return err },
			}
			for _, call := range calls {
				wants(t, w, fault.ServerGone, call(bounded(t)))
			}
			w.Session("reborn", Recorder)
			for _, call := range calls {
				wants(t, w, fault.StaleTarget, call(bounded(t)))
				endsWithContext(t, w, call)
			}
			finds(t, w, "done", false)
		}},
	})
}
