// Package frame holds the rules of framed commands: which shells can run them, what the person is shown, and
// how a run ends.
package frame

import "github.com/libtmux-mcp/libtmux-mcp/domain/tmux"

// An Outcome says how a run, or the wait for it, ended.
type Outcome string

// The outcomes.
const (
	Completed   Outcome = "completed"   // the command ended; its status is known
	TimedOut    Outcome = "timed_out"   // the wait ended; the command may go on, or never started
	Interrupted Outcome = "interrupted" // the command ended by C-c or C-\
	Stopped     Outcome = "stopped"     // the command is stopped (C-z); fg would continue it
	PaneGone    Outcome = "pane_gone"
	PaneDied    Outcome = "pane_died" // the pane's process is another one, or the pane is dead
	ServerGone  Outcome = "server_gone"
)

// OutcomeOf is the outcome of a command that ended with a status: 128 and SIGINT or SIGQUIT tell of C-c and C-\.
func OutcomeOf(status int) Outcome {
	if status == 130 || status == 131 {
		return Interrupted
	}
	return Completed
}

// An End is how the shell says that a command ended.
type End struct {
	Status int  // as the shell has it
	Gone   bool // the shell that ran it is gone and said nothing: Status is unset
}

// A Reason says why a run's lines are not complete.
type Reason string

// The reasons.
const (
	Trimmed         Reason = "trimmed"          // older lines left the history
	Cleared         Reason = "cleared"          // the screen or the history was cleared
	AlternateScreen Reason = "alternate_screen" // the command left the pane in the alternate screen
	Unattended      Reason = "unattended"       // no server process saw the end
	ShellGone       Reason = "shell_gone"       // the pane's shell ended before the output could be read
)

// A Record is what is kept of a run: as much as any later answer may show.
type Record struct {
	RunID      string          `json:"run_id"`
	Pane       tmux.PaneID     `json:"pane_id"`
	Generation tmux.Generation `json:"generation"`
	PID        int             `json:"pid"`    // of the pane's shell
	Leader     int             `json:"leader"` // process whose state shows C-z, while the run goes on; 0 if unknown
	Streamed   bool            `json:"streamed"`

	Running    bool    `json:"running"`    // not ended when this record was made
	Unattended bool    `json:"unattended"` // its server process died before it ended
	Outcome    Outcome `json:"outcome"`
	Started    bool    `json:"started"`
	Status     *int    `json:"status,omitempty"` // nil if unknown

	Lines    []string `json:"lines"`    // the newest, within the wire contract's greatest bounds; nil if they could not be read
	Dropped  int      `json:"dropped"`  // lines left out of Lines
	Complete bool     `json:"complete"` // Lines and Dropped are all that the command wrote
	Reason   Reason   `json:"reason,omitempty"`
	Cursor   string   `json:"cursor,omitempty"` // sealed: the place behind Lines
	Stdout   Stream   `json:"stdout"`
	Stderr   Stream   `json:"stderr"`

	StartedAt int64 `json:"started_at"` // epoch milliseconds
	EndedAt   int64 `json:"ended_at"`   // epoch milliseconds; 0 while running
}
