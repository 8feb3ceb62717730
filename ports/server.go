// Package ports says what the application needs from outside: small role interfaces whose comments are the
// contract. Every sentence of a comment has a case in porttest, which every implementation runs.
//
// All methods end when their context does, with a fault of kind Deadline or Cancelled, leave nothing behind then, and
// are safe for concurrent use. All errors are *fault.Error. Where a method takes a tmux.Server, that is the life of the server
// that the caller knows: if another one answers now the fault is StaleTarget, and nothing was done to it. If no server
// answers, methods fault with ServerGone (Delivery NotSent), except where their comment says otherwise; a socket that
// may not be opened is TransportError and says permission; a server older than 3.2a is Unsupported.
package ports

import (
	"context"
	"iter"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Reader observes the server and changes nothing.
type Reader interface {
	// Topology reads everything at one instant. An absent server is no error: Running is false. So is a server
	// without sessions. Every text is exact, whatever bytes it holds; clients of this process are left out, of Clients as
	// of every count.
	Topology(ctx context.Context, detail tmux.Detail) (tmux.Topology, error)

	// Capture reads rows of the pane's live screen and history, with the pane's state from the same instant, also
	// while a person scrolls in a mode there. A pane that does not exist is NotFound. A pane with an effective
	// after-capture-pane hook, at whatever level, is Refused with reason Hooked, and is not captured. Which hook that is depends on the
	// session that the pane is seen in; if the request names one, a pane that is not of that session is NotFound, whatever other session
	// has it.
	Capture(ctx context.Context, request CaptureRequest) (screen.Capture, error)

	// Look is Topology and the Capture of a pane of the server that answers, at the same instant, if both take one command list together; else
	// the capture is nil, whatever the reason, which a Capture then tells.
	Look(ctx context.Context, detail tmux.Detail, request CaptureRequest) (tmux.Topology, *screen.Capture, error)

	// Lines reads the logical lines of many panes, in the order of the request, as Capture with Join and Starts does of one, in fewer command
	// lists. Each pane is read at one instant; two panes may be read at two. A pane that cannot be read has its own error
	// and does not end the sequence; another life of the server, or none, ends it with that error, and so does the context.
	Lines(ctx context.Context, request LinesRequest) iter.Seq[Lines]
}

// A LinesRequest says what lines to read.
type LinesRequest struct {
	Server  tmux.Server // the life in which Panes were listed
	Panes   []tmux.PaneID
	History int // rows above each screen; AllHistory for all
}

// Lines are those of one pane, or the error why not.
type Lines struct {
	Pane   tmux.PaneID
	Rows   []string // logical lines, trailing blanks trimmed
	Starts []int    // the absolute row at which each begins
	Err    error
}

// EndsLines reports whether an error of Lines is of more than its pane.
func EndsLines(err error) bool {
	return err != nil && !fault.Is(err, fault.Refused) && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.DecodeError)
}

// A CaptureRequest says what to capture. The zero value of everything but Pane means the screen alone, physical
// rows, trailing blanks trimmed, no styles, of whatever server answers.
type CaptureRequest struct {
	Server  tmux.Server // the life in which Pane was listed; zero: any
	Pane    tmux.PaneID
	Session tmux.SessionID // whose hooks count; empty: of the one that tmux takes, if several have the pane
	History int            // rows above the screen; AllHistory for all
	// FromRow, if not nil, is the absolute row (as screen.Capture counts) from which to capture to the bottom
	// of the screen; History is ignored then. Rows that do not exist any more are left out.
	FromRow *int
	Join    bool // rejoin wrapped rows into logical lines, trailing blanks trimmed
	Starts  bool // with Join: also tell at which absolute row each line begins
	Styles  bool // with SGR escape sequences
	Blanks  bool // keep written trailing blanks of physical rows (before tmux 3.3 all rows are padded)
	Wraps   bool // without Join: also tell which rows go on in the next; those keep their trailing blanks
}

// AllHistory asks for every row above the screen.
const AllHistory = -1

// An Input types. A false precondition is PreconditionFailed, and then nothing was typed. After a lost answer or a deadline the
// fault's Delivery is PossiblySent; a text sent in pieces of which some went has Effects with the bytes that did.
// Delivery is to tmux: that the program reads it is not known.
type Input interface {
	// SendText types text literally: every byte except NUL, which is InvalidInput. The empty text types nothing. Then, if enter,
	// the Enter key, in the same command list as the last piece.
	SendText(ctx context.Context, pre guard.Precondition, text string, enter bool) error

	// SendKeys presses keys by tmux's names, such as "C-c", "Escape", "j". Names are validated by the caller.
	SendKeys(ctx context.Context, pre guard.Precondition, keys []string) error

	// Paste pastes text as one, byte-exact but for LF, which tmux turns into CR. It never fans out. Its buffer is gone
	// afterwards, also when the paste failed, and the person's buffers are untouched.
	Paste(ctx context.Context, pre guard.Precondition, text string, bracket Bracket) error
}

// A Bracket says whether a paste is wrapped in bracketed-paste sequences.
type Bracket string

// The brackets.
const (
	BracketAuto  Bracket = "auto" // if the program asked for it
	BracketNever Bracket = "never"
)

// A Creator makes sessions, windows and panes, each with a default shell or the program of its Start, and starts again what ran in a
// pane, never moving what a person looks at unless Focus says so. Names, arguments and variables are literal: nothing in them is
// expanded. A Cwd that is not a directory is InvalidInput, and so is a Start that does not fit into one command list of tmux (above
// 15 KiB); then nothing is created. A fault of a creation has Effects if it is known what it made: none, or known with the ids.
type Creator interface {
	// NewSession creates a detached session. If no server runs, one is started, unless In is set. A name that exists is InvalidInput.
	NewSession(ctx context.Context, request NewSession) (Created, error)
	// NewWindow creates a window in a session; NotFound if it does not exist, InvalidInput if the index is taken.
	NewWindow(ctx context.Context, server tmux.Server, request NewWindow) (Created, error)
	// SplitWindow creates a pane beside another; NotFound if that does not exist, CommandFailed if there is no room.
	SplitWindow(ctx context.Context, server tmux.Server, request SplitWindow) (Created, error)
	// Respawn starts the command again with which a pane was made, in the same directory unless there is a Cwd, and answers the pane in
	// full as it is then. What stands above its screen stays; a mode ends. If something that the respawning demands does not hold any
	// more it is PreconditionFailed, and nothing was done. So is Unsupported: where tmux could die of it, before 3.8, because a
	// control client attached to a session with the pane is told what panes write.
	Respawn(ctx context.Context, server tmux.Server, request Respawn) (tmux.Pane, error)
}

// A NewSession describes a session to create. Zero fields are tmux's defaults.
type NewSession struct {
	In         tmux.Server // the life in which to create it; zero: whichever answers
	Name       string
	WindowName string
	Cwd        string
	Width      int // cells
	Height     int // cells
	Start
}

// A Start says what runs in a new pane. The zero value is the default shell.
type Start struct {
	// Argv is a program, found through PATH unless it is a path, with its arguments; also if it is one word, no shell reads it.
	Argv []string

	// Environment is what the program gets besides; of a session, so does all that is started in it later. PATH, SHELL, TMUX and
	// TMUX_PANE are not for it: tmux sets them itself.
	Environment map[string]string
}

// A NewWindow describes a window to create.
type NewWindow struct {
	Session tmux.SessionID
	Name    string
	Cwd     string
	Index   *int // nil: the next free one
	Focus   bool
	Start
}

// A SplitWindow describes a pane to create.
type SplitWindow struct {
	Pane      tmux.PaneID
	Direction Direction
	Size      string // cells ("10") or a percentage ("30%") of the split pane; empty: half
	Cwd       string
	Focus     bool
	Start
}

// A Respawn says what to start again, and where.
type Respawn struct {
	guard.Respawning
	Cwd string // empty: where it was started before
}

// A Direction says on which side of a pane a new one comes.
type Direction string

// The directions.
const (
	Below Direction = "below"
	Above Direction = "above"
	Right Direction = "right"
	Left  Direction = "left"
)

// Created is what a creation positively answered.
type Created struct {
	Server        tmux.Server
	Session       tmux.SessionID // empty for SplitWindow
	Window        tmux.WindowID
	Pane          tmux.PaneID
	ServerStarted bool
}
