package fake

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// visible are the characters that run shows, so that a cell of one needs no memory of its own.
const visible = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

// Characters that change the one before them.
const (
	joiner         = "\u200d"
	wideSelector   = "\ufe0f"
	firstModifier  = '\U0001f3fb'
	lastModifier   = '\U0001f3ff'
	longestGlyph   = 21 // bytes
	longestExact   = 32 // bytes, in tmux 3.6
	longestTabCell = 32 // columns
)

// run shows a run of printable ASCII. Source: screen_write_collect_add and screen_write_collect_end.
func (g *grid) run(text []byte) {
	if !g.wrap || g.insert {
		for _, b := range text {
			g.put(character(b, g.pen))
		}
		return
	}
	for len(text) > 0 {
		if g.x >= g.width {
			g.wrapLine()
		}
		n := min(len(text), g.width-g.x)
		line := g.line()
		g.uncover(line)
		g.expand(line, g.x+n, blank)
		for i, b := range text[:n] {
			line.cells[g.x+i] = character(b, g.pen).over(line.cells[g.x+i])
		}
		g.x += n
		line.used = max(line.used, g.x)
		g.clearCovered(line, g.x, blank)
		text = text[n:]
	}
}

func character(b byte, p pen) glyph { return glyph{text: visible[b-' ' : b-' '+1], width: 1, pen: p} }

// wrapLine goes on in the next row.
func (g *grid) wrapLine() {
	g.line().wrapped = true
	g.feed(blank)
	g.x = 0
}

// uncover erases a wide character of which a run overwrites the second half. Before 3.6 tmux overlooks one in the first column.
func (g *grid) uncover(line *row) {
	x := g.x
	for ; x > 0 && line.at(x).width == 0; x-- {
		g.set(line, x, blank)
	}
	switch width := line.at(x).width; {
	case x == g.x, x == 0 && !g.exact:
	case width > 1, width == 0 && g.newest:
		g.set(line, x, blank)
	}
}

// clearCovered fills the cells from x on that a character covered whose first cell was overwritten. As in tmux, the cells of a
// tab that a character other than ASCII breaks are tabs.
func (g *grid) clearCovered(line *row, x int, fill glyph) {
	for ; x < g.width && line.at(x).width == 0; x++ {
		g.set(line, x, fill)
	}
}

// print shows a character that is not ASCII.
func (g *grid) print(r rune) {
	text := string(r)
	c := glyph{text: text, width: ansi.StringWidthWc(text), pen: g.pen}
	if g.repeats {
		g.last = c
	}
	g.show(c, r)
}

// show shows a character that may go with the one before it.
func (g *grid) show(c glyph, r rune) {
	switch {
	case g.latches && c.text == joiner:
		g.input.joining = true
		return
	case g.input.joining:
		g.input.joining = false
		g.combine(glyph{text: joiner}, 0)
		c.width = 0
	}
	if combined := g.combine(c, r); !combined {
		g.put(c)
	}
}

// combine appends a mark, or what a joiner joins, to the character before it; a mark that finds none is lost.
// Source: screen_write_combine.
func (g *grid) combine(c glyph, r rune) (combined bool) {
	mark := c.width == 0
	if g.x == 0 {
		return mark
	}
	line, x := g.line(), g.x-1
	for x > 0 && line.at(x).width == 0 && (!g.joins || x == g.x-1) {
		x--
	}
	before := line.at(x)
	if before.width == 0 || g.joins && before.width != g.x-x {
		return mark
	}
	widens := g.joins && c.text == wideSelector
	if !mark {
		modifies := r >= firstModifier && r <= lastModifier && len(before.text) > 1 &&
			(!g.exact || utf8.RuneCountInString(before.text) == 1)
		if !g.joins || !modifies && !strings.HasSuffix(before.text, joiner) {
			return false
		}
		widens = modifies
	}
	longest := longestGlyph
	if g.exact {
		longest = longestExact
	}
	if len(before.text)+len(c.text) > longest {
		return mark
	}
	if before.text != "\t" { // which shows no mark
		before.text += c.text
	}
	if widens = widens && before.width == 1; widens {
		before.width = 2
	}
	g.set(line, x, before)
	if widens {
		covered := g.x
		if !g.widens {
			covered++
		}
		g.set(line, covered, glyph{})
		switch {
		case g.x < g.width:
			g.x++
		case !g.newest:
			g.x = g.width - 1
		}
	}
	return true
}

// put shows one character at the cursor. Source: screen_write_cell.
func (g *grid) put(c glyph) {
	if !g.wrap && c.width > 1 && (c.width > g.width || g.x != g.width && g.x > g.width-c.width) {
		return
	}
	if g.insert {
		g.insertCells(c.width, blank)
	}
	if g.wrap && g.x > g.width-c.width {
		g.wrapLine()
	}
	if g.x > g.width-c.width {
		return
	}
	line := g.line()
	before := line.at(g.x)
	changed := c.width > 1 || c != blank || g.x < len(line.cells)
	if before.width == 0 {
		x := g.x
		for ; x > 0 && line.at(x).width == 0; x-- {
			g.set(line, x, blank)
		}
		g.set(line, x, blank)
		changed = true
	}
	if c.width != 1 || before.width != 1 {
		fill := blank
		if before.text == "\t" {
			fill = glyph{text: "\t", width: 1, pen: before.pen}
		}
		g.clearCovered(line, g.x+c.width, fill)
	}
	for i := 1; i < c.width; i++ {
		g.set(line, g.x+i, glyph{})
	}
	if changed {
		g.set(line, g.x, c)
	}
	last := g.width
	if !g.wrap {
		last--
	}
	g.x = min(g.x+c.width, last)
}

// tab moves to the next tab stop, or to the last column. From 3.6 on, blank cells up to there become one cell with a tab.
func (g *grid) tab() {
	if g.x >= g.width-1 {
		return
	}
	line, next := g.line(), g.x+1
	first := line.at(g.x)
	uniform := g.exact && first.text == " "
	for ; next < g.width-1 && !g.stops[next]; next++ {
		uniform = uniform && line.at(next).text == " " && line.at(next).pen == first.pen
	}
	if !uniform || next-g.x > longestTabCell {
		g.x = next
		return
	}
	width := next - g.x
	if width > 1 && g.combine(glyph{text: strings.Repeat(" ", width), width: width}, ' ') { // only after a joiner
		return
	}
	g.put(glyph{text: "\t", width: width, pen: first.pen})
}

// repeat is REP: the last character again, not beyond the margin.
func (g *grid) repeat(n int) {
	if g.last.text == "" {
		return
	}
	again := g.last
	again.pen = g.pen
	for range min(n, g.width-g.x) {
		if again.width == 1 && len(again.text) == 1 {
			g.run([]byte(again.text))
		} else {
			g.show(again, []rune(again.text)[0])
		}
	}
}
