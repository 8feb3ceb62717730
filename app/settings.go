package app

import (
	"context"
	"regexp"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// about reads the server for a call about a target of one of the kinds, or about the server if that is empty.
func (a *App) about(ctx context.Context, argument, id string, kinds ...tmux.Kind) (tmux.Topology, error) {
	if id != "" {
		if err := target.Parse(argument, id, kinds...); err != nil {
			return tmux.Topology{}, err
		}
	}
	t, err := a.known(ctx, tmux.DetailBrief, lo.CoalesceOrEmpty(id, "what there is"), "list_sessions")
	switch {
	case err != nil:
		return t, err
	case id != "":
		return t, target.Exists(t, id)
	case !t.Running:
		return t, &fault.Error{Kind: fault.ServerGone, Message: "no tmux server is running at the socket"}
	}
	return t, nil
}

// GetTmuxVariablesIn names variables.
type GetTmuxVariablesIn struct {
	Names  []string `json:"names" minItems:"1" maxItems:"32" jsonschema:"format variables without #{}, such as pane_pid, window_flags, version, or @options; no formats"`
	PaneID string   `json:"pane_id,omitempty" jsonschema:"pane (%N) with its window and session; required but for variables of the server"`
}

// GetTmuxVariablesOut are their values.
type GetTmuxVariablesOut struct {
	Generation    string            `json:"generation"`
	Values        map[string]string `json:"values" jsonschema:"empty where it does not apply or this tmux does not know it"`
	ReplacedBytes int               `json:"replaced_bytes,omitempty" jsonschema:"bytes of the values that were not UTF-8"`
}

// GetTmuxVariables reads format variables by name. Names are checked, so that nothing is a format that runs something.
func (a *App) GetTmuxVariables(ctx context.Context, in GetTmuxVariablesIn) (GetTmuxVariablesOut, error) {
	ctx, err := a.admit(ctx, "get_tmux_variables")
	if err != nil {
		return GetTmuxVariablesOut{}, err
	}
	if len(in.Names) == 0 || len(in.Names) > 32 {
		return GetTmuxVariablesOut{}, fault.Invalidf("pass 1 to 32", "there are %d names", len(in.Names))
	}
	for _, name := range in.Names {
		if !tmux.IsVariable(name) {
			return GetTmuxVariablesOut{}, fault.Invalidf("pass names from FORMATS in tmux(1) of panes, windows, sessions or the server; options: show_options",
				"%q is no such variable", clipped(name))
		}
		if in.PaneID == "" && !tmux.IsServerVariable(name) {
			return GetTmuxVariablesOut{}, fault.Invalidf("pass pane_id (list_panes)", "%s is the variable of a pane, and none is given", name)
		}
	}
	t, err := a.about(ctx, "pane_id", in.PaneID, tmux.KindPane)
	if err != nil {
		return GetTmuxVariablesOut{}, err
	}
	values, err := a.Inspector.Variables(ctx, t.Server, tmux.PaneID(in.PaneID), lo.Uniq(in.Names))
	if err != nil {
		return GetTmuxVariablesOut{}, err
	}
	out := GetTmuxVariablesOut{Generation: string(t.Server.Generation), Values: map[string]string{}}
	for name, value := range values {
		clean, replaced := screen.Clean(value)
		out.Values[name] = clean
		out.ReplacedBytes += replaced
	}
	return out, nil
}

// ShowOptionsIn names options.
type ShowOptionsIn struct {
	Scope    string `json:"scope" enum:"server,session,window,pane" jsonschema:"kind of options"`
	TargetID string `json:"target_id,omitempty" jsonschema:"session ($N), window (@N) or pane (%N) of that kind; left out, the global ones; required for pane"`
	Name     string `json:"name,omitempty" maxLength:"100" jsonschema:"only this option"`
}

// ShowOptionsOut are the options.
type ShowOptionsOut struct {
	Generation string      `json:"generation"`
	Options    []OptionRow `json:"options"`
	Total      int         `json:"total" jsonschema:"length of the list"`
}

// An OptionRow is one option.
type OptionRow struct {
	Name      string `json:"name" jsonschema:"with the index of an array's element"`
	Value     string `json:"value" jsonschema:"as tmux writes it: quoted as in a configuration file where it has to be"`
	Inherited bool   `json:"inherited" jsonschema:"set at a level above"`
}

// optionName is what an option may be called, so that nothing else reaches tmux.
var optionName = regexp.MustCompile(`^@?[A-Za-z0-9_-]+(\[[0-9]+\])?$`)

// ShowOptions lists options with their values.
func (a *App) ShowOptions(ctx context.Context, in ShowOptionsIn) (ShowOptionsOut, error) {
	ctx, err := a.admit(ctx, "show_options")
	if err != nil {
		return ShowOptionsOut{}, err
	}
	kinds := map[string]tmux.Kind{"session": tmux.KindSession, "window": tmux.KindWindow, "pane": tmux.KindPane}
	kind, targeted := kinds[in.Scope]
	switch {
	case in.Name != "" && (!optionName.MatchString(in.Name) || in.Name[0] == '-'):
		return ShowOptionsOut{}, fault.Invalidf("pass a name such as history-limit or @mine", "%q is no name of an option", clipped(in.Name))
	case in.TargetID != "" && !targeted:
		return ShowOptionsOut{}, fault.Invalidf("leave it out", "server options have no target_id")
	case in.TargetID == "" && in.Scope == "pane":
		return ShowOptionsOut{}, fault.Invalidf("pass the pane (list_panes)", "target_id is missing: pane options have no global level of their own")
	}
	t, err := a.about(ctx, "target_id", in.TargetID, kind)
	if err != nil {
		return ShowOptionsOut{}, err
	}
	options, err := a.Inspector.Options(ctx, t.Server, ports.Options{Scope: ports.OptionScope(in.Scope), Target: in.TargetID, Name: in.Name})
	if err != nil {
		return ShowOptionsOut{}, err
	}
	rows := lo.Map(options, func(o ports.Option, _ int) OptionRow {
		value, _ := screen.Clean(o.Value)
		return OptionRow{Name: o.Name, Value: value, Inherited: o.Inherited}
	})
	return ShowOptionsOut{Generation: string(t.Server.Generation), Options: rows, Total: len(rows)}, nil
}

// ShowHooksIn names hooks.
type ShowHooksIn struct {
	TargetID string `json:"target_id,omitempty" jsonschema:"session ($N), window (@N) or pane (%N) whose hooks to show beside the global ones"`
	Name     string `json:"name,omitempty" maxLength:"100" jsonschema:"only this hook, such as after-new-window"`
}

// ShowHooksOut are the hooks.
type ShowHooksOut struct {
	Generation string    `json:"generation"`
	Hooks      []HookRow `json:"hooks" jsonschema:"the nearest level that sets a hook replaces those after it"`
	Total      int       `json:"total" jsonschema:"length of the list"`
}

// A HookRow is one command of a hook.
type HookRow struct {
	Name    string `json:"name"`
	Index   int    `json:"index"`
	Command string `json:"command" jsonschema:"as tmux writes it; untrusted"`
	Level   string `json:"level" enum:"pane,window,session,global"`
}

// ShowHooks lists the hooks that are set.
func (a *App) ShowHooks(ctx context.Context, in ShowHooksIn) (ShowHooksOut, error) {
	ctx, err := a.admit(ctx, "show_hooks")
	if err != nil {
		return ShowHooksOut{}, err
	}
	t, err := a.about(ctx, "target_id", in.TargetID, tmux.KindSession, tmux.KindWindow, tmux.KindPane)
	if err != nil {
		return ShowHooksOut{}, err
	}
	hooks, err := a.Inspector.Hooks(ctx, t.Server, in.TargetID)
	if err != nil {
		return ShowHooksOut{}, err
	}
	rows := lo.FilterMap(hooks, func(h ports.Hook, _ int) (HookRow, bool) {
		command, _ := screen.Clean(h.Command)
		return HookRow{Name: h.Name, Index: h.Index, Command: command, Level: string(h.Level)}, in.Name == "" || in.Name == h.Name
	})
	return ShowHooksOut{Generation: string(t.Server.Generation), Hooks: rows, Total: len(rows)}, nil
}

// ShowEnvironmentIn names variables.
type ShowEnvironmentIn struct {
	SessionID string `json:"session_id,omitempty" jsonschema:"session ($N); left out, the global environment"`
	Name      string `json:"name,omitempty" jsonschema:"only this variable"`
	Reveal    bool   `json:"reveal,omitempty" jsonschema:"show also what looks like a secret: only if the person asked for it"`
}

// ShowEnvironmentOut are the variables.
type ShowEnvironmentOut struct {
	Generation string        `json:"generation"`
	Variables  []VariableRow `json:"variables"`
	Total      int           `json:"total" jsonschema:"length of the list"`
	Masked     int           `json:"masked" jsonschema:"how many values look like secrets and are not shown"`
}

// A VariableRow is one variable.
type VariableRow struct {
	Name    string  `json:"name"`
	Value   *string `json:"value,omitempty" jsonschema:"absent if it is masked or removed"`
	Masked  bool    `json:"masked,omitempty" jsonschema:"it looks like a secret"`
	Removed bool    `json:"removed,omitempty" jsonschema:"new processes do not get it"`
}

// ShowEnvironment lists the variables that new processes get.
func (a *App) ShowEnvironment(ctx context.Context, in ShowEnvironmentIn) (ShowEnvironmentOut, error) {
	ctx, err := a.admit(ctx, "show_environment")
	if err != nil {
		return ShowEnvironmentOut{}, err
	}
	t, err := a.about(ctx, "session_id", in.SessionID, tmux.KindSession)
	if err != nil {
		return ShowEnvironmentOut{}, err
	}
	variables, err := a.Inspector.Environment(ctx, t.Server, tmux.SessionID(in.SessionID))
	if err != nil {
		return ShowEnvironmentOut{}, err
	}
	out := ShowEnvironmentOut{Generation: string(t.Server.Generation), Variables: []VariableRow{}}
	for _, v := range variables {
		if in.Name != "" && in.Name != v.Name {
			continue
		}
		row := VariableRow{Name: v.Name, Removed: v.Removed}
		if row.Masked = !in.Reveal && tmux.LooksSecret(v.Name, v.Value); row.Masked {
			out.Masked++
		} else if !v.Removed {
			value, _ := screen.Clean(v.Value)
			row.Value = &value
		}
		out.Variables = append(out.Variables, row)
	}
	out.Total = len(out.Variables)
	return out, nil
}
