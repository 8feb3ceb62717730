package porttest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Reader runs the contract of [ports.Reader].
func Reader(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"an absent server is no error", func(t *testing.T, w World) {
			if diff := cmp.Diff(tmux.Topology{}, topology(t, w)); diff != "" {
				t.Errorf("topology (-want +got):\n%s", diff)
			}
		}},
		{"so is a server without sessions", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.SetOption("", "exit-empty", "off")
			w.Kill(string(sessionOf(t, w, id)))
			if read := topology(t, w); !read.Running || len(read.Sessions) != 0 || len(read.Panes) != 0 {
				t.Errorf("got %+v, want a running server with nothing in it", read)
			}
		}},
		{"a topology is of one instant", oneInstant},
		{"a look is a topology and a capture, or the topology alone", looks},
		{"every text is exact", exactTexts},
		{"a linked window is listed once, with its links", linkedWindow},
		{"detail", detail},
		{"clients", clients},
		{"states of panes", states},
		{"a dead pane", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.Die(id)
			eventually(t, w, "it is dead with status 3", func() (bool, any) { // tmux may learn the status a little later
				got := pane(t, w, id)
				return got.Dead && got.DeadStatus != nil && *got.DeadStatus == 3, got
			})
			forgets := topology(t, w).Server.Version.AtLeast("3.8")
			if got := pane(t, w, id).PID; (got == 0) != forgets {
				t.Errorf("of its process it says %d\n%v", got, w)
			}
		}},
		{"reading changes nothing", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			before := topology(t, w)
			capture(t, w, ports.CaptureRequest{Pane: id, History: ports.AllHistory})
			if diff := cmp.Diff(before, topology(t, w)); diff != "" {
				t.Errorf("topology after reading (-before +after):\n%s", diff)
			}
			if buffers := w.Buffers(); len(buffers) != 0 {
				t.Errorf("reading left buffers %v", buffers)
			}
			untouched(t, w, id)
		}},
		{"reads may be concurrent", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			errs := make(chan error)
			for range 8 {
				go func() {
					_, err := w.Ports().Topology(t.Context(), tmux.DetailFull)
					errs <- err
				}()
				go func() {
					_, err := w.Ports().Capture(t.Context(), ports.CaptureRequest{Pane: id})
					errs <- err
				}()
			}
			for range 16 {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
		}},
		{"calls end with their context", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().Topology(ctx, tmux.DetailBrief)
				return err
			})
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().Capture(ctx, ports.CaptureRequest{Pane: id})
				return err
			})
		}},
	})
	t.Run("Capture", func(t *testing.T) { captures(t, newWorld) })
}

func oneInstant(t *testing.T, w World) {
	w.Session("main", Recorder)
	session := topology(t, w).Sessions[0].ID
	server := topology(t, w).Server
	done := make(chan error)
	go func() {
		var err error
		for range 8 {
			if _, failed := w.Ports().NewWindow(t.Context(), server, ports.NewWindow{Session: session}); failed != nil {
				err = failed
			}
		}
		done <- err
	}()
	for running := true; running; {
		select {
		case err := <-done:
			succeeds(t, w, err)
			running = false
		default:
		}
		read := topology(t, w)
		if got := read.Sessions[0].Windows; got != len(read.Windows) || got != len(read.Links) || got != len(read.Panes) {
			t.Fatalf("a session of %d windows, but %d windows, %d links, %d panes", got, len(read.Windows), len(read.Links), len(read.Panes))
		}
	}
}

// hostile holds what a listing of fields could stumble over, without control characters.
const hostile = "a|b;c #{pane_id} #S $HOME ${x} \\n \\\\ \\$y 'q' \"d\" `b` %H éß日本🎉 #[fg=red] ,x"

func exactTexts(t *testing.T, w World) {
	cwd := filepath.Join(t.TempDir(), "d\ti|r #{pane_id} $x\\n\x1f\x1b[1m\nnew 日")
	if err := os.Mkdir(cwd, 0o700); err != nil {
		t.Fatal(err)
	}
	cwd, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		t.Fatal(err)
	}
	created, err := w.Ports().NewSession(bounded(t), ports.NewSession{Name: "first", Cwd: cwd})
	succeeds(t, w, err)
	w.Rename(string(created.Window), hostile)
	w.Rename(string(created.Session), strings.ReplaceAll(hostile, ".", ""))
	w.Rename(string(created.Pane), hostile)
	eventually(t, w, "the shell has its directory", func() (bool, any) {
		path := pane(t, w, created.Pane).Path
		return path == cwd, path
	})
	read := topology(t, w)
	session, _ := read.Session(created.Session)
	window, _ := read.Window(created.Window)
	at, _ := read.Pane(created.Pane)
	want := []string{strings.ReplaceAll(hostile, ".", ""), hostile, hostile, cwd}
	if diff := cmp.Diff(want, []string{session.Name, window.Name, at.Title, at.Path}); diff != "" {
		t.Errorf("names of session and window, title and path (-want +got):\n%s", diff)
	}
}

func linkedWindow(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	other := sessionOf(t, w, w.Session("other", Recorder))
	window := pane(t, w, id).Window
	w.Link(window, other)
	read := topology(t, w)
	if len(read.Windows) != 2 || len(read.Panes) != 2 {
		t.Errorf("%d windows and %d panes, want 2 and 2\n%+v", len(read.Windows), len(read.Panes), read)
	}
	links := read.LinksOf(window)
	if len(links) != 2 || links[0].Session == links[1].Session {
		t.Errorf("links of the window %+v, want one in each session", links)
	}
	if session, _ := read.Session(other); session.Windows != 2 {
		t.Errorf("the other session has %d windows, want 2", session.Windows)
	}
}

func detail(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	brief, err := w.Ports().Topology(bounded(t), tmux.DetailBrief)
	succeeds(t, w, err)
	if got, _ := brief.Pane(id); got.Full || got.HistoryLimit != 0 {
		t.Errorf("brief: got %+v, want the fields below Full unset", got)
	}
	if got := pane(t, w, id); !got.Full || got.HistoryLimit != 2000 || got.StartCommand == "" {
		t.Errorf("full: got %+v, want all fields set", got)
	}
}

func clients(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	session := sessionOf(t, w, id)
	if read := topology(t, w); len(read.Clients) != 0 || read.Sessions[0].Attached != 0 {
		t.Errorf("with nobody attached: %d clients, %d attached", len(read.Clients), read.Sessions[0].Attached)
	}
	none := topology(t, w).Windows[0].Viewers
	detach := w.Attach(session, Terminal)
	read := topology(t, w)
	if len(read.Clients) != 1 || read.Sessions[0].Attached != 1 {
		t.Fatalf("with a terminal: %+v, %d attached", read.Clients, read.Sessions[0].Attached)
	}
	got := read.Clients[0]
	if got.Control || got.Suspended || got.Session != session || got.Pane != id || got.Window != read.Panes[0].Window || got.PID == 0 {
		t.Errorf("the terminal client is %+v", got)
	}
	if read.Windows[0].Viewers == none {
		t.Errorf("viewers stay %q when a terminal attaches", none)
	}
	detach()
	if read := topology(t, w); len(read.Clients) != 0 || read.Windows[0].Viewers != none {
		t.Errorf("after it left: clients %+v, viewers %q", read.Clients, read.Windows[0].Viewers)
	}
	defer w.Attach(session, Control)()
	if read := topology(t, w); len(read.Clients) != 1 || !read.Clients[0].Control || read.Sessions[0].Attached != 0 {
		t.Errorf("with another's control client: %+v, %d attached, want it listed and not counted", read.Clients, read.Sessions[0].Attached)
	}
}

func states(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	sibling := w.Split(id, Recorder)
	w.SetOption(string(pane(t, w, id).Window), "synchronize-panes", "on")
	w.SetOption(string(sibling), "synchronize-panes", "off")
	w.Put(id, InputOff)
	w.Put(id, CopyMode)
	w.Put(sibling, Zoomed)
	one, two := pane(t, w, id), pane(t, w, sibling)
	type state struct {
		Active, InputOff, Synchronized, Dead bool
		Mode                                 string
		Index                                int
	}
	got := []state{
		{one.Active, one.InputOff, one.Synchronized, one.Dead, one.Mode, one.Index},
		{two.Active, two.InputOff, two.Synchronized, two.Dead, two.Mode, two.Index},
	}
	want := []state{
		{InputOff: true, Synchronized: true, Mode: "copy-mode"},
		{Active: true, Index: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("panes (-want +got):\n%s", diff)
	}
	if window := topology(t, w).Windows[0]; !window.Zoomed || window.Panes != 2 || window.Width != 80 || window.Layout == "" {
		t.Errorf("window %+v, want zoomed, with two panes", window)
	}
	w.Print(sibling, "\x1b[?1049h")
	eventually(t, w, "the alternate screen is shown", func() (bool, any) {
		got := pane(t, w, sibling)
		return got.Alternate, got
	})
}

// looks are as good as a topology and a capture. From tmux 3.5 on, where a server was met before, they hold both.
func looks(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	w.Print(id, "$ \x1b[1mshown\x1b[m ")
	shows(t, w, id, "shown")
	request := ports.CaptureRequest{Pane: id, Styles: true, Blanks: true}
	look := func(request ports.CaptureRequest) *screen.Capture {
		t.Helper()
		before := topology(t, w)
		read, captured, err := w.Ports().Look(bounded(t), tmux.DetailFull, request)
		if diff := cmp.Diff(before, read); err != nil || diff != "" {
			t.Fatalf("%v (-topology +look):\n%s", err, diff)
		}
		return captured
	}
	got, want := look(request), capture(t, w, request)
	if got == nil && topology(t, w).Server.Version.AtLeast("3.5") {
		t.Error("there is no capture")
	}
	if got != nil {
		if diff := cmp.Diff(want, *got); diff != "" {
			t.Errorf("(-capture +look):\n%s", diff)
		}
	}
	if got := look(ports.CaptureRequest{Pane: "%99"}); got != nil {
		t.Errorf("of a pane that does not exist: %+v", got)
	}
	w.SetOption(string(id), "after-capture-pane", "set-buffer -b hooked ran")
	if got := look(request); got != nil || len(w.Buffers()) != 0 {
		t.Errorf("where a hook would run: %+v, buffers %v", got, w.Buffers())
	}
	w.Kill("")
	if read, got, err := w.Ports().Look(bounded(t), tmux.DetailFull, request); err != nil || read.Running || got != nil {
		t.Errorf("of no server: %+v, %+v, %v", read, got, err)
	}
}
