package porttest

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Manager runs the contract of [ports.Manager].
func Manager(t *testing.T, newWorld func(t *testing.T) World) {
	t.Run("SetName", func(t *testing.T) { setName(t, newWorld) })
	t.Run("Select", func(t *testing.T) { selects(t, newWorld) })
	t.Run("Arrange", func(t *testing.T) { arrange(t, newWorld) })
	t.Run("SetSize", func(t *testing.T) { setSize(t, newWorld) })
	t.Run("Move", func(t *testing.T) { move(t, newWorld) })
	t.Run("Swap", func(t *testing.T) { swap(t, newWorld) })
	t.Run("Configure", func(t *testing.T) { configure(t, newWorld) })
	t.Run("none does anything to what is not there", func(t *testing.T) { manageNothing(t, newWorld) })
}

// frontOf is what is in front of the window of a pane.
func frontOf(t *testing.T, w World, id tmux.PaneID) ports.Front {
	t.Helper()
	read := topology(t, w)
	at, _ := read.Pane(id)
	window, _ := read.Window(at.Window)
	for _, p := range read.PanesOf(window.ID) {
		if p.Active {
			return ports.Front{Active: p.ID, Zoomed: window.Zoomed}
		}
	}
	t.Fatalf("no pane of %s is active\n%v", at.Window, w)
	return ports.Front{}
}

func windowOf(t *testing.T, w World, id tmux.PaneID) tmux.Window {
	t.Helper()
	read := topology(t, w)
	at, _ := read.Pane(id)
	window, _ := read.Window(at.Window)
	return window
}

func setName(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"names are literal", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			session, window := sessionOf(t, w, id), pane(t, w, id).Window
			for _, name := range []string{literal, "-t", "--", `\;`, ";", "quote's \"", "ПРИВЕТ日本🎉", "#[fg=red]#(touch X)#{pid}", "plain"} {
				for _, target := range []string{string(session), string(window), string(id)} {
					succeeds(t, w, w.Ports().SetName(bounded(t), topology(t, w).Server, ports.SetName{Target: target, Name: name}))
				}
				read := topology(t, w)
				got := []string{read.Sessions[0].Name, read.Windows[0].Name, read.Panes[0].Title}
				if diff := cmp.Diff([]string{name, name, name}, got); diff != "" {
					t.Errorf("names of session, window and pane (-want +got):\n%s", diff)
				}
			}
		}},
		{"a session's name that another has", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.Session("other", Recorder)
			target := string(sessionOf(t, w, id))
			wants(t, w, fault.InvalidInput, w.Ports().SetName(bounded(t), topology(t, w).Server, ports.SetName{Target: target, Name: "other"}))
			succeeds(t, w, w.Ports().SetName(bounded(t), topology(t, w).Server, ports.SetName{Target: target, Name: "main"}))
		}},
	})
}

func selects(t *testing.T, newWorld func(t *testing.T) World) {
	// shown is the current window and its active pane of the first session.
	shown := func(t *testing.T, w World) []string {
		t.Helper()
		for _, client := range topology(t, w).Clients {
			return []string{string(client.Window), string(client.Pane)}
		}
		t.Fatal("nobody is attached")
		return nil
	}
	for name, c := range map[string]struct {
		request ports.Select
		want    []string
	}{
		"a pane":              {ports.Select{Pane: "%1"}, []string{"@0", "%1"}},
		"the active pane":     {ports.Select{Pane: "%0"}, []string{"@0", "%0"}},
		"a pane out of sight": {ports.Select{Pane: "%2"}, []string{"@0", "%0"}},
		"a window":            {ports.Select{Window: "@1", Session: "$0"}, []string{"@1", "%2"}},
		"elsewhere":           {ports.Select{Window: "@1", Session: "$1"}, []string{"@0", "%0"}},
		"both":                {ports.Select{Pane: "%2", Window: "@1", Session: "$0"}, []string{"@1", "%2"}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			linked(t, w)
			w.Put("%0", Active)
			w.Attach("$0", Terminal)
			succeeds(t, w, w.Ports().Select(bounded(t), topology(t, w).Server, c.request))
			if diff := cmp.Diff(c.want, shown(t, w)); diff != "" {
				t.Errorf("what the person sees (-want +got):\n%s\n%v", diff, w)
			}
		})
	}
	runCases(t, newWorld, []testCase{
		{"a window that the session does not have", func(t *testing.T, w World) {
			linked(t, w)
			wants(t, w, fault.NotFound, w.Ports().Select(bounded(t), topology(t, w).Server, ports.Select{Window: "@0", Session: "$1"}))
			wants(t, w, fault.NotFound, w.Ports().Select(bounded(t), topology(t, w).Server, ports.Select{Window: "@0", Session: "$9"}))
		}},
	})
}

func arrange(t *testing.T, newWorld func(t *testing.T) World) {
	for _, name := range tmux.LayoutNames {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			id := w.Session("main", Recorder)
			w.Split(id, Recorder)
			w.Split(id, Recorder)
			w.Put(id, Zoomed)
			before := windowOf(t, w, id)
			request := ports.Arrange{Window: before.ID, Front: frontOf(t, w, id), Layout: name}
			succeeds(t, w, w.Ports().Arrange(bounded(t), topology(t, w).Server, request))
			after := windowOf(t, w, id)
			layout, err := tmux.ParseLayout(after.Layout)
			if err != nil || layout.Panes() != 3 || layout.String() != after.Layout {
				t.Errorf("layout %s: %v, want one of 3 panes, in the form that every tmux reads", after.Layout, err)
			}
			if after.Layout == before.Layout || after.Width != before.Width || after.Height != before.Height || frontOf(t, w, id) != request.Front {
				t.Errorf("before %+v\nafter %+v\n%v", before, after, w)
			}
		})
	}
	runCases(t, newWorld, []testCase{
		{"back to a layout string", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.Split(id, Recorder)
			w.Split(id, Recorder)
			saved := windowOf(t, w, id)
			for _, layout := range []string{"even-horizontal", saved.Layout} {
				request := ports.Arrange{Window: saved.ID, Front: frontOf(t, w, id), Layout: layout}
				succeeds(t, w, w.Ports().Arrange(bounded(t), topology(t, w).Server, request))
			}
			if diff := cmp.Diff(saved, windowOf(t, w, id)); diff != "" {
				t.Errorf("window (-saved +restored):\n%s", diff)
			}
		}},
		{"not when something else is in front", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			other := w.Split(id, Recorder)
			before := windowOf(t, w, id)
			request := ports.Arrange{Window: before.ID, Front: frontOf(t, w, id), Layout: "even-horizontal"}
			for _, state := range []State{Active, Zoomed} {
				w.Put(other, state)
				wants(t, w, fault.PreconditionFailed, w.Ports().Arrange(bounded(t), topology(t, w).Server, request))
			}
		}},
	})
}

func setSize(t *testing.T, newWorld func(t *testing.T) World) {
	set := func(t *testing.T, w World, request ports.SetSize) {
		t.Helper()
		if request.Front == (ports.Front{}) {
			request.Front = frontOf(t, w, "%0")
		}
		succeeds(t, w, w.Ports().SetSize(bounded(t), topology(t, w).Server, request))
	}
	runCases(t, newWorld, []testCase{
		{"a window", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			set(t, w, ports.SetSize{Target: "@0", Width: 100, Height: 30})
			set(t, w, ports.SetSize{Target: "@0", Height: 31})
			if got := pane(t, w, id); got.Width != 100 || got.Height != 31 {
				t.Errorf("%dx%d, want 100x31", got.Width, got.Height)
			}
		}},
		{"a pane, from the pane beside it", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			below := w.Split(id, Recorder)
			set(t, w, ports.SetSize{Target: string(id), Height: 5})
			if one, two := pane(t, w, id), pane(t, w, below); one.Height != 5 || two.Height != 18 || one.Width != 80 {
				t.Errorf("heights %d and %d, want 5 and 18", one.Height, two.Height)
			}
			set(t, w, ports.SetSize{Target: string(below), Height: 20, Width: 10}) // there is nothing beside it
			if one, two := pane(t, w, id), pane(t, w, below); one.Height != 3 || two.Height != 20 || two.Width != 80 {
				t.Errorf("heights %d and %d, width %d, want 3, 20 and 80", one.Height, two.Height, two.Width)
			}
		}},
		{"a pane behind a zoom, which stays", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			below := w.Split(id, Recorder)
			w.Put(id, Zoomed)
			set(t, w, ports.SetSize{Target: string(below), Height: 5})
			if got := frontOf(t, w, id); got != (ports.Front{Active: id, Zoomed: true}) {
				t.Errorf("in front is %+v", got)
			}
			set(t, w, ports.SetSize{Target: string(id), Zoom: new(false)})
			if got := pane(t, w, below); got.Height != 5 {
				t.Errorf("height %d, want 5", got.Height)
			}
		}},
		{"zooms", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			below := w.Split(id, Recorder)
			for _, step := range []struct {
				pane tmux.PaneID
				zoom bool
				want ports.Front
			}{
				{id, false, ports.Front{Active: id}},
				{id, true, ports.Front{Active: id, Zoomed: true}},
				{id, true, ports.Front{Active: id, Zoomed: true}},
				{below, false, ports.Front{Active: id, Zoomed: true}},
				{below, true, ports.Front{Active: below, Zoomed: true}},
				{below, false, ports.Front{Active: below}},
			} {
				set(t, w, ports.SetSize{Target: string(step.pane), Zoom: &step.zoom})
				if got := frontOf(t, w, id); got != step.want {
					t.Errorf("after %s zoomed: %t in front is %+v, want %+v", step.pane, step.zoom, got, step.want)
				}
			}
		}},
		{"not when something else is in front", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			other := w.Split(id, Recorder)
			front := frontOf(t, w, id)
			w.Put(other, Active)
			for _, request := range []ports.SetSize{{Target: "@0", Width: 90}, {Target: string(id), Height: 5}, {Target: string(id), Zoom: new(true)}} {
				request.Front = front
				wants(t, w, fault.PreconditionFailed, w.Ports().SetSize(bounded(t), topology(t, w).Server, request))
			}
			if got := pane(t, w, id); got.Width != 80 || got.Height != 12 {
				t.Errorf("%dx%d", got.Width, got.Height)
			}
		}},
	})
}

func move(t *testing.T, newWorld func(t *testing.T) World) {
	links := func(t *testing.T, w World, window tmux.WindowID) (found []tmux.Link) {
		t.Helper()
		return topology(t, w).LinksOf(window)
	}
	for name, c := range map[string]struct {
		request ports.Move
		want    []tmux.Link // of @1
	}{
		"to an index":       {ports.Move{Window: "@1", From: "$0", To: "$0", Index: new(7)}, []tmux.Link{{Session: "$0", Window: "@1", Index: 7}}},
		"to a session":      {ports.Move{Window: "@1", From: "$0", To: "$1"}, []tmux.Link{{Session: "$1", Window: "@1", Index: 1}}},
		"to a place in one": {ports.Move{Window: "@1", From: "$0", To: "$1", Index: new(4)}, []tmux.Link{{Session: "$1", Window: "@1", Index: 4}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Session("main", Recorder)
			_, err := w.Ports().NewWindow(bounded(t), topology(t, w).Server, ports.NewWindow{Session: "$0"})
			succeeds(t, w, err)
			w.Session("other", Recorder)
			succeeds(t, w, w.Ports().Move(bounded(t), topology(t, w).Server, c.request))
			if diff := cmp.Diff(c.want, links(t, w, "@1")); diff != "" {
				t.Errorf("links (-want +got):\n%s\n%v", diff, w)
			}
		})
	}
	runCases(t, newWorld, []testCase{
		{"the current window stays it", func(t *testing.T, w World) {
			linked(t, w)
			w.Attach("$0", Terminal)
			succeeds(t, w, w.Ports().Move(bounded(t), topology(t, w).Server, ports.Move{Window: "@0", From: "$0", To: "$0", Index: new(5), Current: true}))
			want := []tmux.Link{{Session: "$0", Window: "@0", Index: 5, Active: true}}
			if diff := cmp.Diff(want, links(t, w, "@0")); diff != "" {
				t.Errorf("links (-want +got):\n%s\n%v", diff, w)
			}
		}},
		{"an index that is taken, a session without the window", func(t *testing.T, w World) {
			linked(t, w)
			before := existing(t, w)
			server := topology(t, w).Server
			wants(t, w, fault.InvalidInput, w.Ports().Move(bounded(t), server, ports.Move{Window: "@0", From: "$0", To: "$1", Index: new(0)}))
			wants(t, w, fault.NotFound, w.Ports().Move(bounded(t), server, ports.Move{Window: "@0", From: "$1", To: "$0"}))
			if diff := cmp.Diff(before, existing(t, w)); diff != "" {
				t.Errorf("failures changed (-before +after):\n%s", diff)
			}
		}},
	})
}

func swap(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"within a window: the active one stays", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			below := w.Split(id, Recorder)
			for _, zoomed := range []bool{false, true} {
				if zoomed {
					w.Put(id, Zoomed)
				}
				front := frontOf(t, w, id)
				for _, pair := range [][2]tmux.PaneID{{id, below}, {below, id}} {
					before := pane(t, w, id).Index
					succeeds(t, w, w.Ports().Swap(bounded(t), topology(t, w).Server, pair[0], pair[1]))
					if after := pane(t, w, id).Index; after == before || frontOf(t, w, id) != front {
						t.Errorf("index %d after %d, in front %+v after %+v\n%v", after, before, frontOf(t, w, id), front, w)
					}
				}
			}
		}},
		{"across windows", func(t *testing.T, w World) {
			linked(t, w)
			succeeds(t, w, w.Ports().Swap(bounded(t), topology(t, w).Server, "%1", "%3"))
			if one, three := pane(t, w, "%1"), pane(t, w, "%3"); one.Window != "@2" || three.Window != "@0" || !pane(t, w, "%0").Active {
				t.Errorf("%+v\n%+v\n%v", one, three, w)
			}
		}},
		{"with a pane that does not exist", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server := topology(t, w).Server
			wants(t, w, fault.NotFound, w.Ports().Swap(bounded(t), server, "%99", id))
			wants(t, w, fault.NotFound, w.Ports().Swap(bounded(t), server, id, "%99"))
		}},
	})
}

func configure(t *testing.T, newWorld func(t *testing.T) World) {
	for name, request := range map[string]ports.Configure{
		"globally":             {Name: "history-limit", Value: "5000"},
		"globally, a window's": {Name: "monitor-activity", Value: "on"},
		"a session":            {Target: "$0", Name: "mouse", Value: "on"},
		"a window":             {Target: "@0", Name: "synchronize-panes", Value: "on"},
		"a pane":               {Target: "%0", Name: "remain-on-exit", Value: "failed"},
		"the user's own":       {Name: "@mine", Value: literal},
		"the user's own there": {Target: "%0", Name: "@mine", Value: "-x\t'\"\\;日本"},
		"a trailing semicolon": {Target: "@0", Name: "@mine", Value: "a;"},
		"nothing":              {Target: "$0", Name: "@mine"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Session("main", Recorder)
			value, err := w.Ports().Configure(bounded(t), topology(t, w).Server, request)
			succeeds(t, w, err)
			if value != request.Value {
				t.Errorf("it is %q, want %q", value, request.Value)
			}
		})
	}
	runCases(t, newWorld, []testCase{
		{"and it is so", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			below := w.Split(id, Recorder)
			for _, value := range []string{"on", "off"} {
				_, err := w.Ports().Configure(bounded(t), topology(t, w).Server, ports.Configure{Target: string(below), Name: "synchronize-panes", Value: value})
				succeeds(t, w, err)
				if one, two := pane(t, w, id), pane(t, w, below); one.Synchronized || two.Synchronized != (value == "on") {
					t.Errorf("%s: synchronized %t and %t", value, one.Synchronized, two.Synchronized)
				}
			}
		}},
	})
}

// manageNothing calls each method for what does not exist, for another life, without time and without a server.
func manageNothing(t *testing.T, newWorld func(t *testing.T) World) {
	const pane, window, session = "%0", "@0", "$0"
	calls := map[string]func(ctx context.Context, p Ports, server tmux.Server, suffix string) error{
		"SetName, a session": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.SetName(ctx, server, ports.SetName{Target: session + suffix, Name: "x"})
		},
		"SetName, a window": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.SetName(ctx, server, ports.SetName{Target: window + suffix, Name: "x"})
		},
		"SetName, a pane": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.SetName(ctx, server, ports.SetName{Target: pane + suffix, Name: "x"})
		},
		"Select": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.Select(ctx, server, ports.Select{Pane: tmux.PaneID(pane + suffix)})
		},
		"Select, a window": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.Select(ctx, server, ports.Select{Window: tmux.WindowID(window + suffix), Session: session})
		},
		"Arrange": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.Arrange(ctx, server, ports.Arrange{Window: tmux.WindowID(window + suffix), Layout: "tiled", Front: ports.Front{Active: pane}})
		},
		"SetSize, a window": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.SetSize(ctx, server, ports.SetSize{Target: window + suffix, Width: 90, Front: ports.Front{Active: pane}})
		},
		"SetSize, a pane": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.SetSize(ctx, server, ports.SetSize{Target: pane + suffix, Width: 90, Front: ports.Front{Active: pane}})
		},
		"Move": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.Move(ctx, server, ports.Move{Window: tmux.WindowID(window + suffix), From: session, To: session, Index: new(8)})
		},
		"Swap": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			return p.Swap(ctx, server, tmux.PaneID(pane+suffix), "%1")
		},
		"Configure": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			_, err := p.Configure(ctx, server, ports.Configure{Target: pane + suffix, Name: "@x", Value: "x"})
			return err
		},
		"Configure, a session": func(ctx context.Context, p Ports, server tmux.Server, suffix string) error {
			_, err := p.Configure(ctx, server, ports.Configure{Target: session + suffix, Name: "@x", Value: "x"})
			return err
		},
	}
	w := newWorld(t)
	w.Split(w.Session("main", Recorder), Recorder)
	old := topology(t, w).Server
	for name, call := range calls {
		t.Run(name+", not there", func(t *testing.T) { _ = wants(t, w, fault.NotFound, call(bounded(t), w.Ports(), old, "9")) })
		t.Run(name+", no time", func(t *testing.T) {
			endsWithContext(t, w, func(ctx context.Context) error { return call(ctx, w.Ports(), old, "") })
		})
	}
	w.Split(newLife(t, w, Recorder), Recorder)
	before := existing(t, w)
	for name, call := range calls {
		t.Run(name+", another life", func(t *testing.T) { _ = wants(t, w, fault.StaleTarget, call(bounded(t), w.Ports(), old, "")) })
	}
	if diff := cmp.Diff(before, existing(t, w)); diff != "" {
		t.Errorf("another life changed (-before +after):\n%s", diff)
	}
	w.Kill("")
	for name, call := range calls {
		t.Run(name+", no server", func(t *testing.T) { _ = wants(t, w, fault.ServerGone, call(bounded(t), w.Ports(), old, "")) })
	}
}
