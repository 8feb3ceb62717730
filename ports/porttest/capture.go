package porttest

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func captures(t *testing.T, newWorld func(t *testing.T) World) {
	// printed gives a recorder's pane that shows a text.
	printed := func(t *testing.T, w World, text, last string) tmux.PaneID {
		t.Helper()
		id := w.Session("main", Recorder)
		w.Print(id, text)
		shows(t, w, id, last)
		return id
	}
	rows := func(t *testing.T, w World, request ports.CaptureRequest, want ...string) screen.Capture {
		t.Helper()
		got := capture(t, w, request)
		if diff := cmp.Diff(want, trimEnd(got.Rows)); diff != "" {
			t.Errorf("rows (-want +got):\n%s\n%v", diff, w)
		}
		return got
	}
	numbers := numbered(1, 100)
	runCases(t, newWorld, []testCase{
		{"the screen with the state of the same instant", func(t *testing.T, w World) {
			id := printed(t, w, "one\r\n  two  \r\n\r\n日本 $ ", "日本")
			got := rows(t, w, ports.CaptureRequest{Pane: id}, "one", "  two", "", "日本 $")
			if got.Pane.ID != id || !got.Pane.Full || got.Pane.CursorX != 7 || got.Pane.CursorY != 3 || got.First != 0 || len(got.Rows) != 24 {
				t.Errorf("got %d rows from %d, pane %+v", len(got.Rows), got.First, got.Pane)
			}
			if diff := cmp.Diff(topology(t, w).Server, got.Server); diff != "" {
				t.Errorf("server (-want +got):\n%s", diff)
			}
		}},
		{"in a mode it is the live screen", func(t *testing.T, w World) {
			id := printed(t, w, "before\r\n", "before")
			w.Put(id, CopyMode)
			w.Print(id, "after")
			shows(t, w, id, "after")
			if got := rows(t, w, ports.CaptureRequest{Pane: id}, "before", "after"); got.Pane.Mode != "copy-mode" {
				t.Errorf("mode %q", got.Pane.Mode)
			}
		}},
		{"wrapped rows, and joined", func(t *testing.T, w World) {
			long := strings.Repeat("0123456789", 15)
			id := printed(t, w, long+"\r\nnext  \r\n", "next")
			rows(t, w, ports.CaptureRequest{Pane: id}, long[:80], long[80:], "next")
			got := rows(t, w, ports.CaptureRequest{Pane: id, Join: true}, long, "next")
			if !got.Joined || got.Starts != nil {
				t.Errorf("joined %t, starts %v", got.Joined, got.Starts)
			}
			got = rows(t, w, ports.CaptureRequest{Pane: id, Join: true, Starts: true}, long, "next")
			if diff := cmp.Diff([]int{0, 2, 3, 4}, got.Starts[:min(4, len(got.Starts))]); diff != "" || len(got.Starts) != len(got.Rows) {
				t.Errorf("starts of %d lines (-want +got):\n%s", len(got.Rows), diff)
			}
		}},
		{"which rows go on in the next", func(t *testing.T, w World) {
			blank := strings.Repeat(" ", 79)
			id := printed(t, w, "a"+blank+blank+" b  \r\n\r\n"+strings.Repeat("0", 80)+"\r\nc", "c")
			for _, from := range []*int{nil, new(0), new(1), new(2)} {
				skip := 0
				if from != nil {
					skip = *from
				}
				got := rows(t, w, ports.CaptureRequest{Pane: id, Wraps: true, FromRow: from},
					[]string{"a" + blank, blank + " ", "b", "", strings.Repeat("0", 80), "c"}[skip:]...)
				want := append([]bool{true, true}, make([]bool, 22)...)[skip:]
				if diff := cmp.Diff(want, got.Wraps); diff != "" || got.Joined {
					t.Errorf("from row %d, joined %t (-want +got):\n%s", skip, got.Joined, diff)
				}
			}
		}},
		{"blanks", func(t *testing.T, w World) {
			id := printed(t, w, "ab  \r\ncd", "cd")
			got := capture(t, w, ports.CaptureRequest{Pane: id, Blanks: true}).Rows
			// All tmux but 3.3 add some that were not written.
			if !strings.HasPrefix(got[0], "ab  ") || strings.TrimRight(got[0], " ") != "ab" {
				t.Errorf("got %q, want %q and perhaps more blanks", got[0], "ab  ")
			}
		}},
		{"styles", func(t *testing.T, w World) {
			id := printed(t, w, "\x1b[31mred\x1b[0m plain", "plain")
			rows(t, w, ports.CaptureRequest{Pane: id}, "red plain")
			got := capture(t, w, ports.CaptureRequest{Pane: id, Styles: true}).Rows[0]
			if !strings.HasPrefix(got, "\x1b[") || !strings.Contains(got, "31mred\x1b[") || !strings.HasSuffix(got, " plain") {
				t.Errorf("got %q", got)
			}
		}},
		{"history", func(t *testing.T, w World) {
			id := printed(t, w, strings.Join(numbers, "\r\n"), "n100")
			rows(t, w, ports.CaptureRequest{Pane: id}, numbers[76:]...)
			got := rows(t, w, ports.CaptureRequest{Pane: id, History: 10}, numbers[66:]...)
			if got.First != 66 || got.Pane.HistorySize != 76 {
				t.Errorf("first %d, history %d", got.First, got.Pane.HistorySize)
			}
			rows(t, w, ports.CaptureRequest{Pane: id, History: 1000}, numbers...)
			if got := rows(t, w, ports.CaptureRequest{Pane: id, History: ports.AllHistory}, numbers...); got.First != 0 {
				t.Errorf("first %d", got.First)
			}
		}},
		{"from a row", func(t *testing.T, w World) {
			id := printed(t, w, strings.Join(numbers, "\r\n"), "n100")
			for _, from := range []int{0, 50, 80, 99} {
				if got := rows(t, w, ports.CaptureRequest{Pane: id, FromRow: &from, History: 3}, numbers[from:]...); got.First != from {
					t.Errorf("first %d, want %d", got.First, from)
				}
			}
			beyond := 100
			if got := capture(t, w, ports.CaptureRequest{Pane: id, FromRow: &beyond}); len(got.Rows) != 0 {
				t.Errorf("below the screen: rows %q", got.Rows)
			}
		}},
		{"a full history drops a tenth", func(t *testing.T, w World) {
			w.Session("first", Recorder)
			w.SetOption("", "history-limit", "50")
			id := printed(t, w, strings.Join(numbered(1, 75), "\r\n"), "n75") // 51 rows scrolled
			got := capture(t, w, ports.CaptureRequest{Pane: id, History: ports.AllHistory})
			if want := numbered(6, 75); cmp.Diff(want, trimEnd(got.Rows)) != "" || got.Pane.HistorySize != 46 {
				t.Errorf("history %d, rows %q", got.Pane.HistorySize, got.Rows)
			}
		}},
		{"a pane that does not exist", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			_, err := w.Ports().Capture(bounded(t), ports.CaptureRequest{Pane: "%99"})
			wants(t, w, fault.NotFound, err)
			_, err = w.Ports().Capture(bounded(t), ports.CaptureRequest{Pane: "%99", Server: topology(t, w).Server})
			wants(t, w, fault.NotFound, err)
		}},
		{"a hook at any level is refused and not run", captureHooks},
		{"in the session that it names", captureInSession},
		{"another life of the server is stale", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			old := topology(t, w).Server
			id := newLife(t, w, Recorder)
			_, err := w.Ports().Capture(bounded(t), ports.CaptureRequest{Pane: id, Server: old})
			wants(t, w, fault.StaleTarget, err)
			capture(t, w, ports.CaptureRequest{Pane: id})
		}},
		{"lines of many panes", manyLines},
		{"no server", func(t *testing.T, w World) {
			_, err := w.Ports().Capture(bounded(t), ports.CaptureRequest{Pane: "%0"})
			if got := wants(t, w, fault.ServerGone, err); got.Delivery != fault.NotSent && got.Delivery != "" {
				t.Errorf("delivery %q", got.Delivery)
			}
		}},
	})
}

func manyLines(t *testing.T, w World) {
	read := func(request ports.LinesRequest) []ports.Lines {
		return slices.Collect(w.Ports().Lines(bounded(t), request))
	}
	first := w.Session("main", Recorder)
	wide := w.Split(first, Recorder)
	other := w.Session("other", Recorder)
	w.Print(first, strings.Join(numbered(1, 50), "\r\n"))
	w.Print(wide, strings.Repeat("0123456789", 15)+"\r\nnext")
	for pane, last := range map[tmux.PaneID]string{first: "n50", wide: "next"} {
		shows(t, w, pane, last)
	}
	server := topology(t, w).Server
	for _, history := range []int{0, 7, 1000, ports.AllHistory} {
		var want []ports.Lines
		panes := []tmux.PaneID{other, first, wide}
		for _, pane := range panes {
			c := capture(t, w, ports.CaptureRequest{Pane: pane, History: history, Join: true, Starts: true})
			want = append(want, ports.Lines{Pane: pane, Rows: c.Rows, Starts: c.Starts})
		}
		if diff := cmp.Diff(want, read(ports.LinesRequest{Server: server, Panes: panes, History: history})); diff != "" {
			t.Errorf("with %d rows of history (-capture +lines):\n%s", history, diff)
		}
	}
	if got := read(ports.LinesRequest{Server: server}); len(got) != 0 {
		t.Errorf("no panes: %v", got)
	}

	w.SetOption(string(sessionOf(t, w, other)), "after-capture-pane", "set-buffer -b hooked ran")
	got := read(ports.LinesRequest{Server: server, Panes: []tmux.PaneID{"%99", first, other, wide}})
	if len(got) != 4 {
		t.Fatalf("got %v", got)
	}
	wants(t, w, fault.NotFound, got[0].Err)
	refuses(t, w, fault.Hooked, got[2].Err)
	if got[1].Err != nil || len(got[1].Rows) == 0 || got[3].Err != nil || len(got[3].Rows) == 0 {
		t.Errorf("the panes that can be read: %v, %v", got[1], got[3])
	}
	if buffers := w.Buffers(); len(buffers) != 0 {
		t.Errorf("the hook ran: buffers %v", buffers)
	}
	for range w.Ports().Lines(bounded(t), ports.LinesRequest{Server: server, Panes: []tmux.PaneID{first, wide}}) {
		break // a sequence may be left
	}

	again := newLife(t, w, Recorder)
	got = read(ports.LinesRequest{Server: server, Panes: []tmux.PaneID{again, first}})
	if len(got) != 1 {
		t.Fatalf("of another life: %v", got)
	}
	wants(t, w, fault.StaleTarget, got[0].Err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	got = slices.Collect(w.Ports().Lines(ended, ports.LinesRequest{Server: topology(t, w).Server, Panes: []tmux.PaneID{again}}))
	if len(got) != 1 {
		t.Fatalf("at the end of the context: %v", got)
	}
	wants(t, w, fault.Cancelled, got[0].Err)
}

func captureHooks(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	levels := map[string]string{
		"global": "", "session": string(sessionOf(t, w, id)), "window": string(pane(t, w, id).Window), "pane": string(id),
	}
	for name, target := range levels {
		t.Run(name, func(t *testing.T) {
			w.SetOption(target, "after-capture-pane", "set-buffer -b hooked ran")
			_, err := w.Ports().Capture(bounded(t), ports.CaptureRequest{Pane: id})
			refuses(t, w, fault.Hooked, err)
			_, err = w.Ports().Capture(bounded(t), ports.CaptureRequest{Pane: id, Server: topology(t, w).Server})
			refuses(t, w, fault.Hooked, err)
			if buffers := w.Buffers(); len(buffers) != 0 {
				t.Errorf("the hook ran: buffers %v", buffers)
			}
		})
	}
}

func captureInSession(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	other := w.Session("other", Recorder)
	main, second := sessionOf(t, w, id), sessionOf(t, w, other)
	server := topology(t, w).Server
	request := func(in tmux.SessionID) ports.CaptureRequest {
		return ports.CaptureRequest{Server: server, Pane: id, Session: in}
	}
	read := func(request ports.CaptureRequest) error {
		_, err := w.Ports().Capture(bounded(t), request)
		return err
	}
	for _, in := range []tmux.SessionID{second, "$99"} {
		wants(t, w, fault.NotFound, read(request(in)))
		wants(t, w, fault.NotFound, read(ports.CaptureRequest{Pane: id, Session: in}))
	}
	w.Link(pane(t, w, id).Window, second)
	w.Print(id, "here")
	shows(t, w, id, "here")
	for _, in := range []tmux.SessionID{main, second} {
		if got := capture(t, w, request(in)); got.Rows[0] != "here" || got.Pane.ID != id {
			t.Errorf("in %s: %q of %s", in, got.Rows, got.Pane.ID)
		}
	}
	w.SetOption(string(second), "after-capture-pane[7]", "has-session -t =nobody")
	if err := read(request(main)); err != nil {
		t.Errorf("the hook of another session counts: %v", err)
	}
	refuses(t, w, fault.Hooked, read(request(second)))
	w.Kill(string(second))
	wants(t, w, fault.NotFound, read(request(second)))
	w.SetOption("", "after-capture-pane[3]", "set-buffer -b hooked ran")
	refuses(t, w, fault.Hooked, read(request(main)))
	if buffers := w.Buffers(); len(buffers) != 0 {
		t.Errorf("a hook ran: buffers %v", buffers)
	}
	again := newLife(t, w, Recorder)
	stale := request(main)
	stale.Pane = again
	wants(t, w, fault.StaleTarget, read(stale))
}

// numbered is the texts n1, n2 and so on.
func numbered(first, last int) []string {
	var texts []string
	for n := first; n <= last; n++ {
		texts = append(texts, "n"+strconv.Itoa(n))
	}
	return texts
}

// trimEnd drops the empty rows at the end.
func trimEnd(rows []string) []string {
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}
