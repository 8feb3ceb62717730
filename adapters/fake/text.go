package fake

import "strings"

// A rendering says how rows become text.
type rendering struct {
	join   bool // wrapped rows are one line
	styles bool // with SGR sequences
	blanks bool // written trailing blanks stay
}

// text renders the rows from an absolute one to the bottom of the screen, and tells in which row each line begins.
func (g *grid) text(from int, how rendering) (out []string, starts []int) {
	joining := false
	for i, line := range g.lines[from:] {
		text := g.rowText(line, how)
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

// rows are those from an absolute one to the bottom of the screen, and whether each goes on in the next; those that do keep their blanks.
func (g *grid) rows(from int) (rows []string, wraps []bool) {
	rows, _ = g.text(from, rendering{blanks: true})
	wraps = make([]bool, len(rows))
	for i := range rows {
		if wraps[i] = i+1 < len(rows) && g.lines[from+i].wrapped; !wraps[i] {
			rows[i] = strings.TrimRight(rows[i], " ")
		}
	}
	return rows, wraps
}

// shown is what stands on the screen, without blanks at the end and blank rows below.
func (g *grid) shown() string {
	rows, _ := g.text(g.history(), rendering{})
	return strings.TrimRight(strings.Join(rows, "\n"), "\n")
}

// rowText is what a row shows of its cells on the screen.
func (g *grid) rowText(r row, how rendering) string {
	end := r.used
	if g.pads && (how.blanks || how.join) {
		end = len(r.cells)
	}
	end = min(end, g.width)
	if how.styles && !how.blanks {
		for end > 0 && r.cells[end-1].text == " " && r.cells[end-1].pen == (pen{}) {
			end--
		}
	}
	var b strings.Builder
	style := pen{}
	for _, cell := range r.cells[:end] {
		if cell.width == 0 {
			continue
		}
		if how.styles && cell.pen != style {
			style = cell.pen
			b.WriteString(style.String())
		}
		b.WriteString(cell.text)
	}
	if style != (pen{}) {
		b.WriteString(pen{}.String())
	}
	return b.String()
}
