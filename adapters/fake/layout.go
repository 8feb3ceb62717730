package fake

import (
	"slices"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A cell is a pane's place in a window, or a row or column of cells. One cell of border stands between siblings.
// Source: tmux's layout.c.
type cell struct {
	pane                     *pane // nil in a row or column
	across                   bool  // the children stand side by side
	children                 []*cell
	left, top, width, height int
}

// find gives the cell of a pane and its parent.
func (c *cell) find(pane *pane, parent *cell) (self, above *cell) {
	if c.pane == pane {
		return c, parent
	}
	for _, child := range c.children {
		if self, above := child.find(pane, c); self != nil {
			return self, above
		}
	}
	return nil, nil
}

// length is the size along the axis in which a split divides.
func (c *cell) length(across bool) int {
	if across {
		return c.width
	}
	return c.height
}

// split divides the cell of a pane, and puts the new pane on that side. Size is in cells, or negative for half. It
// reports whether there was room.
func (w *window) split(of, made *pane, side ports.Direction, size int) bool {
	at, parent := w.root.find(of, nil)
	across := side == ports.Left || side == ports.Right
	before := side == ports.Left || side == ports.Above
	whole := at.length(across)
	if whole < 3 {
		return false
	}
	second := size
	switch {
	case size < 0:
		second = (whole+1)/2 - 1
	case before:
		second = whole - size - 1
	}
	second = min(max(second, 1), whole-2)
	first := whole - 1 - second

	if parent == nil || parent.across != across {
		inner := &cell{pane: at.pane, left: at.left, top: at.top, width: at.width, height: at.height}
		at.pane, at.across, at.children = nil, across, []*cell{inner}
		at, parent = inner, at
	}
	fresh := &cell{pane: made, width: at.width, height: at.height}
	here := slices.Index(parent.children, at)
	one, two := at, fresh
	if before {
		one, two = fresh, at
		parent.children = slices.Insert(parent.children, here, fresh)
	} else {
		parent.children = slices.Insert(parent.children, here+1, fresh)
	}
	if across {
		one.width, two.width = first, second
	} else {
		one.height, two.height = first, second
	}
	return true
}

// without takes a pane's cell away and gives its room to a neighbour.
func (c *cell) without(gone *pane) *cell {
	for i, child := range c.children {
		if child.pane != gone {
			if child.children != nil {
				c.children[i] = child.without(gone)
			}
			continue
		}
		neighbour := c.children[max(i-1, 0)]
		if i == 0 {
			neighbour = c.children[1]
		}
		if c.across {
			neighbour.resize(neighbour.width+child.width+1, neighbour.height)
		} else {
			neighbour.resize(neighbour.width, neighbour.height+child.height+1)
		}
		c.children = slices.Delete(c.children, i, i+1)
		break
	}
	if len(c.children) == 1 {
		only := c.children[0]
		only.left, only.top = c.left, c.top
		return only
	}
	return c
}

// resize grows or shrinks a cell; along a row or column, the last child takes the difference.
func (c *cell) resize(width, height int) {
	for i, child := range c.children {
		last := i == len(c.children)-1
		switch {
		case c.across && last:
			child.resize(child.width+width-c.width, height)
		case c.across:
			child.resize(child.width, height)
		case last:
			child.resize(width, child.height+height-c.height)
		default:
			child.resize(width, child.height)
		}
	}
	c.width, c.height = width, height
}

// place sets where the children stand.
func (c *cell) place() {
	left, top := c.left, c.top
	for _, child := range c.children {
		child.left, child.top = left, top
		if c.across {
			left += child.width + 1
		} else {
			top += child.height + 1
		}
		child.place()
	}
}

// arrange makes the panes as large as their cells, or the zoomed one as large as the window.
func (w *World) arrange(in *window) {
	in.root.place()
	for _, pane := range in.panes {
		_, _, width, height := in.rectangle(pane)
		pane.grid.resize(width, height)
	}
}

// rectangle is the place of a pane: the whole window if it is zoomed.
func (w *window) rectangle(of *pane) (left, top, width, height int) {
	if w.zoomed && of == w.active {
		return 0, 0, w.width, w.height
	}
	at, _ := w.root.find(of, nil)
	return at.left, at.top, at.width, at.height
}

// layout is tmux's layout string, with its checksum.
func (w *window) layout() string { return w.root.layout().String() }

// visibleLayout is what is seen of it: the active pane alone if it is zoomed.
func (w *window) visibleLayout() string {
	if !w.zoomed {
		return w.layout()
	}
	return (&cell{pane: w.active, width: w.width, height: w.height}).layout().String()
}

func (c *cell) layout() tmux.Cell {
	at := tmux.Cell{Width: c.width, Height: c.height, Left: c.left, Top: c.top, Across: c.across}
	if c.pane != nil {
		at.Pane, at.Across = c.pane.id, false
	}
	for _, child := range c.children {
		at.Cells = append(at.Cells, child.layout())
	}
	return at
}
