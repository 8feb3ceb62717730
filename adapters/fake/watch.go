package fake

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Events = (*World)(nil)

// A watch compares what a pane shows with what it showed at the last event.
type watch struct {
	world  *World
	life   tmux.Server
	pane   tmux.PaneID
	open   context.Context // ends with Close
	close  context.CancelFunc
	before screen.Capture
}

// Watch implements [ports.Events].
func (w *World) Watch(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Watch, error) {
	const op = "watch"
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.contact(ctx, op); err != nil {
		return nil, err
	}
	if err := w.same(server, op, string(pane)); err != nil {
		return nil, err
	}
	if w.server.pane(pane) == nil {
		return nil, failed(fault.NotFound, op, string(pane), "no pane %s", pane)
	}
	made := &watch{world: w, life: server, pane: pane}
	made.open, made.close = context.WithCancel(w.ctx)
	made.before = made.look()
	return made, nil
}

// Next implements [ports.Watch].
func (v *watch) Next(ctx context.Context) (ports.Event, error) {
	const op = "watch"
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(v.open, cancel)()
	v.world.mu.Lock()
	defer v.world.mu.Unlock()
	if err := ended(v.open, op); err != nil {
		return ports.Event{}, err
	}
	var event ports.Event
	happened := func() bool {
		event = v.event()
		return event != (ports.Event{})
	}
	if v.world.wait(ctx, happened) != nil {
		return ports.Event{}, ended(ctx, op)
	}
	return event, nil
}

// event is what happened since the last one. Called with the mutex held.
func (v *watch) event() ports.Event {
	server := v.world.server
	if server == nil || server.id.Generation != v.life.Generation {
		return ports.Event{ServerGone: true}
	}
	if server.pane(v.pane) == nil {
		return ports.Event{Gone: true}
	}
	before := v.before
	v.before = v.look()
	return ports.Difference(before, v.before)
}

// look captures the screen. Called with the mutex held.
func (v *watch) look() screen.Capture {
	pane := v.world.server.pane(v.pane)
	first := pane.grid.history()
	rows, _ := pane.grid.text(first, rendering{styles: true, blanks: true})
	return screen.Capture{
		Pane: pane.describe(pane.index(), tmux.DetailFull), First: first,
		Rows: rows,
	}
}

// Close implements [ports.Watch]. A Next that waits holds nothing but its caller.
func (v *watch) Close() { v.close() }
