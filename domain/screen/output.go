package screen

import (
	"slices"
	"strings"
)

// An Anchor says where a piece of output begins: below the row that shows Token. The rest was read when the token's row had
// just been written.
type Anchor struct {
	Token       string
	Row         int // absolute row below the token's
	HistorySize int // rows
}

// AnchorAt takes the anchor from a capture made right after the token's row was written.
func AnchorAt(c Capture, token string) Anchor {
	return Anchor{Token: token, Row: c.CursorRow(), HistorySize: c.Pane.HistorySize}
}

// A Loss says why output does not begin at its anchor.
type Loss string

// The losses.
const (
	LossNone      Loss = ""
	LossTrimmed   Loss = "trimmed"          // the history was full, its oldest rows left
	LossCleared   Loss = "cleared"          // the screen or the history was cleared
	LossAlternate Loss = "alternate_screen" // another screen is shown
)

// Output is what was written since the anchor: the lines below the token's row down to the cursor. c is joined, with starts, and holds
// the whole history, or at least starts at the token's row. If that row is not there, rows were lost: the lines are
// then those that can only have come after it. Source: history sizes prove nothing, tmux drops a tenth of a full
// history at once; the token's row does.
func Output(c Capture, a Anchor) ([]string, Loss) {
	if c.Pane.Alternate {
		return nil, LossAlternate
	}
	lines := untilCursor(c)
	for i, line := range slices.Backward(lines) {
		if strings.Contains(line, a.Token) {
			return lines[i+1:], LossNone
		}
	}
	// After a trim the history stays above nine tenths of its limit, and all that is left is newer than the token.
	if limit := c.Pane.HistoryLimit; c.Pane.HistorySize >= limit-limit/10 {
		return lines, LossTrimmed
	}
	// A screen can be cleared without its history: what was in the history before is not ours.
	if a.HistorySize <= c.Pane.HistorySize {
		older, _ := slices.BinarySearch(c.Starts, a.HistorySize)
		lines = lines[min(older, len(lines)):]
	}
	return lines, LossCleared
}

// HasToken reports whether the anchor's row is in the capture.
func HasToken(c Capture, a Anchor) bool {
	for _, row := range c.Rows {
		if strings.Contains(row, a.Token) {
			return true
		}
	}
	return false
}

// untilCursor drops the rows below the cursor, which are blank unless a program wrote there and moved up, and
// the cursor's own row if nothing is left of the cursor.
func untilCursor(c Capture) []string {
	lines := c.Rows
	for range c.Pane.Height - 1 - c.Pane.CursorY {
		if len(lines) == 0 || strings.TrimRight(lines[len(lines)-1], " ") != "" {
			return lines
		}
		lines = lines[:len(lines)-1]
	}
	if n := len(lines); n > 0 && c.Pane.CursorX == 0 && strings.TrimRight(lines[n-1], " ") == "" {
		lines = lines[:n-1]
	}
	return lines
}
