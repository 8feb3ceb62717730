package tmuxserver

import (
	"context"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Inspector = (*Server)(nil)

// Variables expands format variables.
func (s *Server) Variables(ctx context.Context, server tmux.Server, pane tmux.PaneID, names []string) (map[string]string, error) {
	nonce, table := grammar.NewNonce(), grammar.VariablesTable(names)
	return anew(func() (map[string]string, error) {
		result, err := s.inspect(ctx, "read variables of", server, string(pane), grammar.Display(string(pane), table.Format(nonce)))
		if err != nil {
			return nil, err
		}
		return one(table, nonce, result.Replies[0].Output, server.Version)
	})
}

// Options lists options.
func (s *Server) Options(ctx context.Context, server tmux.Server, request ports.Options) ([]ports.Option, error) {
	if err := noNUL("name", request.Name); err != nil {
		return nil, err
	}
	result, err := s.inspect(ctx, "read options of", server, request.Target, grammar.ShowOptions(request))
	if request.Name != "" && fault.Is(err, fault.InvalidInput) { // that option is not set, or tmux has none of that name
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return grammar.ParseOptions(result.Replies[0].Output), nil
}

// Hooks lists the hooks of all levels in one list.
func (s *Server) Hooks(ctx context.Context, server tmux.Server, target string) ([]ports.Hook, error) {
	queries := grammar.ShowHooks(target)
	result, err := s.inspect(ctx, "read hooks of", server, target, lo.Map(queries, func(q grammar.HookQuery, _ int) Command { return q.Command })...)
	if err != nil {
		return nil, err
	}
	return lo.FlatMap(queries, func(q grammar.HookQuery, i int) []ports.Hook {
		return grammar.ParseHooks(q.Level, result.Replies[i].Output)
	}), nil
}

// Environment lists an environment.
func (s *Server) Environment(ctx context.Context, server tmux.Server, session tmux.SessionID) ([]ports.Variable, error) {
	result, err := s.inspect(ctx, "read the environment of", server, string(session), grammar.ShowEnvironment(session))
	if err != nil {
		return nil, err
	}
	return grammar.ParseEnvironment(result.Replies[0].Output, server.Version)
}

// inspect runs commands about a target, or about the server if it is empty, in a life of the server.
func (s *Server) inspect(ctx context.Context, op string, server tmux.Server, target string, commands ...Command) (Result, error) {
	condition := grammar.Alive(server)
	if target != "" {
		condition = grammar.Exists(server, target)
	}
	return anew(func() (Result, error) {
		return s.changed(ctx, op, server, target, List{Guard: (*Guard)(&condition), Commands: commands})
	})
}
