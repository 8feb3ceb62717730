package fake

import (
	"context"
	"fmt"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Screen is what a pane shows: its rows, without trailing blanks and blank rows at the end.
func (w *World) Screen(id tmux.PaneID) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mustPane(id).grid.shown()
}

// Received is every byte that was typed into a pane, whatever ran in it.
func (w *World) Received(id tmux.PaneID) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return string(w.mustPane(id).received)
}

// Await waits until a pane shows a text. It fails when the context ends first, or the pane is gone.
func (w *World) Await(ctx context.Context, id tmux.PaneID, text string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	var pane *pane
	err := w.wait(ctx, func() bool {
		pane = nil
		if w.server != nil {
			pane = w.server.pane(id)
		}
		return pane == nil || strings.Contains(pane.grid.shown(), text)
	})
	if err == nil && pane == nil {
		err = fmt.Errorf("pane %s is gone", id)
	}
	return err
}

// AwaitPrompt waits until the pane's shell is idle at its prompt.
func (w *World) AwaitPrompt(ctx context.Context, id tmux.PaneID) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	shell := w.mustPane(id).terminal.shell
	return w.wait(ctx, func() bool { return shell != nil && shell.idle })
}

// AwaitRaw waits until the program in a pane has the terminal raw, as a full-screen program does.
func (w *World) AwaitRaw(ctx context.Context, id tmux.PaneID) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	terminal := w.mustPane(id).terminal
	return w.wait(ctx, func() bool { return !terminal.canonical })
}
