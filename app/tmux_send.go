package app

import (
	"context"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// TmuxSendIn is a text or keys for one pane.
type TmuxSendIn struct {
	Reference
	Text            *string  `json:"text,omitempty" jsonschema:"typed literally; exclusive with keys; at most 65536 bytes"`
	Keys            []string `json:"keys,omitempty" maxItems:"256" jsonschema:"tmux key names such as C-c, Enter, Up, j; exclusive with text"`
	ConfirmAttended bool     `json:"confirm_attended,omitempty" jsonschema:"send although a person looks at the pane: only if they agreed"`
}

// A DispatchOut is the evidence that tmux got a change.
type DispatchOut struct {
	Delivery         fault.Delivery `json:"delivery" enum:"observed" jsonschema:"tmux answered that it did it"`
	ClientExitStatus *int           `json:"client_exit_status,omitempty" jsonschema:"of the tmux client that carried it; absent if none ended for it"`
}

// TmuxSendOut says that the input went.
type TmuxSendOut struct {
	DispatchOut
	Completion string `json:"completion" enum:"dispatch_only" jsonschema:"what the program did with it is not known"`
}

// TmuxSend types a text or presses keys in exactly one pane.
func (a *App) TmuxSend(ctx context.Context, in TmuxSendIn) (TmuxSendOut, error) {
	ctx, err := a.admit(ctx, "tmux_send")
	if err != nil {
		return TmuxSendOut{}, err
	}
	if err := firstError(in.check("target_id", tmux.KindPane), checkInput(in.Text, in.Keys, "send it in parts")); err != nil {
		return TmuxSendOut{}, withEffects(err)
	}
	wish := guard.Wish{
		Action: guard.Keys, Pane: tmux.PaneID(in.TargetID), ConfirmAttended: in.ConfirmAttended, Alone: true,
		StopKeys: in.Text == nil && lo.EveryBy(in.Keys, tmux.IsStopKey),
	}
	var way ports.Dispatch
	_, err = a.dispatch(referring(ctx, in.Reference), wish, func(pre guard.Precondition) error {
		ctx := ports.WithDispatch(ctx, &way)
		if in.Text == nil {
			return a.Input.SendKeys(ctx, pre, in.Keys)
		}
		return a.Input.SendText(ctx, pre, *in.Text, false)
	})
	if err != nil {
		return TmuxSendOut{}, withEffects(err)
	}
	return TmuxSendOut{DispatchOut: dispatched(way), Completion: dispatchOnly}, nil
}

func dispatched(way ports.Dispatch) DispatchOut {
	return DispatchOut{Delivery: fault.Observed, ClientExitStatus: way.ClientExitStatus}
}
