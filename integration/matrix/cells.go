package matrix

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// A Cell is one container of the matrix.
type Cell struct {
	Name    string // the version of its tmux, or the Debian suite whose tmux it holds, whichever that is
	Base    string // the public image that it is built on; empty if the image was given by hand
	Suite   string // the Debian suite that makes the same base without a registry; empty if none holds that tmux
	Refused bool   // the product must decline this tmux
	Image   string // what runs, a local name
	ByHand  bool   // the image was given by EXTRA_CELLS
}

// Fixed reports whether the cell is named for the version that it must hold.
func (c Cell) Fixed() bool { return c.Name != "" && c.Name[0] >= '0' && c.Name[0] <= '9' }

// Title names the cell's tests.
func (c Cell) Title() string {
	if c.Fixed() {
		return "tmux-" + c.Name
	}
	return c.Name
}

//go:embed cells
var table string

// Cells are those of the table with those of extra, which is EXTRA_CELLS: pairs cell=image, separated by commas.
func Cells(extra string) ([]Cell, error) {
	var cells []Cell
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) != 4 || fields[3] != "works" && fields[3] != "refuses" {
			return nil, fmt.Errorf("the table of cells: %q is no cell, public base, suite, and works or refuses", line)
		}
		cells = append(cells, Cell{
			Name: fields[0], Base: fields[1], Suite: strings.TrimPrefix(fields[2], "-"), Refused: fields[3] == "refuses",
			Image: "libtmux-mcp/cell:" + fields[0],
		})
	}
	for _, pair := range split(extra) {
		name, image, ok := strings.Cut(pair, "=")
		if !ok || name == "" || image == "" {
			return nil, fmt.Errorf("EXTRA_CELLS: %q is no VERSION=IMAGE", pair)
		}
		cell := Cell{Name: name, Image: image, ByHand: true}
		if at := slices.IndexFunc(cells, func(c Cell) bool { return c.Name == name }); at >= 0 {
			cell.Refused = cells[at].Refused
			cells[at] = cell
			continue
		}
		cells = append(cells, cell)
	}
	return cells, nil
}

// Required are the names in REQUIRE_CELLS, separated by spaces or commas. A name that is no cell's is an error: it
// would require nothing.
func Required(names string, cells []Cell) (map[string]bool, error) {
	required := map[string]bool{}
	for _, name := range split(names) {
		if !slices.ContainsFunc(cells, func(c Cell) bool { return c.Name == name }) {
			return nil, fmt.Errorf("REQUIRE_CELLS: there is no cell %q", name)
		}
		required[name] = true
	}
	return required, nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
