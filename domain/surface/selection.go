package surface

import (
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Selection is which tools are on offer, and why. It is frozen: made once, by Choice.Freeze or All, before anything is
// served, and never changed.
type Selection struct {
	Base     Step
	Added    Step // what EnableFlag and ToolsVariable gave beyond the base
	Excluded Step // what ExcludeVariable took away

	choice  Choice
	offered map[string]bool
	bound   map[string]bool
	created tmux.Generation
}

// A Step is one step of a selection.
type Step struct {
	Source   Source
	Toolsets []Toolset // of a base of toolsets
	Tools    []string  // what the step changed, in the order of the catalogue
}

// A Source says who decided a step.
type Source string

// The sources of steps.
const (
	ByDefault  Source = "default"
	ByToolsets Source = ToolsetsVariable
	ByExact    Source = "exact"
	ByEnable   Source = EnableFlag
	ByTools    Source = ToolsVariable
	ByExclude  Source = ExcludeVariable
	ByEmbedder Source = "embedder" // no operator was asked
)

// All offers a whole catalogue.
func All(catalogue []Member) Selection {
	s := Choice{catalogue: catalogue, exact: lo.Map(catalogue, func(m Member, _ int) string { return m.Name })}.Freeze("")
	s.Base.Source = ByEmbedder
	return s
}

// Freeze resolves a choice: base, then additions, then exclusions. created is the generation of the server that this process
// created with its minimal configuration, empty if there is none. The default depends on it: to end what somebody else
// started must be asked for. A teardown that the default alone gives is bound to that generation.
func (c Choice) Freeze(created tmux.Generation) Selection {
	s := Selection{
		Base: c.base(created != ""), Added: Step{Source: c.adding()}, Excluded: Step{Source: ByExclude},
		choice: c, offered: map[string]bool{}, bound: map[string]bool{}, created: created,
	}
	for _, m := range c.catalogue {
		based := slices.Contains(c.exact, m.Name) || m.Toolset != Exact && slices.Contains(s.Base.Toolsets, m.Toolset)
		named, excluded := slices.Contains(c.enable, m.Name) || slices.Contains(c.tools, m.Name), slices.Contains(c.exclude, m.Name)
		switch {
		case based:
			s.Base.Tools = append(s.Base.Tools, m.Name)
		case named:
			s.Added.Tools = append(s.Added.Tools, m.Name)
		default:
			continue
		}
		if excluded {
			s.Excluded.Tools = append(s.Excluded.Tools, m.Name)
			continue
		}
		s.offered[m.Name] = true
		s.bound[m.Name] = s.Base.Source == ByDefault && m.Toolset == Teardown && !named
	}
	return s
}

func (c Choice) base(created bool) Step {
	switch {
	case c.exact != nil:
		return Step{Source: ByExact}
	case c.toolsets != nil:
		return Step{Source: ByToolsets, Toolsets: lo.Filter(Toolsets(), func(t Toolset, _ int) bool { return slices.Contains(c.toolsets, t) })}
	case created:
		return Step{Source: ByDefault, Toolsets: Toolsets()}
	}
	return Step{Source: ByDefault, Toolsets: []Toolset{Inspect, Manage, Execute}}
}

// adding is who adds tools.
func (c Choice) adding() Source {
	switch {
	case len(c.enable) == 0:
		return ByTools
	case len(c.tools) == 0:
		return ByEnable
	}
	return ByEnable + ", " + ByTools
}

// Offers reports whether a tool is on offer.
func (s Selection) Offers(tool string) bool { return s.offered[tool] }

// Bound is the generation of the only server on which a tool may act; empty: it may act on any.
func (s Selection) Bound(tool string) tmux.Generation {
	if s.bound[tool] {
		return s.created
	}
	return ""
}

// Withheld are the tools that are not on offer, in the order of the catalogue.
func (s Selection) Withheld() []Member {
	return lo.Reject(s.choice.catalogue, func(m Member, _ int) bool { return s.offered[m.Name] })
}

// Enable says what an operator would change so that a withheld tool is on offer.
func (s Selection) Enable(tool Member) string {
	var ways []string
	if !slices.Contains(s.Base.Tools, tool.Name) && !slices.Contains(s.Added.Tools, tool.Name) {
		ways = append(ways, "add "+tool.Name+" to "+ToolsVariable)
		switch {
		case s.Base.Source == ByExact:
			ways[0] = "pass " + EnableFlag + " " + tool.Name
		case tool.Toolset != Exact:
			toolsets := lo.FilterMap(Toolsets(), func(t Toolset, _ int) (string, bool) {
				return string(t), t == tool.Toolset || slices.Contains(s.Base.Toolsets, t)
			})
			ways[0] += " or set " + ToolsetsVariable + "=" + strings.Join(toolsets, ",")
		}
	}
	if slices.Contains(s.choice.exclude, tool.Name) {
		ways = append(ways, "remove "+tool.Name+" from "+ExcludeVariable)
	}
	return strings.Join(ways, ", and ")
}
