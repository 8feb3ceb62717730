package grammar

import (
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A Start is the row at which a capture begins.
type Start struct {
	argument string
	row      int  // to which the argument is equal, if absolute
	absolute bool // rows are counted from the oldest of the history, not from the top of the screen
}

// ExpandsRows reports whether capture-pane expands its row arguments as formats, so that an absolute row can be
// given in the command list that uses it.
func ExpandsRows(v tmux.Version) bool { return v.AtLeast("3.4") }

// FromScreen starts at the top of the screen, or as many rows above it as the request says.
func FromScreen(request ports.CaptureRequest) Start {
	if request.History == ports.AllHistory {
		return FromOldest()
	}
	return Start{argument: strconv.Itoa(-request.History), row: -request.History}
}

// FromOldest starts at the oldest row of the history.
func FromOldest() Start { return Start{argument: "-", absolute: true} }

// FromRow starts at an absolute row, exactly. It needs ExpandsRows.
func FromRow(row int) Start {
	return Start{argument: "#{e|-:" + strconv.Itoa(row) + ",#{history_size}}", row: row, absolute: true}
}

// Near starts at an absolute row if the history has the given size, and at a later one by as much as it is larger.
func Near(row, history int) Start {
	return Start{argument: strconv.Itoa(row - history), row: row - history}
}

// Row is the absolute row at which a capture began whose pane was in that state.
func (s Start) Row(pane tmux.Pane) int {
	row := s.row
	if !s.absolute {
		row += pane.HistorySize
	}
	return min(max(row, 0), pane.HistorySize+pane.Height-1)
}

// Capture prints rows of a pane, from the start to the bottom of the screen; lines, if it is to be told which rows they consist of.
func Capture(start Start, request ports.CaptureRequest, version tmux.Version) []string {
	argv := []string{"capture-pane", "-p", "-t", Seen(request.Session, request.Pane), "-S", start.argument}
	switch {
	case request.Join, request.Wraps:
		argv = append(argv, "-J")
	case request.Blanks:
		argv = append(argv, "-N")
		if version.AtLeast("3.4") {
			argv = append(argv, "-T") // cells that were never written count as blanks else
		}
	}
	if request.Styles {
		argv = append(argv, "-e")
	}
	return argv
}

// CaptureRows prints the rows of which a joined capture's lines consist, byte by byte.
func CaptureRows(start Start, request ports.CaptureRequest, version tmux.Version) []string {
	request.Join, request.Blanks, request.Wraps = false, true, false
	return Capture(start, request, version)
}

// Split gives the rows of a capture.
func Split(output string) []string {
	return strings.Split(strings.TrimSuffix(output, "\n"), "\n")
}

// Starts finds which rows make up which joined line: for each line the index of its first row. It is not ok if the lines
// do not consist of the rows. A row without text that follows a complete line is taken for a line of its own wherever
// there are enough empty lines.
func Starts(rows, lines []string) (starts []int, ok bool) {
	at, emptyRows, emptyLines := 0, 0, 0 // the empty ones that follow end there
	for i, line := range lines {
		if at == len(rows) {
			return nil, false
		}
		starts = append(starts, at)
		rest := line
		for first := true; first || rest != ""; first = false {
			if at == len(rows) {
				return nil, false
			}
			if rest, ok = strings.CutPrefix(rest, rows[at]); !ok {
				return nil, false
			}
			at++
		}
		emptyRows, emptyLines = skipEmpty(rows, max(emptyRows, at)), skipEmpty(lines, max(emptyLines, i+1))
		at += max(emptyRows-at-(emptyLines-(i+1)), 0)
	}
	return starts, at == len(rows)
}

// skipEmpty finds the first text from an index on that is not empty.
func skipEmpty(texts []string, from int) int {
	for from < len(texts) && texts[from] == "" {
		from++
	}
	return from
}
