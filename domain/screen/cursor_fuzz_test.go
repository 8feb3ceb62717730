package screen_test

import (
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// FuzzCursor opens texts that may be cursors: one that opens is one that was sealed.
func FuzzCursor(f *testing.F) {
	sealer := screen.Sealer{Key: []byte("key")}
	sealed := sealer.Seal(screen.Cursor{Generation: "g", Pane: "%7", PID: 123456, Width: 80, Row: 4321, History: 4300, First: 4313, Lines: 8})
	f.Add(sealed, "%7")
	f.Add(sealed, "%8")
	f.Add(sealed[:len(sealed)-1], "%7")
	f.Add(sealer.Seal(screen.Cursor{Generation: "h", Pane: "%0"}), "%0")
	f.Add("", "%7")
	f.Fuzz(func(t *testing.T, text, pane string) {
		cursor, err := sealer.Open(text, tmux.PaneID(pane), "g")
		switch {
		case err != nil && !fault.Is(err, fault.StaleCursor):
			t.Errorf("Open(%q, %q): %v", text, pane, err)
		case err == nil && cursor.Generation == "g" && sealer.Seal(cursor) != text:
			t.Errorf("Open(%q, %q) is %+v, which is sealed as %q", text, pane, cursor, sealer.Seal(cursor))
		}
	})
}

// FuzzSince reads any pane from any cursor, as one that was sealed long ago or in another pane's life would be.
func FuzzSince(f *testing.F) {
	f.Add("a\nb\nc\nd\n", []byte{1, 2}, 2, 3, 50, 0, 2, 2, 2, 2, byte(0))
	f.Add("a\n\n\nb", []byte{1}, 0, 0, 0, 0, 0, 0, 0, 0, byte(1))
	f.Add(strings.Repeat("y\n", 40), []byte{1}, 30, 9, 30, 22, 30, 30, 8, 1, byte(0))
	f.Add("", []byte{}, 5, 5, 5, -1, 1<<62, -1<<62, 9, 3, byte(6))
	f.Fuzz(func(t *testing.T, text string, heights []byte, history, y, limit, first, row, size, lines, from int, flags byte) {
		// What an adapter gives: lines that begin at ascending rows, and a cursor on the screen.
		c := screen.Capture{
			Server: tmux.Server{Generation: "g"}, Joined: true, First: bound(from, 0, 1000), Rows: strings.Split(text, "\n"),
			Pane: tmux.Pane{ID: "%7", PID: 1, Width: 80, Height: 24, HistorySize: bound(history, 0, 1000), HistoryLimit: bound(limit, 0, 1000), CursorY: bound(y, 0, 23), Alternate: flags&1 != 0},
		}
		start := c.First
		for i := range c.Rows {
			c.Starts = append(c.Starts, start)
			if start++; len(heights) > 0 {
				start += int(heights[i%len(heights)]) % 4
			}
		}
		// A cursor of this capture, of which some things have changed.
		at := screen.CursorAt(c)
		for i, field := range []struct {
			to    *int
			value int
		}{{&at.First, first}, {&at.Row, row}, {&at.History, size}, {&at.Lines, lines}} {
			if flags&(2<<i) != 0 {
				*field.to = field.value
			}
		}
		if flags&(1<<5) != 0 {
			at.Width = 40
		}
		sealer := screen.Sealer{Key: []byte("key")}
		opened, err := sealer.Open(sealer.Seal(at), "%7", "g")
		if err != nil || opened != at {
			t.Fatalf("sealed %+v, opened %+v, %v", at, opened, err)
		}
		screen.Enough(c, at)
		delta := screen.Since(c, at)
		if len(delta.Lines) > len(c.Rows) || delta.Quiet && len(delta.Lines) > 0 {
			t.Errorf("%d lines of %d, quiet %v", len(delta.Lines), len(c.Rows), delta.Quiet)
		}
		for i, line := range delta.Lines { // they stand together, above what is not finished
			if end := len(c.Rows) - len(screen.Pending(c)); i > 0 && end > 0 && !strings.Contains("\n"+text+"\n", "\n"+delta.Lines[i-1]+"\n"+line+"\n") {
				t.Errorf("%q after %q is not in %q", line, delta.Lines[i-1], text)
			}
		}
		if !c.Pane.Alternate {
			if again := screen.Since(c, delta.Next); again.Break == screen.Unbroken && len(again.Lines) > 0 {
				t.Errorf("read again: %q", again.Lines)
			}
		}
	})
}

func bound(n, least, most int) int { return min(max(n, least), most) }
