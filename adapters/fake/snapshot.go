package fake

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var _ ports.Snapshots = (*World)(nil)

// Snapshot implements [ports.Snapshots].
func (w *World) Snapshot(ctx context.Context, kind tmux.Kind) (snapshot.Reading, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.reach(ctx, "read a snapshot"); err != nil {
		return snapshot.Reading{}, err
	}
	if w.server == nil {
		return snapshot.Reading{}, nil
	}
	reading := snapshot.Reading{Server: w.server.id, Running: true}
	for _, printed := range w.server.print(kind) {
		row, err := snapshot.NewRow(kind, w.options.Version, func(name string) string { return printed[name] })
		if err != nil {
			panic("fake: " + err.Error())
		}
		reading.Rows = append(reading.Rows, row)
	}
	return reading, nil
}

// printed are format variables as tmux prints them. What is left out is empty: nobody marks, groups, monitors or pipes anything here.
type printed map[string]string

// print is every entity of a kind.
func (s *server) print(kind tmux.Kind) (all []printed) {
	switch kind {
	case tmux.KindSession:
		for _, session := range s.sessions {
			all = append(all, s.printSession(session))
		}
	case tmux.KindWindow:
		for _, window := range s.windows {
			all = append(all, s.printWindow(window))
		}
	case tmux.KindWindowLink:
		for _, session := range s.sessions {
			for i, link := range session.links {
				all = append(all, session.printLink(i, link))
			}
		}
	case tmux.KindPane:
		for _, window := range s.windows {
			for i, pane := range window.panes {
				all = append(all, pane.print(i))
			}
		}
	case tmux.KindClient:
		for _, client := range s.clients {
			if !client.Own {
				all = append(all, client.print())
			}
		}
	}
	return all
}

func (s *server) printSession(of *session) printed {
	attached := 0
	for _, client := range s.clients {
		if client.session == of && !client.Own {
			attached++
		}
	}
	return printed{
		"session_id": string(of.id), "session_name": of.name, "session_created": epoch(of.created), "session_windows": strconv.Itoa(len(of.links)),
		"session_attached": strconv.Itoa(attached),
	}
}

func (s *server) printWindow(of *window) printed {
	links, active := s.linksOf(of), 0
	for _, link := range links {
		if link.Active {
			active++
		}
	}
	return printed{
		"window_id": string(of.id), "window_name": of.name, "window_layout": of.layout(), "window_visible_layout": of.visibleLayout(),
		"window_width": strconv.Itoa(of.width), "window_height": strconv.Itoa(of.height), "window_panes": strconv.Itoa(len(of.panes)),
		"window_linked_sessions": strconv.Itoa(len(links)), "window_active_sessions": strconv.Itoa(active),
		"window_zoomed_flag": boolean(of.zoomed), "window_linked": boolean(len(links) > 1),
	}
}

func (s *session) printLink(i int, of *link) printed {
	current := of == s.current
	flags := ""
	if current {
		flags = "*"
	}
	if of.window.zoomed {
		flags += "Z"
	}
	return printed{
		"session_id": string(s.id), "session_name": s.name, "window_id": string(of.window.id), "window_name": of.window.name,
		"window_raw_flags": flags, "window_index": strconv.Itoa(of.index), "window_active": boolean(current),
		"window_start_flag": boolean(i == 0), "window_end_flag": boolean(i == len(s.links)-1),
	}
}

func (p *pane) print(index int) printed {
	at := p.describe(index, tmux.DetailFull)
	made := printed{
		"pane_id": string(at.ID), "window_id": string(at.Window), "pane_title": at.Title, "pane_current_command": at.Command,
		"pane_current_path": at.Path, "pane_start_command": at.StartCommand, "pane_tty": at.TTY, "pane_mode": at.Mode,
		"pane_dead_signal": at.DeadSignal, "pane_key_mode": "VT10x",
	}
	for name, number := range map[string]int{
		"pane_index": at.Index, "pane_pid": at.PID, "pane_width": at.Width, "pane_height": at.Height, "pane_left": at.Left, "pane_top": at.Top,
		"pane_right": at.Left + at.Width - 1, "pane_bottom": at.Top + at.Height - 1, "cursor_x": at.CursorX, "cursor_y": at.CursorY,
		"history_size": at.HistorySize, "history_limit": at.HistoryLimit, "pane_in_mode": len(strings.Fields(at.Mode)),
	} {
		made[name] = strconv.Itoa(number)
	}
	for name, set := range map[string]bool{
		"pane_active": at.Active, "pane_dead": at.Dead, "pane_input_off": at.InputOff, "pane_synchronized": at.Synchronized,
		"pane_at_left": at.Left == 0, "pane_at_right": at.Left+at.Width == p.window.width, "pane_at_top": at.Top == 0,
		"pane_at_bottom": at.Top+at.Height == p.window.height, "alternate_on": at.Alternate, "bracket_paste_flag": p.grid.bracketed,
	} {
		made[name] = boolean(set)
	}
	if at.DeadStatus != nil {
		made["pane_dead_status"] = strconv.Itoa(*at.DeadStatus)
	}
	if p.dead {
		made["pane_dead_time"] = epoch(p.died)
	}
	return made
}

func (c *client) print() printed {
	at := c.describe()
	made := printed{
		"client_name": at.Name, "client_tty": at.TTY, "client_session": c.session.name, "session_id": string(at.Session),
		"client_flags": "attached,UTF-8", "client_key_table": "root", "client_termname": "xterm-256color",
		"client_pid": strconv.Itoa(at.PID), "client_created": epoch(c.created), "client_activity": epoch(c.activity),
		"client_width": strconv.Itoa(c.session.width), "client_height": strconv.Itoa(c.session.height),
		"client_control_mode": boolean(at.Control), "client_utf8": "1", "client_user": "fake", "client_uid": "1000",
	}
	for flag, set := range map[string]bool{"control-mode": c.Control, "suspended": c.Suspended, "active-pane": c.ActivePane} {
		if set {
			made["client_flags"] += "," + flag
		}
	}
	return made
}

func epoch(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

func boolean(set bool) string {
	if set {
		return "1"
	}
	return "0"
}
