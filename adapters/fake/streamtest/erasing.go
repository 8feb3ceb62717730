package streamtest

// erasing is about what is erased.
func erasing() []Stream {
	return []Stream{
		{"to the end of the line", prints("abc\x1b[2G\x1b[K"), at(1, 0, "a  ")},
		{"to the start of the line", prints("abc\x1b[2G\x1b[1K"), at(1, 0, "  c")},
		{"the whole line", prints("abc\x1b[2K"), at(3, 0)},
		{"from the margin on", prints("0123456789\x1b[K"), at(10, 0, "0123456789")},
		{"a wrapped line to its end", prints("0123456789abc\x1b[1;3H\x1b[K"), at(2, 0, "01        ↩", "abc")},
		{"everything of a wrapped line", prints("0123456789abc\x1b[1;3H\x1b[2K"), at(2, 0, "", "abc")},
		{"what a line goes on in", prints("0123456789abc\x1b[2K"), at(3, 1, "0123456789")},
		{"characters erased", prints("abcdef\x1b[3G\x1b[2X"), at(2, 0, "ab  ef")},
		{"more characters erased than there are", prints("abcdef\x1b[3G\x1b[99X"), at(2, 0, "ab    ")},
		{"half of a wide one", prints("日本\x1b[2G\x1b[X"), at(1, 0, "日 本")},
		{"below the cursor", prints("1\n2\n3\x1b[2;1H\x1b[J"), at(0, 1, "1")},
		{"below the middle of a row", prints("1\nabc\n3\x1b[2;2H\x1b[J"), at(1, 1, "1", "a  ")},
		{"above the cursor", prints("1\n23\n4\x1b[2;1H\x1b[1J"), at(0, 1, "", " 3", "4")},
		{"below the top, into the history", prints("1\n2\x1b[H\x1b[Jx"), at(1, 0, "1", "2", "x").below(2)},
		{"everything, into the history", prints("1\n2\x1b[H\x1b[2Jx"), at(1, 0, "1", "2", "x").below(2)},
		{"everything with the history", prints("1\n2\x1b[H\x1b[2J\x1b[3Jx"), at(1, 0, "x")},
		{"everything of nothing", prints("\x1b[2Jx"), at(1, 0, "x")},
		{"a wide screen cleared by 132 columns", prints("ab\x1b[?3hc"), at(1, 0, "ab", "c").below(1)},
		{"with a background", prints("ab\x1b[41m\x1b[K\x1b[mc"), at(3, 0, "abc")},
		{"the alignment pattern", prints("ab\x1b[2;3r\x1b#8c"), at(1, 0, "cEEEEEEEEE", "EEEEEEEEEE", "EEEEEEEEEE", "EEEEEEEEEE", "EEEEEEEEEE")},
	}
}
