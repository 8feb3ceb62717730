package fake

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// A grid is a screen with the history above it. It knows lines, wrapping, the cursor, colours and the alternate screen; scroll
// regions and reflow are not modelled.
type grid struct {
	width, height int
	limit         int   // rows of history
	lines         []row // the history and then the screen, exactly height rows
	x, y          int   // cursor; x is width after the last column was written, as in tmux
	pen           string
	tabs          bool // a tab stays a tab in the cells (tmux 3.6 on)
	alternate     bool
	primary       *saved // what the alternate screen hides
	bracketed     bool   // the program asked for bracketed paste
	title         func(string)
	parser        *ansi.Parser
}

// A saved screen is the one that the alternate screen hides.
type saved struct {
	lines []row
	x, y  int
}

// A row is one physical row; cells beyond its end were never written.
type row struct {
	cells   []glyph
	wrapped bool // goes on in the next row
}

// A glyph is what one cell shows. The cells that a wide one covers have no text and width 0.
type glyph struct {
	text  string
	width int
	style string // parameters of an SGR sequence; empty for none
}

var blank = glyph{text: " ", width: 1}

func newGrid(width, height, limit int, tabs bool) *grid {
	g := &grid{width: width, height: height, limit: limit, lines: make([]row, height), tabs: tabs, title: func(string) {}}
	g.parser = ansi.NewParser()
	g.parser.SetHandler(ansi.Handler{
		Print:     g.print,
		Execute:   g.execute,
		HandleCsi: g.control,
		HandleOsc: g.command,
	})
	return g
}

func (g *grid) write(data []byte) { g.parser.Parse(data) }

// history is the number of rows above the screen.
func (g *grid) history() int { return len(g.lines) - g.height }

// at is the row of the screen on which the cursor is.
func (g *grid) at() *row { return &g.lines[g.history()+g.y] }

func (g *grid) print(r rune) {
	width := ansi.StringWidthWc(string(r))
	if width == 0 {
		if cells := g.at().cells; g.x > 0 && g.x <= len(cells) {
			base := g.x - 1
			for base > 0 && cells[base].width == 0 {
				base--
			}
			cells[base].text += string(r)
		}
		return
	}
	if width > g.width {
		return
	}
	if g.x > g.width-width {
		g.at().wrapped = true
		g.x = 0
		g.feed()
	}
	g.put(glyph{text: string(r), width: width, style: g.pen})
}

// put writes a glyph at the cursor, and blanks what it cuts in half.
func (g *grid) put(c glyph) {
	line := g.at()
	for len(line.cells) < g.x+c.width {
		line.cells = append(line.cells, blank)
	}
	for i := g.x; i > 0 && line.cells[i].width == 0; i-- {
		line.cells[i-1] = blank
	}
	line.cells[g.x] = c
	for i := 1; i < c.width; i++ {
		line.cells[g.x+i] = glyph{style: c.style}
	}
	for i := g.x + c.width; i < len(line.cells) && line.cells[i].width == 0; i++ {
		line.cells[i] = blank
	}
	g.x += c.width
}

// feed moves the cursor a row down, and scrolls at the bottom.
func (g *grid) feed() {
	if g.y < g.height-1 {
		g.y++
		return
	}
	if g.alternate {
		g.lines = append(slices.Delete(g.lines, g.history(), g.history()+1), row{})
		return
	}
	g.scroll()
}

// scroll moves the screen up by a row. A full history first loses a tenth of its limit. Source: tmux's grid_collect_history.
func (g *grid) scroll() {
	if g.history() >= g.limit && g.history() > 0 {
		g.lines = slices.Delete(g.lines, 0, min(max(g.limit/10, 1), g.history()))
	}
	g.lines = append(g.lines, row{})
}

func (g *grid) execute(b byte) {
	switch b {
	case '\n', '\v', '\f':
		g.at().wrapped = false
		g.feed()
	case '\r':
		g.x = 0
	case '\b':
		g.x = max(min(g.x, g.width)-1, 0)
	case '\t':
		g.tab()
	}
}

// tab moves to the next multiple of eight. Over blank cells tmux 3.6 and newer keep the tab as such.
func (g *grid) tab() {
	next := min((g.x/8+1)*8, g.width-1)
	if next <= g.x {
		return
	}
	cells := g.at().cells
	if rest := cells[min(g.x, len(cells)):]; g.tabs && len(rest) == 0 {
		g.put(glyph{text: "\t", width: next - g.x, style: g.pen})
		return
	}
	g.x = next
}

func (g *grid) control(cmd ansi.Cmd, params ansi.Params) {
	first := func(fallback int) int {
		n, _, _ := params.Param(0, fallback)
		if n == 0 {
			return fallback
		}
		return n
	}
	if cmd.Prefix() == '?' {
		if cmd.Final() == 'h' || cmd.Final() == 'l' {
			params.ForEach(0, func(_, mode int, _ bool) { g.setMode(mode, cmd.Final() == 'h') })
		}
		return
	}
	if cmd.Prefix() != 0 || cmd.Intermediate() != 0 {
		return
	}
	switch cmd.Final() {
	case 'A':
		g.y = max(g.y-first(1), 0)
	case 'B':
		g.y = min(g.y+first(1), g.height-1)
	case 'C':
		g.x = min(g.x+first(1), g.width-1)
	case 'D':
		g.x = max(min(g.x, g.width-1)-first(1), 0)
	case 'G':
		g.x = min(first(1), g.width) - 1
	case 'H', 'f':
		column, _, _ := params.Param(1, 1)
		g.y, g.x = min(first(1), g.height)-1, min(max(column, 1), g.width)-1
	case 'J':
		n, _, _ := params.Param(0, 0)
		g.eraseScreen(n)
	case 'K':
		n, _, _ := params.Param(0, 0)
		g.eraseLine(n)
	case 'm':
		g.style(params)
	}
}

func (g *grid) setMode(mode int, on bool) {
	switch mode {
	case 2004:
		g.bracketed = on
	case 47, 1047, 1049:
		g.switchScreen(on)
	}
}

func (g *grid) switchScreen(alternate bool) {
	if alternate == g.alternate {
		return
	}
	g.alternate = alternate
	screen := g.lines[g.history():]
	if alternate {
		g.primary = &saved{lines: slices.Clone(screen), x: g.x, y: g.y}
		clear(screen)
		return
	}
	clear(screen)
	copy(screen, g.primary.lines)
	g.x, g.y = min(g.primary.x, g.width), min(g.primary.y, g.height-1)
	g.primary = nil
}

// eraseScreen is ED: 0 below, 1 above, 2 all, 3 the history. Clearing a whole primary screen scrolls it into the history.
// Source: tmux's screen_write_clearscreen and screen_write_clearendofscreen.
func (g *grid) eraseScreen(what int) {
	switch what {
	case 0:
		if g.x == 0 && g.y == 0 && !g.alternate {
			g.scrollAway()
			return
		}
		g.eraseBelow()
	case 1:
		g.eraseLine(1)
		clear(g.lines[g.history() : g.history()+g.y])
	case 2:
		if g.alternate {
			clear(g.lines[g.history():])
			return
		}
		g.scrollAway()
	case 3:
		g.clearHistory()
	}
}

func (g *grid) eraseBelow() {
	g.eraseLine(0)
	clear(g.lines[g.history()+g.y+1:])
}

// scrollAway moves every row down to the last written one into the history.
func (g *grid) scrollAway() {
	used := 0
	for i, line := range g.lines[g.history():] {
		if len(line.cells) > 0 {
			used = i + 1
		}
	}
	for range used {
		g.scroll()
	}
}

func (g *grid) eraseLine(what int) {
	line := g.at()
	x := min(g.x, g.width-1)
	switch what {
	case 0:
		line.cells = line.cells[:min(x, len(line.cells))]
		line.wrapped = false
	case 1:
		for i := range min(x+1, len(line.cells)) {
			line.cells[i] = blank
		}
	case 2:
		*line = row{}
	}
}

func (g *grid) clearHistory() { g.lines = slices.Clone(g.lines[g.history():]) }

// style follows SGR as text: the parameters since the last reset.
func (g *grid) style(params ansi.Params) {
	var b strings.Builder
	b.WriteString(g.pen)
	if len(params) == 0 {
		b.Reset()
	}
	params.ForEach(0, func(_, n int, _ bool) {
		if n == 0 {
			b.Reset()
			return
		}
		if b.Len() > 0 {
			b.WriteByte(';')
		}
		b.WriteString(strconv.Itoa(n))
	})
	g.pen = b.String()
}

// command is OSC: 0 and 2 set the title.
func (g *grid) command(cmd int, data []byte) {
	if _, title, ok := strings.Cut(string(data), ";"); ok && (cmd == 0 || cmd == 2) && utf8.ValidString(title) {
		g.title(title)
	}
}

// moveTo puts the cursor on an absolute row and clears from there to the bottom.
func (g *grid) moveTo(absolute, x int) {
	g.y, g.x = min(max(absolute-g.history(), 0), g.height-1), x
	g.eraseBelow()
}

// resize keeps the lines: a lower screen first loses blank rows below the cursor and then pushes into the history, a higher
// one takes rows back from it. Lines are not wrapped anew.
func (g *grid) resize(width, height int) {
	for g.height > height {
		if last := len(g.lines) - 1; g.y < g.height-1 && len(g.lines[last].cells) == 0 {
			g.lines = g.lines[:last]
		} else {
			g.y = max(g.y-1, 0)
		}
		g.height--
	}
	for g.height < height {
		if g.history() > 0 && !g.alternate {
			g.y++
		} else {
			g.lines = append(g.lines, row{})
		}
		g.height++
	}
	g.width, g.x = width, min(g.x, width)
}
