package screen

import (
	"slices"
	"strings"
)

// An Anchor says where a piece of output begins: below the row that shows Token. The rest was read when the token's row had
// just been written.
type Anchor struct {
	Token       string
	Row         int // absolute row below the token's; 0 if tmux had not drawn that yet
	Width       int // cells
	HistorySize int // rows
}

// AnchorAt takes the anchor from a capture of physical rows, made right after the token's row was written.
func AnchorAt(c Capture, token string) Anchor {
	anchor := Anchor{Token: token, Width: c.Pane.Width, HistorySize: c.Pane.HistorySize}
	if i := tokenIn(c.Rows, token); i >= 0 {
		anchor.Row = c.First + i + 1
	}
	return anchor
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
// the whole history, or at least what HasToken asks for. If the token's row is not there, rows were lost: the lines are
// then those that can only have come after it. Source: history sizes prove nothing, tmux drops a tenth of a full
// history at once; the token's row does. The command may write the token again, but not above it.
func Output(c Capture, a Anchor) ([]string, Loss) {
	if c.Pane.Alternate {
		return nil, LossAlternate
	}
	lines := untilCursor(c)
	first := tokenIn(lines, a.Token)
	if first >= 0 && a.mayStandAt(c, c.Starts[first]) {
		return lines[first+1:], LossNone
	}
	// After a trim all that is left is newer than the token.
	if mayHaveTrimmed(c) {
		return lines[first+1:], LossTrimmed
	}
	// A screen can be cleared without its history: what was in the history before is not ours.
	if a.HistorySize <= c.Pane.HistorySize {
		older, _ := slices.BinarySearch(c.Starts, a.HistorySize)
		first = max(first, min(older, len(lines))-1)
	}
	return lines[first+1:], LossCleared
}

// mayStandAt reports whether a row that shows the token can be the anchor's own, and not one that the command wrote. Rows move
// up when the history is cleared, and by tenths of its limit when it is full; where another width wrapped them anew, without a
// trim, the first row with the token is the anchor's wherever it stands.
func (a Anchor) mayStandAt(c Capture, row int) bool {
	up := a.Row - 1 - row
	switch {
	case a.Row == 0:
		return true
	case mayHaveTrimmed(c):
		return up >= 0 && up%max(c.Pane.HistoryLimit/10, 1) == 0
	}
	return up >= 0 || c.Pane.Width != a.Width
}

// HasToken reports whether the anchor's row is in a capture that does not begin at the oldest row, where it was: otherwise Output needs
// the whole history.
func HasToken(c Capture, a Anchor) bool {
	first := tokenIn(c.Rows, a.Token)
	return first >= 0 && c.Starts[first] == a.Row-1
}

// tokenIn finds the first row that shows the token; -1 if none does.
func tokenIn(rows []string, token string) int {
	return slices.IndexFunc(rows, func(row string) bool { return strings.Contains(row, token) })
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
