package app_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// quiet adds a session with a pane in which nothing is written but by the test.
func (h *house) quiet(name string) tmux.PaneID { return h.world.AddSession(name, "record") }

// captured is a capture that has to succeed.
func (h *house) captured(a *app.App, in app.TmuxCaptureIn) app.TmuxCaptureOut {
	h.Helper()
	out, err := a.TmuxCapture(h.Context(), in)
	if err != nil {
		h.Fatalf("%+v: %v", in, err)
	}
	return out
}

// since asks what changed since a capture, and makes what there is now of the rows that there were.
func (h *house) since(in app.TmuxCaptureIn, base app.TmuxCaptureOut, rows []string) (app.TmuxCaptureOut, []string) {
	h.Helper()
	delta := h.captured(h.app, app.TmuxCaptureIn{Reference: in.Reference, Cursor: base.NextCursor})
	if delta.Mode != "delta" || delta.Rows != nil || delta.BaseCaptureID != base.CaptureID || delta.CaptureID == base.CaptureID || delta.Splice == nil || delta.Reset == nil {
		h.Fatalf("since %+v: %+v", base, delta)
	}
	return delta, screen.Splice{Start: delta.Splice.Start, Delete: delta.Splice.Delete, Rows: delta.Splice.Rows}.Apply(rows)
}

// blanks are the rows of a screen on which nothing stands.
func blanks(n int) []string { return slices.Repeat([]string{"\n"}, n) }

func TestTmuxCaptureGivesRowsWithTheirEndings(t *testing.T) {
	lines := func(first, last int) (rows []string) {
		for n := first; n <= last; n++ {
			rows = append(rows, fmt.Sprintf("n%d\n", n))
		}
		return rows
	}
	long := strings.Repeat("0123456789", 9)
	for _, c := range []struct {
		name    string
		print   string
		in      app.TmuxCaptureIn
		rows    []string
		dropped int // lines, and bytes
		bytes   int
	}{
		{"blank", "", app.TmuxCaptureIn{}, blanks(24), 0, 0},
		{"one that wraps", long + "\r\nb  ", app.TmuxCaptureIn{}, append([]string{long[:80], "0123456789\n", "b\n"}, blanks(21)...), 0, 0},
		{"more than the screen", strings.Join(lines(1, 30), "\r"), app.TmuxCaptureIn{}, append(lines(8, 30), "\n"), 0, 0},
		{"with history", strings.Join(lines(1, 30), "\r"), app.TmuxCaptureIn{HistoryLines: 5}, append(lines(3, 30), "\n"), 0, 0},
		{"with all the history", strings.Join(lines(1, 30), "\r"), app.TmuxCaptureIn{HistoryLines: 2000}, append(lines(1, 30), "\n"), 0, 0},
		{"the newest rows", strings.Join(lines(1, 30), "\r"), app.TmuxCaptureIn{MaxLines: 3}, []string{"n29\n", "n30\n", "\n"}, 21, len("n8\nn9\n") + 19*len("n10\n")},
		{"the newest bytes", strings.Join(lines(1, 30), "\r"), app.TmuxCaptureIn{MaxBytes: 10}, []string{"n29\n", "n30\n", "\n"}, 21, len("n8\nn9\n") + 19*len("n10\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.quiet("main")
				h.world.Print(pane, c.print)
				c.in.Reference = h.reference(pane)
				got := h.captured(h.app, c.in)
				if diff := cmp.Diff(c.rows, got.Rows); diff != "" {
					h.Errorf("rows (-want +got):\n%s", diff)
				}
				if got.Truncated != (c.dropped > 0) || got.DroppedLines != c.dropped || got.DroppedBytes != c.bytes {
					h.Errorf("truncated %t, dropped %d lines, %d bytes; want %d, %d", got.Truncated, got.DroppedLines, got.DroppedBytes, c.dropped, c.bytes)
				}
				got.Rows, got.CaptureID, got.Interval = nil, "", app.Interval{Reads: got.Interval.Reads}
				want := app.TmuxCaptureOut{
					Generation: c.in.Generation, TargetID: string(pane), SessionID: "$0", Mode: "snapshot", Encoding: "utf-8", HistoryContinuity: "unknown",
					Interval: app.Interval{Reads: 1}, Truncated: got.Truncated, DroppedLines: got.DroppedLines, DroppedBytes: got.DroppedBytes,
				}
				if diff := cmp.Diff(want, got); diff != "" {
					h.Errorf("the rest, which is not tracked (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestTmuxCaptureTellsWhatChanged(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quiet("main")
		in := app.TmuxCaptureIn{Reference: h.reference(pane), Track: true, MaxLines: 30, HistoryLines: 10}
		base := h.captured(h.app, in)
		first, rows := base, base.Rows
		if base.NextCursor == "" || base.ProcessGeneration == "" {
			t.Fatalf("got %+v", base)
		}
		for _, c := range []struct {
			name          string
			does          func()
			start, delete int
			rows          []string
			reset         bool
		}{
			{"nothing", func() {}, 24, 0, []string{}, false},
			{"a row", func() { h.world.Print(pane, "a") }, 0, 1, []string{"a\n"}, false},
			{"its end", func() { h.world.Print(pane, "b\r\nc") }, 0, 2, []string{"ab\n", "c\n"}, false},
			{"it wraps", func() { h.world.Print(pane, strings.Repeat("d", 80)) }, 1, 2, []string{"c" + strings.Repeat("d", 79), "d\n"}, false},
			{"another size", func() { h.world.Resize(h.world.WindowOf(pane), 80, 25) }, 0, 24, append([]string{"ab\n", "c" + strings.Repeat("d", 79), "d\n"}, blanks(22)...), true},
			{"the other screen", func() { h.world.Print(pane, "\x1b[?1049h\x1b[Hx") }, 0, 25, append([]string{"x\n"}, blanks(24)...), true},
			{"back", func() { h.world.Print(pane, "\x1b[?1049l") }, 0, 25, append([]string{"ab\n", "c" + strings.Repeat("d", 79), "d\n"}, blanks(22)...), true},
			{"more than the bounds", func() { h.world.Print(pane, "\r\n"+strings.Repeat("e\r\n", 40)) }, 0, 24, slices.Repeat([]string{"e\n"}, 29), false},
		} {
			c.does()
			base, rows = h.since(in, base, rows)
			if base.Splice.Start != c.start || base.Splice.Delete != c.delete || *base.Reset != c.reset || !slices.Equal(base.Splice.Rows, c.rows) {
				t.Errorf("%s: %+v, reset %t", c.name, *base.Splice, *base.Reset)
			}
			if base.ProcessGeneration != first.ProcessGeneration || base.Encoding != "utf-8" || base.SessionID != "$0" {
				t.Errorf("%s: %+v", c.name, base)
			}
			whole := h.captured(h.app, app.TmuxCaptureIn{Reference: in.Reference, MaxLines: 30, HistoryLines: 10})
			if diff := cmp.Diff(whole.Rows, rows); diff != "" || whole.Truncated != base.Truncated || whole.DroppedLines != base.DroppedLines {
				t.Errorf("%s: truncated %t, applied (-whole +applied):\n%s", c.name, base.Truncated, diff)
			}
		}
		// Who did not get an answer asks again.
		if _, again := h.since(in, first, first.Rows); !slices.Equal(again, rows) {
			t.Errorf("since the first: %q, want %q", again, rows)
		}
	})
}

func TestTmuxCaptureRefusesOtherCursors(t *testing.T) {
	for _, c := range []struct {
		name string
		does func(h *house, pane tmux.PaneID, in *app.TmuxCaptureIn)
		code fault.Kind
	}{
		{"malformed", func(_ *house, _ tmux.PaneID, in *app.TmuxCaptureIn) { in.Cursor = in.Cursor[1:] }, fault.StaleCursor},
		{"the id of a capture", func(h *house, pane tmux.PaneID, in *app.TmuxCaptureIn) {
			in.Cursor = h.captured(h.app, app.TmuxCaptureIn{Reference: in.Reference, Track: true}).CaptureID
		}, fault.StaleCursor},
		{"of a snapshot", func(h *house, _ tmux.PaneID, in *app.TmuxCaptureIn) {
			in.Cursor = h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane", Limit: 1}).NextCursor
		}, fault.StaleCursor},
		{"of another server process", func(h *house, _ tmux.PaneID, in *app.TmuxCaptureIn) {
			other := h.process(h.world)
			defer other.Close()
			in.Cursor = h.captured(other, app.TmuxCaptureIn{Reference: in.Reference, Track: true}).NextCursor
		}, fault.StaleCursor},
		{"of another pane", func(_ *house, _ tmux.PaneID, in *app.TmuxCaptureIn) { in.TargetID = "%1" }, fault.StaleCursor},
		{"of another generation", func(_ *house, _ tmux.PaneID, in *app.TmuxCaptureIn) { in.Generation = "g0" }, fault.StaleCursor},
		{"in another session", func(_ *house, _ tmux.PaneID, in *app.TmuxCaptureIn) { in.SessionID = "$1" }, fault.StaleCursor},
		{"expired", func(*house, tmux.PaneID, *app.TmuxCaptureIn) { time.Sleep(30 * time.Second) }, fault.StaleCursor},
		{"evicted", func(h *house, _ tmux.PaneID, in *app.TmuxCaptureIn) {
			for range 16 {
				h.captured(h.app, app.TmuxCaptureIn{Reference: in.Reference, Track: true})
			}
		}, fault.StaleCursor},
		{"another process came", func(h *house, pane tmux.PaneID, _ *app.TmuxCaptureIn) { h.world.Replace(pane, "record") }, fault.StaleCursor},
		{"the process ended", func(h *house, pane tmux.PaneID, _ *app.TmuxCaptureIn) {
			h.world.SetOption("", "remain-on-exit", "on")
			h.world.Exit(pane, 1)
		}, fault.StaleCursor},
		{"the pane is gone", func(h *house, pane tmux.PaneID, _ *app.TmuxCaptureIn) { h.world.KillPane(pane) }, fault.NotFound},
		{"tmux restarted", func(h *house, _ tmux.PaneID, _ *app.TmuxCaptureIn) { h.world.Restart("main", "record") }, fault.StaleTarget},
		{"tmux restarted, and the caller knows", func(h *house, _ tmux.PaneID, in *app.TmuxCaptureIn) {
			in.Reference = h.reference(h.world.Restart("main", "record"))
		}, fault.StaleCursor},
		{"no tmux", func(h *house, _ tmux.PaneID, _ *app.TmuxCaptureIn) { h.world.KillServer() }, fault.ServerGone},
		{"with bounds", func(_ *house, _ tmux.PaneID, in *app.TmuxCaptureIn) { in.MaxLines = 1 }, fault.InvalidInput},
		{"with history", func(_ *house, _ tmux.PaneID, in *app.TmuxCaptureIn) { in.HistoryLines = 1 }, fault.InvalidInput},
		{"of no session", func(_ *house, _ tmux.PaneID, in *app.TmuxCaptureIn) { in.SessionID = "main" }, fault.InvalidInput},
	} {
		for _, version := range []tmux.Version{"3.2a", "3.4", "3.8"} { // processes cannot be held with the first
			t.Run(c.name+" "+string(version), func(t *testing.T) {
				inHouse(t, fake.Options{Version: version}, func(h *house) {
					pane := h.quiet("main")
					h.quiet("other")
					in := app.TmuxCaptureIn{Reference: h.reference(pane), Track: true}
					first := h.captured(h.app, in)
					if tracked := version.AtLeast("3.3"); tracked != (first.ProcessGeneration != "") {
						h.Errorf("process generation %q", first.ProcessGeneration)
					}
					in.Cursor = first.NextCursor
					h.captured(h.app, in)
					c.does(h, pane, &in)
					out, err := h.app.TmuxCapture(h.Context(), in)
					if f := h.wantFault(err, c.code, ""); strings.Contains(f.Recovery, "list_") || out.NextCursor != "" {
						h.Errorf("got %+v, %+v", out, f)
					}
				})
			})
		}
	}
}

// A counter counts the processes that are held.
type counter struct {
	ports.Identity
	held    atomic.Int32
	meddles func() // after each hold
}

func (c *counter) Hold(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Held, error) {
	held, err := c.Identity.Hold(ctx, server, pane)
	if err == nil {
		c.held.Add(1)
		held = &counted{Held: held, counter: c}
	}
	if c.meddles != nil {
		c.meddles()
	}
	return held, err
}

type counted struct {
	ports.Held
	counter *counter
}

func (c *counted) Close() {
	c.counter.held.Add(-1)
	c.Held.Close()
}

func TestTmuxCaptureHoldsProcessesAsLongAsCursors(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quiet("main")
		identity := &counter{Identity: h.world}
		outside := h.ports(h.world)
		outside.Identity = identity
		a := app.New(outside, app.Options{Retention: snapshot.Limits{Captures: 3, Bytes: 2800, Age: time.Minute}})
		in := app.TmuxCaptureIn{Reference: h.reference(pane), Track: true}
		holds := func(when string, want int32) {
			if got := identity.held.Load(); got != want {
				h.Errorf("%s: %d processes are held, want %d", when, got, want)
			}
		}
		untracked := in
		untracked.Track = false
		h.captured(a, untracked)
		holds("without a cursor", 0)
		first := h.captured(a, in)
		holds("with a cursor", 1)
		h.captured(a, in)
		h.captured(a, app.TmuxCaptureIn{Reference: in.Reference, Cursor: first.NextCursor})
		holds("with three", 3)
		h.captured(a, in)
		holds("with one evicted", 3)
		h.world.Print(pane, strings.Repeat("x", 80*24-1))
		_, err := a.TmuxCapture(h.Context(), app.TmuxCaptureIn{Reference: in.Reference, Track: true, HistoryLines: 2000})
		if err != nil {
			h.Fatal(err)
		}
		holds("with two evicted by a large one", 2)
		h.world.Print(pane, strings.Repeat("x", 80*48))
		_, err = a.TmuxCapture(h.Context(), app.TmuxCaptureIn{Reference: in.Reference, Track: true, HistoryLines: 2000})
		h.wantFault(err, fault.Capacity, "")
		holds("with one too large", 2)
		time.Sleep(time.Minute + time.Second)
		holds("expired, though nobody asked", 0)
		next := h.captured(a, app.TmuxCaptureIn{Reference: in.Reference, Track: true})
		h.world.Replace(pane, "record")
		_, err = a.TmuxCapture(h.Context(), app.TmuxCaptureIn{Reference: in.Reference, Cursor: next.NextCursor})
		h.wantFault(err, fault.StaleCursor, "")
		holds("stale", 1)
		a.Close()
		holds("closed", 0)
	})
}

// A pane that is respawned while it is captured is captured again: a cursor is of a process whose screen that was.
func TestTmuxCaptureIsOfOneProcess(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quiet("main")
		identity := &counter{Identity: h.world}
		outside := h.ports(h.world)
		outside.Identity = identity
		a := app.New(outside, app.Options{})
		defer a.Close()
		respawned := 0
		identity.meddles = func() {
			if respawned < 3 {
				respawned++
				h.world.Replace(pane, "record")
				h.world.Print(pane, fmt.Sprintf("process %d", respawned))
			}
		}
		got := h.captured(a, app.TmuxCaptureIn{Reference: h.reference(pane), Track: true})
		if !strings.HasPrefix(strings.Join(got.Rows, ""), "process 3\n") || identity.held.Load() != 1 {
			h.Errorf("got %+v, %d held", got, identity.held.Load())
		}
	})
}

func TestTmuxCaptureOfADeadPane(t *testing.T) {
	for _, version := range []tmux.Version{"3.2a", "3.4"} {
		inHouse(t, fake.Options{Version: version}, func(h *house) {
			pane := h.quiet("main")
			h.world.SetOption("", "remain-on-exit", "on")
			h.world.Exit(pane, 1)
			in := app.TmuxCaptureIn{Reference: h.reference(pane)}
			if got := h.captured(h.app, in); got.NextCursor != "" {
				h.Errorf("got %+v", got)
			}
			in.Track = true
			_, err := h.app.TmuxCapture(h.Context(), in)
			h.wantFault(err, fault.Refused, fault.Dead)
		})
	}
}

func TestTmuxCaptureInASession(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quiet("main")
		other := h.world.SessionOf(h.quiet("other"))
		in := app.TmuxCaptureIn{Reference: h.reference(pane), Track: true}
		alone := h.captured(h.app, in)
		h.world.Link(h.world.WindowOf(pane), other)
		_, err := h.app.TmuxCapture(h.Context(), in)
		if f := h.wantFault(err, fault.InvalidInput, ""); !strings.Contains(f.Message, "session_id") || !strings.Contains(f.Recovery, "$0, $1") {
			h.Errorf("%v, %q", f, f.Recovery)
		}
		// What was tracked goes on in its session.
		h.world.SetOption("$1", "after-capture-pane", "display-message x")
		delta := h.captured(h.app, app.TmuxCaptureIn{Reference: in.Reference, Cursor: alone.NextCursor})
		if delta.SessionID != "$0" {
			h.Errorf("got %+v", delta)
		}
		in.SessionID = "$1"
		_, err = h.app.TmuxCapture(h.Context(), in)
		h.wantFault(err, fault.Refused, fault.Hooked)
		in.SessionID = "$7"
		_, err = h.app.TmuxCapture(h.Context(), in)
		if f := h.wantFault(err, fault.NotFound, ""); !strings.Contains(f.Message, "$7") {
			h.Error(f)
		}
		h.world.KillSession("$0") // the pane goes on in the other
		_, err = h.app.TmuxCapture(h.Context(), app.TmuxCaptureIn{Reference: in.Reference, Cursor: delta.NextCursor})
		if f := h.wantFault(err, fault.NotFound, ""); !strings.Contains(f.Message, "$0") {
			h.Error(f)
		}
	})
}

// A raw reader captures rows that are no UTF-8.
type raw struct{ ports.Reader }

func (r raw) Capture(ctx context.Context, request ports.CaptureRequest) (screen.Capture, error) {
	c, err := r.Reader.Capture(ctx, request)
	c.Rows[1] = "\xff" + c.Rows[1]
	return c, err
}

func TestTmuxCaptureEncodesAndIsBounded(t *testing.T) {
	inHouse(t, fake.Options{Height: 3}, func(h *house) {
		pane := h.quiet("main")
		h.world.Print(pane, "a\r\nb\r\nc")
		outside := h.ports(h.world)
		outside.Reader = raw{h.world}
		a := app.New(outside, app.Options{})
		defer a.Close()
		in := app.TmuxCaptureIn{Reference: h.reference(pane), Track: true}
		encode := func(rows ...string) (encoded []string) {
			for _, row := range rows {
				encoded = append(encoded, base64.StdEncoding.EncodeToString([]byte(row)))
			}
			return encoded
		}
		first := h.captured(a, in)
		if first.Encoding != "base64" || !slices.Equal(first.Rows, encode("a\n", "\xffb\n", "c\n")) {
			h.Errorf("got %+v", first)
		}
		h.world.Print(pane, "d")
		next := h.captured(a, app.TmuxCaptureIn{Reference: in.Reference, Cursor: first.NextCursor})
		if next.Encoding != "utf-8" || !slices.Equal(next.Splice.Rows, []string{"cd\n"}) {
			h.Errorf("only what is told is encoded: %+v", *next.Splice)
		}
		uri := "tmux://local/" + in.Generation + "/panes/%25" + string(pane)[1:] + "/screen"
		content, err := a.ReadResource(h.Context(), uri)
		if err != nil || string(content.Blob) != "a\n\xffb\ncd\n" || content.Text != "" || content.MIMEType != "application/octet-stream" {
			h.Errorf("as a resource: %+v, %v", content, err)
		}

		small := app.New(h.ports(h.world), app.Options{MaxResultBytes: 200})
		defer small.Close()
		_, err = small.TmuxCapture(h.Context(), in)
		if err != nil {
			h.Errorf("the method: %v", err)
		}
		_, err = small.Call(h.Context(), "tmux_capture", fmt.Appendf(nil, `{"generation":%q,"target_id":%q}`, in.Generation, pane))
		h.wantFault(err, fault.Capacity, "")
		_, err = small.ReadResource(h.Context(), uri)
		h.wantFault(err, fault.Capacity, "")
		withheld := h.offering(frozen(t, app.Members(), surface.Wish{Exact: app.ExactBase()}, ""))
		_, err = withheld.ReadResource(h.Context(), uri)
		h.wantFault(err, fault.NotFound, "")
	})
}
