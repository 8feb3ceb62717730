package tmuxserver

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Location is where a pane is, and in what state.
type Location = grammar.Location

// StateFormat is the tmux format whose expansion is Location.State.
const StateFormat = grammar.StateFormat

// Locate finds a pane in a life of the server, or in whatever life if that is zero: NotFound, StaleTarget.
func (s *Server) Locate(ctx context.Context, server tmux.Server, pane tmux.PaneID) (Location, error) {
	return anew(func() (Location, error) { return s.locate(ctx, server, pane) })
}

func (s *Server) locate(ctx context.Context, server tmux.Server, pane tmux.PaneID) (Location, error) {
	const op = "watch"
	nonce := grammar.NewNonce()
	result, err := s.run(ctx, op, string(pane), List{Commands: []Command{grammar.Display(string(pane), grammar.LocationTable.Format(nonce))}})
	if err != nil {
		return Location{}, err
	}
	at, err := one(grammar.LocationTable, nonce, result.Replies[0].Output, server.Version)
	if err != nil {
		return at, err
	}
	if at.Server, err = s.identify(at.Server); err != nil {
		return at, err
	}
	if server.Generation != "" && at.Server.Generation != server.Generation {
		return at, staleTarget(op, string(pane))
	}
	if at.Pane != pane {
		return at, notFound(op, string(pane))
	}
	return at, nil
}
