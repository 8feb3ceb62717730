package control

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A Reader reads a server as another one does, but captures panes that are watched over the clients that are attached for that.
type Reader struct {
	ports.Reader
	events *Events
}

// Reader makes a Reader of one to read by otherwise.
func (e *Events) Reader(other ports.Reader) Reader { return Reader{other, e} }

// Capture implements [ports.Reader]. What a client cannot answer the other reader is asked.
func (r Reader) Capture(ctx context.Context, request ports.CaptureRequest) (screen.Capture, error) {
	if near := r.events.near(request.Pane); near != nil {
		if capture, err := near.Capture(ctx, request); err == nil || ctx.Err() != nil {
			return capture, err
		}
	}
	return r.Reader.Capture(ctx, request)
}

// near is the server as it is reached over a client through which a pane is watched and can be captured; nil if there is none.
func (e *Events) near(pane tmux.PaneID) *tmuxserver.Server {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, h := range e.hubs {
		if !h.leaks && h.watched(pane) {
			return h.server()
		}
	}
	return nil
}
