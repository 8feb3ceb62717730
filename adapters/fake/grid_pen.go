package fake

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// A pen is how a cell looks.
type pen struct {
	attributes                        uint16 // a bit for each of looks
	foreground, background, underline colour
}

// A colour is 0 for the default one, or the kind of a colour and what SGR says of it.
type colour uint32

// The kinds of colours, above 24 bits.
const (
	basic   colour = 1 << 24 // 0 to 7, and 60 to 67 for bright ones
	indexed colour = 2 << 24 // of 256
	direct  colour = 3 << 24 // red, green and blue
)

// looks are the parameters that switch an attribute on.
var looks = [...]string{"1", "2", "3", "4", "5", "7", "8", "9", "4:2", "4:3", "4:4", "4:5", "53"}

const underlines = 1<<3 | 1<<8 | 1<<9 | 1<<10 | 1<<11

// set is SGR.
func (p *pen) set(params ansi.Params) {
	if len(params) == 0 {
		*p = pen{}
	}
	for len(params) > 0 {
		n := params[0].Param(0)
		group := 1
		for group < len(params) && params[group-1].HasMore() {
			group++
		}
		switch {
		case n == 38 || n == 48 || n == 58:
			if group > 1 {
				p.colour(n, withoutSpace(params[1:group]))
			} else {
				group += p.colour(n, params[1:])
			}
		case n == 4 && group > 1:
			p.underlined(params[1].Param(0))
		case group == 1:
			p.attribute(n)
		}
		params = params[min(group, len(params)):]
	}
}

// withoutSpace leaves out the colour space that may stand in 38:2:space:red:green:blue.
func withoutSpace(params ansi.Params) ansi.Params {
	if len(params) >= 5 && params[0].Param(0) == 2 {
		return append(ansi.Params{params[0]}, params[2:]...)
	}
	return params
}

// colour sets one of the three colours from what follows 38, 48 or 58, and says how many parameters that were.
func (p *pen) colour(which int, params ansi.Params) (taken int) {
	value := func(i int) colour {
		n, _, _ := params.Param(i, 0)
		return colour(min(max(n, 0), 255))
	}
	set := func(c colour) {
		switch which {
		case 38:
			p.foreground = c
		case 48:
			p.background = c
		default:
			p.underline = c
		}
	}
	kind, _, _ := params.Param(0, 0)
	switch {
	case kind == 5 && len(params) >= 2:
		set(indexed | value(1))
		return 2
	case kind == 2 && len(params) >= 4:
		set(direct | value(1)<<16 | value(2)<<8 | value(3))
		return 4
	}
	return min(len(params), 1)
}

func (p *pen) underlined(style int) {
	p.attributes &^= underlines
	switch {
	case style == 1:
		p.attributes |= 1 << 3
	case style >= 2 && style <= 5:
		p.attributes |= 1 << (6 + style)
	}
}

func (p *pen) attribute(n int) {
	switch {
	case n == 0:
		*p = pen{}
	case n >= 1 && n <= 3:
		p.attributes |= 1 << (n - 1)
	case n == 4:
		p.underlined(1)
	case n == 5 || n == 6:
		p.attributes |= 1 << 4
	case n >= 7 && n <= 9:
		p.attributes |= 1 << (n - 2)
	case n == 21:
		p.underlined(2)
	case n == 22:
		p.attributes &^= 1<<0 | 1<<1
	case n == 23:
		p.attributes &^= 1 << 2
	case n == 24:
		p.underlined(0)
	case n == 25:
		p.attributes &^= 1 << 4
	case n >= 27 && n <= 29:
		p.attributes &^= 1 << (n - 22)
	case n >= 30 && n <= 37:
		p.foreground = basic | colour(n-30)
	case n == 39:
		p.foreground = 0
	case n >= 40 && n <= 47:
		p.background = basic | colour(n-40)
	case n == 49:
		p.background = 0
	case n == 53:
		p.attributes |= 1 << 12
	case n == 55:
		p.attributes &^= 1 << 12
	case n == 59:
		p.underline = 0
	case n >= 90 && n <= 97:
		p.foreground = basic | colour(n-30)
	case n >= 100 && n <= 107:
		p.background = basic | colour(n-40)
	}
}

// String is the SGR sequence that makes a pen of any other.
func (p pen) String() string {
	var b strings.Builder
	b.WriteString("\x1b[0")
	for i, look := range looks {
		if p.attributes&(1<<i) != 0 {
			b.WriteString(";" + look)
		}
	}
	for i, c := range []colour{p.foreground, p.background, p.underline} {
		b.WriteString(c.parameters(30 + 10*i))
	}
	b.WriteByte('m')
	return b.String()
}

// parameters select a colour; from is 30 for the foreground, 40 for the background, 50 for the underline.
func (c colour) parameters(from int) string {
	switch value := int(c & 0xffffff); c &^ 0xffffff {
	case basic:
		return ";" + strconv.Itoa(from+value)
	case indexed:
		return fmt.Sprintf(";%d;5;%d", from+8, value)
	case direct:
		return fmt.Sprintf(";%d;2;%d;%d;%d", from+8, value>>16, value>>8&255, value&255)
	}
	return ""
}
