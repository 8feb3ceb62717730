package fake

import "strings"

// A rendering says how rows become text.
type rendering struct {
	join   bool // wrapped rows are one line
	styles bool // with SGR sequences
	blanks bool // written trailing blanks stay
	pad    bool // and so do the cells that tmux has allocated and nobody wrote (all but 3.3)
}

// text renders the rows from an absolute one to the bottom of the screen, and tells in which row each line begins.
func (g *grid) text(from int, how rendering) (out []string, starts []int) {
	joining := false
	for i, line := range g.lines[from:] {
		text := line.text(how, g.width)
		if joining {
			out[len(out)-1] += text
		} else {
			out, starts = append(out, text), append(starts, from+i)
		}
		joining = how.join && line.wrapped
	}
	if !how.blanks {
		for i := range out {
			out[i] = strings.TrimRight(out[i], " ")
		}
	}
	return out, starts
}

// shown is what stands on the screen, without blanks at the end and blank rows below.
func (g *grid) shown() string {
	rows, _ := g.text(g.history(), rendering{})
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

func (r row) text(how rendering, width int) string {
	var b strings.Builder
	style := ""
	end := len(r.cells)
	if how.styles && !how.blanks {
		for end > 0 && r.cells[end-1].text == " " && r.cells[end-1].style == "" {
			end--
		}
	}
	for _, cell := range r.cells[:end] {
		if how.styles && cell.style != style {
			b.WriteString("\x1b[0")
			if cell.style != "" {
				b.WriteString(";" + cell.style)
			}
			b.WriteByte('m')
			style = cell.style
		}
		b.WriteString(cell.text)
	}
	if style != "" {
		b.WriteString("\x1b[0m")
	}
	if how.blanks && how.pad {
		b.WriteString(strings.Repeat(" ", allocated(end, width)-end))
	}
	return b.String()
}

// allocated is how many cells tmux keeps for a row of which some were written: a quarter of the width, half of it or all. Source:
// tmux's grid_expand_line.
func allocated(written, width int) int {
	switch {
	case written == 0:
		return 0
	case written <= width/4:
		return width / 4
	case written <= width/2:
		return width / 2
	}
	return max(width, written)
}
