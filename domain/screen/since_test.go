package screen_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A pad is a pane of lines alone: what is printed stands below what stood, the top scrolls into the history, and a full history
// loses a tenth at once.
type pad struct {
	width, height, limit int
	pid                  int
	generation           tmux.Generation
	rows                 []padRow // history and screen down to the cursor's row, whose text is unfinished
	history              int
	alternate, dead      bool
}

type padRow struct {
	text    string
	wrapped bool // goes on in the next row
}

func newPad(width, height, limit int) *pad {
	return &pad{width: width, height: height, limit: limit, pid: 1, generation: "g", rows: []padRow{{}}}
}

func (p *pad) print(line string) {
	for len(line) > p.width {
		p.rows[len(p.rows)-1] = padRow{line[:p.width], true}
		line = line[p.width:]
		p.feed()
	}
	p.rows[len(p.rows)-1].text = line
	p.feed()
}

func (p *pad) feed() {
	p.rows = append(p.rows, padRow{})
	if len(p.rows)-p.history <= p.height {
		return
	}
	if p.history >= p.limit { // as tmux: a tenth, before the new row
		n := max(1, p.limit/10)
		p.rows, p.history = p.rows[n:], p.history-n
	}
	p.history++
}

// clearScreen ends a line that wraps onto the screen in the history: tmux would join it to whatever is printed next.
func (p *pad) clearScreen() {
	p.rows = append(slices.Clone(p.rows[:p.history]), padRow{})
	if p.history > 0 {
		p.rows[p.history-1].wrapped = false
	}
}

func (p *pad) clearHistory() { p.rows, p.history = slices.Clone(p.rows[p.history:]), 0 }

// capture is what tmux gives from an absolute row on, wrapped rows rejoined.
func (p *pad) capture(from int) screen.Capture {
	from = min(from, len(p.rows)-1)
	c := screen.Capture{
		Server: tmux.Server{Generation: p.generation}, Joined: true, First: from,
		Pane: tmux.Pane{
			ID: "%1", PID: p.pid, Width: p.width, Height: p.height, HistorySize: p.history, HistoryLimit: p.limit,
			CursorY: len(p.rows) - 1 - p.history, Alternate: p.alternate, Dead: p.dead,
		},
	}
	joins := false
	for i, row := range p.rows[from:] {
		if joins {
			c.Rows[len(c.Rows)-1] += row.text
		} else {
			c.Rows, c.Starts = append(c.Rows, row.text), append(c.Starts, from+i)
		}
		joins = row.wrapped
	}
	for range p.height - (len(p.rows) - p.history) { // blank rows below the cursor
		c.Starts, c.Rows = append(c.Starts, p.history+p.height-1), append(c.Rows, "")
	}
	return c
}

// since reads as the application does: from the fingerprint on, and everything if that is not enough.
func (p *pad) since(at screen.Cursor) screen.Delta {
	c := p.capture(at.First)
	if !screen.Enough(c, at) {
		c = p.capture(0)
	}
	return screen.Since(c, at)
}

// Whatever is printed, cleared and trimmed: an unbroken delta is exactly what was printed since, and with lines that differ a delta is
// broken only if something was lost.
func TestDeltasReconstruct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPad(rapid.IntRange(5, 12).Draw(t, "width"), rapid.IntRange(2, 6).Draw(t, "height"), rapid.IntRange(10, 60).Draw(t, "limit"))
		distinct := rapid.Bool().Draw(t, "distinct lines")
		cursor := screen.CursorAt(p.capture(0))
		var printed []string // since the cursor
		cleared, erased := false, false
		n := 0
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"print", "print", "print", "flood", "clear screen", "clear history", "read", "read"}).Draw(t, "step") {
			case "print", "flood":
				count := rapid.SampledFrom([]int{1, 1, 2, 5, 100}).Draw(t, "count")
				for range count {
					n++
					line := fmt.Sprintf("line %d %s", n, strings.Repeat("x", n%9))
					if !distinct {
						line = "y"
					}
					p.print(line)
					printed = append(printed, line)
				}
			case "clear screen":
				p.clearScreen()
				cleared, erased = true, true
			case "clear history":
				cleared = cleared || p.history > 0
				p.clearHistory()
			case "read":
				delta := p.since(cursor)
				lost := cleared || p.trimmedSince(cursor, printed)
				// What was printed and erased again between two looks leaves no trace. A fingerprint of one line may be the rest of
				// a line whose beginning was cleared away, which is distinct from nothing.
				if delta.Break == screen.Unbroken && distinct && !erased && cursor.Lines > 1 {
					if d := cmp.Diff(printed, delta.Lines); d != "" && len(printed)+len(delta.Lines) > 0 {
						t.Fatalf("unbroken, but (-printed +delta):\n%s", d)
					}
				}
				if distinct && !lost && cursor.Lines > 0 && delta.Break != screen.Unbroken {
					t.Fatalf("broken (%s) although nothing was lost: %d printed, history %d of %d", delta.Break, len(printed), p.history, p.limit)
				}
				cursor, printed, cleared, erased = delta.Next, nil, false, false
			}
		}
	})
}

// trimmedSince reports whether the history lost rows that were printed since the cursor, or of its fingerprint. The oldest line
// that is left may be the rest of one.
func (p *pad) trimmedSince(cursor screen.Cursor, printed []string) bool {
	c := p.capture(0)
	if p.history >= p.limit-p.limit/10 && cursor.Lines < 8 {
		return true // too little to go by
	}
	return len(printed) > 0 && len(c.Rows) < len(printed)+cursor.Lines+2
}

func TestBreaks(t *testing.T) {
	start := func() (*pad, screen.Cursor) {
		p := newPad(20, 5, 50)
		for i := range 20 {
			p.print(fmt.Sprint("old ", i))
		}
		return p, screen.CursorAt(p.capture(0))
	}
	for _, c := range []struct {
		name  string
		do    func(*pad)
		lines []string
		why   screen.Break
	}{
		{"nothing", func(*pad) {}, nil, screen.Unbroken},
		{"a line", func(p *pad) { p.print("new") }, []string{"new"}, screen.Unbroken},
		{"a line that wraps", func(p *pad) { p.print(strings.Repeat("w", 45)) }, []string{strings.Repeat("w", 45)}, screen.Unbroken},
		{"the screen is cleared", func(p *pad) { p.clearScreen(); p.print("new") }, []string{"new"}, screen.BreakCleared},
		{"the history is cleared", func(p *pad) { p.clearHistory(); p.print("new") }, []string{"old 16", "old 17", "old 18", "old 19", "new"}, screen.BreakCleared},
		{"the place is trimmed away", func(p *pad) {
			for i := range 200 {
				p.print(fmt.Sprint("new ", i))
			}
		}, nil, screen.BreakTrimmed},
		{"trimmed, but the place is still there", func(p *pad) {
			for i := range 38 {
				p.print(fmt.Sprint("new ", i))
			}
		}, nil, screen.Unbroken},
		{"respawned", func(p *pad) { p.pid = 2 }, nil, screen.BreakRespawned},
		{"dead, and it is not said which process died", func(p *pad) { p.pid, p.dead = 0, true; p.print("Pane is dead") }, []string{"Pane is dead"}, screen.Unbroken},
		{"its process has ended, and is not called dead yet", func(p *pad) { p.pid = 0; p.print("last") }, []string{"last"}, screen.Unbroken},
		{"respawned, and dead again", func(p *pad) { p.clearScreen(); p.pid, p.dead = 0, true; p.print("Pane is dead") }, []string{"Pane is dead"}, screen.BreakCleared},
		{"respawned, and dead with another process", func(p *pad) { p.pid, p.dead = 2, true }, nil, screen.BreakRespawned},
		{"restarted", func(p *pad) { p.generation = "h" }, nil, screen.BreakRestarted},
		{"a full-screen program", func(p *pad) { p.alternate = true }, nil, screen.Unbroken},
		{"another width, the place is found", func(p *pad) { p.width = 30; p.print("new") }, []string{"new"}, screen.Unbroken},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, cursor := start()
			c.do(p)
			delta := p.since(cursor)
			if delta.Break != c.why {
				t.Errorf("break %q, want %q", delta.Break, c.why)
			}
			if d := cmp.Diff(c.lines, delta.Lines); c.lines != nil && d != "" {
				t.Errorf("lines (-want +got):\n%s", d)
			}
			if again := p.since(delta.Next); len(again.Lines) > 0 || again.Break != screen.Unbroken {
				t.Errorf("read again: %+v", again)
			}
		})
	}
}

func TestOnlyOurCursorsOpen(t *testing.T) {
	sealer := screen.Sealer{Key: []byte("key")}
	cursor := screen.Cursor{Generation: "g", Pane: "%7", PID: 123456, Width: 80, Row: 4321, History: 4300, First: 4313, Lines: 8, Sum: [8]byte{1, 2, 3}, Top: [4]byte{4}, Pending: [4]byte{5}}
	text := sealer.Seal(cursor)
	if len(text) > 80 {
		t.Errorf("a cursor has %d characters", len(text))
	}
	got, err := sealer.Open(text, "%7", "g")
	if d := cmp.Diff(cursor, got); err != nil || d != "" {
		t.Fatalf("opened: %v (-want +got):\n%s", err, d)
	}
	if got, err := sealer.Open(text, "%7", "another"); err != nil || got.Generation == "g" || got.Generation == "another" {
		t.Errorf("in another generation: %+v, %v", got, err)
	}
	if _, err := sealer.Open(text, "%8", "g"); !fault.Is(err, fault.StaleCursor) || !strings.Contains(err.Error(), "%7") {
		t.Errorf("of another pane: %v", err)
	}
	if _, err := (screen.Sealer{Key: []byte("other")}).Open(text, "%7", "g"); !fault.Is(err, fault.StaleCursor) {
		t.Errorf("of another process: %v", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		forged := []byte(text)
		i := rapid.IntRange(0, len(forged)-1).Draw(t, "at")
		forged[i] = rapid.SampledFrom([]byte("AZaz09-_=%\n")).Draw(t, "byte")
		if string(forged) == text {
			return
		}
		if got, err := sealer.Open(string(forged), "%7", "g"); !fault.Is(err, fault.StaleCursor) {
			t.Fatalf("forged at %d: %+v, %v", i, got, err)
		}
	})
	for _, text := range []string{"", "x", strings.Repeat("A", 60), text + "A", text[:len(text)-1]} {
		if _, err := sealer.Open(text, "%7", "g"); !fault.Is(err, fault.StaleCursor) {
			t.Errorf("Open(%q): %v", text, err)
		}
	}
}

// A fingerprint of few lines began at the oldest row. Once rows may have left, a line that looks like it proves nothing.
func TestAShortFingerprintProvesNothingAfterATrim(t *testing.T) {
	p := newPad(20, 5, 50)
	p.print("same")
	cursor := screen.CursorAt(p.capture(0))
	for i := range 200 {
		if i == 190 {
			p.print("same")
		}
		p.print(fmt.Sprint("new ", i))
	}
	if delta := p.since(cursor); delta.Break != screen.BreakTrimmed {
		t.Errorf("break %q with %d lines, want trimmed", delta.Break, len(delta.Lines))
	}
}
