package guard

import (
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
)

// A promptLine is the logical row (wrapped rows joined) in which the cursor stands, split there.
type promptLine struct {
	left   string // text up to the cursor; what was never written counts as blanks
	right  []cell // from the cursor on, as far as it was written
	margin int    // columns from the last character of right to the margin
	above  string // text of the logical row above
	top    bool   // nothing is above
	// aboveFull says that the row above is written up to the margin, with blanks there: wrapped text, or what zsh and fish
	// write to see whether output ended in a newline.
	aboveFull bool
	below     string // the rows below, blanks trimmed
	path      string // working directory; empty if unknown
	command   string // name of the shell
}

// edge is how near the margin text must come, in columns, for the next row to count as its continuation: words that are wrapped
// have a blank between them.
const edge = 4

// newPromptLine finds the line of the cursor. A row that ends with rightPrompt (unless that is empty) is not taken for wrapped text.
func newPromptLine(c screen.Capture, rightPrompt string) promptLine {
	rows, width := parseCells(c.Rows), c.Pane.Width
	line := promptLine{
		path:    c.Pane.Path,
		command: c.Pane.Command,
	}
	// Row i is written up to the margin, or to where a wide character did not fit, and not by a right prompt.
	written := func(i int) bool {
		next := rows[i+1]
		if rightPrompt != "" && strings.HasSuffix(fold(cellText(trimCells(rows[i]))), fold(rightPrompt)) {
			return false
		}
		return len(rows[i]) >= width || len(rows[i]) == width-1 && len(next) > 1 && next[1].text == ""
	}
	full := func(i int) bool { // row i goes on in row i+1
		if i < 0 || i+1 >= len(rows) {
			return false
		}
		return written(i) && len(trimCells(rows[i])) > width-edge
	}
	at := c.CursorRow() - c.First
	if at < 0 || at >= len(rows) {
		return promptLine{top: true, below: "unknown"}
	}
	first, last := at, at
	for full(first - 1) {
		first--
	}
	for full(last) {
		last++
	}
	split := min(c.Pane.CursorX, len(rows[at]))
	left := append(slices.Concat(rows[first:at]...), rows[at][:split]...)
	line.left = cellText(left) + strings.Repeat(" ", c.Pane.CursorX-split)
	line.right = append(slices.Clone(rows[at][split:]), slices.Concat(rows[at+1:last+1]...)...)
	line.margin = width - len(trimCells(rows[last]))
	line.top = first == 0
	line.aboveFull = first > 0 && written(first-1)
	if !c.Server.Version.AtLeast("3.3") { // it pads rows to a quarter, a half or the whole of the width: look for text instead
		line.aboveFull = line.aboveFull && 4*len(trimCells(rows[first-1])) > 3*width
	}
	above := max(0, first-1)
	for full(above - 1) {
		above--
	}
	line.above = cellText(slices.Concat(rows[above:first]...))
	line.below = strings.TrimRight(strings.Join(lo.Map(rows[last+1:], func(row []cell, _ int) string {
		return cellText(trimCells(row))
	}), "\n"), "\n")
	return line
}

// rightPrompt is what stands right of the cursor on its own row, at a prompt where nothing is typed.
func rightPrompt(c screen.Capture) string {
	rows, at := parseCells(c.Rows), c.CursorRow()-c.First
	if at < 0 || at >= len(rows) || c.Pane.CursorX >= len(rows[at]) {
		return ""
	}
	return strings.TrimSpace(cellText(rows[at][c.Pane.CursorX:]))
}

// text is what stands right of the cursor, without the blanks at its end.
func (l promptLine) text() string { return cellText(trimCells(l.right)) }

func cellText(cells []cell) string {
	return strings.Join(lo.Map(cells, func(c cell, _ int) string { return c.text }), "")
}

// trimCells drops the blank cells at the end.
func trimCells(cells []cell) []cell {
	end := len(cells)
	for end > 0 && cells[end-1].text == " " {
		end--
	}
	return cells[:end]
}

// faint gives the style of the text right of the cursor if it is one faint style throughout.
func (l promptLine) faint() string {
	style := ""
	for _, c := range trimCells(l.right) {
		if c.blank() {
			continue
		}
		if c.faint == "" || style != "" && style != c.faint {
			return ""
		}
		style = c.faint
	}
	return style
}
