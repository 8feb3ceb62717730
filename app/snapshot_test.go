package app_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// snapshot takes a snapshot, or a page of one, that has to succeed.
func (h *house) snapshot(a *app.App, in app.TmuxSnapshotIn) app.TmuxSnapshotOut {
	h.Helper()
	out, err := a.TmuxSnapshot(h.Context(), in)
	if err != nil {
		h.Fatalf("%+v: %v", in, err)
	}
	return out
}

// panes adds windows with a recorder each until there are so many panes.
func (h *house) panes(n int) (ids []string) {
	first := h.world.AddSession("main", "record")
	ids = append(ids, string(first))
	for len(ids) < n {
		ids = append(ids, string(h.world.AddWindow(h.world.SessionOf(first), "w", "record")))
	}
	return ids
}

func idsOf(items []app.SnapshotItem) []string {
	return lo.Map(items, func(item app.SnapshotItem, _ int) string { return item.Ref.ID })
}

func TestASnapshotIsOneCaptureWhateverHappensMeanwhile(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		ids := h.panes(7)
		page := h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane", Limit: 3})
		first, read := page, idsOf(page.Items)
		for i, happens := range []func(){
			func() { h.world.KillPane(tmux.PaneID(ids[3])); h.world.AddSession("more", "record") },
			func() { h.world.Restart("again", "record") },
		} {
			if !page.Truncated || page.NextCursor == "" {
				t.Fatalf("page %d: %+v", i, page)
			}
			happens()
			page = h.snapshot(h.app, app.TmuxSnapshotIn{Cursor: page.NextCursor})
			if page.CaptureID != first.CaptureID || page.Server != first.Server || page.Interval != first.Interval || page.Coverage.Start != len(read) {
				t.Errorf("page %d: %+v, want what the first said: %+v", i, page, first)
			}
			read = append(read, idsOf(page.Items)...)
		}
		if page.Truncated || page.NextCursor != "" {
			t.Errorf("the last page: %+v", page)
		}
		if diff := cmp.Diff(ids, read); diff != "" {
			t.Errorf("all pages (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(app.SnapshotCoverage{Read: 7, Matched: 7, UnknownFields: []string{"pane_key_mode", "bracket_paste_flag"}}, first.Coverage); diff != "" {
			t.Errorf("coverage of tmux 3.4 (-want +got):\n%s", diff)
		}
		if first.Interval.Reads != 1 || first.Server.State != "running" {
			t.Errorf("got %+v", first)
		}
		// What it captured is of another life now, and its references say so.
		ref := page.Items[0].Ref
		_, err := app.Exact(h.app, h.Context(), tmux.DetailBrief, "target_id", app.Reference{Generation: string(ref.Generation), TargetID: ref.ID}, tmux.KindPane)
		h.wantFault(err, fault.StaleTarget, "")
		if now := h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane"}); now.CaptureID == first.CaptureID || len(now.Items) != 1 {
			t.Errorf("a new capture: %+v", now)
		}
	})
}

func TestSnapshotsOfEachKind(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		if out := h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane"}); out.Server.State != "absent" || out.Items == nil || len(out.Items) != 0 || out.Truncated {
			t.Errorf("without a server: %+v", out)
		}
		pane := h.world.AddSession("main", "record")
		h.world.Rename(string(pane), "a \xff b")
		h.world.Attach(h.world.SessionOf(pane), fake.Client{})
		h.world.Attach(h.world.SessionOf(pane), fake.Client{Own: true})
		for kind, want := range map[string]struct{ id, field, value string }{
			"session": {"$0", "session_attached", "1"}, "window": {"@0", "window_panes", "1"}, "window_link": {"", "window_active", "true"},
			"pane": {"%0", "pane_title", "\"a \uFFFD b\""}, "client": {"", "client_control_mode", "false"},
		} {
			out := h.snapshot(h.app, app.TmuxSnapshotIn{Entity: kind})
			if len(out.Items) != 1 || string(out.Items[0].Kind) != kind {
				t.Errorf("%s: %+v", kind, out.Items)
				continue
			}
			item := out.Items[0]
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(item.Fields, &fields); err != nil || string(fields[want.field]) != want.value {
				t.Errorf("%s: %s is %s, want %s (%v)", kind, want.field, fields[want.field], want.value, err)
			}
			var ref *tmux.Ref
			if want.id != "" {
				ref = &tmux.Ref{Generation: tmux.Generation(out.Server.Generation), Kind: tmux.Kind(kind), ID: want.id}
			}
			if diff := cmp.Diff(ref, item.Ref); diff != "" {
				t.Errorf("%s: ref (-want +got):\n%s", kind, diff)
			}
			if (out.ReplacedBytes == 1) != (kind == "pane") {
				t.Errorf("%s: %d bytes replaced", kind, out.ReplacedBytes)
			}
		}
	})
}

func TestSnapshotsThatCannotBe(t *testing.T) {
	inHouse(t, fake.Options{Version: "3.2a"}, func(h *house) {
		h.panes(3)
		cursor := h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane", Limit: 1}).NextCursor
		for _, c := range []struct {
			name, arguments string
			kind            fault.Kind
			says, recovery  string
		}{
			{"nothing", `{}`, fault.InvalidInput, `entity ""`, "session, window, window_link, pane, client, or a cursor"},
			{"another entity", `{"entity":"buffer"}`, fault.InvalidInput, "entity", "pane"},
			{"no items", `{"entity":"pane","limit":0}`, fault.InvalidInput, "limit", "200"},
			{"too many items", `{"entity":"pane","limit":201}`, fault.InvalidInput, "limit", "200"},
			{"a cursor and more", `{"cursor":"` + cursor + `","limit":2}`, fault.InvalidInput, "cursor stands beside", "alone"},
			{"a cursor and an entity", `{"cursor":"` + cursor + `","entity":"pane"}`, fault.InvalidInput, "cursor stands beside", "alone"},
			{"no cursor", `{"cursor":"x"}`, fault.StaleCursor, "not one that this server process gave", "without a cursor"},
			{"criteria of text", `{"entity":"pane","criteria":"pane_id"}`, fault.InvalidInput, "criteria", "object"},
			{"criteria with null", `{"entity":"pane","criteria":{"not":null}}`, fault.InvalidInput, "criteria.not", ""},
			{"a key twice", `{"entity":"pane","criteria":{"not":{},"not":{}}}`, fault.InvalidInput, "criteria.not", "once"},
			{"an unknown field", `{"entity":"pane","criteria":{"any":[{"field":"pane_nme","op":"eq","value":"x"}]}}`, fault.InvalidFilter, "criteria.any[0].field", "pane_title"},
			{"a field of a newer tmux", `{"entity":"pane","criteria":{"field":"pane_dead_signal","op":"eq","value":"9"}}`, fault.InvalidFilter, "tmux 3.2a does not have", "3.3"},
		} {
			_, err := h.app.Call(h.Context(), "tmux_snapshot", json.RawMessage(c.arguments))
			if f := h.wantFault(err, c.kind, ""); !strings.Contains(f.Message, c.says) || !strings.Contains(f.Recovery, c.recovery) {
				t.Errorf("%s: %q, recovery %q; want %q, %q", c.name, f.Message, f.Recovery, c.says, c.recovery)
			}
		}
		if out := h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane", Criteria: json.RawMessage(`{"field":"pane_id","op":"in","value":["%0","%2"]}`)}); len(out.Items) != 2 ||
			out.Coverage.Read != 3 || out.Coverage.Matched != 2 {
			t.Errorf("criteria: %+v", out)
		}
	})
}

func TestACursorThatIsGoneGivesNothing(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.panes(3)
		take := func(a *app.App) string { return h.snapshot(a, app.TmuxSnapshotIn{Entity: "pane", Limit: 1}).NextCursor }
		gone := func(name, cursor string, a *app.App) {
			t.Helper()
			_, err := a.TmuxSnapshot(h.Context(), app.TmuxSnapshotIn{Cursor: cursor})
			if f := h.wantFault(err, fault.StaleCursor, ""); f.Recovery == "" {
				t.Errorf("%s: %v", name, f)
			}
		}
		cursor := take(h.app)
		time.Sleep(30*time.Second - time.Nanosecond)
		h.snapshot(h.app, app.TmuxSnapshotIn{Cursor: cursor})
		time.Sleep(time.Nanosecond)
		gone("expired", cursor, h.app)

		cursor = take(h.app)
		for range 15 {
			take(h.app)
			h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane"}) // is whole, so that nothing has to make room for it
		}
		h.snapshot(h.app, app.TmuxSnapshotIn{Cursor: cursor})
		take(h.app)
		gone("evicted", cursor, h.app)

		other := h.process(h.world)
		defer other.Close()
		gone("of another process", take(other), h.app)

		small := app.New(h.ports(h.world), app.Options{Retention: snapshot.Limits{Captures: 1, Bytes: 4096, Age: time.Second}})
		defer small.Close()
		cursor = take(small)
		take(small)
		gone("evicted by option", cursor, small)
		h.world.Rename("%0", strings.Repeat("x", 4096))
		_, err := small.TmuxSnapshot(h.Context(), app.TmuxSnapshotIn{Entity: "pane", Limit: 1})
		h.wantFault(err, fault.Capacity, "")
	})
}

func TestASnapshotEndsInTime(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.panes(1)
		outside := h.ports(h.world)
		slow := porttest.NewFaulty(porttest.Ports{Snapshots: h.world})
		slow.Inject("Snapshot", porttest.Fault{Delay: time.Hour})
		outside.Snapshots = slow
		a := app.New(outside, app.Options{AcquisitionTimeout: 2 * time.Second})
		defer a.Close()
		took := elapsed(func() {
			_, err := a.TmuxSnapshot(h.Context(), app.TmuxSnapshotIn{Entity: "pane"})
			if f := h.wantFault(err, fault.Deadline, ""); f.Delivery == fault.PossiblySent {
				t.Errorf("a read is said to have been sent: %+v", f)
			}
		})
		if took != 2*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// A snapshot lists what there is, so that the ids in it count for the tools that take ids alone. A page of an old one does not.
func TestASnapshotAcknowledges(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.panes(2)
		cursor := h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane", Limit: 1}).NextCursor
		pane := h.world.Restart("again", "record")
		info := func() error {
			_, err := h.app.GetPaneInfo(h.Context(), app.GetPaneInfoIn{PaneID: string(pane)})
			return err
		}
		h.wantFault(info(), fault.StaleTarget, "")
		h.snapshot(h.app, app.TmuxSnapshotIn{Cursor: cursor})
		h.wantFault(info(), fault.StaleTarget, "")
		h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane"})
		if err := info(); err != nil {
			t.Errorf("after a snapshot: %v", err)
		}
	})
}

func TestAPageThatIsTooLargeIsNotCut(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		for _, id := range h.panes(20) {
			h.world.Rename(id, strings.Repeat("x", 60<<10))
		}
		_, err := h.app.Call(h.Context(), "tmux_snapshot", json.RawMessage(`{"entity":"pane"}`))
		if f := h.wantFault(err, fault.Capacity, ""); !strings.Contains(f.Recovery, "limit") {
			t.Errorf("recovery %q", f.Recovery)
		}
		out, err := h.app.Call(h.Context(), "tmux_snapshot", json.RawMessage(`{"entity":"pane","limit":10}`))
		if err != nil || len(out.(app.TmuxSnapshotOut).Items) != 10 {
			t.Errorf("a smaller page: %v", err)
		}
	})
}

// Captures of thousands of panes stay within the bytes that are retained, and little more.
func TestThousandsOfPanesPageInBoundedMemory(t *testing.T) {
	const panes, most = 4096, 24 << 20 // bytes
	inHouse(t, fake.Options{}, func(h *house) {
		ids := h.panes(panes)
		heap := func() int {
			runtime.GC()
			var stats runtime.MemStats
			runtime.ReadMemStats(&stats)
			return int(stats.HeapAlloc)
		}
		before := heap()
		var page app.TmuxSnapshotOut
		for range 4 {
			page = h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane", Limit: 200})
		}
		read := idsOf(page.Items)
		for page.NextCursor != "" {
			page = h.snapshot(h.app, app.TmuxSnapshotIn{Cursor: page.NextCursor})
			read = append(read, idsOf(page.Items)...)
		}
		if diff := cmp.Diff(ids, read); diff != "" {
			t.Errorf("all pages (-want +got):\n%s", diff)
		}
		grown := heap() - before
		t.Logf("%d bytes for 4 captures of %d panes", grown, panes)
		if grown > most {
			t.Errorf("the heap grew by %d bytes, want at most %d", grown, most)
		}
		runtime.KeepAlive(h.app)
	})
}

func TestSnapshotRetentionIsSwept(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.panes(2)
		h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane", Limit: 1})
		time.Sleep(10 * time.Second)
		h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane", Limit: 1})
		time.Sleep(time.Second) // so that no look is at the moment of an end
		var sizes []string
		for range 5 {
			sizes = append(sizes, fmt.Sprint(app.Retained(h.app) > 0))
			time.Sleep(10 * time.Second)
		}
		if diff := cmp.Diff([]string{"true", "true", "true", "false", "false"}, sizes); diff != "" {
			t.Errorf("whether anything is retained (-want +got):\n%s", diff)
		}
	})
}
