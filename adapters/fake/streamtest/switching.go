package streamtest

// switching is about modes and screens.
func switching() []Stream {
	return []Stream{
		{"the alternate screen", prints("one\x1b[?1049h\x1b[Htwo"), at(3, 0, "two").covering()},
		{"and back", prints("one\x1b[?1049h\x1b[Htwo\x1b[?1049lx"), at(4, 0, "onex")},
		{"its scrolling is lost", prints("\x1b[?1049h1\n2\n3\n4\n5\n6"), at(1, 4, "2", "3", "4", "5", "6").covering()},
		{"below a history", prints("1\n2\n3\n4\n5\n6\n7\x1b[?1049h\x1b[H\x1b[2Jx"), at(1, 0, "1", "2", "x").below(2).covering()},
		{"entered twice", prints("one\x1b[?1049htwo\x1b[?1049hthree\x1b[?1049lx"), at(4, 0, "onex")},
		{"left though never entered", prints("one\x1b[?1049lx"), at(4, 0, "onex")},
		{"left again", prints("one\x1b[?1049h\x1b[?1049ltwo\x1b[?1049lx"), at(4, 0, "onexwo")},
		{"without the cursor", prints("one\x1b[?47h\x1b[3;3Htwo\x1b[?47lx"), at(6, 2, "one", "", "     x")},
		{"without the cursor by another number", prints("one\x1b[?1047h\x1b[3;3Htwo\x1b[?1047lx"), at(6, 2, "one", "", "     x")},
		{"kept within it", prints("one\x1b7\x1b[?1049h\x1b[3;3Htwo\x1b7\x1b[?1049l\x1b8x"), at(6, 2, "one", "", "     x")},
		{"reset", prints("one\x1b[2;3r\x1b[?6h\x1b[4h\x1bcx"), at(1, 0, "one", "x").below(1)},
		{"reset in the alternate screen", prints("one\x1b[?1049htwo\x1bcx"), at(1, 0, "x").covering()},
	}
}
