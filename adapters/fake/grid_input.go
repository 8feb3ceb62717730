package fake

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/parser"
)

// A decoder is where in a sequence the input stands.
type decoder struct {
	parser    *ansi.Parser
	character []byte // of UTF-8, not complete
	escaped   bool   // an escape within a device control string
	joining   bool   // the next character goes with the one before it (3.3)
}

// write shows what a program prints. The parser knows 8 bit controls and tmux does not, so it is given no byte above 0x7f but
// in titles.
func (g *grid) write(data []byte) {
	g.input.joining = false
	for len(data) > 0 {
		b := data[0]
		switch state := g.input.parser.State(); {
		case state == parser.GroundState && b >= ' ' && b < ansi.DEL:
			text := data[:printableASCII(data)]
			g.cutShort()
			g.last = character(text[len(text)-1], g.pen)
			g.run(text)
			data = data[len(text):]
			continue
		case state == parser.GroundState && b >= utf8.RuneSelf:
			g.decode(b)
		case state == parser.DcsStringState:
			g.skip(b)
		case state == parser.EscapeState && b == 'k': // a name for the window
			g.input.parser.Advance('^') // a string that nobody reads
		case state == parser.OscStringState && b == 0x9c: // would end the string
			g.input.parser.Advance(0xff)
		case b < utf8.RuneSelf || state == parser.OscStringState:
			g.input.parser.Advance(b)
		}
		data = data[1:]
	}
}

func printableASCII(data []byte) int {
	for i, b := range data {
		if b < ' ' || b >= ansi.DEL {
			return i
		}
	}
	return len(data)
}

// skip goes through a device control string, which only ESC \ ends.
func (g *grid) skip(b byte) {
	if g.input.escaped && b == '\\' {
		g.input.parser.Advance(ansi.ESC)
		g.input.parser.Advance(b)
	}
	g.input.escaped = !g.input.escaped && b == ansi.ESC
}

// decode collects a character of UTF-8. Like tmux, it takes as many bytes as the first one announces.
func (g *grid) decode(b byte) {
	g.last = glyph{}
	d := append(g.input.character, b)
	g.input.character = d
	size := 1
	switch {
	case d[0] >= 0xc2 && d[0] <= 0xdf:
		size = 2
	case d[0] >= 0xe0 && d[0] <= 0xef:
		size = 3
	case d[0] >= 0xf0 && d[0] <= 0xf4:
		size = 4
	}
	if len(d) < size {
		return
	}
	if r, n := utf8.DecodeRune(d); n == len(d) && r != utf8.RuneError {
		g.input.character = d[:0]
		g.print(r)
		return
	}
	g.cutShort()
}

// cutShort ends a character that is not one. From 3.6 on, something is shown for it.
func (g *grid) cutShort() {
	if len(g.input.character) == 0 {
		return
	}
	g.input.character = g.input.character[:0]
	if g.exact {
		g.show(glyph{text: string(utf8.RuneError), width: 1, pen: g.pen}, utf8.RuneError)
	}
}

func (g *grid) execute(b byte) {
	g.cutShort()
	g.last = glyph{}
	switch b {
	case '\n', '\v', '\f':
		g.feed(g.erased())
	case '\r':
		g.x = 0
	case '\b':
		g.back()
	case '\t':
		g.tab()
	}
}

// back moves to the left; from the start of a row in which another goes on, to the end of that one.
func (g *grid) back() {
	switch above := g.history() + g.y - 1; {
	case g.x > 0:
		g.x = min(g.x, g.width+1) - 1
	case g.y > 0 && g.lines[above].wrapped:
		g.x, g.y = g.width-1, g.y-1
	}
}

func (g *grid) escape(cmd ansi.Cmd) {
	switch cmd {
	case '7':
		g.keepCursor()
	case '8':
		g.restoreCursor()
	case '8' | '#'<<parser.IntermedShift:
		g.align()
	case 'D':
		g.feed(g.erased())
	case 'E':
		g.x = 0
		g.feed(g.erased())
	case 'H':
		if g.x < g.width {
			g.stops[g.x] = true
		}
	case 'M':
		g.reverse()
	case 'c':
		g.reset()
	case '\\':
	default:
		return
	}
	g.last = glyph{}
}

// command is OSC: 0 and 2 set the title.
func (g *grid) command(cmd int, data []byte) {
	data = bytes.ReplaceAll(data, []byte{0xff}, []byte{0x9c})
	if _, title, ok := strings.Cut(string(data), ";"); ok && (cmd == 0 || cmd == 2) && utf8.ValidString(title) {
		*g.title = title
	}
}
