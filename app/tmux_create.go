package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// TmuxCreateIn describes a session, window or pane.
type TmuxCreateIn struct {
	Kind        string          `json:"kind" enum:"session,window,pane" jsonschema:"what to create"`
	Generation  string          `json:"generation,omitempty" jsonschema:"as it stands beside parent_id; of a session: the server that must still be this one, left out: any, and one is started if none runs"`
	ParentID    string          `json:"parent_id,omitempty" jsonschema:"of a window: its session ($1); of a pane: the pane to split (%1); not of a session"`
	Name        string          `json:"name,omitempty" jsonschema:"of a session, without : and . in it, or of a window"`
	Argv        []string        `json:"argv,omitempty" minItems:"1" maxItems:"256" jsonschema:"program and arguments, run as they are: no shell reads them, not even a single word; left out: the default shell"`
	Cwd         string          `json:"cwd,omitempty" jsonschema:"absolute path of an existing directory"`
	Environment json.RawMessage `json:"environment,omitempty" jsonschema:"variables by name, all texts; of a session: for all that is started in it later, too"`
	Index       *int            `json:"index,omitempty" min:"0" max:"2147483647" jsonschema:"of a window: a free index; left out, the next free one"`
	Direction   string          `json:"direction,omitempty" enum:"below,above,right,left" jsonschema:"of a pane: where it comes; below by default"`
	Size        string          `json:"size,omitempty" jsonschema:"of a pane: cells (10) or a percentage (30%); half by default"`
	Width       int             `json:"width,omitempty" min:"1" max:"10000" jsonschema:"of a session: cells"`
	Height      int             `json:"height,omitempty" min:"1" max:"10000" jsonschema:"of a session: cells"`
	Focus       bool            `json:"focus,omitempty" jsonschema:"of a window or pane: bring it in front of whoever looks"`
}

// TmuxCreateOut refers to what was created.
type TmuxCreateOut struct {
	Entity  string     `json:"entity" enum:"session,window,pane"`
	Created []tmux.Ref `json:"created" jsonschema:"everything that was made: a session with its window and pane, a window with its pane, a pane"`
	DispatchOut
	ServerStarted     bool   `json:"server_started,omitempty" jsonschema:"no tmux server was running: this call started one"`
	ProgramCompletion string `json:"program_completion" enum:"unobserved" jsonschema:"whether the program runs, or how it ended, is not known"`
}

// refs are references to what has those ids.
func refs[ID ~string](server tmux.Server, ids []ID) []tmux.Ref {
	return lo.Map(ids, func(id ID, _ int) tmux.Ref { return refTo(server, string(id)) })
}

// TmuxCreate creates a session, window or pane, and answers references to everything that it made.
func (a *App) TmuxCreate(ctx context.Context, in TmuxCreateIn) (TmuxCreateOut, error) {
	ctx, err := a.admit(ctx, "tmux_create")
	if err != nil {
		return TmuxCreateOut{}, err
	}
	start, err := in.start()
	if err == nil {
		err = in.check()
	}
	if err != nil {
		return TmuxCreateOut{}, withEffects(err)
	}
	var way ports.Dispatch
	created, err := a.create(ctx, in, start, &way)
	if err != nil {
		return TmuxCreateOut{}, withEffects(err)
	}
	out := TmuxCreateOut{
		Entity: in.Kind, DispatchOut: dispatched(way), ServerStarted: created.ServerStarted, ProgramCompletion: "unobserved",
	}
	made := []string{string(created.Session), string(created.Window), string(created.Pane)}
	out.Created = refs(created.Server, made[slices.Index(createdKinds, in.Kind):])
	return out, nil
}

// createdKinds are what a creation makes: of its own kind and all after it.
var createdKinds = []string{string(tmux.KindSession), string(tmux.KindWindow), string(tmux.KindPane)}

// create creates what was checked, in the life of the server that the reference names.
func (a *App) create(ctx context.Context, in TmuxCreateIn, start ports.Start, way *ports.Dispatch) (ports.Created, error) {
	parent := Reference{Generation: in.Generation, TargetID: in.ParentID}
	dispatching := ports.WithDispatch(ctx, way)
	switch in.Kind {
	case string(tmux.KindSession):
		request := ports.NewSession{Name: in.Name, Cwd: in.Cwd, Width: in.Width, Height: in.Height, Start: start}
		if in.Generation != "" {
			t, err := a.topology(referring(ctx, parent), tmux.DetailBrief)
			if err != nil {
				return ports.Created{}, err
			}
			if !t.Running {
				return ports.Created{}, staleReference(parent)
			}
			request.In = t.Server
		}
		return a.Creator.NewSession(dispatching, request)
	case string(tmux.KindWindow):
		t, err := a.exact(ctx, tmux.DetailBrief, "parent_id", parent, tmux.KindSession)
		if err != nil {
			return ports.Created{}, err
		}
		return a.Creator.NewWindow(dispatching, t.Server, ports.NewWindow{
			Session: tmux.SessionID(in.ParentID), Name: in.Name, Cwd: in.Cwd, Index: in.Index, Focus: in.Focus, Start: start,
		})
	}
	t, err := a.exact(ctx, tmux.DetailBrief, "parent_id", parent, tmux.KindPane)
	if err != nil {
		return ports.Created{}, err
	}
	return a.Creator.SplitWindow(dispatching, t.Server, ports.SplitWindow{
		Pane: tmux.PaneID(in.ParentID), Direction: ports.Direction(lo.CoalesceOrEmpty(in.Direction, string(ports.Below))),
		Size: in.Size, Cwd: in.Cwd, Focus: in.Focus, Start: start,
	})
}

// check refuses arguments that another kind has, and values that tmux would take for something else.
func (in TmuxCreateIn) check() error {
	kinds := []struct {
		argument string
		given    bool
		of       []string
	}{
		{"parent_id", in.ParentID != "", []string{"window", "pane"}},
		{"name", in.Name != "", []string{"session", "window"}},
		{"index", in.Index != nil, []string{"window"}},
		{"direction", in.Direction != "", []string{"pane"}},
		{"size", in.Size != "", []string{"pane"}},
		{"width", in.Width != 0, []string{"session"}},
		{"height", in.Height != 0, []string{"session"}},
		{"focus", in.Focus, []string{"window", "pane"}},
	}
	for _, k := range kinds {
		if k.given && !slices.Contains(k.of, in.Kind) {
			return fault.Invalidf("leave it out", "%s is for a %s, not for a %s", k.argument, strings.Join(k.of, " or a "), in.Kind)
		}
	}
	if in.Kind == string(tmux.KindSession) && strings.ContainsAny(in.Name, ":.") {
		return fault.Invalidf("use another character, such as _", "name %q holds : or . which tmux would replace", in.Name)
	}
	if in.Size != "" && !splitSize.MatchString(in.Size) {
		return fault.Invalidf(`pass cells such as "10" or a percentage such as "30%"`, "size %q is neither cells nor a percentage", in.Size)
	}
	return firstError(checkName("name", in.Name), checkCwd(in.Cwd))
}

// ownVariables are those that tmux sets itself for what it starts.
var ownVariables = []string{"PATH", "SHELL", "TMUX", "TMUX_PANE"}

// start checks what is to run.
func (in TmuxCreateIn) start() (ports.Start, error) {
	start := ports.Start{Argv: in.Argv}
	if len(in.Argv) > maxExactArgv {
		return start, fault.Invalidf("put them into a file", "argv has %d entries, more than %d", len(in.Argv), maxExactArgv)
	}
	if len(in.Argv) > 0 && in.Argv[0] == "" {
		return start, fault.Invalidf("pass a program", "argv[0] is empty")
	}
	bytes := len(strings.Join(in.Argv, " "))
	if len(in.Environment) > 0 {
		var given map[string]any
		if err := json.Unmarshal(in.Environment, &given); err != nil {
			return start, fault.Invalidf(`pass an object such as {"NAME": "value"}`, "environment is not an object: %v", err)
		}
		start.Environment = map[string]string{}
		for name, value := range given {
			text, ok := value.(string)
			switch {
			case !ok:
				return start, fault.Invalidf("pass a text", "environment.%s is not a text", clipped(name))
			case name == "" || strings.ContainsAny(name, "=\x00"):
				return start, fault.Invalidf("a name has at least one character, and none is =", "environment holds the name %q", clipped(name))
			case slices.Contains(ownVariables, name):
				return start, fault.Invalidf(fmt.Sprintf(`leave it out, or set it with argv ["/usr/bin/env", "%s=...", "program"]`, name), "tmux sets %s itself", name)
			}
			start.Environment[name] = text
			bytes += len(name) + len(text)
		}
	}
	if bytes > maxExactText {
		return start, fault.Invalidf("put it into a file", "argv and environment have %d bytes, more than %d", bytes, maxExactText)
	}
	return start, nil
}
