package screen_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestOutput(t *testing.T) {
	// A pane of 6 rows with a history limit of 100 rows.
	pane := func(history, x, y int) tmux.Pane {
		return tmux.Pane{Height: 6, HistoryLimit: 100, HistorySize: history, CursorX: x, CursorY: y}
	}
	alternate := pane(0, 0, 0)
	alternate.Alternate = true
	for _, c := range []struct {
		name    string
		capture screen.Capture
		history int // at the anchor
		want    []string
		loss    screen.Loss
	}{
		{"two lines", screen.Capture{Pane: pane(0, 0, 3), Rows: []string{"[T] $ x", "a", "b", "", "", ""}}, 0, []string{"a", "b"}, screen.LossNone},
		{"no newline at the end", screen.Capture{Pane: pane(0, 3, 1), Rows: []string{"[T] $ x", "abc", "", "", "", ""}}, 0, []string{"abc"}, screen.LossNone},
		{"blank lines count", screen.Capture{Pane: pane(0, 0, 4), Rows: []string{"[T] $ x", "a", "", "", "", ""}}, 0, []string{"a", "", ""}, screen.LossNone},
		{"blanks without a newline", screen.Capture{Pane: pane(0, 2, 1), Rows: []string{"[T] $ x", "", "", "", "", ""}}, 0, []string{""}, screen.LossNone},
		{"nothing", screen.Capture{Pane: pane(0, 0, 1), Rows: []string{"[T] $ x", "", "", "", "", ""}}, 0, []string{}, screen.LossNone},
		{"written below the cursor", screen.Capture{Pane: pane(0, 0, 1), Rows: []string{"[T] $ x", "", "low", "", "", ""}}, 0, []string{"", "low"}, screen.LossNone},
		{"the newest token counts", screen.Capture{Pane: pane(0, 0, 3), Rows: []string{"[T] $ x", "old", "[T] $ x", "", "", ""}}, 0, []string{}, screen.LossNone},
		{"trimmed", screen.Capture{Pane: pane(91, 0, 5), Rows: []string{"7", "8", "9", ""}}, 3, []string{"7", "8", "9"}, screen.LossTrimmed},
		{"cleared with its history", screen.Capture{Pane: pane(0, 0, 1), Rows: []string{"after", "", "", "", "", ""}}, 3, []string{"after"}, screen.LossCleared},
		{"cleared without its history", screen.Capture{Pane: pane(2, 0, 1), Rows: []string{"old", "older", "after", "", "", "", "", ""}}, 2, []string{"after"}, screen.LossCleared},
		{"alternate screen", screen.Capture{Pane: alternate, Rows: []string{"~", "~"}}, 0, nil, screen.LossAlternate},
	} {
		t.Run(c.name, func(t *testing.T) {
			for row := range c.capture.Rows {
				c.capture.Starts = append(c.capture.Starts, row)
			}
			got, loss := screen.Output(c.capture, screen.Anchor{Token: "[T]", HistorySize: c.history})
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("lines (-want +got):\n%s", d)
			}
			if loss != c.loss {
				t.Errorf("loss: got %q, want %q", loss, c.loss)
			}
		})
	}
}
