package fake

import "github.com/charmbracelet/x/ansi"

// control is CSI. Where a number is missing or too small it is the least one.
func (g *grid) control(cmd ansi.Cmd, params ansi.Params) {
	if cmd.Intermediate() != 0 {
		return
	}
	switch cmd.Prefix() {
	case 0:
		if cmd.Final() == 'm' {
			g.pen.set(params)
		} else if !g.plain(cmd.Final(), params) {
			return
		}
	case '?':
		if cmd.Final() != 'h' && cmd.Final() != 'l' {
			return
		}
		params.ForEach(-1, func(_, mode int, _ bool) { g.setMode(mode, cmd.Final() == 'h') })
	default:
		return
	}
	g.last = glyph{}
}

// plain is a sequence without a prefix; it reports whether it is one that tmux knows.
func (g *grid) plain(final byte, params ansi.Params) (known bool) {
	for _, p := range params {
		if p.HasMore() {
			return true
		}
	}
	count := func(i, missing int) int {
		n, _, _ := params.Param(i, missing)
		return max(n, 1)
	}
	which, _, _ := params.Param(0, 0)
	n := count(0, 1)
	switch final {
	case '@':
		g.insertCells(n, g.erased())
	case 'A':
		g.up(n)
	case 'B':
		g.down(n)
	case 'C':
		g.right(n)
	case 'D':
		g.x = max(min(g.x, g.width+n)-n, 0)
	case 'E':
		g.x = 0
		g.down(n)
	case 'F':
		g.x = 0
		g.up(n)
	case 'G', '`':
		g.x = min(n, g.width) - 1
	case 'H', 'f':
		g.moveTo(count(1, 1)-1, n-1)
	case 'J':
		g.eraseScreen(which)
	case 'K':
		g.eraseLine(which)
	case 'L':
		g.insertLines(n)
	case 'M':
		g.deleteLines(n)
	case 'P':
		g.deleteCells(n)
	case 'S':
		for range min(n, g.bottom-g.top+1) {
			g.scrollUp(g.erased())
		}
	case 'T':
		for range min(n, g.bottom-g.top+1) {
			g.scrollDown()
		}
	case 'X':
		g.eraseCells(n)
	case 'Z':
		g.backTab(n)
	case 'b':
		g.repeat(n)
	case 'd':
		g.moveTo(-1, n-1)
	case 'g':
		g.clearStops(which)
	case 'h', 'l':
		params.ForEach(0, func(_, mode int, _ bool) {
			if mode == 4 {
				g.insert = final == 'h'
			}
		})
	case 'r':
		g.setRegion(n, count(1, g.height))
	case 's':
		g.keepCursor()
	case 't':
		second, _, _ := params.Param(1, -1)
		g.stackTitle(which, second)
	case 'u':
		g.restoreCursor()
	default:
		return final == 'c' || final == 'n'
	}
	return true
}

// up moves the cursor, not out of the region if it is not above it already.
func (g *grid) up(n int) {
	stop := 0
	if g.y >= g.top {
		stop = g.top
	}
	if g.x == g.width {
		g.x--
	}
	g.y = max(g.y-n, stop)
}

// down moves the cursor, not out of the region if it is not below it already.
func (g *grid) down(n int) {
	stop := g.bottom
	if g.y > g.bottom {
		stop = g.height - 1
	}
	if g.x == g.width {
		g.x--
	}
	g.y = min(g.y+n, stop)
}

func (g *grid) right(n int) { g.x = min(g.x+n, g.width-1) }

// moveTo puts the cursor on a place that counts from 0, in the region if that is the origin; a negative column is the one where
// it is.
func (g *grid) moveTo(x, y int) {
	if g.origin {
		y = min(g.top+y, g.bottom)
	}
	if x >= 0 {
		g.x = min(x, g.width-1)
	}
	g.y = min(y, g.height-1)
}

func (g *grid) resetStops() {
	g.stops = make([]bool, g.width)
	for x := 8; x < g.width; x += 8 {
		g.stops[x] = true
	}
}

// clearStops is TBC: 0 the stop at the cursor, 3 all.
func (g *grid) clearStops(which int) {
	switch {
	case which == 0 && g.x < g.width:
		g.stops[g.x] = false
	case which == 3:
		clear(g.stops)
	}
}

// backTab is CBT.
func (g *grid) backTab(n int) {
	g.x = min(g.x, g.width-1)
	for ; n > 0 && g.x > 0; n-- {
		for g.x--; g.x > 0 && !g.stops[g.x]; {
			g.x--
		}
	}
}

// stackTitle pushes the title (22) and pops it (23).
func (g *grid) stackTitle(operation, which int) {
	if which != 0 && which != 2 {
		return
	}
	switch last := len(g.titles) - 1; {
	case operation == 22:
		g.titles = append(g.titles, *g.title)
	case operation == 23 && last >= 0:
		*g.title, g.titles = g.titles[last], g.titles[:last]
	}
}
