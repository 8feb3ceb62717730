// Package screen holds what a pane shows: captures, rows and lines, bounds, and anchors that say where a piece
// of output begins.
package screen

import "github.com/libtmux-mcp/libtmux-mcp/domain/tmux"

// A Capture is what a pane held at one instant: its rows and its state, read in one command list.
type Capture struct {
	Server tmux.Server
	Pane   tmux.Pane // in full, from the same instant
	// First is the absolute row of Rows[0]: rows are counted from the oldest row of the history, so that the top
	// of the screen is Pane.HistorySize.
	First  int
	Rows   []string // physical rows, or logical lines if Joined; as tmux gave them
	Joined bool     // wrapped rows were rejoined
	Starts []int    // absolute row at which each line of Rows begins; only if asked for, nil otherwise
	Wraps  []bool   // whether each row goes on in the next; only if asked for, nil otherwise
}

// CursorRow is the absolute row of the cursor.
func (c Capture) CursorRow() int { return c.Pane.HistorySize + c.Pane.CursorY }
