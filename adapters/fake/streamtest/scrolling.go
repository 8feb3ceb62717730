package streamtest

// scrolling is about what scrolls.
func scrolling() []Stream {
	return []Stream{
		{"into the history", prints("1\n2\n3\n4\n5\n6\n7"), at(1, 4, "1", "2", "3", "4", "5", "6", "7").below(2)},
		{"a wrapped line", prints("1\n2\n3\n4\n0123456789a"), at(1, 4, "1", "2", "3", "4", "0123456789↩", "a").below(1)},
		{"up to the limit of the history", prints("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\nx"), at(1, 4, "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "x").below(20)},
		{"a tenth is lost at the limit", prints("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n24\nx"), at(1, 4, "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "x").below(19)},
		{"and again", prints("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n24\n25\n26\n27\nx"), at(1, 4, "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "x").below(20)},
		{"index and next line", prints("a\x1bDb\x1bEc"), at(1, 2, "a", " b", "c")},
		{"reverse index", prints("ab\x1bMc"), at(3, 0, "  c", "ab")},
		{"reverse index at the top", prints("1\n2\n3\n4\n5\x1b[H\x1bMx"), at(1, 0, "x", "1", "2", "3", "4")},
		{"a region goes into the history", prints("1\n2\n3\n4\n5\x1b[1;3r\x1b[3;1H\nx"), at(1, 2, "1", "2", "3", "x", "4", "5").below(1)},
		{"as one in the middle does", prints("1\n2\n3\n4\n5\x1b[2;4r\x1b[4;1H\nx"), at(1, 3, "2", "1", "3", "4", "x", "5").below(1)},
		{"reverse index in a region", prints("1\n2\n3\n4\n5\x1b[2;4r\x1b[2;1H\x1bMx"), at(1, 1, "1", "x", "2", "3", "5")},
		{"below a region", prints("1\n2\n3\n4\n5\x1b[1;3r\x1b[5;1H\nx"), at(1, 4, "1", "2", "3", "4", "x")},
		{"a region of one row is none", prints("a\x1b[3;3rb"), at(2, 0, "ab")},
		{"a region beyond the screen", prints("a\x1b[2;99rb"), at(1, 0, "b")},
		{"the whole screen again", prints("1\n2\n3\n4\n5\x1b[2;3r\x1b[r\x1b[5;1H\nx"), at(1, 4, "1", "2", "3", "4", "5", "x").below(1)},
		{"up by lines", prints("1\n2\n3\n4\n5\x1b[2S"), at(1, 4, "1", "2", "3", "4", "5").below(2)},
		{"up by more than there is", prints("1\n2\n3\n4\n5\x1b[99S"), at(1, 4, "1", "2", "3", "4", "5").below(5)},
		{"down by lines", prints("1\n2\n3\n4\n5\x1b[2T"), at(1, 4, "", "", "1", "2", "3")},
		{"up in a region", prints("1\n2\n3\n4\n5\x1b[2;4r\x1b[S"), at(0, 0, "2", "1", "3", "4", "", "5").below(1)},
		{"down in a region", prints("1\n2\n3\n4\n5\x1b[2;4r\x1b[T"), at(0, 0, "1", "", "2", "3", "5")},
	}
}
