package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// quietPane is a pane whose program prints nothing.
func (h *house) quietPane() tmux.PaneID {
	h.Helper()
	return h.world.AddSession("main", "cat")
}

func TestWaitForText(t *testing.T) {
	for _, c := range []struct {
		name    string
		before  string // on the screen at the entry
		in      app.WaitForTextIn
		does    func(h *house, pane tmux.PaneID) // after 5 s
		outcome string
		pattern string
		line    string
		at      time.Duration
	}{
		{
			"a line", "",
			app.WaitForTextIn{Patterns: []string{"ready"}},
			func(h *house, pane tmux.PaneID) { h.world.Print(pane, "server is ready\r\n") }, "matched", "ready", "server is ready", 5 * time.Second,
		},
		{
			"a line that is not finished", "",
			app.WaitForTextIn{Patterns: []string{"Password:"}},
			func(h *house, pane tmux.PaneID) { h.world.Print(pane, "Password: ") }, "matched", "Password:", "Password:", 5 * time.Second,
		},
		{
			"an expression", "",
			app.WaitForTextIn{Patterns: []string{`port \d+$`}, Regex: true},
			func(h *house, pane tmux.PaneID) { h.world.Print(pane, "on port 8080\r\n") }, "matched", `port \d+$`, "on port 8080", 5 * time.Second,
		},
		{
			"a stop", "",
			app.WaitForTextIn{Patterns: []string{"ready"}, Stop: []string{"error"}},
			func(h *house, pane tmux.PaneID) { h.world.Print(pane, "an error\r\nready\r\n") }, "stopped", "error", "an error", 5 * time.Second,
		},
		{
			"it stands there already", "all ready\r\n",
			app.WaitForTextIn{Patterns: []string{"ready"}},
			func(*house, tmux.PaneID) {}, "present_at_entry", "ready", "all ready", 0,
		},
		{
			"a stop that stands there already does not count", "error\r\n",
			app.WaitForTextIn{Patterns: []string{"ready"}, Stop: []string{"error"}},
			func(h *house, pane tmux.PaneID) { h.world.Print(pane, "ready\r\n") }, "matched", "ready", "ready", 5 * time.Second,
		},
		{
			"silence", "",
			app.WaitForTextIn{Patterns: []string{"ready"}, Idle: new(3.0)},
			func(*house, tmux.PaneID) {}, "idle", "", "", 3 * time.Second,
		},
		{
			"silence after output", "",
			app.WaitForTextIn{Patterns: []string{"ready"}, Idle: new(7.0)},
			func(h *house, pane tmux.PaneID) { h.world.Print(pane, "something\r\n") }, "idle", "", "", 12 * time.Second,
		},
		{"nothing", "", app.WaitForTextIn{Patterns: []string{"ready"}}, func(*house, tmux.PaneID) {}, "timed_out", "", "", 30 * time.Second},
		{"two minutes at most", "", app.WaitForTextIn{Patterns: []string{"ready"}, Timeout: new(1e9)}, func(*house, tmux.PaneID) {}, "timed_out", "", "", 120 * time.Second},
		{
			"the pane is killed", "",
			app.WaitForTextIn{Patterns: []string{"ready"}},
			func(h *house, pane tmux.PaneID) { h.world.AddSession("other"); h.world.KillPane(pane) }, "pane_gone", "", "", 5 * time.Second,
		},
		{
			"the program ends", "",
			app.WaitForTextIn{Patterns: []string{"ready"}},
			func(h *house, pane tmux.PaneID) { h.world.SetOption("", "remain-on-exit", "on"); h.world.Exit(pane, 1) }, "pane_died", "", "", 5 * time.Second,
		},
		{
			"the program ends, and tmux removes the pane a little later", "",
			app.WaitForTextIn{Patterns: []string{"ready"}},
			func(h *house, pane tmux.PaneID) {
				h.world.AddSession("other")
				h.world.SetOption("", "remain-on-exit", "on")
				h.world.Exit(pane, 1)
				time.AfterFunc(20*time.Millisecond, func() { h.world.KillPane(pane) })
			}, "pane_gone", "", "", 5 * time.Second,
		},
		{
			"another program comes", "",
			app.WaitForTextIn{Patterns: []string{"ready"}},
			func(h *house, pane tmux.PaneID) { h.world.Replace(pane, "cat") }, "pane_died", "", "", 5 * time.Second,
		},
		{
			"the server is killed", "",
			app.WaitForTextIn{Patterns: []string{"ready"}},
			func(h *house, _ tmux.PaneID) { h.world.KillServer() }, "server_gone", "", "", 5 * time.Second,
		},
		{
			"the server is restarted", "",
			app.WaitForTextIn{Patterns: []string{"ready"}},
			func(h *house, _ tmux.PaneID) { h.world.Restart("main") }, "server_gone", "", "", 5 * time.Second,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.quietPane()
				h.world.Print(pane, c.before)
				time.AfterFunc(5*time.Second, func() { c.does(h, pane) })
				c.in.PaneID = string(pane)
				var out app.WaitForTextOut
				took := elapsed(func() {
					var err error
					if out, err = h.app.WaitForText(h.Context(), c.in); err != nil {
						h.Fatal(err)
					}
				})
				if out.Outcome != c.outcome || out.Pattern != c.pattern || out.Line != c.line {
					h.Errorf("got %+v, want %s by %q in %q", out, c.outcome, c.pattern, c.line)
				}
				if took < c.at || took > c.at+time.Second {
					h.Errorf("after %v, want %v", took, c.at)
				}
				if out.TimeoutClamped != (c.in.Timeout != nil) {
					h.Errorf("clamped %v to %v", out.TimeoutClamped, out.EffectiveTimeout)
				}
			})
		})
	}
}

// With a cursor from before the action, what was written between the action and the wait is not missed, and what stood there before
// does not count.
func TestWaitFromACursor(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		h.world.Print(pane, "ready long ago\r\n> ")
		before, err := h.app.CapturePane(h.Context(), app.CapturePaneIn{PaneID: string(pane)})
		if err != nil {
			h.Fatal(err)
		}
		wait := func(pattern string) app.WaitForTextOut {
			out, err := h.app.WaitForText(h.Context(), app.WaitForTextIn{PaneID: string(pane), Patterns: []string{pattern}, Cursor: before.Cursor, Timeout: new(2.0)})
			if err != nil {
				h.Fatal(err)
			}
			return out
		}
		if out := wait("ready"); out.Outcome != "timed_out" {
			h.Errorf("what stood there: %+v", out)
		}
		if out := wait("> "); out.Outcome != "timed_out" {
			h.Errorf("an unfinished line that stood there: %+v", out)
		}
		h.world.Print(pane, "go\r\nready now\r\n"+strings.Repeat("more\r\n", 100)+"> ")
		if out := wait("ready"); out.Outcome != "matched" || out.Line != "ready now" || !out.Continuous {
			h.Errorf("what came meanwhile: %+v", out)
		}
		if out := wait("> "); out.Outcome != "matched" {
			h.Errorf("the prompt that came back: %+v", out)
		}
	})
}

func TestCancelledWaits(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		for range 1000 {
			ctx, cancel := context.WithCancel(h.Context())
			time.AfterFunc(time.Second, cancel)
			took := elapsed(func() {
				_, err := h.app.WaitForText(ctx, app.WaitForTextIn{PaneID: string(pane), Patterns: []string{"never"}})
				if !fault.Is(err, fault.Cancelled) {
					h.Fatalf("got %v, want cancelled", err)
				}
			})
			if took != time.Second {
				h.Fatalf("the wait ended %v after its beginning, want 1s", took)
			}
		}
	}) // the bubble fails if a goroutine is left
}

func TestCaptureSince(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		h.world.Print(pane, "old\r\nunfin")
		first, err := h.app.CapturePane(h.Context(), app.CapturePaneIn{PaneID: string(pane)})
		if err != nil {
			h.Fatal(err)
		}
		cursor := first.Cursor
		since := func() app.CaptureSinceOut {
			h.Helper()
			out, err := h.app.CaptureSince(h.Context(), app.CaptureSinceIn{PaneID: string(pane), Cursor: cursor})
			if err != nil {
				h.Fatal(err)
			}
			cursor = out.Cursor
			return out
		}
		if out := since(); len(out.Lines) != 0 || !out.Continuous || out.Lines == nil {
			h.Errorf("nothing new: %+v", out)
		}
		h.world.Print(pane, "ished\r\nnext\r\nlast")
		if d := cmp.Diff([]string{"unfinished", "next"}, since().Lines); d != "" {
			h.Errorf("finished lines (-want +got):\n%s", d)
		}
		h.world.Print(pane, "\r\n"+numbered(500))
		out := since()
		if !out.Continuous || !out.Truncated || out.DroppedLines != 301 || out.Lines[199] != "500" {
			h.Errorf("bounded: %d lines, %+v", len(out.Lines), out.Truncation)
		}
		h.world.ClearHistory(pane)
		h.world.Print(pane, "\x1b[H\x1b[2Jfresh\r\n")
		if out := since(); out.Continuous || out.Reason != "cleared" {
			h.Errorf("cleared: %+v", out)
		}
		h.world.Print(pane, numbered(5000))
		if out := since(); out.Continuous || out.Reason != "trimmed" {
			h.Errorf("trimmed: continuous %v, %s", out.Continuous, out.Reason)
		}
		h.world.Replace(pane, "cat")
		if out := since(); out.Continuous || out.Reason != "respawned" {
			h.Errorf("respawned: %+v", out)
		}
		h.world.Restart("main", "cat")
		if _, err := h.app.ListPanes(h.Context(), app.ListPanesIn{}); err != nil {
			h.Fatal(err)
		}
		if out := since(); out.Continuous || out.Reason != "restarted" {
			h.Errorf("restarted: %+v", out)
		}
	})
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\r\n", i+1)
	}
	return b.String()
}

func TestBadCursorsAndPatterns(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		other := h.world.Split(pane, "cat")
		of := func(pane tmux.PaneID) string {
			out, err := h.app.CapturePane(h.Context(), app.CapturePaneIn{PaneID: string(pane)})
			if err != nil {
				h.Fatal(err)
			}
			return out.Cursor
		}
		second := h.process(h.world.NewFrames())
		defer second.Close()
		foreign, err := second.CapturePane(h.Context(), app.CapturePaneIn{PaneID: string(pane)})
		if err != nil {
			h.Fatal(err)
		}
		good := of(pane)
		for name, cursor := range map[string]string{
			"of another pane": of(other), "of another server process": foreign.Cursor, "altered": "B" + good[1:], "cut": good[:20], "no cursor": "%1", "empty": "",
		} {
			_, err := h.app.CaptureSince(h.Context(), app.CaptureSinceIn{PaneID: string(pane), Cursor: cursor})
			if f := h.wantFault(err, fault.StaleCursor, ""); !strings.Contains(f.Recovery, "capture_pane") {
				h.Errorf("%s: recovery %q", name, f.Recovery)
			}
		}
		for name, in := range map[string]app.WaitForTextIn{
			"no pattern":      {},
			"an empty one":    {Patterns: []string{""}},
			"too many":        {Patterns: strings.Split(strings.Repeat("x ", 16)+"x", " ")},
			"too long":        {Patterns: []string{strings.Repeat("x", 1025)}},
			"not RE2":         {Patterns: []string{"(?=x)"}, Regex: true},
			"idle of zero":    {Patterns: []string{"x"}, Idle: new(0.0)},
			"negative":        {Patterns: []string{"x"}, Timeout: new(-1.0)},
			"an empty stop":   {Patterns: []string{"x"}, Stop: []string{""}},
			"stop is not RE2": {Patterns: []string{"x"}, Stop: []string{"("}, Regex: true},
		} {
			in.PaneID = string(pane)
			if _, err := h.app.WaitForText(h.Context(), in); !fault.Is(err, fault.InvalidInput) {
				h.Errorf("%s: got %v, want invalid_input", name, err)
			}
		}
	})
}
