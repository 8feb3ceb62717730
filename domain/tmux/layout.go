package tmux

import (
	"fmt"
	"strconv"
	"strings"
)

// LayoutNames are the layouts that every tmux knows by name.
var LayoutNames = []string{"even-horizontal", "even-vertical", "main-horizontal", "main-vertical", "tiled"}

// A Cell is a place in a layout: of a pane, or of a row or column of cells with one cell of border between them.
type Cell struct {
	Width, Height, Left, Top int
	Across                   bool   // the cells stand side by side, not one below the other
	Cells                    []Cell // none: the place of a pane
	Pane                     PaneID // that has the place; empty if the layout does not say
}

// Panes counts the panes of a cell.
func (c Cell) Panes() int {
	if len(c.Cells) == 0 {
		return 1
	}
	panes := 0
	for _, cell := range c.Cells {
		panes += cell.Panes()
	}
	return panes
}

// greatestLayout is more than tmux takes in one argument, in bytes; deepestLayout is more cells within cells than fit a terminal.
const (
	greatestLayout = 12 << 10
	deepestLayout  = 64
)

// ParseLayout reads a layout string, in either of the forms in which #{window_layout} writes it, and refuses one with which tmux
// could not lay a window out exactly: some versions die of it. Source: tmux's layout-custom.c.
func ParseLayout(text string) (Cell, error) {
	if strings.HasPrefix(text, "{") {
		return parseJSONLayout(text)
	}
	sum, body, found := strings.Cut(text, ",")
	if !found || len(text) > greatestLayout {
		return Cell{}, fmt.Errorf("it is no layout string")
	}
	if want := fmt.Sprintf("%04x", LayoutChecksum(body)); sum != want {
		return Cell{}, fmt.Errorf("its checksum is %q, not that of what follows (%q): it was changed", sum, want)
	}
	p := layoutParser{rest: body}
	root, err := p.cell(0)
	switch {
	case err != nil:
		return Cell{}, err
	case p.rest != "":
		return Cell{}, fmt.Errorf("it goes on after its end with %.20q", p.rest)
	case root.Left != 0 || root.Top != 0:
		return Cell{}, fmt.Errorf("it does not begin at 0,0")
	}
	return root, root.check()
}

// LayoutChecksum is what a layout string begins with, in hexadecimal, of what follows the first comma.
func LayoutChecksum(body string) uint16 {
	sum := uint16(0)
	for i := range len(body) {
		sum = sum>>1 + sum&1<<15 + uint16(body[i])
	}
	return sum
}

// String is the layout string of a cell in the form that every tmux reads.
func (c Cell) String() string {
	body := c.body()
	return fmt.Sprintf("%04x,%s", LayoutChecksum(body), body)
}

func (c Cell) body() string {
	text := fmt.Sprintf("%dx%d,%d,%d", c.Width, c.Height, c.Left, c.Top)
	if len(c.Cells) == 0 {
		if c.Pane != "" {
			text += "," + strings.TrimPrefix(string(c.Pane), "%")
		}
		return text
	}
	inner := make([]string, len(c.Cells))
	for i, cell := range c.Cells {
		inner[i] = cell.body()
	}
	open, end := "[", "]"
	if c.Across {
		open, end = "{", "}"
	}
	return text + open + strings.Join(inner, ",") + end
}

type layoutParser struct{ rest string }

func (p *layoutParser) cell(depth int) (Cell, error) {
	var c Cell
	for _, field := range []struct {
		into  *int
		after string
	}{{&c.Width, "x"}, {&c.Height, ","}, {&c.Left, ","}, {&c.Top, ""}} {
		n, ok := p.number()
		if !ok || !p.skip(field.after) {
			return Cell{}, fmt.Errorf("at %.20q there is no cell such as 80x24,0,0", p.rest)
		}
		*field.into = n
	}
	c.Pane = p.paneID()
	switch {
	case depth > deepestLayout:
		return Cell{}, fmt.Errorf("its cells are too deep")
	case p.skip("{"):
		c.Across = true
		return c, p.cells(&c, "}", depth)
	case p.skip("["):
		return c, p.cells(&c, "]", depth)
	}
	return c, nil
}

// cells reads what stands between brackets.
func (p *layoutParser) cells(into *Cell, end string, depth int) error {
	for {
		inner, err := p.cell(depth + 1)
		if err != nil {
			return err
		}
		into.Cells = append(into.Cells, inner)
		if p.skip(end) {
			return nil
		}
		if !p.skip(",") {
			return fmt.Errorf("at %.20q a bracket is not closed", p.rest)
		}
	}
}

// paneID reads the number of the pane that had the place: what follows a comma and is not the width of the next cell.
func (p *layoutParser) paneID() PaneID {
	after := *p
	if !after.skip(",") {
		return ""
	}
	n, ok := after.number()
	if !ok || strings.HasPrefix(after.rest, "x") {
		return ""
	}
	*p = after
	return PaneID("%" + strconv.Itoa(n))
}

func (p *layoutParser) number() (int, bool) {
	digits := p.rest[:len(p.rest)-len(strings.TrimLeft(p.rest, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(n) != digits {
		return 0, false
	}
	p.rest = p.rest[len(digits):]
	return n, true
}

func (p *layoutParser) skip(text string) (ok bool) {
	rest, ok := strings.CutPrefix(p.rest, text)
	if ok {
		p.rest = rest
	}
	return ok
}

// check refuses cells that overlap or leave room.
func (c Cell) check() error {
	if c.Width < 1 || c.Height < 1 || c.Width > 10000 || c.Height > 10000 {
		return fmt.Errorf("a cell of %dx%d has no room, or too much", c.Width, c.Height)
	}
	if len(c.Cells) == 0 {
		return nil
	}
	if len(c.Cells) == 1 {
		return fmt.Errorf("brackets hold a single cell")
	}
	left, top := c.Left, c.Top
	for _, inner := range c.Cells {
		if inner.Left != left || inner.Top != top {
			return fmt.Errorf("a cell stands at %d,%d, and not at %d,%d beside the one before it", inner.Left, inner.Top, left, top)
		}
		if c.Across && inner.Height != c.Height || !c.Across && inner.Width != c.Width {
			return fmt.Errorf("a cell of %dx%d does not fit into one of %dx%d", inner.Width, inner.Height, c.Width, c.Height)
		}
		if err := inner.check(); err != nil {
			return err
		}
		if c.Across {
			left += inner.Width + 1
		} else {
			top += inner.Height + 1
		}
	}
	if c.Across && left-1 != c.Left+c.Width || !c.Across && top-1 != c.Top+c.Height {
		return fmt.Errorf("the cells within %dx%d do not fill it", c.Width, c.Height)
	}
	return nil
}
