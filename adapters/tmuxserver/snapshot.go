package tmuxserver

import (
	"context"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Snapshots = (*Server)(nil)

// Snapshot reads the entities of a kind in one command list.
func (s *Server) Snapshot(ctx context.Context, kind tmux.Kind) (snapshot.Reading, error) {
	return anew(func() (snapshot.Reading, error) { return s.snapshot(ctx, kind) })
}

func (s *Server) snapshot(ctx context.Context, kind tmux.Kind) (snapshot.Reading, error) {
	op := "read each " + string(kind)
	nonce := grammar.NewNonce()
	result, err := s.conn.Run(ctx, List{Commands: []Command{
		grammar.Display("", grammar.ServerTable.Format(nonce)),
		{"list-clients", "-F", grammar.ClientTable.Format(nonce)},
		grammar.ListSnapshot(kind, nonce),
	}})
	if fault.Is(err, fault.ServerGone) {
		return snapshot.Reading{}, nil
	}
	if err != nil {
		return snapshot.Reading{}, naming(op, "", err)
	}
	for _, reply := range result.Replies {
		if reply.State == Failed && !grammar.NoTarget(reply.Error) { // as a server without sessions has none
			return snapshot.Reading{}, grammar.CommandFault(op, "", reply.Error)
		}
	}
	server, err := one(grammar.ServerTable, nonce, result.Replies[0].Output, "")
	if err == nil {
		server, err = s.identify(server)
	}
	if err != nil {
		return snapshot.Reading{}, err
	}
	clients, err := grammar.ClientTable.Parse(nonce, result.Replies[1].Output, server.Version)
	if err != nil {
		return snapshot.Reading{}, err
	}
	printed, err := grammar.SnapshotTable(kind).Parse(nonce, result.Replies[2].Output, server.Version)
	if err != nil {
		return snapshot.Reading{}, err
	}
	own := lo.Filter(clients, func(c tmux.Client, _ int) bool { return s.own(c.PID) })
	reading := snapshot.Reading{Server: server, Running: true}
	listed := map[string]bool{}
	for _, fields := range printed {
		if kind == tmux.KindClient && lo.ContainsBy(own, func(c tmux.Client) bool { return c.Name == fields["client_name"] }) {
			continue
		}
		if kind == tmux.KindSession {
			ours := lo.CountBy(own, func(c tmux.Client) bool { return string(c.Session) == fields["session_id"] })
			fields["session_attached"] = grammar.Uncounted(fields["session_attached"], ours)
		}
		for _, layout := range []string{"window_layout", "window_visible_layout"} {
			if text, ok := fields[layout]; ok {
				fields[layout] = tmux.ClassicLayout(text)
			}
		}
		row, err := snapshot.NewRow(kind, server.Version, func(name string) string { return fields[name] })
		if err != nil {
			return snapshot.Reading{}, &fault.Error{Kind: fault.DecodeError, Op: op, Message: op, Delivery: fault.Observed, Err: err}
		}
		if id := row.ID(); id == "" || !listed[id] { // a linked window stands in the listing once for each link
			listed[id] = true
			reading.Rows = append(reading.Rows, row)
		}
	}
	return reading, nil
}
