package tmux

import "time"

// A Session is one tmux session.
type Session struct {
	ID       SessionID
	Name     string // as tmux has it, decoded
	Group    string // name of the session group; empty if in none
	Created  time.Time
	Windows  int
	Attached int // terminal clients attached; control clients do not count
}

// A Window is one tmux window. It may be linked into several sessions.
type Window struct {
	ID     WindowID
	Name   string
	Width  int // cells
	Height int // cells
	Panes  int
	Zoomed bool   // one pane covers the window, the others are hidden
	Layout string // #{window_layout}, by [ClassicLayout]

	// Viewers is #{window_active_clients_list}: the clients whose current window this is, in tmux's order. Control clients without
	// a terminal are left out: they come and go, and nobody sees through them. It is compared, never parsed: a guard holds only while it has not changed.
	Viewers string
}

// A Link is the place of a window in a session.
type Link struct {
	Session SessionID
	Window  WindowID
	Index   int
	Active  bool // the session's current window
}

// A Pane is one pane. The fields below Full are only set if the topology was read with DetailFull.
type Pane struct {
	ID     PaneID
	Window WindowID
	Index  int
	PID    int    // of the process that tmux started in it; stays set after that process died, up to tmux 3.7: 0 from 3.8 on
	TTY    string // path of its terminal, such as /dev/pts/3

	Title   string
	Command string // #{pane_current_command}
	Path    string // #{pane_current_path}; empty if unknown

	Left, Top, Width, Height int    // cells
	Active                   bool   // the window's active pane
	Dead                     bool   // the process has ended and remain-on-exit keeps the pane
	InputOff                 bool   // tmux discards what is typed here (select-pane -d)
	Synchronized             bool   // effective synchronize-panes
	Mode                     string // mode in which the pane is, such as "copy-mode"; empty if none
	Alternate                bool   // the alternate screen is shown

	Full         bool   // whether the fields below are set
	DeadStatus   *int   // exit status of a dead pane; nil if unknown or not dead
	DeadSignal   string // name or number of the signal that killed it; empty if none or unknown (tmux before 3.3)
	HistorySize  int    // rows above the screen
	HistoryLimit int    // rows
	CursorX      int    // cells from the left of the pane
	CursorY      int    // rows from the top of the pane
	StartCommand string // as given at creation; empty if the default shell
}

// A Client is one client attached to the server.
type Client struct {
	Name      string // tmux's name of it, usually its terminal's path
	PID       int
	TTY       string
	Session   SessionID
	Window    WindowID // the current window of its session
	Pane      PaneID   // the active pane of that window; unreliable with ActivePane
	Control   bool     // a control-mode client: no person sees through it
	Suspended bool     // suspended or locked: shows nothing now
	// ActivePane says that the client chose its own active pane (-f active-pane), so that which pane it
	// zooms is unknown.
	ActivePane bool
	Activity   time.Time // of the last key, mouse or focus event
}

// A Detail says how much of a topology is read. Wide rows cost tmux about 80 microseconds a pane.
type Detail int

// The details of a topology.
const (
	// DetailBrief leaves the fields of a pane below Full unset.
	DetailBrief Detail = iota
	// DetailFull sets all.
	DetailFull
)
