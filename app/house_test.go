package app_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A house is an application over an in-memory tmux, in a bubble where time passes only when everybody waits.
type house struct {
	*testing.T
	world *fake.World
	app   *app.App
}

// inHouse runs a test in a house of its own.
func inHouse(t *testing.T, options fake.Options, test func(h *house)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		world := fake.New(options)
		defer world.Close()
		h := &house{T: t, world: world}
		h.app = h.process(world)
		defer h.app.Close()
		defer func() {
			if t.Failed() {
				t.Logf("the world:\n%s", world)
			}
		}()
		test(h)
	})
}

// process is the application of a server process with frames of its own. The caller closes it, or leaves that to inHouse.
func (h *house) process(frames ports.Frames) *app.App {
	return app.New(h.ports(frames), app.Options{SocketPath: "/fake/s"})
}

// ports are the world's, with frames of a process of its own.
func (h *house) ports(frames ports.Frames) app.Ports {
	return app.Ports{
		Reader: h.world, Events: h.world, Input: h.world, Creator: h.world, Inspector: h.world, Snapshots: h.world, Manager: h.world, Channels: h.world, Terminator: h.world, Processes: h.world, Identity: h.world,
		Frames: frames, Enrollments: h.world, Authorizer: h.world,
	}
}

// shell adds a session with an idle shell that nobody looks at.
func (h *house) shell() tmux.PaneID {
	h.Helper()
	pane := h.world.AddSession("main")
	h.awaitPrompt(pane)
	return pane
}

func (h *house) awaitPrompt(pane tmux.PaneID) {
	h.Helper()
	if err := h.world.AwaitPrompt(h.Context(), pane); err != nil {
		h.Fatalf("no prompt: %v", err)
	}
	time.Sleep(time.Second) // whoever learns what the prompt looks like has done so
}

// run runs a command that must not fail.
func (h *house) run(pane tmux.PaneID, command string) app.RunOut {
	h.Helper()
	out, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: command})
	if err != nil {
		h.Fatalf("run %q: %v", command, err)
	}
	return out
}

// wantFault fails unless err is that fault, for that reason, with something to do about it.
func (h *house) wantFault(err error, kind fault.Kind, reason fault.Reason) *fault.Error {
	h.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != kind || f.Reason != reason {
		h.Fatalf("got %#v, want %s %s", err, kind, reason)
	}
	if f.Message == "" || f.Recovery == "" {
		h.Errorf("%v does not say what is wrong and what to do: %+v", f, f)
	}
	return f
}

// elapsed is how long f takes in the bubble.
func elapsed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// inParallel runs f so many times at once and waits.
func inParallel(n int, f func(i int)) {
	done := make(chan struct{}, n)
	for i := range n {
		go func() { f(i); done <- struct{}{} }()
	}
	for range n {
		<-done
	}
}
