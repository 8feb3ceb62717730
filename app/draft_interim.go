package app

import (
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
)

// interim until guard.JudgeDraft lands
func judgeDraft(now screen.Capture, learned []guard.Prompt) guard.Draft {
	if now.Pane.CursorY >= len(now.Rows) {
		return guard.Draft{State: guard.DraftUnknown}
	}
	row := strings.TrimRight(now.Rows[now.Pane.CursorY], " ")
	for _, p := range learned {
		old := strings.TrimRight(p.Capture.Rows[p.Capture.Pane.CursorY], " ")
		if row == old && now.Pane.CursorX == p.Capture.Pane.CursorX {
			return guard.Draft{State: guard.DraftEmpty}
		}
		if rest, ok := strings.CutPrefix(row, old); ok {
			return guard.Draft{State: guard.DraftPresent, Text: rest}
		}
	}
	return guard.Draft{State: guard.DraftUnknown, Promptlike: strings.HasSuffix(row, "$")}
}
