package fake

import "slices"

// modes are what a program can switch on and off.
type modes struct {
	wrap      bool // DECAWM
	origin    bool // DECOM
	insert    bool // IRM
	bracketed bool // paste
}

// A hidden screen is the one that the alternate screen covers.
type hidden struct {
	lines         []row
	width, height int
}

func (g *grid) setMode(mode int, on bool) {
	switch mode {
	case 3: // DECCOLM
		g.moveTo(0, 0)
		g.eraseScreen(2)
	case 6:
		g.origin = on
		g.moveTo(0, 0)
	case 7:
		g.wrap = on
	case 2004:
		g.bracketed = on
	case 47, 1047, 1049:
		if on {
			g.enterAlternate(mode == 1049)
		} else {
			g.leaveAlternate(mode == 1049)
		}
	}
}

// keepCursor is DECSC.
func (g *grid) keepCursor() { g.kept = cursor{x: g.x, y: g.y, pen: g.pen, origin: g.origin} }

// restoreCursor is DECRC.
func (g *grid) restoreCursor() {
	g.pen, g.origin = g.kept.pen, g.kept.origin
	g.x, g.y = min(g.kept.x, g.width-1), min(g.kept.y, g.height-1)
}

// reset is RIS. It leaves the alternate screen as it is.
func (g *grid) reset() {
	g.pen, g.kept = pen{}, cursor{}
	g.resetStops()
	g.setRegion(1, g.height)
	g.modes = modes{wrap: true}
	g.eraseScreen(2)
	g.x, g.y = 0, 0
}

// restart is what becomes of the screen when its pane is respawned: it is empty, and the history stays. Source: screen_reinit.
func (g *grid) restart() {
	g.leaveAlternate(false)
	g.pen, g.kept = pen{}, cursor{}
	g.resetStops()
	g.setRegion(1, g.height)
	g.modes = modes{wrap: true}
	g.clearLines(g.history(), g.height, blank)
	g.x, g.y = 0, 0
}

// enterAlternate shows another, empty screen, and may keep the cursor for when it is left.
func (g *grid) enterAlternate(keep bool) {
	if g.alternate {
		return
	}
	g.primary = &hidden{lines: slices.Clone(g.lines[g.history():]), width: g.width, height: g.height}
	if keep {
		g.entered = &cursor{x: g.x, y: g.y}
	}
	if g.entered != nil {
		g.entered.pen = g.pen
	}
	g.clearLines(g.history(), g.height, blank)
	g.alternate = true
}

// leaveAlternate shows the primary screen again, at the size that it had and then at the one that it has to have.
func (g *grid) leaveAlternate(restore bool) {
	width, height := g.width, g.height
	if g.alternate {
		g.fit(g.primary.width, g.primary.height, g.reflows)
	}
	if restore && g.entered != nil {
		g.x, g.y, g.pen = g.entered.x, g.entered.y, g.entered.pen
	}
	if g.alternate {
		copy(g.lines[g.history():], g.primary.lines)
		g.primary, g.alternate = nil, false
		g.fit(width, height, true)
	}
	g.x, g.y = min(g.x, g.width-1), min(g.y, g.height-1)
}
