// Package enroll enrolls interactive zsh shells for scripts that are never typed. A shell sources a private file once, shows over a socket
// which process it is, and from then on takes requests over two FIFOs while it waits at its prompt. For each, it starts
// a helper, a child of its own, which gets one script over a socket and executes it. Nothing is written to the terminal, and when this process dies
// the ends of the FIFOs close and the shell forgets it.
package enroll

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll/helper"
	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Options say where enrollments are and what executes scripts. The zero value is usable.
type Options struct {
	// Dir is a directory of this user, absolute, in which private ones are made. Empty: /run/user/UID if it is the user's, else /tmp.
	Dir string

	// Helper is the command that becomes a helper; two arguments are added. Empty: this executable with helper.Subcommand, which any
	// program that imports that package understands.
	Helper []string
}

// Enrollments implements ports.Enrollments. It holds nothing that must be closed.
type Enrollments struct {
	dir    string
	helper []string
}

var _ ports.Enrollments = (*Enrollments)(nil)

// Open tidies what dead processes of this user left.
func Open(options Options) (*Enrollments, error) {
	e := &Enrollments{dir: options.Dir, helper: options.Helper}
	if e.dir == "" {
		e.dir = base()
	}
	if len(e.helper) == 0 {
		executable, err := os.Executable()
		if err != nil {
			return nil, failed("find this executable", "", err)
		}
		e.helper = []string{executable, helper.Subcommand}
	}
	sweep(e.dir)
	return e, nil
}

// Invite implements ports.Enrollments.
func (e *Enrollments) Invite(ctx context.Context, invitation enroll.Invitation) (ports.Invited, error) {
	pane := string(invitation.Subject.Pane)
	if err := ctx.Err(); err != nil {
		return nil, failed(opInvite, pane, err)
	}
	if err := isShell(invitation.Subject); err != nil {
		return nil, err
	}
	at, err := makePlace(e.dir)
	if err != nil {
		return nil, failed(opInvite, pane, err)
	}
	invited := &invited{invitation: invitation, at: at, waits: make(chan struct{}, 1)}
	if err := invited.open(e.helper); err != nil {
		return nil, failed(opInvite, pane, errors.Join(err, invited.Close()))
	}
	return invited, nil
}

const (
	opInvite  = "invite the shell of"
	opAccept  = "enroll the shell of"
	opPrepare = "prepare a script in"
	opRun     = "run a script in"
)

// The files of an enrollment.
const (
	fileSetup  = "setup"  // what a person sources
	fileEnroll = "enroll" // what that sources
	fileInvite = "invite" // socket
	fileDown   = "down"   // FIFO to the shell
	fileUp     = "up"     // FIFO from it
)

// failed translates an error of the system or of a context.
func failed(op, pane string, err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	kind := fault.Internal
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		kind = fault.Deadline
	case errors.Is(err, context.Canceled):
		kind = fault.Cancelled
	}
	return &fault.Error{Kind: kind, Op: op, Target: pane, Message: fmt.Sprintf("%s pane %s", op, pane), Err: err}
}
