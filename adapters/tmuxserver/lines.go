package tmuxserver

import (
	"context"
	"iter"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The most that one list reads: tmux does nothing else meanwhile, and the list has to fit, of which tmux 3.7 takes 1000 arguments.
const (
	batchedPanes = 30
	batchedRows  = 30_000 // as far as their number is known before
)

// Lines reads the panes in groups, each in one command list. A group of which anything is not as expected is read pane by pane, as Capture
// does, which knows what each thing means.
func (s *Server) Lines(ctx context.Context, request ports.LinesRequest) iter.Seq[ports.Lines] {
	return func(yield func(ports.Lines) bool) {
		for group := range s.groups(ctx, request) {
			together := s.together(ctx, request, group)
			for _, pane := range group {
				lines, ok := together[pane]
				if !ok {
					lines = s.linesOf(ctx, request, pane)
				}
				if !yield(lines) || ports.EndsLines(lines.Err) {
					return
				}
			}
		}
	}
}

// linesOf reads one pane.
func (s *Server) linesOf(ctx context.Context, request ports.LinesRequest, pane tmux.PaneID) ports.Lines {
	c, err := s.Capture(ctx, alone(request, pane))
	return ports.Lines{Pane: pane, Rows: c.Rows, Starts: c.Starts, Err: err}
}

// alone is the request for one pane of a request for many.
func alone(request ports.LinesRequest, pane tmux.PaneID) ports.CaptureRequest {
	return ports.CaptureRequest{Server: request.Server, Pane: pane, History: request.History, Join: true, Starts: true}
}

// groups are the panes in parts that one list can read.
func (s *Server) groups(ctx context.Context, request ports.LinesRequest) iter.Seq[[]tmux.PaneID] {
	return func(yield func([]tmux.PaneID) bool) {
		sizes := s.sizes(ctx)
		var group []tmux.PaneID
		rows := 0
		for _, id := range request.Panes {
			size, known := sizes[id]
			tall := size.Height + size.HistorySize
			if request.History != ports.AllHistory {
				tall = size.Height + min(size.HistorySize, request.History)
			}
			if len(group) > 0 && (!known || len(group) == batchedPanes || rows+tall > batchedRows) {
				if !yield(group) {
					return
				}
				group, rows = nil, 0
			}
			group, rows = append(group, id), rows+tall
		}
		if len(group) > 0 {
			yield(group)
		}
	}
}

// sizes are how large the panes are now; none if that cannot be told, which whoever reads them will say.
func (s *Server) sizes(ctx context.Context) map[tmux.PaneID]tmux.Pane {
	nonce := grammar.NewNonce()
	result, err := s.run(ctx, opCapture, "", List{Commands: []Command{grammar.PaneSizes(nonce)}})
	if err != nil {
		return nil
	}
	return sizesIn(nonce, result.Replies[0].Output)
}

func sizesIn(nonce grammar.Nonce, output string) map[tmux.PaneID]tmux.Pane {
	panes, err := grammar.PaneSizeTable.Parse(nonce, output, "")
	if err != nil {
		return nil
	}
	return lo.KeyBy(panes, func(p tmux.Pane) tmux.PaneID { return p.ID })
}

// together reads a group in one list, or nothing of it. It is not in the answer what is to be read alone.
func (s *Server) together(ctx context.Context, request ports.LinesRequest, group []tmux.PaneID) map[tmux.PaneID]ports.Lines {
	version := request.Server.Version
	if len(group) == 1 || !grammar.SeesCaptureHook(version) && s.anyHook(ctx, group) {
		return nil
	}
	nonce := grammar.NewNonce()
	condition := grammar.AllCapturable(request.Server, group[0])
	list := List{Guard: (*Guard)(&condition), Commands: []Command{grammar.PaneSizes(nonce)}}
	for _, pane := range group {
		of := alone(request, pane)
		start := grammar.FromScreen(of)
		list.Commands = append(list.Commands, grammar.Capture(start, of, version), grammar.CaptureRows(start, of, version))
	}
	result, err := s.run(ctx, opCapture, "", list)
	if err != nil || !result.Passed {
		return nil
	}
	sizes := sizesIn(nonce, result.Replies[0].Output)
	read := map[tmux.PaneID]ports.Lines{}
	for i, pane := range group {
		of := alone(request, pane)
		capture := screen.Capture{Pane: sizes[pane], Joined: true, First: grammar.FromScreen(of).Row(sizes[pane])}
		lines, rows := result.Replies[1+2*i], result.Replies[2+2*i]
		if fill(&capture, of, grammar.Split(lines.Output), grammar.Split(rows.Output)) == nil {
			read[pane] = ports.Lines{Pane: pane, Rows: capture.Rows, Starts: capture.Starts}
		}
	}
	return read
}

// anyHook reports whether a capture hook may be effective for any of the panes.
func (s *Server) anyHook(ctx context.Context, group []tmux.PaneID) bool {
	result, err := s.run(ctx, opCapture, "", List{Commands: lo.Map(group, func(p tmux.PaneID, _ int) Command {
		return grammar.ShowCaptureHook(string(p))
	})})
	return err != nil || lo.SomeBy(result.Replies, func(r Reply) bool { return grammar.HasCaptureHook(r.Output) })
}
