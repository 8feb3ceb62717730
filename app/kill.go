package app

import (
	"context"
	"fmt"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Confirming are the exceptions that a caller may name when it ends something.
type Confirming struct {
	ConfirmSelf     bool `json:"confirm_self,omitempty" jsonschema:"end it although this conversation runs through it"`
	ConfirmAttended bool `json:"confirm_attended,omitempty" jsonschema:"end it although a person looks at it: only if they agreed"`
}

// KillPaneIn names a pane.
type KillPaneIn struct {
	PaneID string `json:"pane_id" jsonschema:"pane (%N)"`
	Confirming
}

// KillWindowIn names a window.
type KillWindowIn struct {
	WindowID string `json:"window_id" jsonschema:"window (@N); it ends in every session it is linked into"`
	Confirming
}

// KillSessionIn names a session.
type KillSessionIn struct {
	SessionID string `json:"session_id" jsonschema:"session ($N); windows linked into others stay there"`
	Confirming
}

// KillOut is all that ended.
type KillOut struct {
	Generation string   `json:"generation"`
	Panes      []string `json:"panes" jsonschema:"ids of the panes that ended"`
	Windows    []string `json:"windows" jsonschema:"ids of the windows that ended"`
	Sessions   []string `json:"sessions" jsonschema:"ids of the sessions that ended"`
}

// KillPane ends a pane.
func (a *App) KillPane(ctx context.Context, in KillPaneIn) (KillOut, error) {
	ctx, err := a.admit(ctx, "kill_pane")
	if err != nil {
		return KillOut{}, err
	}
	return a.kill(ctx, "pane_id", in.PaneID, tmux.KindPane, in.Confirming)
}

// KillWindow ends a window.
func (a *App) KillWindow(ctx context.Context, in KillWindowIn) (KillOut, error) {
	ctx, err := a.admit(ctx, "kill_window")
	if err != nil {
		return KillOut{}, err
	}
	return a.kill(ctx, "window_id", in.WindowID, tmux.KindWindow, in.Confirming)
}

// KillSession ends a session.
func (a *App) KillSession(ctx context.Context, in KillSessionIn) (KillOut, error) {
	ctx, err := a.admit(ctx, "kill_session")
	if err != nil {
		return KillOut{}, err
	}
	return a.kill(ctx, "session_id", in.SessionID, tmux.KindSession, in.Confirming)
}

// kill ends what an id of a kind names.
func (a *App) kill(ctx context.Context, argument, id string, kind tmux.Kind, confirmed Confirming) (KillOut, error) {
	if err := target.Parse(argument, id, kind); err != nil {
		return KillOut{}, err
	}
	done, err := a.end(ctx, id, confirmed)
	if err != nil {
		return KillOut{}, err
	}
	return KillOut{
		Generation: string(done.server.Generation), Panes: texts(done.Panes), Windows: texts(done.Windows), Sessions: texts(done.Sessions),
	}, nil
}

// An ended is what ended in a life of the server, and how that got to tmux.
type ended struct {
	ports.Ended
	server tmux.Server
	way    ports.Dispatch
}

// end ends what an id names. If what was judged changed before tmux ended it, it is judged anew.
func (a *App) end(ctx context.Context, id string, confirmed Confirming) (done ended, err error) {
	wish := guard.EndWish{Target: id, ConfirmSelf: confirmed.ConfirmSelf, ConfirmAttended: confirmed.ConfirmAttended}
	for range attempts {
		t, err := a.known(ctx, tmux.DetailBrief, id, target.Lister(id))
		if err != nil {
			return ended{}, err
		}
		if err := target.Exists(t, id); err != nil {
			return ended{}, err
		}
		ending, refusal := guard.JudgeEnd(t, wish, a.caller(ctx, t).Pane)
		if refusal != nil {
			return ended{}, refusal
		}
		done.server = t.Server
		if done.Ended, err = a.Terminator.End(ports.WithDispatch(ctx, &done.way), t.Server, ending); !fault.Is(err, fault.PreconditionFailed) {
			return done, err
		}
	}
	return ended{}, &fault.Error{
		Kind: fault.CommandFailed, Op: "end", Target: id, Message: fmt.Sprintf("%s changed each time just before it was to end; nothing ended", id),
		Recovery: "look at it (" + target.Lister(id) + ") and try again",
	}
}

// texts are ids for an answer; never nil.
func texts[ID ~string](ids []ID) []string {
	return lo.Map(ids, func(id ID, _ int) string { return string(id) })
}

// ClearHistoryIn names a pane.
type ClearHistoryIn struct {
	PaneID string `json:"pane_id" jsonschema:"pane (%N)"`
	Screen bool   `json:"screen,omitempty" jsonschema:"blank the screen too; its program, also a shell with its prompt, does not draw it again by itself"`
}

// ClearHistoryOut names the pane.
type ClearHistoryOut struct {
	Generation string `json:"generation"`
	PaneID     string `json:"pane_id"`
}

// ClearHistory drops what stands above a pane's screen.
func (a *App) ClearHistory(ctx context.Context, in ClearHistoryIn) (ClearHistoryOut, error) {
	ctx, err := a.admit(ctx, "clear_history")
	if err != nil {
		return ClearHistoryOut{}, err
	}
	t, pane, err := a.knownPane(ctx, tmux.DetailBrief, in.PaneID)
	if err != nil {
		return ClearHistoryOut{}, err
	}
	if err := a.Terminator.DropHistory(ctx, t.Server, pane.ID, in.Screen); err != nil {
		return ClearHistoryOut{}, err
	}
	return ClearHistoryOut{Generation: string(t.Server.Generation), PaneID: string(pane.ID)}, nil
}
