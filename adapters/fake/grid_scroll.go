package fake

import "slices"

// feed moves the cursor a row down, and scrolls at the bottom of the region.
func (g *grid) feed(fill glyph) {
	if g.y == g.bottom {
		g.scrollUp(fill)
	} else if g.y < g.height-1 {
		g.y++
	}
}

// reverse moves the cursor a row up, and scrolls at the top of the region.
func (g *grid) reverse() {
	if g.y == g.top {
		g.scrollDown()
	} else if g.y > 0 {
		g.y--
	}
}

// scrollUp moves the region up by a row. Its first one goes into the history wherever the region begins.
func (g *grid) scrollUp(fill glyph) {
	if !g.remembers() {
		upper := g.history() + g.top
		g.moveLines(upper, upper+1, g.bottom-g.top, fill)
		return
	}
	g.trim()
	g.scrolled++
	if g.top == 0 && g.bottom == g.height-1 {
		g.lines = append(g.lines, g.empty(fill))
		return
	}
	upper, lower := g.history()+g.top, g.history()+g.bottom
	gone := g.lines[upper]
	copy(g.lines[upper:lower], g.lines[upper+1:lower+1])
	g.lines[lower] = g.empty(fill)
	g.lines = slices.Insert(g.lines, upper-g.top, gone)
}

// trim makes room in a full history: it loses a tenth of its limit. Source: grid_collect_history.
func (g *grid) trim() {
	if history := g.history(); history > 0 && history >= g.limit {
		g.lines = slices.Delete(g.lines, 0, min(max(g.limit/10, 1), history))
		g.scrolled = min(g.scrolled, g.history())
	}
}

// scrollDown moves the region down by a row. Its last one is lost.
func (g *grid) scrollDown() {
	upper := g.history() + g.top
	g.moveLines(upper+1, upper, g.bottom-g.top, g.erased())
}

// scrollAway moves every row down to the last written one into the history. Source: grid_view_clear_history.
func (g *grid) scrollAway(fill glyph) {
	used := 0
	for i, line := range g.lines[g.history():] {
		if line.used > 0 {
			used = i + 1
		}
	}
	for range used {
		g.trim()
		g.lines = append(g.lines, g.empty(fill))
	}
	g.clearLines(g.history(), g.height-used, fill)
	if used > 0 {
		g.scrolled = 0
	}
}

func (g *grid) clearHistory() {
	g.lines, g.scrolled = slices.Clone(g.lines[g.history():]), 0
}

// setRegion is DECSTBM, with rows that count from 1.
func (g *grid) setRegion(top, bottom int) {
	top, bottom = min(top, g.height)-1, min(bottom, g.height)-1
	if top < bottom {
		g.top, g.bottom, g.x, g.y = top, bottom, 0, 0
	}
}

// insertLines is IL.
func (g *grid) insertLines(n int) {
	at, fill := g.history()+g.y, g.erased()
	if g.y < g.top || g.y > g.bottom {
		n = min(n, g.height-g.y)
		g.moveLines(at+n, at, g.height-g.y-n, fill)
		return
	}
	n = min(n, g.bottom+1-g.y)
	stay := g.bottom + 1 - g.y - n
	g.moveLines(at+n, at, stay, fill)
	g.clearLines(at+stay, n-stay, fill)
}

// deleteLines is DL.
func (g *grid) deleteLines(n int) {
	at, fill := g.history()+g.y, g.erased()
	end := g.bottom + 1
	outside := g.y < g.top || g.y > g.bottom
	if outside {
		end = g.height
	}
	n = min(n, end-g.y)
	stay := end - g.y - n
	g.moveLines(at, at+n, stay, fill)
	if outside && g.exact {
		g.clearLines(len(g.lines)-n, n, fill)
		return
	}
	g.clearLines(at+stay, n-stay, fill)
}
