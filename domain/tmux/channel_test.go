package tmux_test

import (
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestCheckChannel(t *testing.T) {
	for _, c := range []struct {
		name, channel string
		says          string // empty: it is one
	}{
		{"a word", "done", ""},
		{"what tmux would take for something else", `-S;#{pid} $(id) "'\`, ""},
		{"blanks and UTF-8", " ПРИВЕТ 日本 🎉 ", ""},
		{"as long as may be", strings.Repeat("x", 128), ""},
		{"longer", strings.Repeat("x", 129), "129 bytes"},
		{"empty", "", "empty"},
		{"a newline", "a\nb", "control character"},
		{"DEL", "a\x7f", "control character"},
		{"C1", "a\u0085", "control character"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := tmux.CheckChannel(c.channel)
			if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q: %v, want %q", c.channel, err, c.says)
			}
		})
	}
}
