package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestListingsOfAnAbsentServer(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		info, err := h.app.GetServerInfo(h.Context(), app.GetServerInfoIn{})
		if err != nil || info.Server != "absent" || info.SocketPath == "" || info.TerminalClients == nil {
			h.Errorf("get_server_info: %+v, %v", info, err)
		}
		sessions, err := h.app.ListSessions(h.Context(), app.ListSessionsIn{})
		if err != nil || sessions.Server != "absent" || sessions.Sessions == nil || sessions.Total != 0 {
			h.Errorf("list_sessions: %+v, %v", sessions, err)
		}
		panes, err := h.app.ListPanes(h.Context(), app.ListPanesIn{})
		if err != nil || panes.Server != "absent" || panes.Panes == nil {
			h.Errorf("list_panes: %+v, %v", panes, err)
		}
		_, err = h.app.CapturePane(h.Context(), app.CapturePaneIn{PaneID: "%0"})
		h.wantFault(err, fault.ServerGone, "")
		created, err := h.app.CreateSession(h.Context(), app.CreateSessionIn{Name: "first"})
		if err != nil || !created.ServerStarted {
			h.Fatalf("create_session: %+v, %v; want a started server", created, err)
		}
		if out := h.run(tmux.PaneID(created.PaneID), "echo hello"); cmp.Diff([]string{"hello"}, out.Lines) != "" {
			h.Errorf("run in what was created: %+v", out)
		}
	})
}

func TestListPanesFilters(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		first := h.shell()
		below := h.world.Split(first, "cat")
		other := h.world.AddSession("other", "less")
		h.world.Link(h.world.WindowOf(first), h.world.SessionOf(other))
		h.world.SetCaller(below, ports.CallerEnvironment)
		h.world.Attach(h.world.SessionOf(other), fake.Client{})
		for _, c := range []struct {
			name string
			in   app.ListPanesIn
			want []tmux.PaneID
		}{
			{"all, each once", app.ListPanesIn{}, []tmux.PaneID{first, below, other}},
			{"of a session", app.ListPanesIn{SessionID: string(h.world.SessionOf(first))}, []tmux.PaneID{first, below}},
			{"of a session with a linked window", app.ListPanesIn{SessionID: string(h.world.SessionOf(other))}, []tmux.PaneID{first, below, other}},
			{"of a window", app.ListPanesIn{WindowID: string(h.world.WindowOf(other))}, []tmux.PaneID{other}},
			{"by program", app.ListPanesIn{Command: "cat"}, []tmux.PaneID{below}},
			{"dead", app.ListPanesIn{Dead: new(true)}, nil},
			{"not active", app.ListPanesIn{Active: new(false)}, []tmux.PaneID{below}},
			{"at the bottom left", app.ListPanesIn{Corner: "bottom_left"}, []tmux.PaneID{below, other}},
			{"at the top right", app.ListPanesIn{Corner: "top_right"}, []tmux.PaneID{first, other}},
			{"under no such directory", app.ListPanesIn{PathUnder: "/nowhere"}, nil},
			{"under the root", app.ListPanesIn{PathUnder: "/"}, []tmux.PaneID{first, below, other}},
		} {
			out, err := h.app.ListPanes(h.Context(), c.in)
			if err != nil {
				h.Fatalf("%s: %v", c.name, err)
			}
			got := lo.Map(out.Panes, func(p app.PaneRow, _ int) tmux.PaneID { return tmux.PaneID(p.PaneID) })
			if !lo.ElementsMatch(c.want, got) || out.Total != len(got) {
				h.Errorf("%s: got %v of %d, want %v", c.name, got, out.Total, c.want)
			}
		}
	})
}

func TestPaneRows(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		busy := h.world.AddWindow(h.world.SessionOf(pane), "w", "less")
		h.world.Rename(string(pane), "a\ttitle \xff")
		h.world.SetCaller(pane, ports.CallerTerminal)
		h.world.Attach(h.world.SessionOf(pane), fake.Client{})
		row, err := h.app.GetPaneInfo(h.Context(), app.GetPaneInfoIn{PaneID: string(pane)})
		if err != nil {
			h.Fatal(err)
		}
		if row.Foreground != "at_prompt" || !row.Attended || row.IsCaller == nil || !*row.IsCaller || row.PID == 0 || row.HistorySize == nil {
			h.Errorf("got %+v", row)
		}
		other, err := h.app.GetPaneInfo(h.Context(), app.GetPaneInfoIn{PaneID: string(busy)})
		if err != nil || other.Foreground != "not_shell" || other.Attended || other.IsCaller == nil || *other.IsCaller {
			h.Errorf("got %+v, %v", other, err)
		}
	})
}

func TestBadIDs(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.shell()
		for _, id := range []string{"1", "@0", "$0", "main", "main:0.0", "%01", "%", " %0"} {
			_, err := h.app.CapturePane(h.Context(), app.CapturePaneIn{PaneID: id})
			f := h.wantFault(err, fault.InvalidInput, "")
			if !strings.Contains(f.Message, "pane_id") || !strings.Contains(f.Recovery, "list_panes") {
				h.Errorf("%q: %v, recovery %q", id, f, f.Recovery)
			}
		}
		_, err := h.app.ListPanes(h.Context(), app.ListPanesIn{SessionID: "@0"})
		h.wantFault(err, fault.InvalidInput, "")
		_, err = h.app.ListPanes(h.Context(), app.ListPanesIn{WindowID: "@99"})
		h.wantFault(err, fault.NotFound, "")
		_, err = h.app.CreateWindow(h.Context(), app.CreateWindowIn{SessionID: "$99"})
		h.wantFault(err, fault.NotFound, "")
		_, err = h.app.SplitWindow(h.Context(), app.SplitWindowIn{PaneID: "%0", Size: "150%"})
		h.wantFault(err, fault.InvalidInput, "")
		_, err = h.app.CreateSession(h.Context(), app.CreateSessionIn{Name: "a.b"})
		h.wantFault(err, fault.InvalidInput, "")
		_, err = h.app.CreateSession(h.Context(), app.CreateSessionIn{Cwd: "relative"})
		h.wantFault(err, fault.InvalidInput, "")
	})
}

func TestCapturePane(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		h.run(pane, "seq 1 100")
		h.awaitPrompt(pane)
		out, err := h.app.CapturePane(h.Context(), app.CapturePaneIn{PaneID: string(pane), State: true})
		if err != nil {
			h.Fatal(err)
		}
		if n := len(out.Lines); n == 0 || n > 24 || out.Lines[n-2] != "100" || out.Truncated || out.State == nil || out.State.PID == 0 {
			h.Errorf("the screen: %+v", out)
		}
		deep, err := h.app.CapturePane(h.Context(), app.CapturePaneIn{PaneID: string(pane), History: 10_000, Bounding: app.Bounding{MaxLines: 5}})
		if err != nil || len(deep.Lines) != 5 || !deep.Truncated || deep.DroppedLines < 90 || deep.Advice == "" {
			h.Errorf("bounded: %+v, %v", deep, err)
		}
		h.world.EnterMode(pane, "copy-mode")
		scrolled, err := h.app.CapturePane(h.Context(), app.CapturePaneIn{PaneID: string(pane)})
		if err != nil || scrolled.Mode != "copy-mode" || scrolled.Note == "" || cmp.Diff(out.Lines, scrolled.Lines) != "" {
			h.Errorf("in copy-mode: %+v, %v", scrolled, err)
		}
		h.world.SetOption(string(pane), "after-capture-pane", "run-shell true")
		_, err = h.app.Call(h.Context(), "capture_pane", json.RawMessage(`{"pane_id":"`+string(pane)+`"}`))
		h.wantFault(err, fault.Refused, fault.Hooked)
	})
}

// Created windows and panes do not change what a person looks at.
func TestCreatingDisturbsNobody(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		session := string(h.world.SessionOf(pane))
		h.world.Attach(h.world.SessionOf(pane), fake.Client{})
		window, err := h.app.CreateWindow(h.Context(), app.CreateWindowIn{SessionID: session, Name: "#(touch X)"})
		if err != nil {
			h.Fatal(err)
		}
		split, err := h.app.SplitWindow(h.Context(), app.SplitWindowIn{PaneID: string(pane), Direction: "right", Size: "30%"})
		if err != nil {
			h.Fatal(err)
		}
		for id, attended := range map[string]bool{string(pane): true, window.PaneID: false, split.PaneID: true} {
			row, err := h.app.GetPaneInfo(h.Context(), app.GetPaneInfoIn{PaneID: id})
			if err != nil || row.Attended != attended || row.Active == (id == split.PaneID) {
				h.Errorf("%s: %+v, %v; want attended %v", id, row, err, attended)
			}
		}
		windows, err := h.app.ListWindows(h.Context(), app.ListWindowsIn{Name: "#(touch X)"})
		if err != nil || windows.Total != 1 || windows.Windows[0].Active {
			h.Errorf("list_windows: %+v, %v", windows, err)
		}
	})
}
