package screen

import (
	"regexp"
	"slices"
	"strings"
)

// styling is what a capture with styles holds beside text: SGR, links (OSC 8) and shifts of the character set.
// Source: tmux's grid_string_cells.
var styling = regexp.MustCompile("\x1b\\[[0-9;:]*m|\x1b\\]8;[^\x07\x1b]*(?:\x07|\x1b\\\\)|[\x0e\x0f]")

// Plain is a capture without its styles, as it would have been taken without them.
func Plain(c Capture) Capture {
	c.Rows = slices.Clone(c.Rows)
	for i, row := range c.Rows {
		if strings.ContainsAny(row, "\x1b\x0e\x0f") {
			c.Rows[i] = strings.TrimRight(styling.ReplaceAllString(row, ""), " ")
		}
	}
	return c
}
