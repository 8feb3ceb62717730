package fake

import (
	"context"
	"slices"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// SendText implements [ports.Input].
func (w *World) SendText(ctx context.Context, pre guard.Precondition, text string, enter bool) error {
	const op = "send text"
	if strings.ContainsRune(text, 0) {
		return failed(fault.InvalidInput, op, string(pre.Pane), "the text holds a NUL byte")
	}
	if enter {
		text += "\r"
	}
	return w.send(ctx, op, pre, text)
}

// SendKeys implements [ports.Input].
func (w *World) SendKeys(ctx context.Context, pre guard.Precondition, keys []string) error {
	var typed strings.Builder
	for _, key := range keys {
		typed.WriteString(keyBytes(key))
	}
	return w.send(ctx, "send keys", pre, typed.String())
}

// Paste implements [ports.Input].
func (w *World) Paste(ctx context.Context, pre guard.Precondition, text string, bracket ports.Bracket) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	pane, err := w.addressed(ctx, "paste", pre)
	if err != nil {
		return err
	}
	text = strings.ReplaceAll(text, "\n", "\r")
	if bracket == ports.BracketAuto && pane.grid.bracketed {
		text = pasteBegin + text + pasteEnd
	}
	pane.terminal.input([]byte(text))
	return nil
}

func (w *World) send(ctx context.Context, op string, pre guard.Precondition, text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	pane, err := w.addressed(ctx, op, pre)
	if err != nil {
		return err
	}
	for _, recipient := range pane.recipients() {
		recipient.terminal.input([]byte(text))
	}
	return nil
}

// addressed is the pane to which input goes, if its precondition holds.
func (w *World) addressed(ctx context.Context, op string, pre guard.Precondition) (*pane, error) {
	if err := w.contact(ctx, op); err != nil {
		return nil, err
	}
	if err := w.same(pre.Server, op, string(pre.Pane)); err != nil {
		return nil, err
	}
	pane := w.server.pane(pre.Pane)
	if pane == nil || !w.holds(pre, pane) {
		return nil, failed(fault.PreconditionFailed, op, string(pre.Pane), "%s is not as it was when this was decided", pre.Pane)
	}
	return pane, nil
}

// holds evaluates a precondition, as the comment of guard.Precondition says.
func (w *World) holds(pre guard.Precondition, at *pane) bool {
	for _, recipient := range pre.Recipients {
		p := w.server.pane(recipient.Pane)
		if p == nil || p.window != at.window || p.pid != recipient.PID || p.dead || p.inputOff || p.mode != "" {
			return false
		}
		if pre.Unwatched && pre.Zoomed && (at.window.active == p) != recipient.Active {
			return false
		}
	}
	if pre.Cohort && !at.cohortIs(pre.Recipients) {
		return false
	}
	return !pre.Unwatched || w.server.viewers(at.window) == pre.Viewers && at.window.zoomed == pre.Zoomed
}

// cohortIs reports whether keys for the pane would reach exactly these.
func (p *pane) cohortIs(recipients []guard.Recipient) bool {
	if len(recipients) == 1 && recipients[0].Pane == p.id && !p.synchronized() {
		return true
	}
	if !p.synchronized() {
		return false
	}
	for _, sibling := range p.window.panes {
		listed := slices.ContainsFunc(recipients, func(r guard.Recipient) bool { return r.Pane == sibling.id })
		if listed != sibling.synchronized() {
			return false
		}
	}
	return true
}

// recipients are the panes that tmux gives keys sent to this one: itself and, if it is synchronized, every synchronized pane of
// the window that is in no mode, takes input and is visible. Source: measured on tmux 3.2a to 3.7c.
func (p *pane) recipients() []*pane {
	found := []*pane{p}
	if !p.synchronized() {
		return found
	}
	for _, sibling := range p.window.panes {
		visible := !p.window.zoomed || sibling == p.window.active
		if sibling != p && sibling.synchronized() && sibling.mode == "" && !sibling.inputOff && !sibling.dead && visible {
			found = append(found, sibling)
		}
	}
	return found
}
