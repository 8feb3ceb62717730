//go:build integration

package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// everything is the arguments that bound a call's lines as loosely as may be.
func everything(arguments args) args {
	arguments["max_lines"], arguments["max_bytes"] = 2000, 262144
	return arguments
}

// window starts a program in a window of its own, with so many rows of history, and returns its pane.
func (s *realServer) window(t *testing.T, history int, argv ...string) string {
	t.Helper()
	s.Tmux(t, "set-option", "-g", "history-limit", strconv.Itoa(history))
	return s.Tmux(t, append([]string{"new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "--"}, argv...)...)
}

// counted reads lines that a counter wrote: each must be the number after the one before.
func counted(t *testing.T, lines any) (first, last int) {
	t.Helper()
	list, _ := lines.([]any)
	for i, line := range list {
		n, err := strconv.Atoi(fmt.Sprint(line))
		if err != nil {
			t.Fatalf("line %d of %d is %q, want a number: %.300q", i, len(list), line, list)
		}
		switch {
		case i == 0:
			first = n
		case n != last+1:
			t.Fatalf("torn: line %d of %d is %d, and the one before is %d", i, len(list), n, last)
		}
		last = n
	}
	return first, last
}

// A reading is one reader's account of a counter, delta by delta.
type reading struct {
	*talk
	pane, cursor       string
	last               int // number that was read last; 0 before the first
	unbroken, broken   int // deltas with lines
	lines, unseenLines int
}

func read(t *testing.T, c *talk, pane string) *reading {
	t.Helper()
	seen := c.must("capture_pane", args{"pane_id": pane})
	return &reading{talk: c, pane: pane, cursor: seen["cursor"].(string)}
}

// fingerprint is how many lines a cursor knows a place by.
const fingerprint = 8

// next reads what is new, and holds "continuous" against the numbers: it is true only if they go on where they ended, and
// false only if some line by which the place could be known is gone.
func (r *reading) next(t *testing.T) map[string]any {
	t.Helper()
	out := r.must("capture_since", everything(args{"pane_id": r.pane, "cursor": r.cursor}))
	r.cursor = out["cursor"].(string)
	list := out["lines"].([]any)
	if len(list) == 0 {
		if out["continuous"] != true {
			t.Fatalf("not continuous, and yet nothing is new: %v", out)
		}
		return out
	}
	first, last := counted(t, list)
	if dropped, ok := out["dropped_lines"].(float64); ok {
		first -= int(dropped)
	}
	switch {
	case r.last == 0:
	case out["continuous"] == true:
		r.unbroken++
		if first != r.last+1 {
			t.Fatalf("said to be continuous: %d lines from %d on, after %d", last-first+1, first, r.last)
		}
	default:
		r.broken++
		if out["reason"] != "trimmed" || first <= r.last+1-fingerprint {
			t.Fatalf("said to be broken (%v): %d lines from %d on, after %d, which is in sight", out["reason"], last-first+1, first, r.last)
		}
		r.unseenLines += max(first-r.last-1, 0)
	}
	r.lines += last - first + 1
	r.last = last
	return out
}

func (r *reading) String() string {
	return fmt.Sprintf("%d deltas continuous, %d not; %d lines seen, %d not", r.unbroken, r.broken, r.lines, r.unseenLines)
}

// A flood is too fast for any reader; what it does read must be whole all the same.
func TestFloodIsReadUntorn(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		for _, history := range []int{0, 100, 2000, 50000} {
			t.Run(fmt.Sprintf("history of %d", history), func(t *testing.T) {
				s := startServer(t, tmux)
				c := converse(t, s, nil)
				pane := s.window(t, history, "seq", "inf")
				c.must("list_panes", nil)
				eventually(t, "history and screen are full", func() (bool, string) {
					said := s.Tmux(t, "display-message", "-p", "-t", pane, "#{history_size} #{cursor_y}")
					var rows, y int
					_, err := fmt.Sscan(said, &rows, &y)
					return err == nil && rows >= history-history/10 && y == 23, said
				})
				newest := 0
				for range often(10) {
					seen := c.must("capture_pane", everything(args{"pane_id": pane, "history": 1500}))
					lines := seen["lines"].([]any)
					first, last := counted(t, lines[:len(lines)-1]) // the last is being written
					if want := min(history-history/10, 1500) + 21; last-first < want {
						t.Errorf("%d lines, want at least %d", last-first+1, want+1)
					}
					if last < newest {
						t.Errorf("ends at %d, and the capture before ended at %d", last, newest)
					}
					newest = last
				}
				r := read(t, c, pane)
				for n := 0; n < often(20) || history <= 2000 && r.broken == 0 && n < 1000; n++ { // a slow machine may flood late
					r.next(t)
				}
				t.Log(r)
				if history <= 2000 && r.broken == 0 {
					t.Error("no delta was broken: this was no flood, so it proves nothing")
				}
			})
		}
	})
}

// Reading takes time that grows as what is read does, whatever that is.
func TestFloodOfEmptyLines(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		c := converse(t, s, nil)
		w := startCounter(t, s, 50000)
		c.must("list_panes", nil)
		r := read(t, c, w.pane)
		w.say(strings.Repeat("\n", 60000))
		w.write(3)
		w.settled()
		out := c.must("capture_since", everything(args{"pane_id": w.pane, "cursor": r.cursor})) // within the deadline of a call
		lines := out["lines"].([]any)
		if first, last := counted(t, lines[len(lines)-3:]); first != 1 || last != 3 || lines[0] != "" || out["continuous"] != false {
			t.Errorf("%d lines from %q on, continuous %v; want empty ones, and then 1 to 3, not continuous", len(lines), lines[0], out["continuous"])
		}
	})
}

// A counterWriter lets a pane write numbers at a test's word, in bursts.
type counterWriter struct {
	t    *testing.T
	s    *realServer
	pane string
	to   *os.File
	last int
}

// startCounter starts a pane that writes what the counter gives it.
func startCounter(t *testing.T, s *realServer, history int) *counterWriter {
	t.Helper()
	path := filepath.Join(t.TempDir(), "numbers")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	to, err := os.OpenFile(path, os.O_RDWR, 0) // so that opening does not wait
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = to.Close() })
	return &counterWriter{t: t, s: s, pane: s.window(t, history, "cat", path), to: to}
}

// say writes a line that is no number.
func (w *counterWriter) say(line string) {
	w.t.Helper()
	if _, err := w.to.WriteString(line + "\n"); err != nil {
		w.t.Fatal(err)
	}
}

// write lets the pane write the next n numbers, each a line.
func (w *counterWriter) write(n int) {
	w.t.Helper()
	var b strings.Builder
	for range n {
		w.last++
		fmt.Fprintln(&b, w.last)
	}
	if _, err := w.to.WriteString(b.String()); err != nil {
		w.t.Fatal(err)
	}
}

// settled waits until the pane has written all of them.
func (w *counterWriter) settled() {
	w.t.Helper()
	eventually(w.t, fmt.Sprintf("%d stands above the cursor", w.last), func() (bool, string) {
		screen := w.s.Tmux(w.t, "capture-pane", "-p", "-t", w.pane, ";", "display-message", "-p", "-t", w.pane, "#{cursor_y} #{cursor_x}")
		rows := strings.Split(screen, "\n")
		y, x, _ := strings.Cut(rows[len(rows)-1], " ")
		at, err := strconv.Atoi(y)
		return err == nil && x == "0" && at > 0 && rows[at-1] == strconv.Itoa(w.last), screen
	})
}

// Between two readings, a burst is lost where it is longer than what tmux keeps, and only there.
func TestBurstsAreContinuousWhereTheyCanBe(t *testing.T) {
	const history = 500
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		c := converse(t, s, nil)
		w := startCounter(t, s, history)
		c.must("list_panes", nil)
		w.write(40)
		w.settled()
		r := read(t, c, w.pane)
		w.write(1)
		w.settled()
		if out := r.next(t); out["continuous"] != true || r.last != 41 {
			t.Fatalf("the first delta is %v, want 41", out)
		}
		for _, burst := range []int{1, 22, 23, 24, 25, 100, 400, 440, 460, 470, 490, 499, 500, 501, 515, 520, 525, 600, 3000, 7, 0, 449, 451} {
			w.write(burst)
			w.settled()
			before := *r
			out := r.next(t)
			if r.last != w.last {
				t.Errorf("after a burst of %d the delta ends at %d, want %d", burst, r.last, w.last)
			}
			switch { // a full history holds 450 to 500 rows, and the screen 23 lines
			case burst <= 449+23-fingerprint && out["continuous"] != true:
				t.Errorf("a burst of %d is not continuous: %v", burst, out["reason"])
			case burst > 500+23 && out["continuous"] != false:
				t.Errorf("a burst of %d is continuous after %d", burst, before.last)
			}
		}
		t.Log(r)
		if r.unbroken == 0 || r.broken == 0 {
			t.Errorf("%v: want both", r)
		}
	})
}

func TestWaitInAFlood(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		c := converse(t, s, nil)

		t.Run("a line that passes", func(t *testing.T) {
			pane := s.window(t, 50000, "seq", "inf")
			c.must("list_panes", nil)
			for range 3 {
				_, last := counted(t, finishedRows(c, pane))
				wanted := last + 100000
				out := c.must("wait_for_text", args{"pane_id": pane, "patterns": []string{fmt.Sprintf("^%d$", wanted)}, "regex": true, "timeout": 2})
				t.Logf("%v: %v, continuous %v", wanted, out["outcome"], out["continuous"])
				lines := out["lines"].([]any)
				switch {
				case out["outcome"] == "matched" && out["line"] == strconv.Itoa(wanted):
				case out["outcome"] != "timed_out":
					t.Errorf("%v, line %v, want %d matched or not seen", out["outcome"], out["line"], wanted)
				case out["continuous"] == false && out["reason"] == "trimmed":
				default: // then it saw all that came, and that must be less
					if _, last := counted(t, lines[:len(lines)-1]); last >= wanted {
						t.Errorf("timed out after %d, all of it seen: want %d matched", last, wanted)
					}
				}
			}
			s.Tmux(t, "kill-pane", "-t", pane)
		})
		t.Run("the line after it", func(t *testing.T) {
			pane := s.window(t, 2000, "sh", "-c", "seq 500000; echo done-with-it; exec sleep 600")
			c.must("list_panes", nil)
			out := c.must("wait_for_text", args{"pane_id": pane, "patterns": []string{"done-with-it"}, "timeout": 60})
			if o := out["outcome"]; o != "matched" && o != "present_at_entry" || out["line"] != "done-with-it" {
				t.Errorf("%v with line %v, want it matched", o, out["line"])
			}
		})
		t.Run("a line between two looks", func(t *testing.T) {
			w := startCounter(t, s, 500)
			c.must("list_panes", nil)
			w.write(40)
			w.settled()
			cursor := read(t, c, w.pane).cursor
			w.write(100)
			w.say("needle")
			w.write(300)
			w.settled()
			c.mustWait(w.pane, cursor, "matched", "", "needle")
		})
		t.Run("a line that is gone", func(t *testing.T) {
			w := startCounter(t, s, 500)
			c.must("list_panes", nil)
			w.write(40)
			w.settled()
			cursor := read(t, c, w.pane).cursor
			w.say("needle")
			w.write(1000)
			w.settled()
			c.mustWait(w.pane, cursor, "timed_out", "trimmed", "")
		})
	})
}

// finishedRows are the rows of a screen that are not being written.
func finishedRows(c *talk, pane string) []any {
	lines := c.must("capture_pane", args{"pane_id": pane})["lines"].([]any)
	return lines[:max(len(lines)-1, 0)]
}

// mustWait waits for "needle" since a cursor.
func (c *talk) mustWait(pane, cursor, outcome, reason, line string) {
	c.t.Helper()
	begun := time.Now()
	out := c.must("wait_for_text", args{"pane_id": pane, "patterns": []string{"needle"}, "cursor": cursor, "timeout": 1})
	why, _ := out["reason"].(string)
	text, _ := out["line"].(string)
	if out["outcome"] != outcome || why != reason || text != line || out["continuous"] != (reason == "") {
		c.t.Errorf("after %v: %v, reason %q, line %q, continuous %v; want %s, %q, %q", time.Since(begun), out["outcome"], why, text, out["continuous"], outcome, reason, line)
	}
}
