package fake

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A grid is a terminal as tmux keeps one: a screen with the history above it. Where tmux does something unexpected, and
// also where its versions differ, the grid does the same. Source: tmux's grid.c, screen.c, screen-write.c and input.c.
type grid struct {
	dialect
	width, height int
	limit         int   // rows of history; 0 for none
	scrolled      int   // how many rows of the history a higher screen takes back
	lines         []row // the history and then the screen, exactly height rows
	x, y          int   // cursor; x is width after the last column was written
	top, bottom   int   // rows of the screen between which lines scroll, both inclusive
	stops         []bool
	modes
	pen       pen
	last      glyph   // what may be repeated; no text for nothing
	kept      cursor  // by DECSC
	alternate bool    // what the screen shows
	primary   *hidden // by the alternate screen
	entered   *cursor // where 1049 found it
	title     *string
	titles    []string // pushed
	input     decoder
}

// A dialect is how one version of tmux differs from others.
type dialect struct {
	pads    bool // cells that nobody wrote are part of a row (before 3.3)
	latches bool // a zero width joiner joins what follows if it is read at once (3.3)
	joins   bool // it joins what follows whenever that comes (3.4)
	widens  bool // a variation selector widens the cell that really follows (3.5; 3.4 the one after it)
	repeats bool // any character can be repeated, and not ASCII alone (3.5)
	exact   bool // a tab stays one, bytes that are no UTF-8 are replaced, and more that was wrong is right (3.6)
	reflows bool // leaving the alternate screen reflows it first (before 3.4)
	newest  bool // an erased cell stays extended, and a character that widens at the margin leaves the cursor (3.7)
}

func dialectOf(v tmux.Version) dialect {
	return dialect{
		pads: !v.AtLeast("3.3"), reflows: !v.AtLeast("3.4"),
		latches: v.AtLeast("3.3") && !v.AtLeast("3.4"),
		joins:   v.AtLeast("3.4"), widens: v.AtLeast("3.5"), repeats: v.AtLeast("3.5"), exact: v.AtLeast("3.6"), newest: v.AtLeast("3.7"),
	}
}

// A cursor is a position on the screen and what DECSC keeps with it.
type cursor struct {
	x, y   int
	pen    pen
	origin bool
}

// A row is one physical row.
type row struct {
	cells   []glyph // as many as tmux allocates
	used    int     // cells that were written
	wrapped bool    // goes on in the next row
}

// A glyph is what one cell shows. The cells that a wide one covers have no text and width 0.
type glyph struct {
	text     string
	width    int
	pen      pen
	extended bool // how tmux stores it, which matters to reflow alone
}

var blank = glyph{text: " ", width: 1}

func newGrid(width, height, limit int, version tmux.Version, title *string) *grid {
	g := &grid{
		dialect: dialectOf(version), width: width, height: height, limit: limit, lines: make([]row, height),
		bottom: height - 1, modes: modes{wrap: true}, title: title,
	}
	g.resetStops()
	g.input.parser = ansi.NewParser()
	g.input.parser.SetHandler(ansi.Handler{
		Execute: g.execute, HandleEsc: g.escape, HandleCsi: g.control, HandleOsc: g.command,
	})
	return g
}

// history is the number of rows above the screen.
func (g *grid) history() int { return len(g.lines) - g.height }

// remembers says whether rows that leave the screen go into the history.
func (g *grid) remembers() bool { return g.limit > 0 && !g.alternate }

// line is the row on which the cursor is.
func (g *grid) line() *row { return &g.lines[g.history()+g.y] }

// erased is a cell that was erased with the current background.
func (g *grid) erased() glyph {
	return glyph{text: " ", width: 1, pen: pen{background: g.pen.background}}
}

func (r *row) at(x int) glyph {
	if x < len(r.cells) {
		return r.cells[x]
	}
	return blank
}

// expand gives a row at least n cells: a quarter of the width, half of it or all. Source: grid_expand_line.
func (g *grid) expand(r *row, n int, fill glyph) {
	if n <= len(r.cells) {
		return
	}
	switch {
	case n < g.width/4:
		n = g.width / 4
	case n < g.width/2:
		n = g.width / 2
	default:
		n = max(n, g.width)
	}
	r.cells = slices.Grow(r.cells, n-len(r.cells))
	for len(r.cells) < n {
		r.cells = append(r.cells, fill)
	}
}

func (g *grid) set(r *row, x int, c glyph) {
	g.expand(r, x+1, blank)
	r.cells[x] = c.over(r.cells[x])
	r.used = max(r.used, x+1)
}

// over is the cell as it is stored in place of another. Source: grid_need_extended_cell.
func (c glyph) over(old glyph) glyph {
	c.extended = old.extended || len(c.text) > 1 || c.width > 1 || c.text == "\t" ||
		c.pen.underline != 0 || c.pen.foreground >= direct || c.pen.background >= direct
	return c
}

// columns are what a cell takes in a reflow. From 3.6 on, tmux counts a covered cell unless it is an extended one.
func (g *grid) columns(c glyph) int {
	if c.width == 0 && g.exact && !c.extended {
		return 1
	}
	return c.width
}

// empty is a row that nobody has written to.
func (g *grid) empty(fill glyph) (r row) {
	if fill != blank {
		g.expand(&r, g.width, fill)
	}
	return r
}

// clearCells erases n cells of an absolute row. Unless it is the whole row, they still count as written.
func (g *grid) clearCells(y, x, n int, fill glyph) {
	r := &g.lines[y]
	end := x + n
	switch {
	case n == 0:
		return
	case x == 0 && n == g.width:
		g.clearLines(y, 1, fill)
		return
	case fill == blank:
		end = min(end, g.width, len(r.cells))
	}
	g.expand(r, end, blank)
	for ; x < end; x++ {
		fill.extended = g.newest && r.cells[x].extended
		r.cells[x] = fill
	}
}

// moveCells moves n cells within an absolute row, and erases where they were.
func (g *grid) moveCells(y, to, from, n int, fill glyph) {
	if n == 0 || to == from {
		return
	}
	r := &g.lines[y]
	g.expand(r, max(to, from)+n, blank)
	copy(r.cells[to:to+n], r.cells[from:from+n])
	r.used = max(r.used, to+n)
	for x := from; x < from+n; x++ {
		if x < to || x >= to+n {
			r.cells[x] = fill
		}
	}
}

// clearLines empties n absolute rows. The row above does not go on in them. A negative n has that effect alone.
func (g *grid) clearLines(y, n int, fill glyph) {
	if n == 0 {
		return
	}
	for i := range n {
		g.lines[y+i] = g.empty(fill)
	}
	g.unwrap(y)
}

// moveLines moves n absolute rows, and empties where they were.
func (g *grid) moveLines(to, from, n int, fill glyph) {
	if n == 0 || to == from {
		return
	}
	g.unwrap(to)
	copy(g.lines[to:to+n], g.lines[from:from+n])
	for y := from; y < from+n; y++ {
		if y < to || y >= to+n {
			g.lines[y] = g.empty(fill)
		}
	}
	if from < to || from >= to+n {
		g.unwrap(from)
	}
}

// unwrap says that the row above does not go on in this one.
func (g *grid) unwrap(y int) {
	if y > 0 {
		g.lines[y-1].wrapped = false
	}
}
