package porttest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// everyByte is each byte but NUL.
func everyByte() string {
	var b strings.Builder
	for c := 1; c < 256; c++ {
		b.WriteByte(byte(c))
	}
	return b.String()
}

// A typing is one way to give input.
type typing struct {
	name   string
	cohort bool // whether synchronization counts
	send   func(ctx context.Context, input ports.Input, pre guard.Precondition) error
}

var typings = []typing{
	{"SendText", true, func(ctx context.Context, input ports.Input, pre guard.Precondition) error {
		return input.SendText(ctx, pre, "x", false)
	}},
	{"SendKeys", true, func(ctx context.Context, input ports.Input, pre guard.Precondition) error {
		return input.SendKeys(ctx, pre, []string{"x"})
	}},
	{"Paste", false, func(ctx context.Context, input ports.Input, pre guard.Precondition) error {
		return input.Paste(ctx, pre, "x", ports.BracketNever)
	}},
}

// Input runs the contract of [ports.Input].
func Input(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"text is literal", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			texts := []string{everyByte(), "a;", ";;", `\;`, ";", "-x", "--", "$HOME #{pane_id} #(id) ~ 'q' \"d\"", "Enter", "C-c", "日本🎉", "a\nb\r\n"}
			for _, text := range texts {
				succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), text, false))
			}
			received(t, w, id, strings.Join(texts, ""))
		}},
		{"NUL is invalid", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			wants(t, w, fault.InvalidInput, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "a\x00b", true))
			untouched(t, w, id)
		}},
		{"the empty text types nothing", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "", false))
			succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "", true))
			received(t, w, id, "\r")
		}},
		{"enter comes after the text", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "hi;", true))
			received(t, w, id, "hi;\r")
		}},
		{"a long text arrives whole and in order", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			text := strings.Join(numbered(1, 20000), ";")
			succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), text, true))
			received(t, w, id, text+"\r")
		}},
		{"keys by name", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			keys := []string{"C-c", "Escape", "j", "Enter", "Up", ";", "Space", "BSpace", "M-x", "C-z", "é"}
			succeeds(t, w, w.Ports().SendKeys(bounded(t), precondition(t, w, true, id), keys))
			received(t, w, id, "\x03\x1bj\r\x1b[A; \x7f\x1bx\x1aé")
		}},
		{"a pane alone, while others are synchronized", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			two, three := w.Split(id, Recorder), w.Split(id, Recorder)
			w.SetOption(string(two), "synchronize-panes", "on")
			w.SetOption(string(three), "synchronize-panes", "on")
			succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "x", false))
			received(t, w, id, "x")
			untouched(t, w, two, three)
		}},
		{"the cohort receives text and keys", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			two, three := w.Split(id, Recorder), w.Split(id, Recorder)
			w.SetOption(string(pane(t, w, id).Window), "synchronize-panes", "on")
			w.SetOption(string(three), "synchronize-panes", "off")
			pre := precondition(t, w, true, id, two)
			succeeds(t, w, w.Ports().SendText(bounded(t), pre, "x", false))
			succeeds(t, w, w.Ports().SendKeys(bounded(t), pre, []string{"y"}))
			received(t, w, id, "xy")
			received(t, w, two, "xy")
			untouched(t, w, three)
		}},
		{"a cohort whose panes stand in another order than they were made in", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			last := w.Split(id, Recorder)
			middle := w.Split(id, Recorder)
			w.SetOption(string(pane(t, w, id).Window), "synchronize-panes", "on")
			succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id, middle, last), "x", false))
			for _, recipient := range []tmux.PaneID{id, middle, last} {
				received(t, w, recipient, "x")
			}
		}},
		{"calls end with their context, and then nothing was typed", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			pre := precondition(t, w, true, id)
			for _, typing := range typings {
				endsWithContext(t, w, func(ctx context.Context) error { return typing.send(ctx, w.Ports(), pre) })
			}
			untouched(t, w, id)
		}},
		{"another life of the server is stale and gets nothing", func(t *testing.T, w World) {
			pre := precondition(t, w, true, w.Session("main", Recorder))
			reborn := newLife(t, w, Recorder)
			for _, typing := range typings {
				wants(t, w, fault.StaleTarget, typing.send(bounded(t), w.Ports(), pre))
			}
			if reborn != pre.Pane {
				t.Errorf("the new pane is %s, so that nothing is shown about %s", reborn, pre.Pane)
			}
			untouched(t, w, reborn)
		}},
		{"no server", func(t *testing.T, w World) {
			pre := precondition(t, w, true, w.Session("main", Recorder))
			w.Kill("")
			for _, typing := range typings {
				if got := wants(t, w, fault.ServerGone, typing.send(bounded(t), w.Ports(), pre)); got.Delivery != fault.NotSent && got.Delivery != "" {
					t.Errorf("%s: delivery %q", typing.name, got.Delivery)
				}
			}
		}},
		{"calls may be concurrent, and do not mix", concurrentInput},
		{"paste is byte-exact, with CR for LF", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			text := everyByte() + "a;\nb"
			succeeds(t, w, w.Ports().Paste(bounded(t), precondition(t, w, false, id), text, ports.BracketNever))
			received(t, w, id, strings.ReplaceAll(text, "\n", "\r"))
		}},
		{"a large paste", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			text := strings.Repeat("0123456789abcde\r", 200<<10/16)
			succeeds(t, w, w.Ports().Paste(bounded(t), precondition(t, w, false, id), text, ports.BracketAuto))
			eventually(t, w, "all has arrived", func() (bool, any) { return len(w.Received(id)) >= len(text), len(w.Received(id)) })
			if got := w.Received(id); sha256.Sum256([]byte(got)) != sha256.Sum256([]byte(text)) {
				t.Errorf("%d bytes arrived that differ from the %d sent", len(got), len(text))
			}
		}},
		{"paste never fans out", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			two := w.Split(id, Recorder)
			w.SetOption(string(pane(t, w, id).Window), "synchronize-panes", "on")
			succeeds(t, w, w.Ports().Paste(bounded(t), precondition(t, w, false, id), "x", ports.BracketNever))
			received(t, w, id, "x")
			untouched(t, w, two)
		}},
		{"a paste is bracketed if the program asked for it", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			succeeds(t, w, w.Ports().Paste(bounded(t), precondition(t, w, false, id), "1", ports.BracketAuto))
			w.Print(id, "\x1b[?2004hasked")
			shows(t, w, id, "asked")
			succeeds(t, w, w.Ports().Paste(bounded(t), precondition(t, w, false, id), "2", ports.BracketAuto))
			succeeds(t, w, w.Ports().Paste(bounded(t), precondition(t, w, false, id), "3", ports.BracketNever))
			received(t, w, id, "1\x1b[200~2\x1b[201~3")
		}},
		{"a paste leaves no buffer and touches none", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.SetBuffer("mine", "the person's")
			before := w.Buffers()
			pre := precondition(t, w, false, id)
			succeeds(t, w, w.Ports().Paste(bounded(t), pre, "x", ports.BracketNever))
			w.Put(id, InputOff)
			wants(t, w, fault.PreconditionFailed, w.Ports().Paste(bounded(t), pre, "y", ports.BracketNever))
			if diff := cmp.Diff(before, w.Buffers()); diff != "" {
				t.Errorf("buffers (-before +after):\n%s", diff)
			}
		}},
	})
	t.Run("Precondition", func(t *testing.T) { preconditions(t, newWorld) })
}

func concurrentInput(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	pre := precondition(t, w, true, id)
	const each = 100
	errs := make(chan error)
	for c := 'a'; c < 'i'; c++ {
		go func() { errs <- w.Ports().SendText(t.Context(), pre, strings.Repeat(string(c), each), false) }()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	eventually(t, w, "all has arrived", func() (bool, any) { return len(w.Received(id)) >= 8*each, w.Received(id) })
	got := w.Received(id)
	for c := 'a'; c < 'i'; c++ {
		if !strings.Contains(got, strings.Repeat(string(c), each)) {
			t.Errorf("the text of %c is not whole in %q", c, got)
		}
	}
}

// A breach makes a precondition false that held.
type breach struct {
	name   string
	typing func(typing) bool // for which ways it counts; nil: all
	breaks func(t *testing.T, w World, id, sibling tmux.PaneID, pre *guard.Precondition)
}

func byCohort(t typing) bool { return t.cohort }

var breaches = []breach{
	{"another process", nil, func(_ *testing.T, _ World, _, _ tmux.PaneID, pre *guard.Precondition) {
		pre.Recipients[0].PID++
	}},
	{"the pane is gone", nil, func(_ *testing.T, w World, id, _ tmux.PaneID, _ *guard.Precondition) { w.Kill(string(id)) }},
	{"dead", nil, func(_ *testing.T, w World, id, _ tmux.PaneID, _ *guard.Precondition) { w.Die(id) }},
	{"input off", nil, func(_ *testing.T, w World, id, _ tmux.PaneID, _ *guard.Precondition) { w.Put(id, InputOff) }},
	{"in a mode", nil, func(_ *testing.T, w World, id, _ tmux.PaneID, _ *guard.Precondition) { w.Put(id, CopyMode) }},
	{"synchronized meanwhile", byCohort, func(t *testing.T, w World, id, _ tmux.PaneID, _ *guard.Precondition) {
		w.SetOption(string(pane(t, w, id).Window), "synchronize-panes", "on")
	}},
	{"somebody looks meanwhile", nil, func(t *testing.T, w World, id, _ tmux.PaneID, _ *guard.Precondition) {
		w.Attach(sessionOf(t, w, id), Terminal)
	}},
	{"zoomed meanwhile", nil, func(_ *testing.T, w World, id, _ tmux.PaneID, _ *guard.Precondition) { w.Put(id, Zoomed) }},
}

var cohortBreaches = []breach{
	{"a recipient with another process", nil, func(_ *testing.T, _ World, _, _ tmux.PaneID, pre *guard.Precondition) {
		pre.Recipients[1].PID++
	}},
	{"a recipient in a mode", nil, func(_ *testing.T, w World, _, sibling tmux.PaneID, _ *guard.Precondition) { w.Put(sibling, CopyMode) }},
	{"a recipient with input off", nil, func(_ *testing.T, w World, _, sibling tmux.PaneID, _ *guard.Precondition) { w.Put(sibling, InputOff) }},
	{"a recipient that died", nil, func(_ *testing.T, w World, _, sibling tmux.PaneID, _ *guard.Precondition) { w.Die(sibling) }},
	{"a recipient that is gone", nil, func(_ *testing.T, w World, _, sibling tmux.PaneID, _ *guard.Precondition) { w.Kill(string(sibling)) }},
	{"a recipient that left the cohort", nil, func(_ *testing.T, w World, _, sibling tmux.PaneID, _ *guard.Precondition) {
		w.SetOption(string(sibling), "synchronize-panes", "off")
	}},
	{"another pane in the cohort", nil, func(_ *testing.T, w World, id, _ tmux.PaneID, _ *guard.Precondition) { w.Split(id, Recorder) }},
	{"the pane itself left the cohort", nil, func(_ *testing.T, w World, id, _ tmux.PaneID, _ *guard.Precondition) {
		w.SetOption(string(id), "synchronize-panes", "off")
	}},
}

// preconditions checks that a false one types nothing, and that it is true otherwise.
func preconditions(t *testing.T, newWorld func(t *testing.T) World) {
	for _, breach := range breaches {
		t.Run(breach.name, func(t *testing.T) {
			w := newWorld(t)
			for i, typing := range typings {
				if breach.typing != nil && !breach.typing(typing) {
					continue
				}
				id := w.Session(fmt.Sprint("s", i), Recorder)
				sibling := w.Split(id, Recorder)
				pre := precondition(t, w, typing.cohort, id)
				breach.breaks(t, w, id, sibling, &pre)
				checkBreach(t, w, typing, pre, sibling)
			}
		})
	}
	for _, breach := range cohortBreaches {
		t.Run("cohort, "+breach.name, func(t *testing.T) {
			w := newWorld(t)
			for i, typing := range typings[:2] {
				id := w.Session(fmt.Sprint("s", i), Recorder)
				sibling := w.Split(id, Recorder)
				w.SetOption(string(pane(t, w, id).Window), "synchronize-panes", "on")
				pre := precondition(t, w, true, id, sibling)
				breach.breaks(t, w, id, sibling, &pre)
				checkBreach(t, w, typing, pre, id)
			}
		})
	}
	runCases(t, newWorld, []testCase{
		{"a confirmed viewer does not matter", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			pre := precondition(t, w, true, id)
			pre.Unwatched = false
			w.Attach(sessionOf(t, w, id), Terminal)
			for _, typing := range typings {
				succeeds(t, w, typing.send(bounded(t), w.Ports(), pre))
			}
			received(t, w, id, "xxx")
		}},
		{"a viewer who was there already does not matter", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.Attach(sessionOf(t, w, id), Terminal)
			succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "x", false))
			received(t, w, id, "x")
		}},
		{"a control client does not matter", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			pre := precondition(t, w, true, id)
			detach := w.Attach(sessionOf(t, w, id), Control)
			succeeds(t, w, w.Ports().SendText(bounded(t), pre, "x", false))
			pre = precondition(t, w, true, id)
			detach()
			succeeds(t, w, w.Ports().SendText(bounded(t), pre, "y", false))
			received(t, w, id, "xy")
		}},
		{"a hidden recipient of a zoomed window", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			sibling := w.Split(id, Recorder)
			w.Put(sibling, Zoomed)
			succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "x", false))
			received(t, w, id, "x")
			untouched(t, w, sibling)
		}},
		{"a zoom that turns to another pane", func(t *testing.T, w World) {
			for i, typing := range typings {
				id := w.Session(fmt.Sprint("s", i), Recorder)
				sibling := w.Split(id, Recorder)
				w.Put(sibling, Zoomed)
				pre := precondition(t, w, typing.cohort, id)
				w.Put(sibling, Zoomed) // the zoom ends
				w.Put(id, Zoomed)
				checkBreach(t, w, typing, pre, sibling)
			}
		}},
		{"another active pane does not matter where nothing is zoomed", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			sibling := w.Split(id, Recorder)
			pre := precondition(t, w, true, id)
			w.Put(id, Active)
			succeeds(t, w, w.Ports().SendText(bounded(t), pre, "x", false))
			received(t, w, id, "x")
			untouched(t, w, sibling)
		}},
	})
}

func checkBreach(t *testing.T, w World, typing typing, pre guard.Precondition, others ...tmux.PaneID) {
	t.Helper()
	wants(t, w, fault.PreconditionFailed, typing.send(bounded(t), w.Ports(), pre))
	read := topology(t, w)
	for _, id := range append(others, pre.Pane) {
		if p, ok := read.Pane(id); ok && !p.Dead {
			untouched(t, w, id)
		}
	}
}
