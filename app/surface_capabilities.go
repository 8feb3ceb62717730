package app

import (
	"context"
	"errors"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
)

// A Launch is how this process was started, as far as Capabilities tells it. The zero value knows nothing.
type Launch struct {
	Version    string          // of the product
	SelectedBy string          // what selected the socket: "flag", "environment" or "default"
	Created    tmux.Generation // of the server that this process created; empty: none
	Configured bool            // that server reads a configuration of the person's

	// Executable finds the tmux executable and its version; nil: not known.
	Executable func(ctx context.Context) (path string, version tmux.Version, err error)
}

// Capabilities is what this process offers, on which tmux, and why. What is absent is unknown.
type Capabilities struct {
	Product   ProductFacts   `json:"product"`
	Tmux      TmuxFacts      `json:"tmux"`
	Socket    SocketFacts    `json:"socket"`
	Server    ServerFacts    `json:"server"`
	Backend   string         `json:"backend,omitempty"`
	Selection SelectionFacts `json:"selection"`
	Tools     []ToolFacts    `json:"tools"`
	Withheld  []WithheldTool `json:"withheld"`
	Notice    string         `json:"notice"`
}

// ProductFacts name this product.
type ProductFacts struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// TmuxFacts are about the tmux executable that is used.
type TmuxFacts struct {
	Executable string `json:"executable,omitempty"`
	Version    string `json:"version,omitempty"`
	Problem    string `json:"problem,omitempty"`
}

// SocketFacts say where the server is, and what selected that.
type SocketFacts struct {
	Path       string `json:"path"`
	SelectedBy string `json:"selected_by,omitempty"` // flag, environment, default
}

// ServerFacts are about the server at the socket, as it is now.
type ServerFacts struct {
	State         string `json:"state,omitempty"` // created, existing, absent
	Configuration string `json:"configuration"`   // minimal, user-configured, unknown
	Version       string `json:"version,omitempty"`
	Generation    string `json:"generation,omitempty"`
	Problem       string `json:"problem,omitempty"` // why the state is not known
}

// SelectionFacts are the steps by which the tools were selected, each with what it changed.
type SelectionFacts struct {
	Base     StepFacts `json:"base"`
	Added    StepFacts `json:"added"`
	Excluded StepFacts `json:"excluded"`
}

// StepFacts are one step.
type StepFacts struct {
	By       surface.Source    `json:"by"`
	Toolsets []surface.Toolset `json:"toolsets,omitempty"`
	Tools    []string          `json:"tools"`
}

// ToolFacts are what a tool on offer does and how far it reaches.
type ToolFacts struct {
	Name              string            `json:"name"`
	Toolset           surface.Toolset   `json:"toolset,omitempty"`
	Effects           surface.Effect    `json:"effects"`
	Reach             surface.Reach     `json:"reach"`
	Holds             []surface.Content `json:"holds"`
	Amplifies         bool              `json:"amplifies"`
	CreatedServerOnly bool              `json:"created_server_only,omitempty"`
	Limits            ToolLimits        `json:"limits"`
}

// ToolLimits bound a call.
type ToolLimits struct {
	Seconds   float64                  `json:"seconds"` // within which it ends
	Arguments map[string]ArgumentLimit `json:"arguments,omitempty"`
}

// An ArgumentLimit bounds an argument, or the items of one.
type ArgumentLimit struct {
	Minimum   *float64 `json:"minimum,omitempty"`
	Maximum   *float64 `json:"maximum,omitempty"`
	MaxLength *int     `json:"max_length,omitempty"` // characters
	MinItems  *int     `json:"min_items,omitempty"`
	MaxItems  *int     `json:"max_items,omitempty"`
}

// A WithheldTool is not on offer.
type WithheldTool struct {
	Name    string          `json:"name"`
	Toolset surface.Toolset `json:"toolset,omitempty"`
	Enable  string          `json:"enable"` // how whoever starts this process would offer it
}

const notice = "A selection of tools is an interface, not a sandbox: what is typed into a shell, and what the configuration of the " +
	"tmux server starts, act with all the rights of the tmux user."

// Withheld are the tools that are not on offer.
func (a *App) Withheld() []surface.Member { return a.surface.Withheld() }

// Capabilities looks at the server and tells what is on offer on it. That a server cannot be reached is part of the answer.
// Nothing is acknowledged by it.
func (a *App) Capabilities(ctx context.Context) Capabilities {
	ctx, cancel := context.WithTimeout(ctx, a.options.CallTimeout)
	defer cancel()
	return Capabilities{
		Product:   ProductFacts{Name: "libtmux-mcp", Version: a.options.Launch.Version},
		Tmux:      a.tmuxFacts(ctx),
		Socket:    SocketFacts{Path: a.options.SocketPath, SelectedBy: a.options.Launch.SelectedBy},
		Server:    a.serverFacts(ctx),
		Backend:   a.options.Backend,
		Selection: SelectionFacts{Base: stepFacts(a.surface.Base), Added: stepFacts(a.surface.Added), Excluded: stepFacts(a.surface.Excluded)},
		Tools:     lo.Map(a.tools, func(t Tool, _ int) ToolFacts { return a.toolFacts(t) }),
		Withheld: lo.Map(a.Withheld(), func(m surface.Member, _ int) WithheldTool {
			return WithheldTool{Name: m.Name, Toolset: m.Toolset, Enable: a.surface.Enable(m)}
		}),
		Notice: notice,
	}
}

func (a *App) tmuxFacts(ctx context.Context) TmuxFacts {
	if a.options.Launch.Executable == nil {
		return TmuxFacts{}
	}
	path, version, err := a.options.Launch.Executable(ctx)
	if err != nil {
		return TmuxFacts{Problem: problem(err)}
	}
	return TmuxFacts{Executable: path, Version: string(version)}
}

func (a *App) serverFacts(ctx context.Context) ServerFacts {
	facts := ServerFacts{Configuration: "unknown"}
	t, err := a.Reader.Topology(ctx, tmux.DetailBrief)
	switch {
	case err != nil:
		facts.Problem = problem(err)
		return facts
	case !t.Running:
		facts.State = "absent"
		return facts
	}
	facts.State, facts.Version, facts.Generation = "existing", string(t.Server.Version), string(t.Server.Generation)
	if t.Server.Generation == a.options.Launch.Created {
		facts.State, facts.Configuration = "created", lo.Ternary(a.options.Launch.Configured, "user-configured", "minimal")
	}
	return facts
}

// problem is what went wrong and what to do about it.
func problem(err error) string {
	err = asFault(err, "look at tmux")
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Recovery != "" {
		return err.Error() + ": " + f.Recovery
	}
	return err.Error()
}

func stepFacts(step surface.Step) StepFacts {
	return StepFacts{By: step.Source, Toolsets: step.Toolsets, Tools: lo.CoalesceSliceOrEmpty(step.Tools)}
}

func (a *App) toolFacts(tool Tool) ToolFacts {
	seconds := a.options.CallTimeout.Seconds()
	if tool.Waits {
		seconds = wait.Greatest.Seconds()
	}
	return ToolFacts{
		Name: tool.Name, Toolset: tool.Toolset, Effects: tool.Effect, Reach: tool.Reach, Holds: lo.CoalesceSliceOrEmpty(tool.Holds),
		Amplifies: tool.Amplifies, CreatedServerOnly: a.surface.Bound(tool.Name) != "",
		Limits: ToolLimits{Seconds: seconds, Arguments: argumentLimits(tool.Input)},
	}
}

// argumentLimits are those of a schema's properties that have any.
func argumentLimits(input *jsonschema.Schema) map[string]ArgumentLimit {
	limits := map[string]ArgumentLimit{}
	for name, property := range input.Properties {
		items := lo.CoalesceOrEmpty(property.Items, property)
		limit := ArgumentLimit{
			Minimum: items.Minimum, Maximum: items.Maximum, MaxLength: items.MaxLength,
			MinItems: property.MinItems, MaxItems: property.MaxItems,
		}
		if limit != (ArgumentLimit{}) {
			limits[name] = limit
		}
	}
	return limits
}
