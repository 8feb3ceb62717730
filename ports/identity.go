package ports

import (
	"context"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// An Identity holds the processes that panes were started with, so that none can be taken for another: not for one that gets the same
// pid later, nor for one of that pid in another namespace. It only watches: nothing is ever signalled.
type Identity interface {
	// Tracking says whether the processes of a server's panes can be held, and if not, what is missing.
	Tracking(ctx context.Context, server tmux.Server) (Tracking, error)

	// Hold holds the process that a pane runs now: the pane had it, alive, at one moment at which the server lived. NotFound if the pane
	// does not exist, Refused with reason Dead if its process has ended, Unsupported if Tracking says that something is missing.
	// The caller closes what is held.
	Hold(ctx context.Context, server tmux.Server, pane tmux.PaneID) (Held, error)
}

// A Held is one process of a pane. All of its methods may be called from any goroutine.
type Held interface {
	// Generation is the same of every Held of the same process, and another of any other.
	Generation() tmux.ProcessGeneration

	// Wait waits until the process has ended, whatever becomes of the pane meanwhile, and tells that as often as asked. An end is told
	// only if the server lives after it: it answers; or it is too busy to, runs, and the process did not end by a hangup, such as
	// the end of a server sends. If the server ended, before it or with it, it is ServerGone. After Close it is Cancelled.
	Wait(ctx context.Context) (Exit, error)

	// Close lets the process go, and ends every Wait. When it returns nothing of the hold is left. It may be called again.
	Close()
}

// An Exit is how a process ended, as far as this process, which is not its parent, was told.
type Exit struct {
	At       time.Time // when it was noticed
	Observed bool      // the kernel told the status; else Status and Signal say nothing
	Status   int       // exit status; 0 if a signal ended it
	Signal   int       // that ended it; 0: none
}

// A Tracking says whether processes can be held. The zero value says that they can.
type Tracking struct {
	Lack   Lack   // what is missing; empty: nothing
	Detail string // in words, if something is
}

// A Lack is what is missing to hold a process.
type Lack string

// What may be missing.
const (
	LackTmux      Lack = "tmux_version"     // tmux is older than 3.3
	LackNamespace Lack = "pid_namespace"    // the server's pids are not ours
	LackKernel    Lack = "kernel"           // no SO_PEERPIDFD, which Linux has since 6.5, or no pidfd_open
	LackProc      Lack = "proc"             // no /proc of our PID namespace
	LackSystem    Lack = "operating_system" // nobody has proved it on this one
)
