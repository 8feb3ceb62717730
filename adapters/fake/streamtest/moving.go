package streamtest

// moving is about the cursor.
func moving() []Stream {
	return []Stream{
		{"up, down, left and right", prints("\x1b[3;4Hx\x1b[A\x1b[2Dy\x1b[B\x1b[Cz"), at(5, 2, "", "  y", "   xz")},
		{"beyond the edges", prints("\x1b[99;99Hx\x1b[99A\x1b[99Dy"), at(1, 0, "y", "", "", "", "         x")},
		{"from the margin", prints("0123456789\x1b[Dx\n0123456789\x1b[Cy"), at(10, 1, "012345678x", "012345678y")},
		{"down from the margin", prints("0123456789\x1b[Bx"), at(10, 1, "0123456789", "         x")},
		{"next and previous line", prints("ab\x1b[2Ec\x1b[Fd"), at(1, 1, "ab", "d", "c")},
		{"column and row", prints("ab\x1b[5Gc\x1b[3dd\x1b[2`e"), at(2, 2, "ab  c", "", " e   d")},
		{"zero is one", prints("ab\x1b[0Dx\x1b[0;0Hy"), at(1, 0, "yx")},
		{"missing numbers", prints("\x1b[;3Hx\x1b[3;Hy"), at(1, 2, "  x", "", "y")},
		{"too many numbers", prints("\x1b[2;3;4Hx"), at(3, 1, "", "  x")},
		{"a number in parts", prints("ab\x1b[1:1Hx"), at(3, 0, "abx")},
		{"kept and restored", prints("ab\x1b7\x1b[3;3Hc\x1b8d"), at(3, 0, "abd", "", "  c")},
		{"restored though never kept", prints("ab\x1b8c"), at(1, 0, "cb")},
		{"kept by another name", prints("ab\x1b[s\x1b[3;3Hc\x1b[ud"), at(3, 0, "abd", "", "  c")},
		{"kept at the margin", prints("0123456789\x1b7\rx\x1b8y"), at(10, 0, "x12345678y")},
		{"the origin of a region", prints("\x1b[2;4r\x1b[?6ha\x1b[9;2Hb\x1b[2dc"), at(3, 2, "", "a", "  c", " b")},
		{"the origin is kept", prints("\x1b[2;4r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[1;1Ha"), at(1, 1, "", "a")},
		{"not out of a region", prints("\x1b[2;4r\x1b[3;1H\x1b[9Aa\x1b[9Bb"), at(2, 3, "", "a", "", " b")},
		{"outside of a region", prints("\x1b[2;3r\x1b[9Aa\x1b[5;1H\x1b[9Bb"), at(1, 4, "a", "", "", "", "b")},
	}
}
