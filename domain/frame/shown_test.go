package frame_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
)

func TestShown(t *testing.T) {
	const token = "ABCDEFGH"
	for name, c := range map[string]struct {
		command string
		width   int
		want    string
	}{
		"short":                       {"ls -l", 80, "[ABCDEFGH] $ ls -l"},
		"as wide as the pane":         {"ls -l", 18, "[ABCDEFGH] $ ls …"},
		"just narrower than the pane": {"ls -l", 19, "[ABCDEFGH] $ ls -l"},
		"several lines":               {"\n\n  for i in 1 2\ndo\n\n\techo $i\ndone\n", 80, "[ABCDEFGH] $ for i in 1 2 …+3"},
		"several lines, cut":          {"for i in 1 2\ndo :\ndone", 25, "[ABCDEFGH] $ for i in 1…"},
		"one line and its newline":    {"ls\n", 80, "[ABCDEFGH] $ ls"},
		"wide characters":             {"echo 日本語", 25, "[ABCDEFGH] $ echo 日本語"},
		"wide characters, cut":        {"echo 日本語", 24, "[ABCDEFGH] $ echo 日本…"},
		"controls":                    {"printf 'a\tb\x1b[2J\x7f\r'", 80, "[ABCDEFGH] $ printf 'a^Ib^[[2J^?^M'"},
		"not UTF-8":                   {"echo \xff\xc3", 80, "[ABCDEFGH] $ echo <ff><c3>"},
		"invisible and reordering":    {"echo a\u200bb\u202ec\u0085d\u00a0e", 80, "[ABCDEFGH] $ echo a<u+200b>b<u+202e>c<u+0085>d<u+00a0>e"},
		"a single quote":              {"echo 'it'\\''s'", 80, "[ABCDEFGH] $ echo 'it'\\''s'"},
		"blank":                       {" \n\t\n", 80, "[ABCDEFGH]"},
		"room for a character":        {"ls -l", 16, "[ABCDEFGH] $ l…"},
		"no room for a character":     {"ls -l", 15, "[ABCDEFGH]"},
		"no room for the brackets":    {"ls -l", 10, "ABCDEFGH"},
		"no room for the token":       {"ls -l", 8, ""},
		"no width":                    {"ls -l", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := frame.Shown(c.command, token, c.width); got != c.want {
				t.Errorf("Shown(%q, %d)\nwant %q\ngot  %q", c.command, c.width, c.want, got)
			}
		})
	}
}

// Whatever the command is: one printable line, narrower than the pane, that holds the token wherever there is room for it.
func TestShownIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		command := rapid.OneOf(
			rapid.String(),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.StringOf(rapid.RuneFrom([]rune("a 日🎉é\u0301\ufe0f\u202e\x1b\t\n\r…"))),
		).Draw(t, "command")
		width := rapid.IntRange(-1, 100).Draw(t, "width")
		token := rapid.StringMatching(`[A-Z2-7]{1,12}`).Draw(t, "token")
		shown := frame.Shown(command, token, width)
		if shown != "" && screen.Width(shown) >= width {
			t.Errorf("%q takes %d cells of %d", shown, screen.Width(shown), width)
		}
		if !utf8.ValidString(shown) || strings.ContainsFunc(shown, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("%q is not one printable line", shown)
		}
		if fits := width > len(token); fits != strings.Contains(shown, token) {
			t.Errorf("%q: the token is in it, want %t", shown, fits)
		}
	})
}
