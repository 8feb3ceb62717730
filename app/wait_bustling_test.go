package app_test

import (
	"context"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A bustling pane is one in which something has always happened already, however late its reader asks.
type bustling struct{}

func (bustling) Watch(context.Context, tmux.Server, tmux.PaneID) (ports.Watch, error) {
	return bustling{}, nil
}

func (bustling) Next(context.Context) (ports.Event, error) {
	time.Sleep(time.Millisecond)
	return ports.Event{Output: true}, nil
}

func (bustling) Close() {}

func TestWaitEndsInABustlingPane(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		h.app.Events = bustling{}
		if _, err := h.app.Call(h.Context(), "list_panes", nil); err != nil {
			h.Fatal(err)
		}
		begun := time.Now()
		out, err := h.app.WaitForText(h.Context(), app.WaitForTextIn{PaneID: string(pane), Patterns: []string{"never"}, Timeout: new(2.0)})
		if took := time.Since(begun); err != nil || out.Outcome != "timed_out" || took > 3*time.Second {
			h.Errorf("ended after %v with %q, %v; want timed_out after 2 s", took, out.Outcome, err)
		}
	})
}
