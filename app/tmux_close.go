package app

import (
	"context"
	"slices"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// TmuxCloseIn names a session, window or pane.
type TmuxCloseIn struct {
	Reference
	Confirming
}

// TmuxCloseOut says what ended.
type TmuxCloseOut struct {
	DispatchOut
	Closed []tmux.Ref `json:"closed" jsonschema:"all that ended with it"`
}

// TmuxClose ends exactly what a reference names, and what stands or falls with it.
func (a *App) TmuxClose(ctx context.Context, in TmuxCloseIn) (TmuxCloseOut, error) {
	ctx, err := a.admit(ctx, "tmux_close")
	if err != nil {
		return TmuxCloseOut{}, err
	}
	if err := in.check("target_id", tmux.KindPane, tmux.KindWindow, tmux.KindSession); err != nil {
		return TmuxCloseOut{}, withEffects(err)
	}
	done, err := a.end(referring(ctx, in.Reference), in.TargetID, in.Confirming)
	if err != nil {
		return TmuxCloseOut{}, withEffects(err)
	}
	return TmuxCloseOut{
		DispatchOut: dispatched(done.way),
		Closed:      slices.Concat(refs(done.server, done.Sessions), refs(done.server, done.Windows), refs(done.server, done.Panes)),
	}, nil
}
