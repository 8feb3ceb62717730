// Package guard decides whether input may go to a pane. It is pure: it judges a topology, what process
// inspection saw and what the screen shows, and says who would receive the input and what must still hold
// when it is sent, or the first reason why not.
package guard

import (
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// An Action is a way to give input to a pane; each has its own guard.
type Action string

// The actions.
const (
	// Keys is send-keys: it reaches the whole synchronized cohort.
	Keys Action = "send keys to"
	// Paste is paste-buffer: it reaches its pane alone.
	Paste Action = "paste into"
	// Run types the line of a framed command: one idle shell, no draft, no cohort.
	Run Action = "run a command in"
)

// A Wish is what a caller wants.
type Wish struct {
	Action          Action
	Pane            tmux.PaneID
	ConfirmAttended bool // the caller named that exception
	StopKeys        bool // nothing but keys that stop a program, allowed while a run holds the pane
	ClearDraft      bool // Run: a draft may be cleared
	Alone           bool // Keys: to this pane alone, as a Run; a synchronized cohort is refused
}

// Evidence is what is known beside the topology.
type Evidence struct {
	Caller  tmux.PaneID            // the pane that this conversation runs through; empty if unknown
	Holders map[tmux.PaneID]string // ids of the runs that hold panes
	Process Process                // Run only
	Draft   Draft                  // Run only
}

// A Verdict is who would receive the input and what must still hold, or a refusal.
type Verdict struct {
	Recipients   []tmux.PaneID // observed, by index in their window
	Precondition Precondition
	Refusal      *fault.Error // nil if the input may go
}

// A Recipient is one pane that would receive input, and the process in it.
type Recipient struct {
	Pane   tmux.PaneID
	PID    int
	Active bool // it is its window's active pane, which a zoom shows
}

// A Precondition is what must still hold in the same command list that sends the input: every recipient lives
// with the same process, accepts input, is in no mode, and the cohort is the same.
type Precondition struct {
	Server tmux.Server // PID and StartTime are checked
	Pane   tmux.PaneID // to which the input is addressed

	// Recipients are the addressed pane, or the whole synchronized cohort in order of pane index.
	Recipients []Recipient

	// Cohort says how synchronize-panes counts: if true (Keys), the panes of the window that have it on must be
	// exactly Recipients, or, with one recipient, the addressed pane must not have it on. If false (Paste)
	// synchronization does not matter.
	Cohort bool

	// Unwatched demands that who looks at the window has not changed since Viewers (tmux.Window.Viewers) and Zoomed
	// were read, and, if Zoomed, that each of Recipients is as Active as it was: a zoom can turn to another pane. It is not
	// set when the caller confirmed that the pane is attended.
	Unwatched bool
	Viewers   string
	Zoomed    bool
}
