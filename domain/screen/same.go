package screen

import "slices"

// Same reports whether two captures, taken in the same way, show the same: rows, cursor, size and history.
func Same(a, b Capture) bool {
	return a.Server.Generation == b.Server.Generation && a.Pane.ID == b.Pane.ID && a.Pane.PID == b.Pane.PID &&
		a.Pane.CursorX == b.Pane.CursorX && a.Pane.CursorY == b.Pane.CursorY &&
		a.Pane.Width == b.Pane.Width && a.Pane.Height == b.Pane.Height &&
		a.Pane.HistorySize == b.Pane.HistorySize && slices.Equal(a.Rows, b.Rows)
}
