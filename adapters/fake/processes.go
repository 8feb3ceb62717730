package fake

import (
	"context"
	"fmt"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Sample implements [ports.Processes]: what Linux shows of a shell that waits in its line editor, of one that works, and of other
// programs.
func (w *World) Sample(ctx context.Context, of tmux.Pane) guard.Sample {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ended(ctx, "inspect processes"); err != nil {
		return guard.Sample{Err: err}
	}
	var p *pane
	if w.server != nil {
		p = w.server.pane(of.ID)
	}
	if p == nil || p.dead || p.pid != of.PID {
		return guard.Sample{Err: fmt.Errorf("process %d does not exist", of.PID)}
	}
	t := p.terminal
	sample := guard.Sample{
		Leader: t.foreground.pid, Executable: t.foreground.name, Command: t.foreground.name, Argv: t.foreground.argv, State: 'S', SameUser: true,
		Canonical: t.canonical, Echo: t.echo, WaitChannel: "n_tty_read", ReadCount: -1, Age: time.Since(p.started),
	}
	switch idle := t.shell != nil && t.shell.idle; {
	case idle && t.shell.edits():
		sample.WaitChannel = "wait_woken"
	case idle:
		sample.ReadCount = 8192 // dash's input buffer
	case t.shell != nil && t.foreground.name == t.shell.self.name:
		sample.WaitChannel = "do_wait"
	}
	if t.foreground.stopped {
		sample.State = 'T'
	}
	return sample
}

// Caller implements [ports.Processes]: what SetCaller said.
func (w *World) Caller(_ context.Context, topology tmux.Topology) ports.Caller {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := topology.Pane(w.caller.Pane); !ok {
		return ports.Caller{How: ports.CallerUnknown}
	}
	return w.caller
}

// Stopped implements [ports.Processes].
func (w *World) Stopped(_ context.Context, pid int) (stopped, exists bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	process, ok := w.process[pid]
	return ok && process.stopped, ok
}
