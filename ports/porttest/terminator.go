package porttest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Terminator runs the contract of [ports.Terminator].
func Terminator(t *testing.T, newWorld func(t *testing.T) World) {
	t.Run("End", func(t *testing.T) { end(t, newWorld) })
	t.Run("DropHistory", func(t *testing.T) { dropHistory(t, newWorld) })
}

// judged is what an ending of the target demands now.
func judged(t *testing.T, w World, target string, confirmed bool) (tmux.Server, guard.Ending) {
	t.Helper()
	read := topology(t, w)
	ending, refusal := guard.JudgeEnd(read, guard.EndWish{Target: target, ConfirmAttended: confirmed}, "")
	if refusal != nil {
		t.Fatalf("%v\n%v", refusal, w)
	}
	return read.Server, ending
}

// linked is a world in which main ($0) has the windows @0 (panes %0 and %1) and @1 (%2), and other ($1) has @2 (%3), and @1 too.
func linked(t *testing.T, w World) {
	t.Helper()
	first := w.Session("main", Recorder)
	w.Split(first, Recorder)
	_, err := w.Ports().NewWindow(bounded(t), topology(t, w).Server, ports.NewWindow{Session: "$0", Name: "shared"})
	succeeds(t, w, err)
	w.Session("other", Recorder)
	w.Link("@1", "$1")
}

func end(t *testing.T, newWorld func(t *testing.T) World) {
	for name, c := range map[string]struct {
		target string
		want   ports.Ended
	}{
		"a pane":                  {"%1", ports.Ended{Panes: []tmux.PaneID{"%1"}}},
		"the last pane":           {"%2", ports.Ended{Panes: []tmux.PaneID{"%2"}, Windows: []tmux.WindowID{"@1"}}},
		"a window":                {"@0", ports.Ended{Panes: []tmux.PaneID{"%0", "%1"}, Windows: []tmux.WindowID{"@0"}}},
		"a linked window":         {"@1", ports.Ended{Panes: []tmux.PaneID{"%2"}, Windows: []tmux.WindowID{"@1"}}},
		"a session, not its link": {"$0", ports.Ended{Panes: []tmux.PaneID{"%0", "%1"}, Windows: []tmux.WindowID{"@0"}, Sessions: []tmux.SessionID{"$0"}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			linked(t, w)
			server, ending := judged(t, w, c.target, false)
			ended, err := w.Ports().End(bounded(t), server, ending)
			succeeds(t, w, err)
			if diff := cmp.Diff(c.want, ended, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("ended (-want +got):\n%s\n%v", diff, w)
			}
			read := topology(t, w)
			for _, id := range c.want.Panes {
				if _, lives := read.Pane(id); lives {
					t.Errorf("pane %s lives", id)
				}
			}
			if left := len(read.Panes); left != 4-len(c.want.Panes) {
				t.Errorf("%d panes are left\n%v", left, w)
			}
		})
	}
	for name, change := range map[string]struct {
		target string
		change func(w World)
	}{
		"another pane":         {"@0", func(w World) { w.Split("%0", Recorder) }},
		"a pane less":          {"%0", func(w World) { w.Kill("%1") }},
		"a person comes":       {"%0", func(w World) { w.Attach("$0", Terminal) }},
		"and to a session":     {"$0", func(w World) { w.Attach("$0", Terminal) }},
		"another zoom":         {"%0", func(w World) { w.Put("%1", Zoomed) }},
		"its other link is no": {"$0", func(w World) { w.Kill("$1") }},
	} {
		t.Run("not after a change: "+name, func(t *testing.T) {
			w := newWorld(t)
			linked(t, w)
			server, ending := judged(t, w, change.target, false)
			change.change(w)
			before := existing(t, w)
			ended, err := w.Ports().End(bounded(t), server, ending)
			wants(t, w, fault.PreconditionFailed, err)
			if diff := cmp.Diff(ports.Ended{}, ended); diff != "" {
				t.Errorf("a failed end answers (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, existing(t, w)); diff != "" {
				t.Errorf("a failed end changed (-before +after):\n%s", diff)
			}
		})
	}
	runCases(t, newWorld, []testCase{
		{"in front of a person who agreed, whoever else comes", func(t *testing.T, w World) {
			linked(t, w)
			w.Attach("$0", Terminal)
			server, ending := judged(t, w, "%1", true)
			w.Attach("$0", Terminal)
			_, err := w.Ports().End(bounded(t), server, ending)
			succeeds(t, w, err)
			if clients := topology(t, w).Clients; len(clients) != 2 {
				t.Errorf("clients %+v", clients)
			}
		}},
		{"a zoom of another pane stays", func(t *testing.T, w World) {
			linked(t, w)
			w.Split("%0", Recorder)
			w.Put("%0", Zoomed)
			w.Attach("$0", Terminal)
			server, ending := judged(t, w, "%1", false)
			_, err := w.Ports().End(bounded(t), server, ending)
			succeeds(t, w, err)
			window, _ := topology(t, w).Window("@0")
			if !window.Zoomed || !pane(t, w, "%0").Active || window.Panes != 2 {
				t.Errorf("%+v\n%v", window, w)
			}
		}},
		{"the last session", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			server, ending := judged(t, w, "$0", false)
			ended, err := w.Ports().End(bounded(t), server, ending)
			succeeds(t, w, err)
			want := ports.Ended{Panes: []tmux.PaneID{"%0"}, Windows: []tmux.WindowID{"@0"}, Sessions: []tmux.SessionID{"$0"}}
			if diff := cmp.Diff(want, ended, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("ended (-want +got):\n%s", diff)
			}
			eventually(t, w, "exit-empty ends the server", func() (bool, any) {
				read := topology(t, w)
				return !read.Running, read
			})
		}},
		{"what does not exist, another life, no time, no server", func(t *testing.T, w World) {
			linked(t, w)
			for _, target := range []string{"%0", "@0", "$0"} {
				server, ending := judged(t, w, target, false)
				ending.Target = target[:1] + "99"
				_, err := w.Ports().End(bounded(t), server, ending)
				wants(t, w, fault.NotFound, err)
			}
			old, ending := judged(t, w, "%0", false)
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().End(ctx, old, ending)
				return err
			})
			newLife(t, w, Recorder)
			_, err := w.Ports().End(bounded(t), old, ending)
			wants(t, w, fault.StaleTarget, err)
			if _, lives := topology(t, w).Pane("%0"); !lives {
				t.Error("it ended a pane of another life")
			}
			w.Kill("")
			_, err = w.Ports().End(bounded(t), old, ending)
			wants(t, w, fault.ServerGone, err)
		}},
	})
}

func dropHistory(t *testing.T, newWorld func(t *testing.T) World) {
	// scrolled is a pane with rows above its screen.
	scrolled := func(t *testing.T, w World) tmux.PaneID {
		t.Helper()
		id := w.Session("main", Recorder)
		for range 40 {
			w.Print(id, "row\r\n")
		}
		w.Print(id, "last")
		shows(t, w, id, "last")
		if pane(t, w, id).HistorySize == 0 {
			t.Fatalf("nothing scrolled\n%v", w)
		}
		return id
	}
	runCases(t, newWorld, []testCase{
		{"the rows above go, the screen stays", func(t *testing.T, w World) {
			id := scrolled(t, w)
			before := capture(t, w, ports.CaptureRequest{Pane: id})
			succeeds(t, w, w.Ports().DropHistory(bounded(t), before.Server, id, false))
			after := capture(t, w, ports.CaptureRequest{Pane: id, History: ports.AllHistory})
			if diff := cmp.Diff(before.Rows, after.Rows); diff != "" || after.Pane.HistorySize != 0 {
				t.Errorf("%d rows above; rows (-before +after):\n%s", after.Pane.HistorySize, diff)
			}
			untouched(t, w, id)
		}},
		{"and the screen", func(t *testing.T, w World) {
			id := scrolled(t, w)
			succeeds(t, w, w.Ports().DropHistory(bounded(t), topology(t, w).Server, id, true))
			after := capture(t, w, ports.CaptureRequest{Pane: id, History: ports.AllHistory, Join: true})
			for _, row := range after.Rows {
				if row != "" {
					t.Errorf("row %q is left", row)
				}
			}
			if after.Pane.HistorySize != 0 || after.Pane.CursorX != 0 || after.Pane.CursorY != 0 {
				t.Errorf("%+v", after.Pane)
			}
			untouched(t, w, id)
		}},
		{"not in a mode", func(t *testing.T, w World) {
			id := scrolled(t, w)
			w.Put(id, CopyMode)
			before := pane(t, w, id)
			refuses(t, w, fault.InMode, w.Ports().DropHistory(bounded(t), topology(t, w).Server, id, true))
			if after := pane(t, w, id); after.Mode == "" || after.HistorySize != before.HistorySize {
				t.Errorf("%+v", after)
			}
		}},
		{"what does not exist, another life, no time, no server", func(t *testing.T, w World) {
			id := scrolled(t, w)
			old := topology(t, w).Server
			wants(t, w, fault.NotFound, w.Ports().DropHistory(bounded(t), old, "%99", false))
			endsWithContext(t, w, func(ctx context.Context) error { return w.Ports().DropHistory(ctx, old, id, false) })
			newLife(t, w, Recorder)
			wants(t, w, fault.StaleTarget, w.Ports().DropHistory(bounded(t), old, id, false))
			w.Kill("")
			wants(t, w, fault.ServerGone, w.Ports().DropHistory(bounded(t), old, id, false))
		}},
	})
}
