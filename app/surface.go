package app

import (
	"context"
	"regexp"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Members are the tools that there are to select from, in the order in which they are listed.
func Members() []surface.Member {
	return lo.Map(catalogue(), func(t Tool, _ int) surface.Member { return surface.Member{Name: t.Name, Toolset: t.Toolset} })
}

// An aside is a part of a sentence that a description can do without.
var aside = regexp.MustCompile(`[;:][^.;:]*|\s*\([^()]*\)`)

// offeredTools are the rows of the catalogue that a selection offers. Their descriptions advise nothing that it withholds: an aside
// that names such a tool is left out.
func offeredTools(offered surface.Selection) []Tool {
	all := catalogue()
	withheld := lo.FilterMap(all, func(t Tool, _ int) (string, bool) { return t.Name, !offered.Offers(t.Name) })
	return lo.FilterMap(all, func(t Tool, _ int) (Tool, bool) {
		t.Description = aside.ReplaceAllStringFunc(t.Description, func(text string) string {
			if lo.Some(withheld, toolNames.FindAllString(text, -1)) {
				return ""
			}
			return text
		})
		return t, offered.Offers(t.Name)
	})
}

// An admission is the leave to use one tool. It travels with the call's context to where the topology is read, which every change is
// based on and whose generation every change carries to tmux; so nothing can come between the check and the act.
type admission struct {
	application *App
	tool        string
	bound       tmux.Generation // on which alone the tool may act; empty: on any
}

type admissionKey struct{}

// admit is the one gate of every use case, whoever calls it: what is not selected is Unsupported, and a tool that may act on one life
// of the server alone is bound to it.
func (a *App) admit(ctx context.Context, tool string) (context.Context, error) {
	if given, ok := ctx.Value(admissionKey{}).(admission); ok && given.application == a && given.tool == tool {
		return ctx, nil
	}
	if !a.surface.Offers(tool) {
		member, _ := lo.Find(Members(), func(m surface.Member) bool { return m.Name == tool })
		return nil, &fault.Error{
			Kind: fault.Unsupported, Op: tool, Message: tool + " is not on offer: the selection of tools withholds it",
			Recovery: "whoever starts the process would " + a.surface.Enable(member) + "; who embeds it, pass a selection that offers it",
		}
	}
	return context.WithValue(ctx, admissionKey{}, admission{a, tool, a.surface.Bound(tool)}), nil
}

// checkBound refuses the server that answers a call if it is not the one that the call is bound to.
func checkBound(ctx context.Context, server tmux.Server) error {
	if agreed, ok := ctx.Value(agreedKey{}).(agreed); ok && agreed.generation != server.Generation {
		return &fault.Error{
			Kind: fault.StaleTarget, Target: agreed.target, Recovery: "call list_panes",
			Message: "tmux restarted since the person was asked about " + agreed.target,
		}
	}
	if ref, ok := ctx.Value(referenceKey{}).(Reference); ok && tmux.Generation(ref.Generation) != server.Generation {
		return staleReference(ref)
	}
	given, _ := ctx.Value(admissionKey{}).(admission)
	if given.bound == "" || given.bound == server.Generation {
		return nil
	}
	return &fault.Error{
		Kind: fault.StaleTarget, Op: given.tool,
		Message: given.tool + " is on offer for the tmux server that this process created, and that one was restarted by somebody else",
		Recovery: "ask the person to end it, or to select the tool for any server (" + surface.ToolsetsVariable + " or " +
			surface.ToolsVariable + ")",
	}
}
