package screen_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
)

func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name   string
		bounds screen.Bounds
		lines  []string
		want   []string
		cut    screen.Cut
	}{
		{"all fit", screen.Bounds{Lines: 2, Bytes: 4}, []string{"a", "b"}, []string{"a", "b"}, screen.Cut{}},
		{"the newest lines stay", screen.Bounds{Lines: 1, Bytes: 99}, []string{"a", "b"}, []string{"b"}, screen.Cut{Lines: 1, Bytes: 2}},
		{"a byte too many", screen.Bounds{Lines: 9, Bytes: 3}, []string{"a", "b"}, []string{"b"}, screen.Cut{Lines: 1, Bytes: 2}},
		{"a long newest line keeps its end", screen.Bounds{Lines: 9, Bytes: 4}, []string{"x", "abcdef"}, []string{"def"}, screen.Cut{Lines: 1, Bytes: 5}},
		{"cut between characters", screen.Bounds{Lines: 9, Bytes: 4}, []string{"日本"}, []string{"本"}, screen.Cut{Bytes: 3}},
		{"a character that does not fit", screen.Bounds{Lines: 9, Bytes: 3}, []string{"日本"}, []string{""}, screen.Cut{Bytes: 6}},
		{"nothing", screen.Bounds{Lines: 9, Bytes: 9}, nil, nil, screen.Cut{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, cut := c.bounds.Apply(c.lines)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("lines (-want +got):\n%s", d)
			}
			if cut != c.cut {
				t.Errorf("cut: got %+v, want %+v", cut, c.cut)
			}
		})
	}
}

func TestBoundsNeverInvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.String(), 0, 30).Draw(t, "lines")
		b := screen.Bounds{Lines: rapid.IntRange(1, 40).Draw(t, "max lines"), Bytes: rapid.IntRange(1, 200).Draw(t, "max bytes")}
		got, cut := b.Apply(lines)
		size, all := 0, 0
		for _, line := range got {
			size += len(line) + 1
		}
		for _, line := range lines {
			all += len(line) + 1
		}
		if size > b.Bytes || len(got) > b.Lines {
			t.Fatalf("%d lines of %d bytes exceed %+v", len(got), size, b)
		}
		if size+cut.Bytes != all || len(got)+cut.Lines != len(lines) {
			t.Fatalf("kept %d bytes and cut %+v of %d bytes in %d lines", size, cut, all, len(lines))
		}
		if !strings.HasSuffix(strings.Join(lines, "\n"), strings.Join(got, "\n")) {
			t.Fatalf("%q is not the end of %q", got, lines)
		}
	})
}

// Rows with their endings are the end of what the pane shows, and what is left out is counted.
func TestEndedRowsJoined(t *testing.T) {
	cutRows, kept := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var c screen.Capture
		var all strings.Builder
		for _, row := range rapid.SliceOfN(rapid.StringN(0, 8, -1), 0, 12).Draw(t, "rows") {
			wraps := rapid.Bool().Draw(t, "wraps")
			c.Rows, c.Wraps = append(c.Rows, row), append(c.Wraps, wraps)
			all.WriteString(row)
			if !wraps {
				all.WriteByte('\n')
			}
		}
		b := screen.Bounds{Lines: rapid.IntRange(1, 14).Draw(t, "max lines"), Bytes: rapid.IntRange(1, 60).Draw(t, "max bytes")}
		got, cut := b.Ended(c)
		text := strings.Join(got, "")
		if !strings.HasSuffix(all.String(), text) || len(got) > b.Lines || len(text) > b.Bytes {
			t.Fatalf("%+v gives %q of %q", b, got, all.String())
		}
		if len(got)+cut.Lines != len(c.Rows) || len(text)+cut.Bytes != all.Len() {
			t.Fatalf("%+v gives %q and %+v of %q", b, got, cut, all.String())
		}
		if cut.Any() {
			cutRows++
		} else {
			kept++
		}
	})
	if cutRows == 0 || kept == 0 {
		t.Errorf("%d cut, %d kept: that shows nothing", cutRows, kept)
	}
}

func TestClean(t *testing.T) {
	for _, c := range []struct {
		text, want string
		replaced   int
	}{
		{"日本", "日本", 0},
		{"a\xffb", "a\uFFFDb", 1},
		{"\xe6\x97", "\uFFFD\uFFFD", 2},
		{"\uFFFD", "\uFFFD", 0},
	} {
		got, replaced := screen.Clean(c.text)
		if got != c.want || replaced != c.replaced || !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q, %d; want %q, %d", c.text, got, replaced, c.want, c.replaced)
		}
	}
}
