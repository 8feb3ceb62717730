package ports

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
)

// Enrollments lets the shells of panes enroll for scripts that are never typed.
type Enrollments interface {
	// Invite makes ready, private to this user, what the shell of the invitation's subject sources to enroll. A process that is no zsh is
	// Refused with reason NotAShell; where processes cannot be told from each other for sure it is Unsupported. The caller closes what is answered.
	Invite(ctx context.Context, invitation enroll.Invitation) (Invited, error)
}

// An Invited is a shell that may enroll.
type Invited interface {
	// Arguments are the words of the command by which the shell enrolls, once: "source" and a path.
	Arguments() []string

	// Accept waits for the shell of the subject, and answers what it said, with its process as Identity names it, and the shell, which the caller closes. Every other
	// process is rejected, told why, and makes no difference. An invitation that expires is Deadline, and says who was rejected last. When ctx ends
	// before that, it may be called again.
	Accept(ctx context.Context) (enroll.Hello, Shell, error)

	// Close takes back what was not accepted and removes all files. It may be called more than once.
	Close() error
}

// A Shell is an enrolled one. Nothing is ever typed into its terminal, and nothing that it shows changes.
type Shell interface {
	// Prepare has the shell start a helper for the order: a child of its own, with its directory and its exported environment, that executes
	// nothing yet. Only an idle shell does, at an empty primary prompt: with text there it is Refused with reason Draft; at other work, or
	// in another state of its editor, with reason Busy. A shell that is gone is NotFound. What was not answered in time never executes
	// anything. The caller closes the helper.
	Prepare(ctx context.Context, order enroll.Order) (Helper, error)

	// Gone is closed when the shell has ended, has become another program, or is closed.
	Gone() <-chan struct{}

	// Close ends the enrollment: the shell forgets it and goes on. A helper that is at work is closed before.
	Close() error
}

// A Helper is a process that waits to execute one script.
type Helper interface {
	// Process is the helper, as the kernel says.
	Process() enroll.Helper

	// Run hands a script over, which is executed by /bin/sh -c at once, without standard input, in a session of its own, and waits for its end. A helper
	// that gets another script than the one of its order executes nothing: CommandFailed. An output that is longer than its limit ends the
	// script and is Capacity, Delivery Observed. When ctx ends, the script's process group is asked to end and then killed, Delivery
	// PossiblySent, as after every loss of the helper: what became of the script is not known then. If the helper is lost, the group is killed where the system
	// can name it without doubt, and the error says so where it cannot. It is called once.
	Run(ctx context.Context, grant enroll.Grant, script string) (enroll.Completion, error)

	// Close ends the helper, if it is there, without executing anything more. It may be called more than once.
	Close() error
}

// An Authorizer asks tmux whether a pane is still the one that is meant.
type Authorizer interface {
	// Authorize has tmux confirm, in one command list of which evidence is left only if all of it held, that this life of the server has
	// that pane, alive, with that process. Otherwise it is PreconditionFailed, and of another life StaleTarget. A lost answer confirms nothing.
	Authorize(ctx context.Context, subject enroll.Subject, order enroll.Order) (enroll.Evidence, error)
}
