package tmuxserver

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Manager = (*Server)(nil)

// SetName names a session, a window or a pane.
func (s *Server) SetName(ctx context.Context, server tmux.Server, request ports.SetName) error {
	if err := noNUL("name", request.Name); err != nil {
		return err
	}
	if !utf8.ValidString(request.Name) {
		return fault.Invalidf("pass UTF-8", "%q is not UTF-8", request.Name)
	}
	return s.change(ctx, "rename", server, request.Target, grammar.Exists(server, request.Target), grammar.Rename(request))
}

// Select brings something in front.
func (s *Server) Select(ctx context.Context, server tmux.Server, request ports.Select) error {
	target := string(request.Window)
	if request.Pane != "" {
		target = string(request.Pane)
	}
	return s.change(ctx, "select", server, target, grammar.Exists(server, target), grammar.Select[Command](request)...)
}

// Arrange lays a window out.
func (s *Server) Arrange(ctx context.Context, server tmux.Server, request ports.Arrange) error {
	target := string(request.Window)
	return s.change(ctx, "lay out", server, target, grammar.InFront(server, target, request.Front), grammar.Arrange[Command](request)...)
}

// SetSize resizes or zooms.
func (s *Server) SetSize(ctx context.Context, server tmux.Server, request ports.SetSize) error {
	condition := grammar.InFront(server, request.Target, request.Front)
	return s.change(ctx, "resize", server, request.Target, condition, grammar.SetSize[Command](request)...)
}

// Move moves a window.
func (s *Server) Move(ctx context.Context, server tmux.Server, request ports.Move) error {
	target := string(request.Window)
	return s.change(ctx, "move", server, target, grammar.Exists(server, target), grammar.Move(request))
}

// Swap swaps two panes. tmux keeps the active pane of a window if that comes first; which one it is, the guard tells.
func (s *Server) Swap(ctx context.Context, server tmux.Server, pane, other tmux.PaneID) error {
	const op = "swap"
	err := s.change(ctx, op, server, string(other), grammar.Inactive(server, other), grammar.Swap(pane, other))
	if fault.Is(err, fault.PreconditionFailed) {
		err = s.change(ctx, op, server, string(pane), grammar.Exists(server, string(pane)), grammar.Swap(other, pane))
	}
	return err
}

// Configure sets an option and reads it again.
func (s *Server) Configure(ctx context.Context, server tmux.Server, request ports.Configure) (string, error) {
	const op = "set an option of"
	if err := noNUL("value", request.Value); err != nil {
		return "", err
	}
	condition := grammar.Alive(server)
	if request.Target != "" {
		condition = grammar.Exists(server, request.Target)
	}
	list := List{Guard: (*Guard)(&condition), Commands: []Command{grammar.SetOption(request)}}
	user := tmux.IsUserOption(request.Name)
	if !user {
		list.Commands = append(list.Commands, grammar.ShowOption(request))
	}
	result, err := s.changed(ctx, op, server, request.Target, list)
	if err != nil || user { // which tmux takes as it is
		return request.Value, err
	}
	value, _, _ := strings.Cut(result.Replies[1].Output, "\n")
	return value, nil
}

// change runs commands that change something, under a condition.
func (s *Server) change(ctx context.Context, op string, server tmux.Server, target string, condition grammar.Condition, commands ...Command) error {
	_, err := s.changed(ctx, op, server, target, List{Guard: (*Guard)(&condition), Commands: commands})
	return err
}

// changed runs a guarded list that changes something.
func (s *Server) changed(ctx context.Context, op string, server tmux.Server, target string, list List) (Result, error) {
	result, err := s.run(ctx, op, target, list)
	if err != nil || result.Passed {
		return result, err
	}
	if err := missing(op, target, result.Found, server); err != nil {
		return result, err
	}
	return result, &fault.Error{
		Kind: fault.PreconditionFailed, Op: op, Target: target,
		Message: fmt.Sprintf("%s is not as it was when it was looked at (%s, not %s)", target, result.Found, list.Guard.Want),
	}
}
