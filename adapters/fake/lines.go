package fake

import (
	"context"
	"iter"

	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Lines implements [ports.Reader].
func (w *World) Lines(ctx context.Context, request ports.LinesRequest) iter.Seq[ports.Lines] {
	return func(yield func(ports.Lines) bool) {
		for _, pane := range request.Panes {
			c, err := w.Capture(ctx, ports.CaptureRequest{Server: request.Server, Pane: pane, History: request.History, Join: true, Starts: true})
			if !yield(ports.Lines{Pane: pane, Rows: c.Rows, Starts: c.Starts, Err: err}) || ports.EndsLines(err) {
				return
			}
		}
	}
}
