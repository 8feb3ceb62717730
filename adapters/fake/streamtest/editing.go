package streamtest

// editing is about insertions and deletions.
func editing() []Stream {
	return []Stream{
		{"characters inserted", prints("abcdef\x1b[3G\x1b[2@"), at(2, 0, "ab  cdef  ")},
		{"characters inserted over the margin", prints("0123456789\x1b[3G\x1b[2@"), at(2, 0, "01  234567")},
		{"as many as there are to the margin", prints("0123456789\x1b[3G\x1b[99@"), at(2, 0, "0123456789")},
		{"inserted in the last column", prints("0123456789\x1b[10G\x1b[@"), at(9, 0, "012345678 ")},
		{"inserted at the margin", prints("0123456789\x1b[@"), at(10, 0, "0123456789")},
		{"inserted in a wide one", prints("日本\x1b[2G\x1b[@"), at(1, 0, "日 本     ")},
		{"characters deleted", prints("abcdef\x1b[3G\x1b[2P"), at(2, 0, "abef    ")},
		{"more than there are", prints("abcdef\x1b[3G\x1b[99P"), at(2, 0, "ab    ")},
		{"deleted half of a wide one", prints("日本\x1b[2G\x1b[P"), at(1, 0, "日本      ")},
		{"lines inserted", prints("1\n2\n3\n4\n5\x1b[2;3H\x1b[2L"), at(2, 1, "1", "", "", "2", "3")},
		{"more lines inserted than there are", prints("1\n2\n3\n4\n5\x1b[2;3H\x1b[99L"), at(2, 1, "1")},
		{"lines deleted", prints("1\n2\n3\n4\n5\x1b[2;3H\x1b[2M"), at(2, 1, "1", "4", "5")},
		{"more lines deleted than there are", prints("1\n2\n3\n4\n5\x1b[2;3H\x1b[99M"), at(2, 1, "1")},
		{"lines inserted in a region", prints("1\n2\n3\n4\n5\x1b[2;4r\x1b[3;1H\x1b[L"), at(0, 2, "1", "2", "", "3", "5")},
		{"lines deleted in a region", prints("1\n2\n3\n4\n5\x1b[2;4r\x1b[3;1H\x1b[M"), at(0, 2, "1", "2", "4", "", "5")},
		{"lines inserted below a region", prints("1\n2\n3\n4\n5\x1b[1;2r\x1b[4;1H\x1b[L"), at(0, 3, "1", "2", "3", "", "4")},
		{"lines deleted below a region", prints("1\n2\n3\n4\n5\x1b[1;2r\x1b[4;1H\x1b[M"), at(0, 3, "1", "2", "3", "5")},
		{"a line inserted into a wrapped one", prints("0123456789abc\x1b[2;1H\x1b[L"), at(0, 1, "0123456789", "", "abc")},
		{"half of a wrapped line deleted", prints("0123456789abc\nx\x1b[2;1H\x1b[M"), at(0, 1, "0123456789", "x")},
	}
}
