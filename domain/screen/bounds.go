package screen

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds limit terminal text. The newest lines are kept.
type Bounds struct {
	Lines int // at most so many
	Bytes int // at most so many, each line counted with a newline
}

// The bounds of the wire contract.
const (
	DefaultLines  = 200
	DefaultBytes  = 8 << 10
	GreatestLines = 2000
	GreatestBytes = 256 << 10
)

// A Cut is what bounding left out. The zero value is nothing.
type Cut struct {
	Lines int // whole lines
	Bytes int // bytes of those, and of the beginning of the oldest kept line
}

// Any reports whether anything was left out.
func (c Cut) Any() bool { return c != Cut{} }

// Apply keeps the newest lines within the bounds and counts what it leaves out. A newest line that alone is too long keeps
// its end, cut between characters.
func (b Bounds) Apply(lines []string) ([]string, Cut) {
	var cut Cut
	kept, room := len(lines), b.Bytes
	for kept > 0 && len(lines)-kept < b.Lines && len(lines[kept-1])+1 <= room {
		kept--
		room -= len(lines[kept]) + 1
	}
	for _, line := range lines[:kept] {
		cut.Lines++
		cut.Bytes += len(line) + 1
	}
	out := slices.Clone(lines[kept:])
	if len(out) == 0 && len(lines) > 0 && b.Lines > 0 && b.Bytes > 1 {
		newest := lines[len(lines)-1]
		end := len(newest) - (b.Bytes - 1)
		for end < len(newest) && !utf8.RuneStart(newest[end]) {
			end++
		}
		out = []string{newest[end:]}
		cut.Lines--
		cut.Bytes -= len(newest) - end + 1
	}
	return out, cut
}

// Ended keeps the newest rows of a capture that tells which go on in the next, with their line endings: such a row has none, so that
// rows joined are what the pane shows. What it gives does not keep the capture in memory.
func (b Bounds) Ended(c Capture) ([]string, Cut) {
	kept, cut := b.Apply(c.Rows)
	for i := range kept {
		at := cut.Lines + i
		kept[i] = strings.Clone(kept[i])
		if !c.Wraps[at] {
			kept[i] += "\n"
		}
	}
	for _, goesOn := range c.Wraps[:cut.Lines] {
		if goesOn {
			cut.Bytes-- // no newline is there
		}
	}
	return kept, cut
}

// Clean makes text valid UTF-8: every byte that is not becomes U+FFFD, and is counted.
func Clean(text string) (clean string, replaced int) {
	if utf8.ValidString(text) {
		return text, 0
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			replaced++
		}
		b.WriteRune(r)
		i += size
	}
	return b.String(), replaced
}

// TrimEnd drops the blank lines at the end: the part of a screen that nothing was written to.
func TrimEnd(lines []string) []string {
	end := len(lines)
	for end > 0 && strings.TrimRight(lines[end-1], " ") == "" {
		end--
	}
	return lines[:end]
}
