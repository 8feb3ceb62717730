package tmux

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// ClassicLayout is a layout string in the form that every tmux writes to a control client and reads, whichever form this one is in;
// what is in neither form stays as it is. tmux 3.8 writes JSON to every other client, which says in addition which pane is active,
// and would make it so again. Floating panes have no place in it, as in tmux's own. Source: tmux's layout-custom.c.
func ClassicLayout(text string) string {
	if !strings.HasPrefix(text, "{") {
		return text
	}
	root, err := decodeLayout(text)
	if err != nil {
		return text
	}
	return root.String()
}

// jsonCell is a cell as tmux writes it.
type jsonCell struct {
	Type   string     `json:"t"` // h and v have cells, p has a pane
	Width  int        `json:"w"`
	Height int        `json:"h"`
	Left   int        `json:"x"`
	Top    int        `json:"y"`
	Cells  []jsonCell `json:"c"`
	Pane   PaneID     `json:"I"`
	Index  int        `json:"i"` // of the pane in its window
	Float  *int       `json:"z"` // of a floating pane alone: how far below the others
}

func parseJSONLayout(text string) (Cell, error) {
	if len(text) > greatestLayout {
		return Cell{}, fmt.Errorf("it is too long")
	}
	root, err := decodeLayout(text)
	switch {
	case err != nil:
		return Cell{}, err
	case root.Left != 0 || root.Top != 0:
		return Cell{}, fmt.Errorf("it does not begin at 0,0")
	}
	return root, root.check()
}

func decodeLayout(text string) (Cell, error) {
	var layout struct {
		Version int      `json:"V"`
		Root    jsonCell `json:"L"`
	}
	if err := json.Unmarshal([]byte(text), &layout); err != nil {
		return Cell{}, fmt.Errorf("it is no layout string: %w", err)
	}
	if layout.Version != 2 {
		return Cell{}, fmt.Errorf("it is of version %d, not 2", layout.Version)
	}
	last := -1
	root, ok, err := layout.Root.cell(0, &last)
	if err == nil && !ok {
		err = fmt.Errorf("it has no panes but floating ones")
	}
	return root, err
}

// cell converts a cell without what floats in it; it is none if nothing is left. last is the index of the pane before it.
func (j jsonCell) cell(depth int, last *int) (c Cell, ok bool, err error) {
	c = Cell{Width: j.Width, Height: j.Height, Left: j.Left, Top: j.Top, Across: j.Type == "h"}
	switch {
	case depth > deepestLayout:
		return Cell{}, false, fmt.Errorf("its cells are too deep")
	case j.Type == "p" && len(j.Cells) == 0:
		if j.Float != nil {
			return Cell{}, false, nil
		}
		if n, err := strconv.Atoi(strings.TrimPrefix(string(j.Pane), "%")); err != nil || string(j.Pane) != fmt.Sprintf("%%%d", n) {
			return Cell{}, false, fmt.Errorf("%.20q is no pane", j.Pane)
		}
		if j.Index <= *last { // in the other form panes are in the order of their cells
			return Cell{}, false, fmt.Errorf("pane %s does not stand in the order of the panes", j.Pane)
		}
		c.Pane, *last = j.Pane, j.Index
		return c, true, nil
	case j.Type != "h" && j.Type != "v" || len(j.Cells) == 0:
		return Cell{}, false, fmt.Errorf("a cell of type %.20q holds %d cells", j.Type, len(j.Cells))
	}
	for _, child := range j.Cells {
		inner, tiled, err := child.cell(depth+1, last)
		if err != nil {
			return Cell{}, false, err
		}
		if tiled {
			c.Cells = append(c.Cells, inner)
		}
	}
	if len(c.Cells) == 1 { // the others float
		return c.Cells[0], true, nil
	}
	return c, len(c.Cells) > 0, nil
}
