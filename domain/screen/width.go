package screen

import "unicode"

// wide are the characters that take two cells: those of East Asian Width W and F, merged across unassigned ones. Source: Unicode
// Standard Annex 11; wcwidth(3), by which tmux before 3.6 measures too.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x1100, 0x115f, 1},
		{0x231a, 0x231b, 1},
		{0x2329, 0x232a, 1},
		{0x23e9, 0x23ec, 1},
		{0x23f0, 0x23f0, 1},
		{0x23f3, 0x23f3, 1},
		{0x25fd, 0x25fe, 1},
		{0x2614, 0x2615, 1},
		{0x2630, 0x2637, 1},
		{0x2648, 0x2653, 1},
		{0x267f, 0x267f, 1},
		{0x268a, 0x268f, 1},
		{0x2693, 0x2693, 1},
		{0x26a1, 0x26a1, 1},
		{0x26aa, 0x26ab, 1},
		{0x26bd, 0x26be, 1},
		{0x26c4, 0x26c5, 1},
		{0x26ce, 0x26ce, 1},
		{0x26d4, 0x26d4, 1},
		{0x26ea, 0x26ea, 1},
		{0x26f2, 0x26f3, 1},
		{0x26f5, 0x26f5, 1},
		{0x26fa, 0x26fa, 1},
		{0x26fd, 0x26fd, 1},
		{0x2705, 0x2705, 1},
		{0x270a, 0x270b, 1},
		{0x2728, 0x2728, 1},
		{0x274c, 0x274c, 1},
		{0x274e, 0x274e, 1},
		{0x2753, 0x2755, 1},
		{0x2757, 0x2757, 1},
		{0x2795, 0x2797, 1},
		{0x27b0, 0x27b0, 1},
		{0x27bf, 0x27bf, 1},
		{0x2b1b, 0x2b1c, 1},
		{0x2b50, 0x2b50, 1},
		{0x2b55, 0x2b55, 1},
		{0x2e80, 0x303e, 1},
		{0x3041, 0x4dbf, 1},
		{0x4dc0, 0x4dff, 1},
		{0x4e00, 0xa4cf, 1},
		{0xa960, 0xa97c, 1},
		{0xac00, 0xd7a3, 1},
		{0xf900, 0xfaff, 1},
		{0xfe10, 0xfe19, 1},
		{0xfe30, 0xfe6b, 1},
		{0xff01, 0xff60, 1},
		{0xffe0, 0xffe6, 1},
	},
	R32: []unicode.Range32{
		{0x16fe0, 0x18dff, 1},
		{0x1aff0, 0x1b2ff, 1},
		{0x1d300, 0x1d376, 1},
		{0x1f004, 0x1f004, 1},
		{0x1f0cf, 0x1f0cf, 1},
		{0x1f18e, 0x1f18e, 1},
		{0x1f191, 0x1f19a, 1},
		{0x1f1e6, 0x1f265, 1},
		{0x1f300, 0x1f64f, 1},
		{0x1f680, 0x1f6ff, 1},
		{0x1f7e0, 0x1f7f0, 1},
		{0x1f900, 0x1f9ff, 1},
		{0x1fa70, 0x1faff, 1},
		{0x20000, 0x3fffd, 1},
	},
}

// emojiStyle asks for the emoji form of the character before it, which some terminals then make wide. Source: Unicode
// Technical Standard 51; tmux from 3.6 on.
const emojiStyle = 0xfe0f

// RuneWidth is the most cells that a terminal gives to a character: 0 for combining marks and the like, 2 for wide ones, 1
// for all others. It is 2 for what some terminals show narrow (regional indicators, some pictographs). Control characters have no width:
// 0.
func RuneWidth(r rune) int {
	switch {
	case r >= ' ' && r < 0x7f, r == emojiStyle:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp):
		return 0
	case unicode.Is(wide, r):
		return 2
	default:
		return 1
	}
}

// Width is the number of cells of a text without control characters, at most.
func Width(text string) int {
	width := 0
	for _, r := range text {
		width += RuneWidth(r)
	}
	return width
}
