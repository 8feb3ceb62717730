package app

import (
	"context"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Members are the tools that there are to select from, in the order in which they are listed.
func Members() []surface.Member {
	return lo.Map(catalogue(), func(t Tool, _ int) surface.Member { return surface.Member{Name: t.Name, Toolset: t.Toolset} })
}

// A bound call is one of a tool that may act on one life of the server alone. The bound travels with the call's context to where
// the topology is read, which every change is based on and whose generation every change carries to tmux; so nothing
// can come between the check and the act.
type bound struct {
	tool       string
	generation tmux.Generation
}

type boundKey struct{}

// bind bounds a call as the selection says.
func (a *App) bind(ctx context.Context, tool string) context.Context {
	if generation := a.surface.Bound(tool); generation != "" {
		return context.WithValue(ctx, boundKey{}, bound{tool, generation})
	}
	return ctx
}

// checkBound refuses the server that answers a call if it is not the one that the call is bound to.
func checkBound(ctx context.Context, server tmux.Server) error {
	b, ok := ctx.Value(boundKey{}).(bound)
	if !ok || b.generation == server.Generation {
		return nil
	}
	return &fault.Error{
		Kind: fault.StaleTarget, Op: b.tool,
		Message: b.tool + " is on offer for the tmux server that this process created, and that one was restarted by somebody else",
		Recovery: "ask the person to end it, or to select the tool for any server (" + surface.ToolsetsVariable + " or " +
			surface.ToolsVariable + ")",
	}
}
