package fake_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// streams are what a program prints in a pane of 10 columns and 5 rows, and what tmux 3.4 shows then: all rows, the cursor, and
// the size of the history.
var streams = map[string]struct {
	text    string
	rows    []string
	x, y    int
	history int
}{
	"newline":                     {"ab\r\ncd", []string{"ab", "cd"}, 2, 1, 0},
	"exactly the width":           {"0123456789", []string{"0123456789"}, 10, 0, 0},
	"one more":                    {"0123456789a", []string{"0123456789", "a"}, 1, 1, 0},
	"the width and a newline":     {"0123456789\r\nx", []string{"0123456789", "x"}, 1, 1, 0},
	"backspace at the margin":     {"0123456789\bx", []string{"012345678x"}, 10, 0, 0},
	"wide":                        {"日本", []string{"日本"}, 4, 0, 0},
	"wide at the margin":          {"012345678日", []string{"012345678", "日"}, 2, 1, 0},
	"half of a wide one replaced": {"日本\r.x", []string{".x本"}, 2, 0, 0},
	"combining":                   {"e\u0301x", []string{"e\u0301x"}, 2, 0, 0},
	"tab":                         {"a\tb", []string{"a       b"}, 9, 0, 0},
	"tab to the margin":           {"a\t\t\tb", []string{"a        b"}, 10, 0, 0},
	"scrolling":                   {"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7", []string{"1", "2", "3", "4", "5", "6", "7"}, 1, 4, 2},
	"clear":                       {"1\r\n2\x1b[H\x1b[2Jx", []string{"1", "2", "x"}, 1, 0, 2},
	"clear with the history":      {"1\r\n2\x1b[H\x1b[2J\x1b[3Jx", []string{"x"}, 1, 0, 0},
	"clear below from the top":    {"1\r\n2\x1b[H\x1b[Jx", []string{"1", "2", "x"}, 1, 0, 2},
	"clear below":                 {"1\r\n2\r\n3\x1b[2;1H\x1b[J", []string{"1"}, 0, 1, 0},
	"clear above":                 {"1\r\n23\r\n4\x1b[2;1H\x1b[1J", []string{"", " 3", "4"}, 0, 1, 0},
	"erase to the end":            {"abc\x1b[2G\x1b[K", []string{"a"}, 1, 0, 0},
	"erase to the start":          {"abc\x1b[2G\x1b[1K", []string{"  c"}, 1, 0, 0},
	"erase the line":              {"abc\x1b[2K", nil, 3, 0, 0},
	"cursor":                      {"\x1b[3;4Hx\x1b[A\x1b[2Dy\x1b[B\x1b[Cz", []string{"", "  y", "   xz"}, 5, 2, 0},
	"cursor beyond the edges":     {"\x1b[99;99Hx\x1b[99A\x1b[99Dy", []string{"y", "", "", "", "         x"}, 1, 0, 0},
	"the alternate screen":        {"one\x1b[?1049h\x1b[Htwo", []string{"two"}, 3, 0, 0},
	"and back":                    {"one\x1b[?1049h\x1b[Htwo\x1b[?1049lx", []string{"onex"}, 4, 0, 0},
	"its scrolling is lost":       {"\x1b[?1049h1\r\n2\r\n3\r\n4\r\n5\r\n6", []string{"2", "3", "4", "5", "6"}, 1, 4, 0},
	"colours":                     {"a\x1b[31mb\x1b[0mc", []string{"abc"}, 3, 0, 0},
	"an unknown sequence":         {"a\x1b[?99z\x1b(Bb", []string{"ab"}, 2, 0, 0},
	"invalid UTF-8":               {"a\xffb", []string{"ab"}, 2, 0, 0},
}

func TestGrid(t *testing.T) {
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			w := fake.New(fake.Options{Width: 10, Height: 5})
			defer w.Close()
			pane := w.AddSession("main", "record")
			w.Print(pane, stream.text)
			got, err := w.Capture(t.Context(), ports.CaptureRequest{Pane: pane, History: ports.AllHistory})
			if err != nil {
				t.Fatal(err)
			}
			for len(got.Rows) > 0 && got.Rows[len(got.Rows)-1] == "" {
				got.Rows = got.Rows[:len(got.Rows)-1]
			}
			if diff := cmp.Diff(strings.Join(stream.rows, "\n"), strings.Join(got.Rows, "\n")); diff != "" {
				t.Errorf("rows (-want +got):\n%s\n%v", diff, w)
			}
			if p := got.Pane; p.CursorX != stream.x || p.CursorY != stream.y || p.HistorySize != stream.history {
				t.Errorf("cursor %d,%d history %d; want %d,%d and %d\n%v",
					p.CursorX, p.CursorY, p.HistorySize, stream.x, stream.y, stream.history, w)
			}
		})
	}
}

// From 3.6 on tmux keeps a tab as such.
func TestTabsByVersion(t *testing.T) {
	for version, want := range map[tmux.Version]string{"3.5a": "a       b", "3.6b": "a\tb"} {
		w := fake.New(fake.Options{Version: version})
		pane := w.AddSession("main", "record")
		w.Print(pane, "a\tb")
		if got := w.Screen(pane); got != want {
			t.Errorf("%s: got %q, want %q", version, got, want)
		}
		w.Close()
	}
}
