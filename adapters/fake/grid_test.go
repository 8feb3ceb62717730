package fake_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake/streamtest"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestGridShowsStreamsAsTmuxDoes(t *testing.T) {
	seen := map[string]bool{}
	for _, stream := range streamtest.Streams() {
		if seen[stream.Name] {
			t.Errorf("two streams are called %q", stream.Name)
		}
		seen[stream.Name] = true
		t.Run(stream.Name, func(t *testing.T) {
			w, pane := recorder("3.4")
			defer w.Close()
			for _, step := range stream.Steps {
				if step.Print != "" {
					w.Print(pane, step.Print)
				} else {
					w.Resize(w.WindowOf(pane), step.Width, step.Height)
				}
			}
			if diff := cmp.Diff(stream.Want, look(t, w, pane), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("screen (-want +got):\n%s\n%v", diff, w)
			}
		})
	}
	if len(seen) == 0 {
		t.Fatal("no streams")
	}
}

// recorder is a pane of the streams' size in which nothing shows by itself.
func recorder(version tmux.Version) (*fake.World, tmux.PaneID) {
	w := fake.New(fake.Options{Version: version, Width: streamtest.Width, Height: streamtest.Height})
	first := w.AddSession("main", "record")
	w.SetOption("", "history-limit", strconv.Itoa(streamtest.Limit))
	return w, w.AddWindow(w.SessionOf(first), "streams", "record")
}

// look tells what a pane shows.
func look(t *testing.T, w *fake.World, pane tmux.PaneID) (seen streamtest.Screen) {
	t.Helper()
	rows, err := w.Capture(t.Context(), ports.CaptureRequest{Pane: pane, History: ports.AllHistory, Blanks: true})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := w.Capture(t.Context(), ports.CaptureRequest{Pane: pane, History: ports.AllHistory, Join: true, Starts: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows.Rows {
		if i > 0 && !slices.Contains(lines.Starts, i) {
			seen.Rows[i-1] += streamtest.Wrap
		}
		seen.Rows = append(seen.Rows, row)
	}
	for len(seen.Rows) > 0 && seen.Rows[len(seen.Rows)-1] == "" {
		seen.Rows = seen.Rows[:len(seen.Rows)-1]
	}
	at := rows.Pane
	seen.X, seen.Y, seen.History, seen.Alternate = at.CursorX, at.CursorY, at.HistorySize, at.Alternate
	return seen
}

// What differs between versions of tmux.
func TestGridByVersion(t *testing.T) {
	tests := []struct {
		name, text string
		want       map[tmux.Version]string
	}{
		{"a tab stays one from 3.6 on", "a\tb", map[tmux.Version]string{"3.5a": "a       b", "3.6b": "a\tb"}},
		{"but not over text", "a  x\ra\tb", map[tmux.Version]string{"3.5a": "a  x    b", "3.6b": "a  x    b"}},
		{"invalid UTF-8 shows from 3.6 on", "a\xffb\xe6c", map[tmux.Version]string{"3.5a": "abc", "3.6b": "a\ufffdb\ufffdc"}},
		{"half a character in the first column", "日\x1b[2G.", map[tmux.Version]string{"3.5a": "日.", "3.6b": " ."}},
		{"a selector widens from 3.4 on", "❤\ufe0fx", map[tmux.Version]string{"3.3a": "❤\ufe0fx", "3.4": "❤\ufe0f x", "3.5a": "❤\ufe0fx"}},
		{"a skin tone joins from 3.4 on", "👍\U0001f3fd\x1b[4Gx", map[tmux.Version]string{"3.3a": "👍 x", "3.4": "👍\U0001f3fd x"}},
		{"any character repeats from 3.5 on", "é\x1b[2b", map[tmux.Version]string{"3.4": "é", "3.5a": "ééé", "3.6b": "ééé"}},
	}
	for _, tt := range tests {
		for version, want := range tt.want {
			t.Run(tt.name+"/"+string(version), func(t *testing.T) {
				w, pane := recorder(version)
				defer w.Close()
				w.Print(pane, tt.text)
				if diff := cmp.Diff(want, strings.TrimSuffix(w.Screen(pane), "\n")); diff != "" {
					t.Errorf("screen (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// Whatever is printed, and however the pane is resized, the rows add up and the cursor is where it can be.
func TestGridHoldsAgainstAnyBytes(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, pane := recorder(rapid.SampledFrom([]tmux.Version{"3.2a", "3.3a", "3.4", "3.5a", "3.6b", "3.7c"}).Draw(rt, "version"))
		defer w.Close()
		for _, text := range rapid.SliceOfN(rapid.OneOf(
			rapid.StringOf(rapid.RuneFrom([]rune("\x1b[;?0123456789@ABCDEFGHJKLMPSTXZ`bdfghlmrsu78cDEMH#\n\r\t\b日\u0301a"))),
			rapid.StringMatching(`(\x1b\[\??[0-9]{0,4}(;[0-9]{0,2})?[@-~]|[a-z日]{1,9}|\n){1,20}`),
			rapid.Map(rapid.SliceOf(rapid.Byte()), func(data []byte) string { return string(data) }),
		), 1, 5).Draw(rt, "texts") {
			w.Print(pane, text)
			width, height := rapid.IntRange(1, 20).Draw(rt, "width"), rapid.IntRange(1, 8).Draw(rt, "height")
			w.Resize(w.WindowOf(pane), width, height)
			w.Print(pane, "x")
			seen := look(t, w, pane)
			if len(seen.Rows) > seen.History+height || seen.X < 0 || seen.X > width || seen.Y < 0 || seen.Y >= height {
				rt.Fatalf("%+v in %dx%d\n%v", seen, width, height, w)
			}
		}
	})
}

func TestGridStyles(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[1;31mb\x1b[mc":                     "a\x1b[0;1;31mb\x1b[0mc",
		"\x1b[1mb\x1b[22mc":                       "\x1b[0;1mb\x1b[0mc",
		"\x1b[4ma\x1b[4:3mb\x1b[24mc":             "\x1b[0;4ma\x1b[0;4:3mb\x1b[0mc",
		"\x1b[91;104mb\x1b[39mc":                  "\x1b[0;91;104mb\x1b[0;104mc\x1b[0m",
		"\x1b[38;5;200;7mb\x1b[27mc":              "\x1b[0;7;38;5;200mb\x1b[0;38;5;200mc\x1b[0m",
		"\x1b[48;2;1;2;3;9mb":                     "\x1b[0;9;48;2;1;2;3mb\x1b[0m",
		"\x1b[38:2::1:2:3mb\x1b[38:5:4mc":         "\x1b[0;38;2;1;2;3mb\x1b[0;38;5;4mc\x1b[0m",
		"\x1b[58;5;9;4mb\x1b[59mc":                "\x1b[0;4;58;5;9mb\x1b[0;4mc\x1b[0m",
		"\x1b[38;5mb":                             "b",
		"\x1b[31ma\x1b7\x1b[32mb\x1b8\x1b[2Gc":    "\x1b[0;31mac\x1b[0m",
		"\x1b[31m\x1b[?1049h\x1b[32m\x1b[?1049la": "\x1b[0;31ma\x1b[0m",
	} {
		w, pane := recorder("3.4")
		w.Print(pane, text)
		got, err := w.Capture(t.Context(), ports.CaptureRequest{Pane: pane, Styles: true})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.Rows[0]); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		w.Close()
	}
}

func TestGridTitles(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b]2;one\x07":     "one",
		"\x1b]0;МИР М\x1b\\": "МИР М", // in which one byte would end a string of 8 bit controls
		"\x1b]2;a\xffb\x07":  "fake",  // no UTF-8
		"\x1b]2;one\x07\x1b[22;2t\x1b]2;two\x07\x1b[23;2t": "one",
		"\x1bkname\x1b\\": "fake",
	} {
		w, pane := recorder("3.4")
		w.Print(pane, text)
		got, err := w.Capture(t.Context(), ports.CaptureRequest{Pane: pane})
		if err != nil {
			t.Fatal(err)
		}
		if got.Pane.Title != want {
			t.Errorf("%q: title %q, want %q", text, got.Pane.Title, want)
		}
		w.Close()
	}
}
