package streamtest

// resizing is about other sizes.
func resizing() []Stream {
	return []Stream{
		{"narrower", resized("0123456789", 4, 5, "x"), at(3, 0, "0123↩", "4567↩", "89x").below(2)},
		{"wider again", []Step{{Print: "0123456789"}, {Width: 4, Height: 5}, {Width: 10, Height: 5}, {Print: "x"}}, at(1, 1, "0123456789↩", "x")},
		{"wider joins", resized("0123456789abcdef", 20, 5, "x"), at(17, 0, "0123456789abcdefx")},
		{"a cursor within a line", resized("0123456789abcdef\x1b[1;6H", 4, 5, "x"), at(1, 0, "0123↩", "4567↩", "x9ab↩", "cdef").below(2)},
		{"a cursor beyond a line", resized("ab\x1b[8G", 4, 5, "x"), at(3, 0, "abx")},
		{"several lines", resized("abcdef\nghijkl\nm", 4, 5), at(1, 2, "abcd↩", "ef", "ghij↩", "kl", "m").below(2)},
		{"an empty line between", resized("abcdef\n\nghijkl", 4, 5), at(2, 2, "abcd↩", "ef", "", "ghij↩", "kl").below(2)},
		{"wide characters", resized("日本語文字", 5, 5), at(2, 0, "日本↩", "語文↩", "字").below(2)},
		{"wide characters join", resized("012345678日本", 20, 5), at(13, 0, "012345678日本")},
		{"written blanks count", resized("ab\x1b[6@", 4, 5), at(0, 0, "ab  ↩", "    ↩", "  ").below(2)},
		{"narrower, into the history", resized("0123456789abcdefghijklmnopqrst", 3, 5), at(3, 2, "012↩", "345↩", "678↩", "9ab↩", "cde↩", "fgh↩", "ijk↩", "lmn↩", "opq↩", "rst").below(7)},
		{"and out of it", []Step{{Print: "0123456789abcdefghijklmnopqrst"}, {Width: 3, Height: 5}, {Width: 15, Height: 5}, {Print: "x"}}, at(1, 2, "0123456789abcde↩", "fghijklmnopqrst↩", "x")},
		{"lower", resized("1\n2\n3\n4\n5", 10, 3, "x"), at(2, 2, "1", "2", "3", "4", "5x").below(2)},
		{"lower with room below", resized("1\n2", 10, 3, "x"), at(2, 1, "1", "2x")},
		{"lower below the cursor", resized("1\n2\n3\n4\n5\x1b[2;1H", 10, 3, "x"), at(1, 1, "1", "x", "3")},
		{"higher", resized("1\n2", 10, 8, "x"), at(2, 1, "1", "2x")},
		{"higher takes back what scrolled", resized("1\n2\n3\n4\n5\n6\n7", 10, 8, "x"), at(2, 6, "1", "2", "3", "4", "5", "6", "7x")},
		{"higher takes back nothing cleared", resized("1\n2\n3\x1b[H\x1b[2Jx", 10, 8, "y"), at(2, 0, "1", "2", "3", "xy").below(3)},
		{"narrower and lower", resized("0123456789abc\nx\ny\nz", 5, 3, "!"), at(2, 2, "01234↩", "56789↩", "abc", "x", "y", "z!").below(3)},
		{"a region ends", resized("\x1b[2;3r", 10, 6, "1\n2\n3\n4\n5"), at(1, 4, "1", "2", "3", "4", "5")},
		{"tab stops are as at first", resized("\x1b[3g", 20, 5, "\ta"), at(9, 0, "        a")},
		{"the alternate screen does not reflow", resized("\x1b[?1049h0123456789abc", 5, 5), at(3, 1, "01234↩", "abc").covering()},
		{"the alternate screen loses rows at the top", resized("\x1b[?1049h1\n2\n3\n4\n5", 10, 3, "x"), at(2, 2, "3", "4", "5x").covering()},
		{"the primary screen reflows when it is back", resized("0123456789abc\x1b[?1049hx", 5, 5, "\x1b[?1049ly"), at(4, 1, "01234↩", "56789↩", "abcy").below(1)},
	}
}
