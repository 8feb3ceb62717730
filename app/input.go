package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The limits of input.
const (
	greatestText  = 64 << 10 // bytes
	greatestPaste = 1 << 20  // bytes
	greatestKeys  = 256
)

// submitPause is between a text and its Enter. Programs that take fast input for a paste do not submit on an Enter that comes with it.
const submitPause = 150 * time.Millisecond

// dispatchOnly is all that sending input can claim.
const dispatchOnly = "dispatch_only"

// SendKeysIn is a text or keys.
type SendKeysIn struct {
	PaneID          string   `json:"pane_id" jsonschema:"pane (%N)"`
	Text            *string  `json:"text,omitempty" jsonschema:"typed literally; exclusive with keys; at most 65536 bytes"`
	Keys            []string `json:"keys,omitempty" maxItems:"256" jsonschema:"tmux key names such as C-c, Escape, Up, j; exclusive with text"`
	Enter           bool     `json:"enter,omitempty" jsonschema:"press Enter afterwards, apart from the text, as a person would"`
	ConfirmAttended bool     `json:"confirm_attended,omitempty" jsonschema:"send although a person looks at the pane: only if they agreed"`
}

// SendKeysOut says where the input went.
type SendKeysOut struct {
	Generation string   `json:"generation"`
	Recipients []string `json:"recipients" jsonschema:"panes that were to receive it, as observed before: more than one if synchronize-panes is on"`
	Completion string   `json:"completion" enum:"dispatch_only" jsonschema:"tmux took it; what the program did with it is not known"`
}

// SendKeys types a text or presses keys.
func (a *App) SendKeys(ctx context.Context, in SendKeysIn) (SendKeysOut, error) {
	ctx, err := a.admit(ctx, "send_keys")
	if err != nil {
		return SendKeysOut{}, err
	}
	id, err := target.ParsePane("pane_id", in.PaneID)
	if err != nil {
		return SendKeysOut{}, err
	}
	if err := checkInput(in.Text, in.Keys, "use paste_text, which takes 1 MiB"); err != nil {
		return SendKeysOut{}, err
	}
	keys := in.Keys
	if in.Enter && in.Text == nil {
		keys = append(slices.Clip(keys), "Enter")
	}
	wish := guard.Wish{
		Action: guard.Keys, Pane: id, ConfirmAttended: in.ConfirmAttended,
		StopKeys: in.Text == nil && !in.Enter && lo.EveryBy(keys, tmux.IsStopKey),
	}
	verdict, err := a.dispatch(ctx, wish, func(pre guard.Precondition) error {
		if in.Text == nil {
			return a.Input.SendKeys(ctx, pre, keys)
		}
		err := a.Input.SendText(ctx, pre, *in.Text, false)
		if err != nil || !in.Enter {
			return err
		}
		return a.submit(ctx, id, len(*in.Text), func() error { return a.Input.SendKeys(ctx, pre, []string{"Enter"}) })
	})
	if err != nil {
		return SendKeysOut{}, err
	}
	return SendKeysOut{
		Generation: string(verdict.Precondition.Server.Generation), Completion: dispatchOnly,
		Recipients: lo.Map(verdict.Recipients, func(p tmux.PaneID, _ int) string { return string(p) }),
	}, nil
}

// checkInput refuses what is not one of text and keys. A text that is too long is told what to use instead.
func checkInput(text *string, keys []string, instead string) error {
	const oneOf = `pass text for literal text, or keys such as ["C-c"]`
	switch {
	case text != nil && keys != nil:
		return fault.Invalidf(oneOf, "text and keys exclude each other")
	case text == nil && len(keys) == 0:
		return fault.Invalidf(oneOf, "there is neither text nor keys")
	case text != nil && len(*text) > greatestText:
		return fault.Invalidf(instead, "text has %d bytes, more than %d", len(*text), greatestText)
	case len(keys) > greatestKeys:
		return fault.Invalidf("send them in parts", "there are %d keys, more than %d", len(keys), greatestKeys)
	}
	if key, bad := lo.Find(keys, func(key string) bool { return !tmux.IsKey(key) }); bad {
		return fault.Invalidf("use tmux's names: C-c, M-x, Enter, Escape, Tab, BSpace, Up, PageDown, F5, or one character; words go into text",
			"%q is not a key: tmux would type it letter by letter", key)
	}
	return nil
}

// PasteTextIn is a text.
type PasteTextIn struct {
	PaneID          string `json:"pane_id" jsonschema:"pane (%N)"`
	Text            string `json:"text" jsonschema:"at most 1 MiB"`
	Bracketed       string `json:"bracketed,omitempty" enum:"auto,never" jsonschema:"auto (default): as a bracketed paste if the program asked for it"`
	Enter           bool   `json:"enter,omitempty" jsonschema:"press Enter afterwards, apart from the text"`
	ConfirmAttended bool   `json:"confirm_attended,omitempty" jsonschema:"paste although a person looks at the pane: only if they agreed"`
}

// PasteTextOut says what went.
type PasteTextOut struct {
	Generation string `json:"generation"`
	Bytes      int    `json:"bytes"`
	Completion string `json:"completion" enum:"dispatch_only" jsonschema:"tmux took it; what the program did with it is not known"`
}

// PasteText pastes a text into one pane, whatever synchronize-panes says.
func (a *App) PasteText(ctx context.Context, in PasteTextIn) (PasteTextOut, error) {
	ctx, err := a.admit(ctx, "paste_text")
	if err != nil {
		return PasteTextOut{}, err
	}
	id, err := target.ParsePane("pane_id", in.PaneID)
	if err != nil {
		return PasteTextOut{}, err
	}
	if len(in.Text) > greatestPaste {
		return PasteTextOut{}, fault.Invalidf("paste it in parts", "text has %d bytes, more than %d", len(in.Text), greatestPaste)
	}
	if strings.Contains(in.Text, "\x1b[201~") {
		return PasteTextOut{}, fault.Invalidf("leave it out", "text holds the sequence that ends a bracketed paste: what follows it would be typed")
	}
	bracket := ports.Bracket(lo.CoalesceOrEmpty(in.Bracketed, string(ports.BracketAuto)))
	wish := guard.Wish{Action: guard.Paste, Pane: id, ConfirmAttended: in.ConfirmAttended}
	verdict, err := a.dispatch(ctx, wish, func(pre guard.Precondition) error {
		err := a.Input.Paste(ctx, pre, in.Text, bracket)
		if err != nil || !in.Enter {
			return err
		}
		// Pasted too, as a bare CR: an Enter key would fan out to a synchronized cohort.
		return a.submit(ctx, id, len(in.Text), func() error { return a.Input.Paste(ctx, pre, "\n", ports.BracketNever) })
	})
	if err != nil {
		return PasteTextOut{}, err
	}
	return PasteTextOut{Generation: string(verdict.Precondition.Server.Generation), Bytes: len(in.Text), Completion: dispatchOnly}, nil
}

// submit presses Enter a little after a text of so many bytes went, and says what went if Enter does not.
func (a *App) submit(ctx context.Context, pane tmux.PaneID, sent int, enter func() error) error {
	err := pause(ctx, submitPause)
	if err == nil {
		err = enter()
	}
	if err == nil {
		return nil
	}
	failed := &fault.Error{
		Kind: fault.KindOf(asFault(err, "press Enter")), Op: "press Enter", Target: string(pane), Delivery: fault.Observed,
		Effects: &fault.Effects{State: "known", Bytes: &sent}, Err: err,
		Message: "the text was typed, but Enter was not pressed", Recovery: "capture_pane, then press Enter with send_keys if the text stands there",
	}
	if fault.Is(err, fault.PreconditionFailed) {
		failed.Kind, failed.Message = fault.CommandFailed, "the text was typed, but the pane changed before Enter could be pressed"
	}
	return failed
}

// attempts is how often an input is judged anew when the pane changed between the judgement and the dispatch.
const attempts = 3

// dispatch judges a wish and lets send do it under the precondition of the verdict, while no other input of this process goes to the
// window. If the precondition no longer holds then and nothing was typed, it is judged anew.
func (a *App) dispatch(ctx context.Context, wish guard.Wish, send func(guard.Precondition) error) (guard.Verdict, error) {
	for range attempts {
		verdict, err := a.dispatchOnce(ctx, wish, send)
		f, failed := errors.AsType[*fault.Error](err)
		switch {
		case !failed || f.Kind != fault.PreconditionFailed:
			return verdict, err
		case f.Effects != nil:
			partial := *f
			partial.Kind, partial.Delivery = fault.CommandFailed, fault.Observed
			partial.Message = fmt.Sprintf("the pane changed while the text was typed; %d bytes of it went", lo.FromPtr(f.Effects.Bytes))
			partial.Recovery = "capture_pane, and send the rest if it still fits"
			return verdict, &partial
		}
	}
	return guard.Verdict{}, keepsChanging(wish.Pane)
}

func (a *App) dispatchOnce(ctx context.Context, wish guard.Wish, send func(guard.Precondition) error) (guard.Verdict, error) {
	t, pane, release, err := a.claim(ctx, wish.Pane)
	if err != nil {
		return guard.Verdict{}, err
	}
	defer release()
	holders, err := a.holders(ctx, t, pane.Window)
	if err != nil {
		return guard.Verdict{}, err
	}
	verdict := guard.Judge(t, wish, guard.Evidence{Caller: a.caller(ctx, t).Pane, Holders: holders})
	if verdict.Refusal != nil {
		return guard.Verdict{}, verdict.Refusal
	}
	a.runs.touched(verdict.Precondition)
	return verdict, send(verdict.Precondition)
}

func keepsChanging(pane tmux.PaneID) error {
	return &fault.Error{
		Kind: fault.CommandFailed, Target: string(pane), Message: fmt.Sprintf("pane %s changed each time just before input was sent; nothing was typed", pane),
		Recovery: "look at it (get_pane_info) and try again",
	}
}

// pause waits, or ends early with the context's error as a fault.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		kind := fault.Cancelled
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			kind = fault.Deadline
		}
		return &fault.Error{Kind: kind, Message: "the call ended while it waited", Err: ctx.Err()}
	}
}
