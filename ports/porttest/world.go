// Package porttest holds the contract suites of the ports: one case for each sentence of their comments. An implementation
// runs them by giving a World, with a fresh one for each case.
package porttest

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Ports are one implementation of all of them, as one process has it.
type Ports struct {
	ports.Reader
	ports.Events
	ports.Input
	ports.Creator
	ports.Inspector
	ports.Snapshots
	ports.Manager
	ports.Channels
	ports.Terminator
	ports.Processes
	ports.Identity
	ports.Frames
	ports.Enrollments
	ports.Authorizer
}

// A World is an implementation under test and the tmux that it speaks to, of a test's own: the knobs are what a person or a program at
// that machine does. They fail the test if they cannot do it, return when tmux has done it, and are called by one
// goroutine at a time. At first no server runs.
type World interface {
	// Ports are the implementation under test.
	Ports() Ports
	// Peer is another process's handle on the frames of the same user.
	Peer() ports.Frames

	// Session makes a detached session of 80 columns and 24 rows, and gives its pane, in which the program is ready. It starts the
	// server, without any configuration, if none runs.
	Session(name string, program Program) tmux.PaneID
	// Split makes a pane below another, in which the program is ready.
	Split(beside tmux.PaneID, program Program) tmux.PaneID
	// Link shows a window in another session too.
	Link(window tmux.WindowID, in tmux.SessionID)
	// SetOption sets an option or a hook of a session ("$1"), window ("@1"), pane ("%1") or, if the target is empty, globally.
	SetOption(target, name, value string)
	// SetEnvironment sets a variable of a session, or globally if it is empty.
	SetEnvironment(session tmux.SessionID, name, value string)
	// Rename names a session or a window, or gives a pane its title.
	Rename(target, name string)
	// Put changes the state of a pane.
	Put(pane tmux.PaneID, state State)
	// Attach attaches a client of 80 columns and 24 rows to a session, as another process, and gives its end.
	Attach(session tmux.SessionID, kind Client) (detach func())
	// Kill ends a session, window or pane, or the server if the target is empty.
	Kill(target string)

	// Print writes to the pane's terminal, as its program does. It need not be shown yet on return.
	Print(pane tmux.PaneID, text string)
	// Received is what a Recorder has read so far.
	Received(pane tmux.PaneID) string
	// Respawn kills what runs in a pane and starts a program there, which is ready.
	Respawn(pane tmux.PaneID, program Program)
	// Die ends the program in a pane with status 3; the pane stays, dead.
	Die(pane tmux.PaneID)

	// SetBuffer makes a paste buffer, and Buffers lists all by name.
	SetBuffer(name, data string)
	Buffers() map[string]string
}

// A Program is what a pane runs.
type Program string

// The programs.
const (
	// Shell is an interactive POSIX shell of a family in which frames can run, with the prompt "$ ", in the directory "/".
	Shell Program = "shell"
	// Enrollable is an interactive shell that can be enrolled, with the prompt "$ ", in the directory "/".
	Enrollable Program = "enrollable shell"
	// Recorder has the terminal raw, without echo, keeps every byte that it reads, and prints nothing.
	Recorder Program = "recorder"
)

// A State is something that a person does to a pane.
type State string

// The states.
const (
	CopyMode State = "copy mode"
	InputOff State = "input off" // select-pane -d
	Zoomed   State = "zoomed"    // it covers its window, and is active; put again, it no longer does
	Active   State = "active"    // of its window
)

// A Client is a kind of client.
type Client string

// The clients.
const (
	Terminal Client = "terminal"
	Control  Client = "control mode"            // it is told what panes write
	Silent   Client = "control mode, no output" // it is not
)

// A testCase is one sentence.
type testCase struct {
	name string
	run  func(t *testing.T, w World)
}

func runCases(t *testing.T, newWorld func(t *testing.T) World, cases []testCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, newWorld(t)) })
	}
}
