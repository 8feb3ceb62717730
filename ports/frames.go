package ports

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Frames stages commands that the shell of a pane sources, and keeps their results.
type Frames interface {
	// Stage makes a command ready, private to this user, and takes the pane: while a frame holds it, in this or another
	// process of the same user, Stage is Refused with reason Busy and names the run. The caller closes the frame.
	Stage(ctx context.Context, plan Plan) (Frame, error)

	// Holder is the id of the run that holds a pane now, in this or another process of the same user; empty if none does.
	// It disturbs nobody: a Stage at the same moment succeeds or not as it would have without it.
	Holder(ctx context.Context, server tmux.Server, pane tmux.PaneID) (runID string, err error)

	// Recall finds the record of a run of this user, from this or an earlier process, for 24 h after it ended:
	// as it was kept, or what can be told of a run whose server process died: its exact status if it ended
	// (Unattended set), Running if its shell still works on it. NotFound if there is none.
	Recall(ctx context.Context, runID string) (frame.Record, error)
}

// A Plan is a command to stage.
type Plan struct {
	RunID   string // unique; lower-case letters and digits
	Token   string // random; stands in the row that the frame shows before the command runs
	Server  tmux.Server
	Pane    tmux.PaneID
	PID     int         // of the pane's shell
	Shell   guard.Shell // family
	Command string      // as the caller wrote it: any bytes but NUL
	Shown   string      // one line, printable, short enough for the pane's width, with the token in it
	Streams bool        // stdout and stderr go to private files instead of the terminal
	Started int64       // epoch milliseconds, for the record
}

// A Frame is one staged command. Its calls come in the order Line, Started, Release, Ended, Streams, Keep, Close, and any of them may
// be left out by going to Close. Close may be called at any time, once.
type Frame interface {
	// Line is what is to be typed, without Enter: one short line with a leading space.
	Line() string

	// Started waits until the shell has sourced the frame and shown the plan's line. Its process, whose state shows C-z,
	// is the answer. If the context ends first the frame is revoked: whatever the shell does later, the command does
	// not run.
	Started(ctx context.Context) (pid int, err error)

	// Release lets the command run. From here on it counts as started.
	Release() error

	// Ended waits until the command has ended; the pane's shell then waits for Close. If the shell that ran it is gone
	// without an end, End.Gone is set. If the context ends nothing happens to the command, and Ended may be
	// called again.
	Ended(ctx context.Context) (frame.End, error)

	// Streams reads what the command has written with Plan.Streams so far: the newest limit bytes of each, or a few less so that a
	// text in UTF-8 begins with a character, and how many bytes each had in all.
	Streams(limit int) (stdout, stderr frame.Stream, err error)

	// Keep stores the record for Recall, durably.
	Keep(record frame.Record) error

	// Close lets the shell go on, gives the pane free and removes everything but a kept record. Before Release it revokes. While the
	// command still runs, it leaves what the command needs to record its status; and if no record of its end was kept, what
	// Recall needs to tell it.
	Close() error
}
