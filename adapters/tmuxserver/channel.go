package tmuxserver

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Signal signals a channel, as [ports.Channels] says.
func (s *Server) Signal(ctx context.Context, server tmux.Server, channel string) error {
	condition := grammar.Alive(server)
	return s.living(ctx, "signal", channel, List{Guard: (*Guard)(&condition), Commands: []Command{grammar.Signal(channel)}})
}

// Lives asks whether that life of the server goes on: StaleTarget if another one answers.
func (s *Server) Lives(ctx context.Context, server tmux.Server) error {
	condition := grammar.Alive(server)
	_, err := anew(func() (struct{}, error) {
		return struct{}{}, s.living(ctx, "reach", server.SocketPath, List{Guard: (*Guard)(&condition)})
	})
	return err
}

// living runs a list that is meant for one life of the server.
func (s *Server) living(ctx context.Context, op, target string, list List) error {
	result, err := s.run(ctx, op, target, list)
	if err == nil && !result.Passed {
		err = AnotherLife(op, target)
	}
	return err
}

// AnotherLife is the fault of acting in a life of the server that ended.
func AnotherLife(op, target string) *fault.Error {
	return &fault.Error{Kind: fault.StaleTarget, Op: op, Target: target, Message: op + " " + target + ": tmux restarted meanwhile", Recovery: "call it again"}
}
