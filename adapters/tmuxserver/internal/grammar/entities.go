package grammar

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// ServerTable describes the server; its socket path is not the server's to tell.
var ServerTable = Table[tmux.Server]{
	number("pid", func(s *tmux.Server, v int) { s.PID = v }),
	moment("start_time", func(s *tmux.Server, v time.Time) { s.StartTime = v }),
	id("version", func(s *tmux.Server, v string) { s.Version = tmux.Version(v) }),
}

// SessionTable is for list-sessions. How many clients are attached is counted from the clients.
var SessionTable = Table[tmux.Session]{
	id("session_id", func(s *tmux.Session, v string) { s.ID = tmux.SessionID(v) }),
	name("session_name", func(s *tmux.Session, v string) { s.Name = v }),
	name("session_group", func(s *tmux.Session, v string) { s.Group = v }),
	moment("session_created", func(s *tmux.Session, v time.Time) { s.Created = v }),
	number("session_windows", func(s *tmux.Session, v int) { s.Windows = v }),
}

// A WindowRow is one row of list-windows -a: a window and one of the places where it is linked.
type WindowRow struct {
	Window tmux.Window
	Link   tmux.Link
}

// WindowTable is for list-windows -a.
var WindowTable = Table[WindowRow]{
	id("window_id", func(r *WindowRow, v string) { r.Window.ID, r.Link.Window = tmux.WindowID(v), tmux.WindowID(v) }),
	id("session_id", func(r *WindowRow, v string) { r.Link.Session = tmux.SessionID(v) }),
	number("window_index", func(r *WindowRow, v int) { r.Link.Index = v }),
	flag("window_active", func(r *WindowRow, v bool) { r.Link.Active = v }),
	name("window_name", func(r *WindowRow, v string) { r.Window.Name = v }),
	number("window_width", func(r *WindowRow, v int) { r.Window.Width = v }),
	number("window_height", func(r *WindowRow, v int) { r.Window.Height = v }),
	number("window_panes", func(r *WindowRow, v int) { r.Window.Panes = v }),
	flag("window_zoomed_flag", func(r *WindowRow, v bool) { r.Window.Zoomed = v }),
	id("window_layout", func(r *WindowRow, v string) { r.Window.Layout = tmux.ClassicLayout(v) }),
	id(viewersVariable, func(r *WindowRow, v string) { r.Window.Viewers = v }),
}

// ClientTable is for list-clients.
var ClientTable = Table[tmux.Client]{
	text("client_name", func(c *tmux.Client, v string) { c.Name = v }),
	number("client_pid", func(c *tmux.Client, v int) { c.PID = v }),
	text("client_tty", func(c *tmux.Client, v string) { c.TTY = v }),
	id("session_id", func(c *tmux.Client, v string) { c.Session = tmux.SessionID(v) }),
	id("window_id", func(c *tmux.Client, v string) { c.Window = tmux.WindowID(v) }),
	id("pane_id", func(c *tmux.Client, v string) { c.Pane = tmux.PaneID(v) }),
	flag("client_control_mode", func(c *tmux.Client, v bool) { c.Control = v }),
	id("client_flags", func(c *tmux.Client, v string) {
		flags := strings.Split(v, ",")
		c.Suspended = slices.Contains(flags, "suspended")
		c.ActivePane = slices.Contains(flags, "active-pane")
	}),
	moment("client_activity", func(c *tmux.Client, v time.Time) { c.Activity = v }),
}

// PaneTable is for list-panes -a, and for one pane.
func PaneTable(detail tmux.Detail) Table[tmux.Pane] {
	if detail == tmux.DetailFull {
		return fullPane
	}
	return briefPane
}

var briefPane = Table[tmux.Pane]{
	id("pane_id", func(p *tmux.Pane, v string) { p.ID = tmux.PaneID(v) }),
	id("window_id", func(p *tmux.Pane, v string) { p.Window = tmux.WindowID(v) }),
	number("pane_index", func(p *tmux.Pane, v int) { p.Index = v }),
	number("pane_pid", func(p *tmux.Pane, v int) { p.PID = v }),
	text("pane_tty", func(p *tmux.Pane, v string) { p.TTY = v }),
	title("pane_title", func(p *tmux.Pane, v string) { p.Title = v }),
	text("pane_current_command", func(p *tmux.Pane, v string) { p.Command = v }),
	text("pane_current_path", func(p *tmux.Pane, v string) { p.Path = v }),
	number("pane_left", func(p *tmux.Pane, v int) { p.Left = v }),
	number("pane_top", func(p *tmux.Pane, v int) { p.Top = v }),
	number("pane_width", func(p *tmux.Pane, v int) { p.Width = v }),
	number("pane_height", func(p *tmux.Pane, v int) { p.Height = v }),
	flag("pane_active", func(p *tmux.Pane, v bool) { p.Active = v }),
	flag("pane_dead", func(p *tmux.Pane, v bool) { p.Dead = v }),
	flag("pane_input_off", func(p *tmux.Pane, v bool) { p.InputOff = v }),
	flag("pane_synchronized", func(p *tmux.Pane, v bool) { p.Synchronized = v }),
	id("pane_mode", func(p *tmux.Pane, v string) { p.Mode = v }),
	flag("alternate_on", func(p *tmux.Pane, v bool) { p.Alternate = v }),
}

var fullPane = append(slices.Clone(briefPane),
	column[tmux.Pane]{variable: "pane_dead_status", set: func(p *tmux.Pane, v string) error {
		p.Full = true
		if v == "" {
			return nil
		}
		status, err := strconv.Atoi(v)
		p.DeadStatus = &status
		return err
	}},
	id("pane_dead_signal", func(p *tmux.Pane, v string) { p.DeadSignal = v }),
	number("history_size", func(p *tmux.Pane, v int) { p.HistorySize = v }),
	number("history_limit", func(p *tmux.Pane, v int) { p.HistoryLimit = v }),
	number("cursor_x", func(p *tmux.Pane, v int) { p.CursorX = v }),
	number("cursor_y", func(p *tmux.Pane, v int) { p.CursorY = v }),
	text("pane_start_command", func(p *tmux.Pane, v string) { p.StartCommand = v }),
)

// PaneSizeTable tells how much there is to capture.
var PaneSizeTable = Table[tmux.Pane]{
	id("pane_id", func(p *tmux.Pane, v string) { p.ID = tmux.PaneID(v) }),
	number("pane_height", func(p *tmux.Pane, v int) { p.Height = v }),
	number("history_size", func(p *tmux.Pane, v int) { p.HistorySize = v }),
}

// PaneSizes lists PaneSizeTable of all panes.
func PaneSizes(nonce Nonce) []string {
	return []string{"list-panes", "-a", "-F", PaneSizeTable.Format(nonce)}
}

// A PaneState is one pane in full, and the server that it is of.
type PaneState struct {
	Server tmux.Server
	Pane   tmux.Pane
}

// PaneStateTable describes one pane.
var PaneStateTable = append(
	within(ServerTable, func(s *PaneState) *tmux.Server { return &s.Server }),
	within(fullPane, func(s *PaneState) *tmux.Pane { return &s.Pane })...,
)
