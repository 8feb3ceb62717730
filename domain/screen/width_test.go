package screen_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
)

func TestWidth(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"nothing":            {"", 0},
		"ASCII":              {"ab ~", 4},
		"Cyrillic":           {"ПРИВЕТ", 6},
		"CJK":                {"日本語", 6},
		"Hangul":             {"한국", 4},
		"full width":         {"Ａ", 2},
		"half width":         {"ｱ", 1},
		"emoji":              {"🎉", 2},
		"combining":          {"e\u0301", 1},
		"emoji style":        {"\u2764\ufe0f", 2},
		"zero width":         {"a\u200bb", 2},
		"box and ellipsis":   {"│…", 2},
		"a control":          {"\x1b", 0},
		"replacement":        {"\ufffd", 1},
		"regional indicator": {"🇩🇪", 4},
	} {
		t.Run(name, func(t *testing.T) {
			if got := screen.Width(c.text); got != c.want {
				t.Errorf("Width(%q) = %d, want %d", c.text, got, c.want)
			}
		})
	}
}
