package porttest

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Snapshots runs the contract of [ports.Snapshots].
func Snapshots(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"an absent server is no error", func(t *testing.T, w World) {
			for _, kind := range snapshot.Kinds() {
				if diff := cmp.Diff(snapshot.Reading{}, snapshotOf(t, w, kind)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", kind, diff)
				}
			}
		}},
		{"nor is one without sessions", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.SetOption("", "exit-empty", "off")
			w.Kill(string(sessionOf(t, w, id)))
			for _, kind := range snapshot.Kinds() {
				if read := snapshotOf(t, w, kind); !read.Running || len(read.Rows) != 0 {
					t.Errorf("%s: got %+v, want a running server with nothing in it", kind, read)
				}
			}
		}},
		{"what is in it, as a topology has it", asTopology},
		{"a field that this tmux does not have, or that does not apply, is absent", absentFields},
		{"every text is exact", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			at := pane(t, w, id)
			session := string(sessionOf(t, w, id))
			name := strings.ReplaceAll(hostile, ".", "")
			w.Rename(session, name)
			w.Rename(string(at.Window), hostile)
			w.Rename(string(id), hostile)
			defer w.Attach(tmux.SessionID(session), Terminal)()
			for kind, wanted := range map[tmux.Kind]map[string]string{
				tmux.KindSession: {"session_name": name}, tmux.KindWindow: {"window_name": hostile}, tmux.KindPane: {"pane_title": hostile},
				tmux.KindWindowLink: {"session_name": name, "window_name": hostile}, tmux.KindClient: {"client_session": name},
			} {
				row := onlyRow(t, w, kind)
				for field, want := range wanted {
					if got := row.Get(field).Text; got != want {
						t.Errorf("%s of a %s: %q, want %q", field, kind, got, want)
					}
				}
			}
		}},
		{"a linked window is there once, with its links", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			other := sessionOf(t, w, w.Session("other", Recorder))
			window := pane(t, w, id).Window
			w.Link(window, other)
			for kind, want := range map[tmux.Kind]int{tmux.KindSession: 2, tmux.KindWindow: 2, tmux.KindPane: 2, tmux.KindWindowLink: 3} {
				if rows := snapshotOf(t, w, kind).Rows; len(rows) != want {
					t.Errorf("%d rows of kind %s, want %d", len(rows), kind, want)
				}
			}
			for _, row := range snapshotOf(t, w, tmux.KindWindow).Rows {
				linked := row.ID() == string(window)
				if (row.Get("window_linked").Number == 1) != linked || (row.Get("window_linked_sessions").Number == 2) != linked {
					t.Errorf("window %s: linked %+v, into %+v", row.ID(), row.Get("window_linked"), row.Get("window_linked_sessions"))
				}
			}
		}},
		{"states of panes", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			for state, field := range map[State]string{CopyMode: "pane_in_mode", InputOff: "pane_input_off"} {
				if got := onlyRow(t, w, tmux.KindPane).Get(field).Number; got != 0 {
					t.Errorf("before %s: %s is %d", state, field, got)
				}
				w.Put(id, state)
				if got := onlyRow(t, w, tmux.KindPane).Get(field).Number; got != 1 {
					t.Errorf("in %s: %s is %d", state, field, got)
				}
			}
			if got := onlyRow(t, w, tmux.KindPane).Get("pane_mode").Text; got != "copy-mode" {
				t.Errorf("the mode is %q", got)
			}
		}},
		{"a dead pane", func(t *testing.T, w World) {
			w.Die(w.Session("main", Recorder))
			eventually(t, w, "it is dead with status 3", func() (bool, any) {
				row := onlyRow(t, w, tmux.KindPane)
				return row.Get("pane_dead").Number == 1 && row.Get("pane_dead_status") == snapshot.Value{Type: snapshot.Number, Number: 3}, row
			})
		}},
		{"clients", func(t *testing.T, w World) {
			session := sessionOf(t, w, w.Session("main", Recorder))
			detach := w.Attach(session, Terminal)
			row := onlyRow(t, w, tmux.KindClient)
			if row.Get("session_id").Text != string(session) || row.Get("client_control_mode").Number != 0 || row.Get("client_name").Text == "" ||
				row.Get("client_width").Number != 80 || row.ID() != "" {
				t.Errorf("the terminal client is %+v", row)
			}
			if got := onlyRow(t, w, tmux.KindSession).Get("session_attached").Number; got != 1 {
				t.Errorf("%d attached, want 1", got)
			}
			detach()
			if rows := snapshotOf(t, w, tmux.KindClient).Rows; len(rows) != 0 || onlyRow(t, w, tmux.KindSession).Get("session_attached").Number != 0 {
				t.Errorf("after it left: %+v", rows)
			}
			defer w.Attach(session, Control)()
			if row := onlyRow(t, w, tmux.KindClient); row.Get("client_control_mode").Number != 1 {
				t.Errorf("another's control client is %+v", row)
			}
		}},
		{"it is of one instant", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			read := topology(t, w)
			done := make(chan error)
			go func() {
				var err error
				for range 8 {
					if _, failed := w.Ports().NewWindow(t.Context(), read.Server, ports.NewWindow{Session: read.Sessions[0].ID}); failed != nil {
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
				rows := snapshotOf(t, w, tmux.KindWindowLink).Rows
				last := 0
				for _, row := range rows {
					last += int(row.Get("window_end_flag").Number)
				}
				if len(rows) == 0 || last != 1 {
					t.Fatalf("%d links, of which %d are the last", len(rows), last)
				}
			}
		}},
		{"calls end with their context", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().Snapshot(ctx, tmux.KindPane)
				return err
			})
		}},
	})
}

// asTopology compares what both tell.
func asTopology(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	w.Split(id, Recorder)
	w.Session("other", Recorder)
	want := topology(t, w)
	read := func(kind tmux.Kind, fields ...string) (rows [][]any) {
		reading := snapshotOf(t, w, kind)
		if reading.Server.Generation != want.Server.Generation || reading.Server.Version != want.Server.Version {
			t.Errorf("%s: of %+v, want %+v", kind, reading.Server, want.Server)
		}
		for _, row := range reading.Rows {
			var values []any
			for _, field := range fields {
				if value := row.Get(field); value.Type == snapshot.Text {
					values = append(values, value.Text)
				} else {
					values = append(values, int(value.Number))
				}
			}
			rows = append(rows, values)
		}
		return rows
	}
	number := map[bool]int{true: 1}
	for _, p := range want.Panes {
		found := false
		for _, row := range read(tmux.KindPane, "pane_id", "window_id", "pane_index", "pane_pid", "pane_tty", "pane_title", "pane_left", "pane_top", "pane_width", "pane_height",
			"pane_active", "pane_dead", "history_limit", "pane_start_command") {
			if row[0] != string(p.ID) {
				continue
			}
			found = true
			wanted := []any{
				string(p.ID), string(p.Window), p.Index, p.PID, p.TTY, p.Title, p.Left, p.Top, p.Width, p.Height,
				number[p.Active], 0, p.HistoryLimit, p.StartCommand,
			}
			if diff := cmp.Diff(wanted, row); diff != "" {
				t.Errorf("pane %s (-want +got):\n%s", p.ID, diff)
			}
		}
		if !found {
			t.Errorf("no row of pane %s", p.ID)
		}
	}
	var windows, links, sessions [][]any
	for _, x := range want.Windows {
		windows = append(windows, []any{string(x.ID), x.Name, x.Width, x.Height, x.Panes, x.Layout})
	}
	for _, x := range want.Links {
		links = append(links, []any{string(x.Session), string(x.Window), x.Index, number[x.Active]})
	}
	for _, x := range want.Sessions {
		sessions = append(sessions, []any{string(x.ID), x.Name, int(x.Created.Unix()), x.Windows, 0})
	}
	for _, c := range []struct{ want, got [][]any }{
		{windows, read(tmux.KindWindow, "window_id", "window_name", "window_width", "window_height", "window_panes", "window_layout")},
		{links, read(tmux.KindWindowLink, "session_id", "window_id", "window_index", "window_active")},
		{sessions, read(tmux.KindSession, "session_id", "session_name", "session_created", "session_windows", "session_attached")},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("(-topology +snapshot):\n%s", diff)
		}
	}
}

// notApplicable are the numbers that have no value for a live pane, or a session that is in no group.
var notApplicable = map[string]bool{"pane_dead_status": true, "pane_dead_time": true, "session_group_size": true}

func absentFields(t *testing.T, w World) {
	session := sessionOf(t, w, w.Session("main", Recorder))
	defer w.Attach(session, Terminal)()
	for _, kind := range snapshot.Kinds() {
		reading := snapshotOf(t, w, kind)
		if len(reading.Rows) != 1 {
			t.Fatalf("%d rows of kind %s, want 1", len(reading.Rows), kind)
		}
		for _, field := range snapshot.Fields(kind) {
			got, want := reading.Rows[0].Get(field.Name), field.Type
			if !field.Known(reading.Server.Version) || notApplicable[field.Name] {
				want = ""
			}
			if got.Type != want {
				t.Errorf("tmux %s: %s of a %s is %+v, want %q", reading.Server.Version, field.Name, kind, got, want)
			}
		}
	}
}

func snapshotOf(t *testing.T, w World, kind tmux.Kind) snapshot.Reading {
	t.Helper()
	read, err := w.Ports().Snapshot(bounded(t), kind)
	succeeds(t, w, err)
	return read
}

func onlyRow(t *testing.T, w World, kind tmux.Kind) snapshot.Row {
	t.Helper()
	rows := snapshotOf(t, w, kind).Rows
	if len(rows) != 1 {
		t.Fatalf("%d rows of kind %s, want 1\n%v", len(rows), kind, w)
	}
	return rows[0]
}
