package app

import (
	"context"
	"fmt"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// RespawnPaneIn names a pane. What is started is no caller's to say: it is the command with which the pane was made.
type RespawnPaneIn struct {
	PaneID          string `json:"pane_id" jsonschema:"pane (%N)"`
	Cwd             string `json:"cwd,omitempty" jsonschema:"absolute path of an existing directory; as before by default"`
	Kill            bool   `json:"kill,omitempty" jsonschema:"end what runs in it"`
	ConfirmAttended bool   `json:"confirm_attended,omitempty" jsonschema:"although a person looks at the pane: only if they agreed"`
}

// RespawnPaneOut is what was started.
type RespawnPaneOut struct {
	Generation   string `json:"generation"`
	PaneID       string `json:"pane_id"`
	PID          int    `json:"pid"`
	StartCommand string `json:"start_command,omitempty" jsonschema:"absent: the default shell"`
}

// RespawnPane starts a pane's own command again, while no input of this process goes to its window. If what was judged changed before
// tmux did it, it is judged anew, for the same process.
func (a *App) RespawnPane(ctx context.Context, in RespawnPaneIn) (RespawnPaneOut, error) {
	ctx, err := a.admit(ctx, "respawn_pane")
	if err != nil {
		return RespawnPaneOut{}, err
	}
	id, err := target.ParsePane("pane_id", in.PaneID)
	if err != nil {
		return RespawnPaneOut{}, err
	}
	if err := checkCwd(in.Cwd); err != nil {
		return RespawnPaneOut{}, err
	}
	wish := guard.RespawnWish{Pane: id, Kill: in.Kill, ConfirmAttended: in.ConfirmAttended}
	var meant tmux.Pane // as it was judged first
	for range attempts {
		out, err := a.respawnOnce(ctx, wish, in.Cwd, &meant)
		if !fault.Is(err, fault.PreconditionFailed) {
			return out, err
		}
	}
	return RespawnPaneOut{}, &fault.Error{
		Kind: fault.CommandFailed, Op: "respawn", Target: in.PaneID, Message: fmt.Sprintf("pane %s changed each time just before it was to be respawned; nothing was done", id),
		Recovery: "look at it (get_pane_info) and try again",
	}
}

// respawnOnce judges the wish and fulfils it under what was judged. The first judgement says which process is meant.
func (a *App) respawnOnce(ctx context.Context, wish guard.RespawnWish, cwd string, meant *tmux.Pane) (RespawnPaneOut, error) {
	t, pane, release, err := a.claim(ctx, wish.Pane)
	if err != nil {
		return RespawnPaneOut{}, err
	}
	defer release()
	if meant.ID == "" {
		*meant = pane
	}
	if pane.PID != meant.PID && !pane.Dead {
		return RespawnPaneOut{}, &fault.Error{
			Kind: fault.StaleTarget, Op: "respawn", Target: string(pane.ID), Message: fmt.Sprintf("somebody else has respawned pane %s meanwhile", pane.ID),
			Recovery: "look at it (get_pane_info)",
		}
	}
	holders, err := a.holders(ctx, t, pane.Window)
	if err != nil {
		return RespawnPaneOut{}, err
	}
	respawning, refusal := guard.JudgeRespawn(t, wish, guard.Evidence{Caller: a.caller(ctx, t).Pane, Holders: holders})
	if refusal != nil {
		return RespawnPaneOut{}, refusal
	}
	started, err := a.Creator.Respawn(ctx, t.Server, ports.Respawn{Respawning: respawning, Cwd: cwd})
	if err != nil {
		return RespawnPaneOut{}, err
	}
	command, _ := screen.Clean(started.StartCommand)
	return RespawnPaneOut{Generation: string(t.Server.Generation), PaneID: string(pane.ID), PID: started.PID, StartCommand: command}, nil
}
