package guard

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A cell is one column of a row. A wide character has a second one, without text.
type cell struct {
	text string // a character and what combines with it
	// faint names the style in which prompts show what is not typed (dim, or grey); empty for any other. An unwritten cell has none.
	faint string
}

func (c cell) blank() bool { return c.text == " " || c.text == "" }

// parseCells turns rows as capture-pane -e gives them into cells. A style lasts across rows until it is changed.
func parseCells(rows []string) [][]cell {
	var style faintness
	parsed := make([][]cell, len(rows))
	for i, row := range rows {
		for row != "" {
			if rest, ok := strings.CutPrefix(row, "\x1b"); ok {
				row = style.escape(rest)
				continue
			}
			r, size := utf8.DecodeRuneInString(row)
			text := row[:size]
			row = row[size:]
			switch {
			case r == '\t': // tmux 3.6 and newer gives tabs back
				for tab := 8 - len(parsed[i])%8; tab > 0; tab-- {
					parsed[i] = append(parsed[i], cell{" ", style.name()})
				}
			case unicode.IsControl(r): // shifts into and out of the line-drawing set
			case runeWidth(r) == 0:
				if last := len(parsed[i]) - 1; last >= 0 {
					parsed[i][last].text += text
				}
			default:
				parsed[i] = append(parsed[i], cell{text, style.name()})
				if runeWidth(r) == 2 {
					parsed[i] = append(parsed[i], cell{"", style.name()})
				}
			}
		}
	}
	return parsed
}

// faintness is what of a style matters here.
type faintness struct {
	dim  bool
	grey string // the parameters that set a grey foreground
}

func (f *faintness) name() string {
	if f.dim {
		return "dim" + f.grey
	}
	return f.grey
}

// escape applies what follows an escape character and returns the rest: SGR changes the style, a link and all else is
// skipped.
func (f *faintness) escape(text string) string {
	switch {
	case strings.HasPrefix(text, "["):
		end := strings.IndexFunc(text[1:], func(r rune) bool { return r >= '@' && r <= '~' }) + 1
		if end == 0 {
			return ""
		}
		if text[end] == 'm' {
			f.apply(text[1:end])
		}
		return text[end+1:]
	case strings.HasPrefix(text, "]"):
		_, rest, _ := strings.Cut(text, "\x1b\\")
		return rest
	}
	return text[min(1, len(text)):]
}

// apply applies the parameters of one SGR sequence. Source: ECMA-48, 8.3.117, and ITU-T T.416 for colours.
func (f *faintness) apply(parameters string) {
	fields := strings.FieldsFunc(parameters, func(r rune) bool { return r == ';' || r == ':' })
	if len(fields) == 0 {
		*f = faintness{}
	}
	for i := 0; i < len(fields); i++ {
		code, _ := strconv.Atoi(fields[i]) // not a number is 0, as in a terminal
		switch {
		case code == 0:
			*f = faintness{}
		case code == 2:
			f.dim = true
		case code == 22:
			f.dim = false
		case code == 38 || code == 48 || code == 58:
			length := 3 // 38;5;N
			if i+1 < len(fields) && fields[i+1] == "2" {
				length = 5 // 38;2;R;G;B
			}
			colour := fields[i:min(i+length, len(fields))]
			i += len(colour) - 1
			if code == 38 {
				f.grey = grey(colour)
			}
		case code >= 30 && code <= 39 || code >= 90 && code <= 97:
			f.grey = ""
			if code == 90 {
				f.grey = "38;5;8" // the same colour
			}
		}
	}
}

// grey gives the parameters of a foreground back if it is a grey: bright black, the grey ramp of 256 colours, equal parts of
// red, green and blue.
func grey(colour []string) string {
	text := strings.Join(colour, ";")
	switch len(colour) {
	case 3:
		if n, err := strconv.Atoi(colour[2]); err == nil && (n == 8 || n >= 232) {
			return text
		}
	case 5:
		if colour[2] == colour[3] && colour[3] == colour[4] {
			return text
		}
	}
	return ""
}

// wide are the ranges of characters that take two columns in a terminal. Source: Unicode's East Asian Width, W and F, in
// rows; what it gets wrong it gets wrong in a learned prompt as well.
var wide = [][2]rune{
	{0x1100, 0x115f},
	{0x231a, 0x231b},
	{0x2329, 0x232a},
	{0x23e9, 0x23ec},
	{0x23f0, 0x23f0},
	{0x23f3, 0x23f3},
	{0x25fd, 0x25fe},
	{0x2614, 0x2615},
	{0x2648, 0x2653},
	{0x267f, 0x267f},
	{0x2693, 0x2693},
	{0x26a1, 0x26a1},
	{0x26aa, 0x26ab},
	{0x26bd, 0x26be},
	{0x26c4, 0x26c5},
	{0x26ce, 0x26ce},
	{0x26d4, 0x26d4},
	{0x26ea, 0x26ea},
	{0x26f2, 0x26f3},
	{0x26f5, 0x26f5},
	{0x26fa, 0x26fa},
	{0x26fd, 0x26fd},
	{0x2705, 0x2705},
	{0x270a, 0x270b},
	{0x2728, 0x2728},
	{0x274c, 0x274c},
	{0x274e, 0x274e},
	{0x2753, 0x2755},
	{0x2757, 0x2757},
	{0x2795, 0x2797},
	{0x27b0, 0x27b0},
	{0x27bf, 0x27bf},
	{0x2b1b, 0x2b1c},
	{0x2b50, 0x2b50},
	{0x2b55, 0x2b55},
	{0x2e80, 0x303e},
	{0x3041, 0xa4cf},
	{0xa960, 0xa97f},
	{0xac00, 0xd7a3},
	{0xf900, 0xfaff},
	{0xfe10, 0xfe19},
	{0xfe30, 0xfe6f},
	{0xff00, 0xff60},
	{0xffe0, 0xffe6},
	{0x16fe0, 0x18cff},
	{0x1b000, 0x1b2ff},
	{0x1f004, 0x1f004},
	{0x1f0cf, 0x1f0cf},
	{0x1f18e, 0x1f18e},
	{0x1f191, 0x1f19a},
	{0x1f200, 0x1f320},
	{0x1f32d, 0x1f335},
	{0x1f337, 0x1f37c},
	{0x1f37e, 0x1f393},
	{0x1f3a0, 0x1f3ca},
	{0x1f3cf, 0x1f3d3},
	{0x1f3e0, 0x1f3f0},
	{0x1f3f4, 0x1f3f4},
	{0x1f3f8, 0x1f43e},
	{0x1f440, 0x1f440},
	{0x1f442, 0x1f4fc},
	{0x1f4ff, 0x1f53d},
	{0x1f54b, 0x1f54e},
	{0x1f550, 0x1f567},
	{0x1f57a, 0x1f57a},
	{0x1f595, 0x1f596},
	{0x1f5a4, 0x1f5a4},
	{0x1f5fb, 0x1f64f},
	{0x1f680, 0x1f6c5},
	{0x1f6cc, 0x1f6cc},
	{0x1f6d0, 0x1f6d2},
	{0x1f6d5, 0x1f6d7},
	{0x1f6dc, 0x1f6df},
	{0x1f6eb, 0x1f6ec},
	{0x1f6f4, 0x1f6fc},
	{0x1f7e0, 0x1f7f0},
	{0x1f90c, 0x1f93a},
	{0x1f93c, 0x1f945},
	{0x1f947, 0x1f9ff},
	{0x1fa70, 0x1faff},
	{0x20000, 0x3fffd},
}

// runeWidth is how many columns a character takes.
func runeWidth(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	_, found := slices.BinarySearchFunc(wide, r, func(span [2]rune, r rune) int {
		switch {
		case span[1] < r:
			return -1
		case span[0] > r:
			return 1
		}
		return 0
	})
	if found {
		return 2
	}
	return 1
}
