package tmuxserver

import (
	"context"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Topology reads everything in one command list.
func (s *Server) Topology(ctx context.Context, detail tmux.Detail) (tmux.Topology, error) {
	return anew(func() (tmux.Topology, error) { return s.topology(ctx, detail) })
}

func (s *Server) topology(ctx context.Context, detail tmux.Detail) (tmux.Topology, error) {
	nonce := grammar.NewNonce()
	result, err := s.conn.Run(ctx, List{Commands: topologyCommands(nonce, detail)})
	if fault.Is(err, fault.ServerGone) {
		return tmux.Topology{}, nil
	}
	if err != nil {
		return tmux.Topology{}, naming(opTopology, "", err)
	}
	return s.parseTopology(nonce, detail, result.Replies)
}

// Look reads everything in one command list, in the life of the server that was met last.
func (s *Server) Look(ctx context.Context, detail tmux.Detail, request ports.CaptureRequest) (tmux.Topology, *screen.Capture, error) {
	if server := s.latest.Load(); server != nil && grammar.SeesCaptureHook(server.Version) && request.FromRow == nil {
		nonce, start := grammar.NewNonce(), grammar.FromScreen(request)
		condition := grammar.Capturable(*server, request.Session, request.Pane)
		listing := topologyCommands(nonce, detail)
		list := List{Guard: (*Guard)(&condition), Commands: append(listing, captureCommands(nonce, request, *server, start)...)}
		result, err := s.run(ctx, opTopology, "", list)
		if err == nil && result.Passed {
			t, errTopology := s.parseTopology(nonce, detail, result.Replies[:len(listing)])
			capture, errCapture := s.parseCapture(nonce, request, *server, start, result.Replies[len(listing):])
			if errTopology == nil && errCapture == nil {
				return t, &capture, nil
			}
		}
	}
	t, err := s.Topology(ctx, detail)
	return t, nil, err
}

const opTopology = "list"

func topologyCommands(nonce grammar.Nonce, detail tmux.Detail) []Command {
	return []Command{
		grammar.Display("", grammar.ServerTable.Format(nonce)),
		{"list-sessions", "-F", grammar.SessionTable.Format(nonce)},
		{"list-clients", "-F", grammar.ClientTable.Format(nonce)},
		{"list-windows", "-a", "-F", grammar.WindowTable.Format(nonce)},
		{"list-panes", "-a", "-F", grammar.PaneTable(detail).Format(nonce)},
	}
}

// parseTopology understands the answers to topologyCommands.
func (s *Server) parseTopology(nonce grammar.Nonce, detail tmux.Detail, replies []Reply) (tmux.Topology, error) {
	for _, reply := range replies {
		// A server without sessions has no current target, and all but list-sessions want one.
		if reply.State == Failed && !grammar.NoTarget(reply.Error) {
			return tmux.Topology{}, grammar.CommandFault(opTopology, "", reply.Error)
		}
	}
	output := func(i int) string { return replies[i].Output }
	server, err := one(grammar.ServerTable, nonce, output(0), "")
	if err != nil {
		return tmux.Topology{}, err
	}
	if server, err = s.identify(server); err != nil {
		return tmux.Topology{}, err
	}
	s.latest.Store(&server)
	t := tmux.Topology{Server: server, Running: true}
	if t.Sessions, err = grammar.SessionTable.Parse(nonce, output(1), server.Version); err != nil {
		return tmux.Topology{}, err
	}
	if t.Clients, err = grammar.ClientTable.Parse(nonce, output(2), server.Version); err != nil {
		return tmux.Topology{}, err
	}
	rows, err := grammar.WindowTable.Parse(nonce, output(3), server.Version)
	if err != nil {
		return tmux.Topology{}, err
	}
	if t.Panes, err = grammar.PaneTable(detail).Parse(nonce, output(4), server.Version); err != nil {
		return tmux.Topology{}, err
	}
	t.Links = lo.Map(rows, func(r grammar.WindowRow, _ int) tmux.Link { return r.Link })
	t.Windows = lo.UniqBy(lo.Map(rows, func(r grammar.WindowRow, _ int) tmux.Window { return r.Window }),
		func(w tmux.Window) tmux.WindowID { return w.ID })
	t.Panes = lo.UniqBy(t.Panes, func(p tmux.Pane) tmux.PaneID { return p.ID }) // linked windows repeat them
	t.Clients = lo.Reject(t.Clients, func(c tmux.Client, _ int) bool { return s.own(c.PID) })
	for i, session := range t.Sessions {
		t.Sessions[i].Attached = lo.CountBy(t.Clients, func(c tmux.Client) bool { return !c.Control && c.Session == session.ID })
	}
	return t, nil
}
