package app

import (
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A PaneRow is one pane. The fields from PID on come with detail full.
type PaneRow struct {
	PaneID        string   `json:"pane_id"`
	WindowID      string   `json:"window_id"`
	SessionIDs    []string `json:"session_ids"`
	Index         int      `json:"index"`
	Title         string   `json:"title"`
	Command       string   `json:"command" jsonschema:"program in the foreground, as tmux guesses it"`
	Path          string   `json:"path,omitempty" jsonschema:"working directory of the foreground program"`
	Width         int      `json:"width" jsonschema:"cells"`
	Height        int      `json:"height" jsonschema:"cells"`
	Left          int      `json:"left"`
	Top           int      `json:"top"`
	Active        bool     `json:"active" jsonschema:"the active pane of its window"`
	Dead          bool     `json:"dead"`
	IsCaller      *bool    `json:"is_caller,omitempty" jsonschema:"whether this conversation runs in it; absent if unknown"`
	Attended      bool     `json:"attended" jsonschema:"a person's terminal shows it now"`
	ReplacedBytes int      `json:"replaced_bytes,omitempty" jsonschema:"bytes of the texts here that were not UTF-8"`

	PID          int        `json:"pid,omitempty"`
	DeadStatus   *int       `json:"dead_status,omitempty"`
	DeadSignal   string     `json:"dead_signal,omitempty"`
	Mode         string     `json:"mode,omitempty" jsonschema:"mode that the pane is in, such as copy-mode"`
	HistorySize  *int       `json:"history_size,omitempty" jsonschema:"rows above the screen"`
	Synchronized *bool      `json:"synchronized,omitempty"`
	InputOff     *bool      `json:"input_off,omitempty"`
	Alternate    *bool      `json:"alternate,omitempty" jsonschema:"the alternate screen is shown"`
	Cursor       *CursorRow `json:"cursor,omitempty"`
	StartCommand string     `json:"start_command,omitempty"`
	Foreground   string     `json:"foreground,omitempty" enum:"at_prompt,busy,not_shell,unknown" jsonschema:"at_prompt: an idle shell, ready for run_shell_command"`
}

// A CursorRow is where a pane's cursor is.
type CursorRow struct {
	X int `json:"x" jsonschema:"cells from the left"`
	Y int `json:"y" jsonschema:"rows from the top"`
}

// describePane makes the row of a pane, with the fields of detail full if the topology has them.
func (a *App) describePane(ctx context.Context, t tmux.Topology, p tmux.Pane, caller ports.Caller) PaneRow {
	row := PaneRow{
		PaneID: string(p.ID), WindowID: string(p.Window),
		SessionIDs: lo.Uniq(lo.Map(t.LinksOf(p.Window), func(l tmux.Link, _ int) string { return string(l.Session) })),
		Index:      p.Index, Width: p.Width, Height: p.Height, Left: p.Left, Top: p.Top,
		Active: p.Active, Dead: p.Dead, Attended: len(t.Watchers(p)) > 0,
	}
	clean := func(text string) string {
		text, replaced := screen.Clean(text)
		row.ReplacedBytes += replaced
		return text
	}
	row.Title, row.Command, row.Path = clean(p.Title), clean(p.Command), clean(p.Path)
	if caller.Pane != "" {
		row.IsCaller = new(caller.Pane == p.ID)
	}
	if !p.Full {
		return row
	}
	row.PID, row.DeadStatus, row.DeadSignal, row.Mode = p.PID, p.DeadStatus, p.DeadSignal, p.Mode
	row.HistorySize, row.Synchronized, row.InputOff, row.Alternate = &p.HistorySize, &p.Synchronized, &p.InputOff, &p.Alternate
	row.Cursor, row.StartCommand = &CursorRow{p.CursorX, p.CursorY}, clean(p.StartCommand)
	if !p.Dead {
		row.Foreground = string(guard.Classify(a.Processes.Sample(ctx, p)).State)
	}
	return row
}

// ListPanesIn filters the panes.
type ListPanesIn struct {
	SessionID string `json:"session_id,omitempty" jsonschema:"only panes of this session ($N)"`
	WindowID  string `json:"window_id,omitempty" jsonschema:"only panes of this window (@N)"`
	Command   string `json:"command,omitempty" jsonschema:"only panes with this program in the foreground"`
	PathUnder string `json:"path_under,omitempty" jsonschema:"only panes whose working directory is this directory or below it"`
	Dead      *bool  `json:"dead,omitempty" jsonschema:"only dead (true) or living (false) panes"`
	Active    *bool  `json:"active,omitempty" jsonschema:"only panes that are (true) or are not (false) the active one of their window"`
	Corner    string `json:"corner,omitempty" enum:"top_left,top_right,bottom_left,bottom_right" jsonschema:"only the pane in this corner of each window"`
	Detail    string `json:"detail,omitempty" enum:"brief,full" jsonschema:"full adds process, mode, history, cursor and whether a shell is idle there; brief by default"`
}

// ListPanesOut are the panes.
type ListPanesOut struct {
	Listing
	Panes []PaneRow `json:"panes"`
}

// ListPanes lists panes, each once.
func (a *App) ListPanes(ctx context.Context, in ListPanesIn) (ListPanesOut, error) {
	ctx, err := a.admit(ctx, "list_panes")
	if err != nil {
		return ListPanesOut{}, err
	}
	detail := tmux.DetailBrief
	if in.Detail == "full" {
		detail = tmux.DetailFull
	}
	t, err := a.filtered(ctx, detail, in.SessionID, in.WindowID)
	if err != nil {
		return ListPanesOut{}, err
	}
	panes := lo.Filter(t.Panes, func(p tmux.Pane, _ int) bool {
		w, _ := t.Window(p.Window)
		return inSession(t.LinksOf(p.Window), in.SessionID) &&
			(in.WindowID == "" || in.WindowID == string(p.Window)) &&
			(in.Command == "" || in.Command == p.Command) &&
			(in.PathUnder == "" || under(p.Path, in.PathUnder)) &&
			(in.Dead == nil || *in.Dead == p.Dead) &&
			(in.Active == nil || *in.Active == p.Active) &&
			(in.Corner == "" || inCorner(p, w, in.Corner))
	})
	caller := a.caller(ctx, t)
	rows := lo.Map(panes, func(p tmux.Pane, _ int) PaneRow { return a.describePane(ctx, t, p, caller) })
	return ListPanesOut{Listing: listingOf(t, len(rows)), Panes: rows}, nil
}

// caller finds the caller's pane; in an absent server there is none to find.
func (a *App) caller(ctx context.Context, t tmux.Topology) ports.Caller {
	if !t.Running {
		return ports.Caller{How: ports.CallerUnknown}
	}
	return a.Processes.Caller(ctx, t)
}

func under(dir, root string) bool {
	root = path.Clean(root)
	return dir == root || strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/")
}

func inCorner(p tmux.Pane, w tmux.Window, corner string) bool {
	vertical, horizontal, _ := strings.Cut(corner, "_")
	touches := map[string]bool{
		"top": p.Top == 0, "bottom": p.Top+p.Height == w.Height, "left": p.Left == 0, "right": p.Left+p.Width == w.Width,
	}
	return touches[vertical] && touches[horizontal]
}

// GetPaneInfoIn names a pane.
type GetPaneInfoIn struct {
	PaneID string `json:"pane_id" jsonschema:"pane (%N)"`
}

// GetPaneInfoOut is one pane in full.
type GetPaneInfoOut struct {
	Generation string `json:"generation"`
	PaneRow
}

// GetPaneInfo describes one pane in full.
func (a *App) GetPaneInfo(ctx context.Context, in GetPaneInfoIn) (GetPaneInfoOut, error) {
	ctx, err := a.admit(ctx, "get_pane_info")
	if err != nil {
		return GetPaneInfoOut{}, err
	}
	t, pane, err := a.knownPane(ctx, tmux.DetailFull, in.PaneID)
	if err != nil {
		return GetPaneInfoOut{}, err
	}
	return GetPaneInfoOut{Generation: string(t.Server.Generation), PaneRow: a.describePane(ctx, t, pane, a.caller(ctx, t))}, nil
}

// SplitWindowIn describes a pane.
type SplitWindowIn struct {
	PaneID    string `json:"pane_id" jsonschema:"pane to split (%N)"`
	Direction string `json:"direction,omitempty" enum:"below,above,right,left" jsonschema:"where the new pane comes; below by default"`
	Size      string `json:"size,omitempty" jsonschema:"of the new pane: cells (10) or a percentage (30%); half by default"`
	Cwd       string `json:"cwd,omitempty" jsonschema:"absolute path of an existing directory"`
	Focus     bool   `json:"focus,omitempty" jsonschema:"make it the active pane, in front of whoever looks"`
}

// SplitWindowOut names what was created.
type SplitWindowOut struct {
	Generation string `json:"generation"`
	PaneID     string `json:"pane_id"`
}

var splitSize = regexp.MustCompile(`^([1-9][0-9]{0,3}|[1-9][0-9]?%)$`)

// SplitWindow creates a pane beside another.
func (a *App) SplitWindow(ctx context.Context, in SplitWindowIn) (SplitWindowOut, error) {
	ctx, err := a.admit(ctx, "split_window")
	if err != nil {
		return SplitWindowOut{}, err
	}
	if in.Size != "" && !splitSize.MatchString(in.Size) {
		return SplitWindowOut{}, fault.Invalidf(`pass cells such as "10" or a percentage such as "30%"`, "size %q is neither cells nor a percentage", in.Size)
	}
	if err := checkCwd(in.Cwd); err != nil {
		return SplitWindowOut{}, err
	}
	t, pane, err := a.knownPane(ctx, tmux.DetailBrief, in.PaneID)
	if err != nil {
		return SplitWindowOut{}, err
	}
	created, err := a.Creator.SplitWindow(ctx, t.Server, ports.SplitWindow{
		Pane: pane.ID, Direction: ports.Direction(lo.CoalesceOrEmpty(in.Direction, string(ports.Below))), Size: in.Size, Cwd: in.Cwd, Focus: in.Focus,
	})
	if err != nil {
		return SplitWindowOut{}, err
	}
	return SplitWindowOut{Generation: string(created.Server.Generation), PaneID: string(created.Pane)}, nil
}
