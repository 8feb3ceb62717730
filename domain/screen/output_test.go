package screen_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestOutput(t *testing.T) {
	// A pane of 6 rows with a history limit of 100 rows.
	pane := func(history, x, y int) tmux.Pane {
		return tmux.Pane{Height: 6, HistoryLimit: 100, HistorySize: history, CursorX: x, CursorY: y}
	}
	alternate := pane(0, 0, 0)
	alternate.Alternate = true
	for _, c := range []struct {
		name    string
		capture screen.Capture
		history int // at the anchor
		want    []string
		loss    screen.Loss
	}{
		{"two lines", screen.Capture{Pane: pane(0, 0, 3), Rows: []string{"[T] $ x", "a", "b", "", "", ""}}, 0, []string{"a", "b"}, screen.LossNone},
		{"no newline at the end", screen.Capture{Pane: pane(0, 3, 1), Rows: []string{"[T] $ x", "abc", "", "", "", ""}}, 0, []string{"abc"}, screen.LossNone},
		{"blank lines count", screen.Capture{Pane: pane(0, 0, 4), Rows: []string{"[T] $ x", "a", "", "", "", ""}}, 0, []string{"a", "", ""}, screen.LossNone},
		{"blanks without a newline", screen.Capture{Pane: pane(0, 2, 1), Rows: []string{"[T] $ x", "", "", "", "", ""}}, 0, []string{""}, screen.LossNone},
		{"nothing", screen.Capture{Pane: pane(0, 0, 1), Rows: []string{"[T] $ x", "", "", "", "", ""}}, 0, []string{}, screen.LossNone},
		{"written below the cursor", screen.Capture{Pane: pane(0, 0, 1), Rows: []string{"[T] $ x", "", "low", "", "", ""}}, 0, []string{"", "low"}, screen.LossNone},
		{"trimmed", screen.Capture{Pane: pane(91, 0, 5), Rows: []string{"7", "8", "9", ""}}, 3, []string{"7", "8", "9"}, screen.LossTrimmed},
		{"cleared with its history", screen.Capture{Pane: pane(0, 0, 1), Rows: []string{"after", "", "", "", "", ""}}, 3, []string{"after"}, screen.LossCleared},
		{"cleared without its history", screen.Capture{Pane: pane(2, 0, 1), Rows: []string{"old", "older", "after", "", "", "", "", ""}}, 2, []string{"after"}, screen.LossCleared},
		{"alternate screen", screen.Capture{Pane: alternate, Rows: []string{"~", "~"}}, 0, nil, screen.LossAlternate},
	} {
		t.Run(c.name, func(t *testing.T) {
			for row := range c.capture.Rows {
				c.capture.Starts = append(c.capture.Starts, row)
			}
			got, loss := screen.Output(c.capture, screen.Anchor{Token: "[T]", HistorySize: c.history})
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("lines (-want +got):\n%s", d)
			}
			if loss != c.loss {
				t.Errorf("loss: got %q, want %q", loss, c.loss)
			}
		})
	}
}

// The command may write the token, too: a listing of its own pane.
func TestOutputThatShowsTheToken(t *testing.T) {
	const token = "[T] $ x"
	// A pane of 6 rows and 80 columns with a history limit of 100 rows, whose token stood in row 14.
	anchor := screen.Anchor{Token: "[T]", Row: 15, Width: 80, HistorySize: 12}
	numbered := func(from, to int) (rows []string) {
		for n := range to - from {
			rows = append(rows, strconv.Itoa(from+n))
		}
		return rows
	}
	late := anchor
	late.Row = 0
	for _, c := range []struct {
		name           string
		anchor         screen.Anchor
		rows           []string
		history, width int
		want           []string
		loss           screen.Loss
	}{
		{"below its own", anchor, slices.Concat(numbered(0, 14), []string{token, "a", token, "b"}), 12, 80, []string{"a", token, "b"}, screen.LossNone},
		{"the history was cleared", anchor, []string{"x", "x", token, "a", token, "b"}, 0, 80, []string{"a", token, "b"}, screen.LossNone},
		{"wrapped anew", anchor, slices.Concat(numbered(0, 20), []string{token, "a", token, "b"}), 18, 40, []string{"a", token, "b"}, screen.LossNone},
		{"the anchor was taken too soon", late, slices.Concat(numbered(0, 20), []string{token, "a", token, "b"}), 18, 80, []string{"a", token, "b"}, screen.LossNone},
		{"its own was cleared", anchor, slices.Concat(numbered(0, 20), []string{token, "b"}), 16, 80, []string{"b"}, screen.LossCleared},
		{
			"a tenth was trimmed", anchor, slices.Concat(numbered(0, 4), []string{token}, numbered(5, 50), []string{token}, numbered(51, 102)), 96, 80,
			slices.Concat(numbered(5, 50), []string{token}, numbered(51, 102)), screen.LossNone,
		},
		{"its own was trimmed", anchor, slices.Concat(numbered(0, 50), []string{token}, numbered(51, 102)), 96, 80, numbered(51, 102), screen.LossTrimmed},
		{"its own was trimmed, this one came near", anchor, slices.Concat(numbered(0, 9), []string{token}, numbered(10, 102)), 96, 80, numbered(10, 102), screen.LossTrimmed},
	} {
		t.Run(c.name, func(t *testing.T) {
			capture := screen.Capture{
				Pane: tmux.Pane{Height: 6, Width: c.width, HistoryLimit: 100, HistorySize: c.history, CursorX: 1, CursorY: 5},
				Rows: c.rows,
			}
			for row := range c.rows {
				capture.Starts = append(capture.Starts, row)
			}
			got, loss := screen.Output(capture, c.anchor)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("lines (-want +got):\n%s", d)
			}
			if loss != c.loss {
				t.Errorf("loss: got %q, want %q", loss, c.loss)
			}
		})
	}
}

func TestAnchorAt(t *testing.T) {
	pane := tmux.Pane{Width: 80, Height: 3, HistorySize: 7, CursorY: 2}
	drawn := screen.Capture{Pane: pane, First: 7, Rows: []string{"$  . /x", "[T] $ x", ""}}
	want := screen.Anchor{Token: "[T]", Row: 9, Width: 80, HistorySize: 7}
	if d := cmp.Diff(want, screen.AnchorAt(drawn, "[T]")); d != "" {
		t.Errorf("drawn (-want +got):\n%s", d)
	}
	drawn.Rows[1], want.Row = "", 0
	if d := cmp.Diff(want, screen.AnchorAt(drawn, "[T]")); d != "" {
		t.Errorf("not drawn (-want +got):\n%s", d)
	}
}

// Only a token where the anchor's own stood spares the reading of the whole history.
func TestHasToken(t *testing.T) {
	anchor := screen.Anchor{Token: "[T]", Row: 9}
	for name, c := range map[string]struct {
		rows []string
		want bool
	}{
		"where it stood":   {[]string{"", "[T] $ x", "[T] $ x"}, true},
		"elsewhere":        {[]string{"", "", "[T] $ x"}, false},
		"moved":            {[]string{"[T] $ x", "", ""}, false},
		"not there at all": {[]string{"", "", ""}, false},
	} {
		t.Run(name, func(t *testing.T) {
			capture := screen.Capture{First: 7, Rows: c.rows, Starts: []int{7, 8, 9}}
			if got := screen.HasToken(capture, anchor); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
}
