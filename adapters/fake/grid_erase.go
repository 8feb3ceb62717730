package fake

// eraseScreen is ED: 0 below, 1 above, 2 all, 3 the history. Clearing a whole screen that has a history scrolls it there.
func (g *grid) eraseScreen(what int) {
	switch what {
	case 0:
		if g.x == 0 && g.y == 0 && g.remembers() {
			g.scrollAway(g.erased())
			return
		}
		g.eraseBelow()
	case 1:
		g.clearLines(g.history(), g.y, g.erased())
		g.clearCells(g.history()+g.y, 0, min(g.x+1, g.width), g.erased())
	case 2:
		if g.remembers() {
			g.scrollAway(g.erased())
			return
		}
		g.clearLines(g.history(), g.height, g.erased())
	case 3:
		g.clearHistory()
	}
}

func (g *grid) eraseBelow() {
	at := g.history() + g.y
	if g.x < g.width {
		g.clearCells(at, g.x, g.width-g.x, g.erased())
	}
	g.clearLines(at+1, g.height-g.y-1, g.erased())
}

// eraseLine is EL: 0 to the end, 1 to the start, 2 all.
func (g *grid) eraseLine(what int) {
	at, line, fill := g.history()+g.y, g.line(), g.erased()
	switch {
	case what == 0 && g.x > 0:
		if g.x < g.width && (g.x < len(line.cells) || fill != blank) {
			g.clearCells(at, g.x, g.width-g.x, fill)
		}
	case what == 1 && g.x < g.width-1:
		g.clearCells(at, 0, g.x+1, fill)
	case what >= 0 && what <= 2:
		if len(line.cells) > 0 || fill != blank {
			g.clearLines(at, 1, fill)
		}
	}
}

// eraseCells is ECH.
func (g *grid) eraseCells(n int) {
	if g.x < g.width {
		g.clearCells(g.history()+g.y, g.x, min(n, g.width-g.x), g.erased())
	}
}

// insertCells is ICH, and what insert mode does before a character. As in tmux, inserting as many cells as there are to the
// margin has no effect.
func (g *grid) insertCells(n int, fill glyph) {
	at := g.history() + g.y
	switch n = min(n, g.width-g.x); {
	case g.x >= g.width:
	case g.x == g.width-1:
		g.clearCells(at, g.x, 1, fill)
	default:
		g.moveCells(at, g.x+n, g.x, g.width-g.x-n, fill)
	}
}

// deleteCells is DCH.
func (g *grid) deleteCells(n int) {
	if g.x >= g.width {
		return
	}
	at, fill := g.history()+g.y, g.erased()
	n = min(n, g.width-g.x)
	g.moveCells(at, g.x, g.x+n, g.width-g.x-n, fill)
	g.clearCells(at, g.width-n, n, fill)
}

// align is DECALN: a screen full of E.
func (g *grid) align() {
	for y := g.history(); y < len(g.lines); y++ {
		for x := range g.width {
			g.set(&g.lines[y], x, glyph{text: "E", width: 1})
		}
	}
	g.x, g.y, g.top, g.bottom = 0, 0, 0, g.height-1
}
