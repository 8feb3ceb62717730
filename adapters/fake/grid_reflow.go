package fake

import "slices"

// resize gives the screen another size. The primary one is wrapped anew.
func (g *grid) resize(width, height int) { g.fit(width, height, !g.alternate) }

// fit is resize with or without wrapping anew. Source: screen_resize_cursor.
func (g *grid) fit(width, height int, reflow bool) {
	x, y := g.x, g.history()+g.y
	reflow = reflow && width != g.width
	if width != g.width {
		g.width = width
		g.resetStops()
	}
	if height < g.height {
		y -= g.lower(height)
	} else if height > g.height {
		g.raise(height)
	}
	if reflow {
		offset, line := g.offset(x, y)
		g.reflow()
		x, y = g.position(offset, line)
	}
	if g.x, g.y = x, y-g.history(); g.y < 0 {
		g.x, g.y = 0, 0
	}
}

// lower makes the screen lower: first it loses what is below the cursor; then rows go into the history, or else are lost, and
// so many are returned.
func (g *grid) lower(height int) (lost int) {
	needed := g.height - height
	below := min(g.height-1-g.y, needed)
	if below > 0 {
		g.lines = g.lines[:len(g.lines)-below]
		g.unwrap(len(g.lines))
		g.height -= below
		needed -= below
	}
	if !g.remembers() && needed > 0 {
		first := g.history()
		g.unwrap(first)
		g.unwrap(len(g.lines))
		g.lines = slices.Delete(g.lines, first, first+needed)
		lost = needed
	} else {
		g.scrolled += needed
	}
	g.setHeight(height)
	return lost
}

// raise makes the screen higher: it takes back rows that scrolled away, and then gets empty ones.
func (g *grid) raise(height int) {
	needed := height - g.height
	if g.remembers() {
		back := min(g.scrolled, needed)
		g.scrolled -= back
		needed -= back
	}
	g.lines = append(g.lines, make([]row, needed)...)
	g.setHeight(height)
}

func (g *grid) setHeight(height int) { g.height, g.top, g.bottom = height, 0, height-1 }

// offset says how far into which line a cell is, if wrapped rows are one line; beyond what was written it is negative.
func (g *grid) offset(x, y int) (offset, line int) {
	for _, r := range g.lines[:y] {
		if r.wrapped {
			offset += r.used
		} else {
			offset, line = 0, line+1
		}
	}
	if x >= g.lines[y].used {
		return -1, line
	}
	return offset + x, line
}

// position is where the cell of an offset is now; that of a negative one is the end of the line.
func (g *grid) position(offset, line int) (x, y int) {
	last := len(g.lines) - 1
	for ; y < last && line > 0; y++ {
		if !g.lines[y].wrapped {
			line--
		}
	}
	for ; y < last && g.lines[y].wrapped && (offset < 0 || offset >= g.lines[y].used); y++ {
		if offset >= 0 {
			offset -= g.lines[y].used
		}
	}
	if offset < 0 {
		return g.lines[y].used, y
	}
	return offset, y
}

// A flow is lines on their way to another width.
type flow struct {
	*grid
	from, to []row
}

// reflow wraps the lines to the width of the grid. Source: grid_reflow.
func (g *grid) reflow() {
	f := flow{grid: g, from: g.lines}
	for at := 0; at < len(f.from); {
		line := f.from[at]
		width, fit := f.extent(line)
		at++
		switch {
		case width > g.width:
			width = f.split(line, at-1, fit)
			if line.wrapped && width < g.width {
				at += f.join(at, width)
			}
		case width < g.width && line.wrapped:
			f.to = append(f.to, line)
			at += f.join(at, width)
		default:
			f.to = append(f.to, line)
		}
	}
	if missing := g.height - len(f.to); missing > 0 {
		f.to = append(f.to, make([]row, missing)...)
	}
	g.lines = f.to
	g.scrolled = min(g.scrolled, g.history())
}

// extent is how many columns the written cells of a row take, and how many of the cells fit.
func (f *flow) extent(r row) (columns, fit int) {
	for i, c := range r.cells[:r.used] {
		width := f.columns(c)
		if fit == 0 && columns+width > f.width {
			fit = i
		}
		columns += width
	}
	return columns, fit
}

// split wraps a line that is too long. It gives the columns of the last piece.
func (f *flow) split(line row, at, fit int) (columns int) {
	pieces := 1
	f.to = append(f.to, row{cells: slices.Clone(line.cells[:fit]), used: fit, wrapped: true}, row{})
	for _, c := range line.cells[fit:line.used] {
		width := f.columns(c)
		if columns+width > f.width {
			f.to[len(f.to)-1].wrapped = true
			f.to = append(f.to, row{})
			pieces, columns = pieces+1, 0
		}
		last := &f.to[len(f.to)-1]
		f.set(last, last.used, c)
		columns += width
	}
	f.to[len(f.to)-1].wrapped = line.wrapped
	if at <= f.scrolled {
		f.scrolled += pieces
	}
	return columns
}

// join fills up the last line, which takes so many columns, from those that follow. It says how many it used up.
func (f *flow) join(at, columns int) (taken int) {
	into := &f.to[len(f.to)-1]
	wrapped, left, found := true, 0, false
	for wrapped && left == 0 && columns < f.width && at+taken < len(f.from) {
		next := &f.from[at+taken]
		wrapped = wrapped && next.wrapped
		if next.used == 0 {
			if !wrapped {
				break
			}
			taken++
			continue
		}
		n := 0
		for n < next.used && columns+f.columns(next.cells[n]) <= f.width {
			columns += f.columns(next.cells[n])
			f.set(into, into.used, next.cells[n])
			n++
		}
		if n == 0 {
			break
		}
		found, left = true, next.used-n
		next.cells, next.used = next.cells[n:next.used], left
		taken++
	}
	if !found {
		return 0
	}
	if left > 0 {
		taken--
	} else if !wrapped {
		into.wrapped = false
	}
	switch last := len(f.to) - 1; {
	case f.scrolled > last+taken:
		f.scrolled -= taken
	case f.scrolled > last:
		f.scrolled = last
	}
	return taken
}
