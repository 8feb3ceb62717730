package fake

import (
	"fmt"
	"slices"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// namedLayout lays panes out in a window as one of [tmux.LayoutNames] says. Source: tmux's layout-set.c, whose main panes have 80
// columns or 24 rows unless that leaves the others no room.
func namedLayout(name string, panes, width, height int) tmux.Cell {
	if panes == 1 {
		return tmux.Cell{Width: width, Height: height}
	}
	switch name {
	case "even-horizontal":
		return evenly(true, panes, tmux.Cell{Width: width, Height: height})
	case "even-vertical":
		return evenly(false, panes, tmux.Cell{Width: width, Height: height})
	case "main-horizontal":
		first := min(24, max(height-1-panes, 1))
		rest := evenly(true, panes-1, tmux.Cell{Width: width, Height: height - 1 - first, Top: first + 1})
		return tmux.Cell{Width: width, Height: height, Cells: []tmux.Cell{{Width: width, Height: first}, rest}}
	case "main-vertical":
		first := min(80, max(width-1-panes, 1))
		rest := evenly(false, panes-1, tmux.Cell{Width: width - 1 - first, Height: height, Left: first + 1})
		return tmux.Cell{Width: width, Height: height, Across: true, Cells: []tmux.Cell{{Width: first, Height: height}, rest}}
	case "tiled":
		rows, columns := 1, 1
		for rows*columns < panes {
			rows++
			if rows*columns < panes {
				columns++
			}
		}
		tiled := evenly(false, rows, tmux.Cell{Width: width, Height: height})
		for i, row := range tiled.Cells {
			tiled.Cells[i] = evenly(true, min(columns, panes-i*columns), row)
		}
		return tiled
	}
	panic(fmt.Sprintf("fake: no layout %q", name)) // its caller checks
}

// evenly divides a cell; the last part has what is left.
func evenly(across bool, parts int, whole tmux.Cell) tmux.Cell {
	if parts <= 1 {
		return whole
	}
	whole.Across, whole.Cells = across, nil
	length := whole.Height
	if across {
		length = whole.Width
	}
	each := max((length-(parts-1))/parts, 1)
	for i := range parts {
		size := each
		if i == parts-1 {
			size = length - (each+1)*i
		}
		part := tmux.Cell{Width: whole.Width, Height: size, Left: whole.Left, Top: whole.Top + (each+1)*i}
		if across {
			part = tmux.Cell{Width: size, Height: whole.Height, Left: whole.Left + (each+1)*i, Top: whole.Top}
		}
		whole.Cells = append(whole.Cells, part)
	}
	return whole
}

// cellOf gives panes their places in a layout, in their order.
func cellOf(layout tmux.Cell, panes *[]*pane) *cell {
	made := &cell{across: layout.Across, left: layout.Left, top: layout.Top, width: layout.Width, height: layout.Height}
	if len(layout.Cells) == 0 {
		made.pane, *panes = (*panes)[0], (*panes)[1:]
	}
	for _, inner := range layout.Cells {
		made.children = append(made.children, cellOf(inner, panes))
	}
	return made
}

// resizePane gives a pane so many columns or rows, as far as the cell after it, or before it, has them to give. 0 is as it is.
func (c *cell) resizePane(of *pane, across bool, size int) {
	at, above := c.find(of, nil)
	for above != nil && above.across != across {
		at, above = above, c.parent(above)
	}
	if size == 0 || above == nil {
		return
	}
	i := slices.Index(above.children, at)
	neighbour := above.children[max(i-1, 0)]
	if i+1 < len(above.children) {
		neighbour = above.children[i+1]
	}
	more := max(min(size-at.length(across), neighbour.length(across)-1), 1-at.length(across))
	if across {
		at.resize(at.width+more, at.height)
		neighbour.resize(neighbour.width-more, neighbour.height)
	} else {
		at.resize(at.width, at.height+more)
		neighbour.resize(neighbour.width, neighbour.height-more)
	}
}

// parent is the row or column in which a cell stands; nil for the outermost.
func (c *cell) parent(of *cell) *cell {
	for _, child := range c.children {
		if child == of {
			return c
		}
		if found := child.parent(of); found != nil {
			return found
		}
	}
	return nil
}
