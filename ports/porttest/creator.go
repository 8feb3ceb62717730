package porttest

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Creator runs the contract of [ports.Creator].
func Creator(t *testing.T, newWorld func(t *testing.T) World) {
	t.Run("NewSession", func(t *testing.T) { newSession(t, newWorld) })
	t.Run("NewWindow", func(t *testing.T) { newWindow(t, newWorld) })
	t.Run("SplitWindow", func(t *testing.T) { splitWindow(t, newWorld) })
	t.Run("Start", func(t *testing.T) { starts(t, newWorld) })
	t.Run("Respawn", func(t *testing.T) { respawn(t, newWorld) })
}

// literal would be expanded if tmux took it for a format, a shell command or a time.
const literal = "#{pane_id} #(id) $HOME %H -x; #S"

// unchanged runs a creation that fails, and checks that it created nothing.
func unchanged(t *testing.T, w World, kind fault.Kind, create func() (ports.Created, error)) {
	t.Helper()
	before := existing(t, w)
	created, err := create()
	wants(t, w, kind, err)
	if created != (ports.Created{}) {
		t.Errorf("a failed creation answers %+v", created)
	}
	if diff := cmp.Diff(before, existing(t, w)); diff != "" {
		t.Errorf("a failed creation changed (-before +after):\n%s", diff)
	}
}

// existing is what there is, whatever the programs in it do.
func existing(t *testing.T, w World) (found []string) {
	t.Helper()
	read := topology(t, w)
	for _, session := range read.Sessions {
		found = append(found, fmt.Sprint(session.ID, session.Name))
	}
	for _, link := range read.Links {
		found = append(found, fmt.Sprint(link))
	}
	for _, window := range read.Windows {
		found = append(found, fmt.Sprint(window.ID, window.Layout))
	}
	return append(found, fmt.Sprint("server", read.Running))
}

// directoryOf waits until a shell runs in its directory.
func directoryOf(t *testing.T, w World, id tmux.PaneID, want string) {
	t.Helper()
	resolved, err := filepath.EvalSymlinks(want)
	succeeds(t, w, err)
	eventually(t, w, "the shell has its directory", func() (bool, any) {
		path := pane(t, w, id).Path
		return path == resolved, path
	})
}

func newSession(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"it starts a server, the next does not", func(t *testing.T, w World) {
			first, err := w.Ports().NewSession(bounded(t), ports.NewSession{Name: "one", WindowName: "win", Width: 100, Height: 30})
			succeeds(t, w, err)
			second, err := w.Ports().NewSession(bounded(t), ports.NewSession{})
			succeeds(t, w, err)
			if !first.ServerStarted || second.ServerStarted {
				t.Errorf("server started: %t and %t, want true and false", first.ServerStarted, second.ServerStarted)
			}
			read := topology(t, w)
			if diff := cmp.Diff(read.Server, first.Server); diff != "" {
				t.Errorf("server (-topology +created):\n%s", diff)
			}
			session, _ := read.Session(first.Session)
			window, _ := read.Window(first.Window)
			at, _ := read.Pane(first.Pane)
			if session.Name != "one" || session.Attached != 0 || window.Name != "win" || window.Width != 100 || window.Height != 30 ||
				at.Window != window.ID || at.Dead || at.StartCommand != "" {
				t.Errorf("created %+v, %+v, %+v", session, window, at)
			}
			if len(read.Clients) != 0 {
				t.Errorf("clients %+v, want it detached", read.Clients)
			}
		}},
		{"names are literal", func(t *testing.T, w World) {
			created, err := w.Ports().NewSession(bounded(t), ports.NewSession{Name: literal, WindowName: literal})
			succeeds(t, w, err)
			read := topology(t, w)
			session, _ := read.Session(created.Session)
			window, _ := read.Window(created.Window)
			if diff := cmp.Diff([]string{literal, literal}, []string{session.Name, window.Name}); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
		}},
		{"in a directory", func(t *testing.T, w World) {
			dir := t.TempDir()
			created, err := w.Ports().NewSession(bounded(t), ports.NewSession{Cwd: dir})
			succeeds(t, w, err)
			directoryOf(t, w, created.Pane, dir)
		}},
		{"no directory: nothing is created, not even a server", func(t *testing.T, w World) {
			unchanged(t, w, fault.InvalidInput, func() (ports.Created, error) {
				return w.Ports().NewSession(bounded(t), ports.NewSession{Cwd: filepath.Join(t.TempDir(), "none")})
			})
		}},
		{"a name that exists", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			unchanged(t, w, fault.InvalidInput, func() (ports.Created, error) {
				return w.Ports().NewSession(bounded(t), ports.NewSession{Name: "main"})
			})
		}},
		{"what a person looks at stays", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.Attach(sessionOf(t, w, id), Terminal)
			_, err := w.Ports().NewSession(bounded(t), ports.NewSession{})
			succeeds(t, w, err)
			if got := topology(t, w).Clients; len(got) != 1 || got[0].Pane != id {
				t.Errorf("clients %+v, want one that sees %s", got, id)
			}
		}},
		{"it ends with its context", func(t *testing.T, w World) {
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().NewSession(ctx, ports.NewSession{})
				return err
			})
			if topology(t, w).Running {
				t.Error("a server was started")
			}
		}},
	})
}

func newWindow(t *testing.T, newWorld func(t *testing.T) World) {
	// current is the session's current window, and the indexes of all.
	current := func(t *testing.T, w World, session tmux.SessionID) (at tmux.WindowID, indexes []int) {
		t.Helper()
		for _, link := range topology(t, w).Links {
			if link.Session == session {
				indexes = append(indexes, link.Index)
				if link.Active {
					at = link.Window
				}
			}
		}
		return at, indexes
	}
	runCases(t, newWorld, []testCase{
		{"at the next free index, and not in front", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			session, server := sessionOf(t, w, id), topology(t, w).Server
			before, _ := current(t, w, session)
			five := 5
			for _, request := range []ports.NewWindow{
				{Session: session, Name: literal}, {Session: session, Index: &five}, {Session: session},
			} {
				created, err := w.Ports().NewWindow(bounded(t), server, request)
				succeeds(t, w, err)
				read := topology(t, w)
				window, _ := read.Window(created.Window)
				at, _ := read.Pane(created.Pane)
				if created.Session != session || at.Window != created.Window || request.Name != "" && window.Name != literal {
					t.Errorf("created %+v: %+v, %+v", created, window, at)
				}
			}
			after, indexes := current(t, w, session)
			if after != before {
				t.Errorf("the current window moved from %s to %s", before, after)
			}
			if diff := cmp.Diff([]int{0, 1, 2, 5}, slices.Sorted(slices.Values(indexes))); diff != "" {
				t.Errorf("indexes (-want +got):\n%s", diff)
			}
		}},
		{"in front, if asked", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			session, dir := sessionOf(t, w, id), t.TempDir()
			created, err := w.Ports().NewWindow(bounded(t), topology(t, w).Server, ports.NewWindow{Session: session, Focus: true, Cwd: dir})
			succeeds(t, w, err)
			if at, _ := current(t, w, session); at != created.Window {
				t.Errorf("current window %s, want %s", at, created.Window)
			}
			directoryOf(t, w, created.Pane, dir)
		}},
		{"failures", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			session, server, zero := sessionOf(t, w, id), topology(t, w).Server, 0
			for kind, request := range map[fault.Kind][]ports.NewWindow{
				fault.NotFound:     {{Session: "$99"}},
				fault.InvalidInput: {{Session: session, Index: &zero}, {Session: session, Cwd: "/nonexistent/directory"}},
			} {
				for _, request := range request {
					unchanged(t, w, kind, func() (ports.Created, error) { return w.Ports().NewWindow(bounded(t), server, request) })
				}
			}
		}},
		{"another life of the server is stale", func(t *testing.T, w World) {
			session := sessionOf(t, w, w.Session("main", Recorder))
			old := topology(t, w).Server
			newLife(t, w, Recorder)
			unchanged(t, w, fault.StaleTarget, func() (ports.Created, error) {
				return w.Ports().NewWindow(bounded(t), old, ports.NewWindow{Session: session})
			})
		}},
		{"no server, or no time", func(t *testing.T, w World) {
			session := sessionOf(t, w, w.Session("main", Recorder))
			server := topology(t, w).Server
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().NewWindow(ctx, server, ports.NewWindow{Session: session})
				return err
			})
			w.Kill("")
			unchanged(t, w, fault.ServerGone, func() (ports.Created, error) {
				return w.Ports().NewWindow(bounded(t), server, ports.NewWindow{Session: session})
			})
		}},
	})
}

func splitWindow(t *testing.T, newWorld func(t *testing.T) World) {
	type place struct{ Left, Top, Width, Height int }
	placeOf := func(p tmux.Pane) place { return place{p.Left, p.Top, p.Width, p.Height} }
	sides := map[string]struct {
		request  ports.SplitWindow
		old, new place
	}{
		"below":             {ports.SplitWindow{Direction: ports.Below}, place{0, 0, 80, 12}, place{0, 13, 80, 11}},
		"above":             {ports.SplitWindow{Direction: ports.Above, Size: "10"}, place{0, 11, 80, 13}, place{0, 0, 80, 10}},
		"right":             {ports.SplitWindow{Direction: ports.Right, Size: "30%"}, place{0, 0, 55, 24}, place{56, 0, 24, 24}},
		"left":              {ports.SplitWindow{Direction: ports.Left, Size: "20"}, place{21, 0, 59, 24}, place{0, 0, 20, 24}},
		"no direction said": {ports.SplitWindow{Size: "5"}, place{0, 0, 80, 18}, place{0, 19, 80, 5}},
	}
	for name, side := range sides {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			id := w.Session("main", Recorder)
			side.request.Pane = id
			created, err := w.Ports().SplitWindow(bounded(t), topology(t, w).Server, side.request)
			succeeds(t, w, err)
			got := []place{placeOf(pane(t, w, id)), placeOf(pane(t, w, created.Pane))}
			if diff := cmp.Diff([]place{side.old, side.new}, got); diff != "" {
				t.Errorf("places of the old and the new pane (-want +got):\n%s\n%v", diff, w)
			}
			if created.Session != "" || created.Window != pane(t, w, id).Window || created.ServerStarted {
				t.Errorf("created %+v", created)
			}
		})
	}
	runCases(t, newWorld, []testCase{
		{"what a person looks at stays, unless asked", func(t *testing.T, w World) {
			id, dir := w.Session("main", Recorder), t.TempDir()
			server := topology(t, w).Server
			created, err := w.Ports().SplitWindow(bounded(t), server, ports.SplitWindow{Pane: id, Cwd: dir})
			succeeds(t, w, err)
			directoryOf(t, w, created.Pane, dir)
			if !pane(t, w, id).Active {
				t.Error("the active pane moved")
			}
			w.Put(id, Zoomed)
			_, err = w.Ports().SplitWindow(bounded(t), server, ports.SplitWindow{Pane: created.Pane, Direction: ports.Right})
			succeeds(t, w, err)
			if !topology(t, w).Windows[0].Zoomed || !pane(t, w, id).Active {
				t.Errorf("the zoom ended\n%v", w)
			}
			created, err = w.Ports().SplitWindow(bounded(t), server, ports.SplitWindow{Pane: id, Focus: true})
			succeeds(t, w, err)
			if !pane(t, w, created.Pane).Active {
				t.Error("the new pane is not active")
			}
		}},
		{"no room", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server := topology(t, w).Server
			for range 24 {
				_, err := w.Ports().SplitWindow(bounded(t), server, ports.SplitWindow{Pane: id})
				if err != nil {
					break
				}
			}
			unchanged(t, w, fault.CommandFailed, func() (ports.Created, error) {
				return w.Ports().SplitWindow(bounded(t), server, ports.SplitWindow{Pane: id})
			})
		}},
		{"failures", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server := topology(t, w).Server
			for kind, request := range map[fault.Kind]ports.SplitWindow{
				fault.NotFound:     {Pane: "%99"},
				fault.InvalidInput: {Pane: id, Cwd: "/nonexistent/directory"},
			} {
				unchanged(t, w, kind, func() (ports.Created, error) { return w.Ports().SplitWindow(bounded(t), server, request) })
			}
		}},
		{"another life of the server is stale", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			old := topology(t, w).Server
			id := newLife(t, w, Recorder)
			unchanged(t, w, fault.StaleTarget, func() (ports.Created, error) {
				return w.Ports().SplitWindow(bounded(t), old, ports.SplitWindow{Pane: id})
			})
		}},
		{"no server, or no time", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server := topology(t, w).Server
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().SplitWindow(ctx, server, ports.SplitWindow{Pane: id})
				return err
			})
			w.Kill("")
			unchanged(t, w, fault.ServerGone, func() (ports.Created, error) {
				return w.Ports().SplitWindow(bounded(t), server, ports.SplitWindow{Pane: id})
			})
		}},
	})
}
