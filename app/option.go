package app

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// SetOptionIn is an option and where to set it.
type SetOptionIn struct {
	Name     string `json:"name" jsonschema:"mouse or history-limit (of a session, or globally), remain-on-exit (window, pane or globally), synchronize-panes (window or pane), monitor-activity (window or globally), or @name of your own (anywhere)"`
	Value    string `json:"value" jsonschema:"literal: on or off, a number of lines, for remain-on-exit also failed; for @name anything"`
	TargetID string `json:"target_id,omitempty" jsonschema:"session ($N), window (@N) or pane (%N); left out, globally"`
}

// SetOptionOut is the value in force.
type SetOptionOut struct {
	Generation string `json:"generation"`
	Name       string `json:"name"`
	Value      string `json:"value" jsonschema:"as it is set there now"`
	TargetID   string `json:"target_id,omitempty"`
	Note       string `json:"note,omitempty" jsonschema:"what else follows from it"`
}

// notes are what follows from options, once they are set so.
var notes = map[[2]string]string{
	{"synchronize-panes", "on"}: "amplifies later input: what is typed in one of the panes, by send_keys or by a person, reaches all of them",
}

// SetOption sets one of a few options, or one of the user's own.
func (a *App) SetOption(ctx context.Context, in SetOptionIn) (SetOptionOut, error) {
	ctx, err := a.admit(ctx, "set_option")
	if err != nil {
		return SetOptionOut{}, err
	}
	level := tmux.Kind("")
	if in.TargetID != "" {
		if err := target.Parse("target_id", in.TargetID, tmux.KindSession, tmux.KindWindow, tmux.KindPane); err != nil {
			return SetOptionOut{}, err
		}
		level = target.Kind(in.TargetID)
	}
	if err := tmux.CheckOption(in.Name, in.Value, level); err != nil {
		return SetOptionOut{}, fault.Invalidf("pass one of the names with a value and a target that it takes", "%v", err)
	}
	t, err := a.known(ctx, tmux.DetailBrief, in.TargetID, "list_panes")
	if err != nil {
		return SetOptionOut{}, err
	}
	if in.TargetID != "" {
		err = target.Exists(t, in.TargetID)
	} else if !t.Running {
		err = &fault.Error{Kind: fault.ServerGone, Message: "no tmux server is running at the socket"}
	}
	if err != nil {
		return SetOptionOut{}, err
	}
	value, err := a.Manager.Configure(ctx, t.Server, ports.Configure{Target: in.TargetID, Name: in.Name, Value: in.Value})
	if err != nil {
		return SetOptionOut{}, err
	}
	return SetOptionOut{
		Generation: string(t.Server.Generation), Name: in.Name, Value: value, TargetID: in.TargetID, Note: notes[[2]string{in.Name, value}],
	}, nil
}
