package enroll

import (
	"fmt"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A State is how far an enrollment has come.
type State string

// The states, in their order. After Executing an enrollment is Accepted again.
const (
	Invited    State = "invited"
	Accepted   State = "accepted"   // the shell is enrolled, and nothing is prepared
	Prepared   State = "prepared"   // a helper waits for one order
	Authorized State = "authorized" // tmux has let that order pass
	Executing  State = "executing"  // the script was handed over
	Retired    State = "retired"    // for good
)

// An Enrollment is the life of one invitation. It is not safe for concurrent use.
type Enrollment struct {
	invitation Invitation
	state      State
	hello      Hello
	order      Order
	grant      Grant
}

// New is the enrollment that begins with an invitation.
func New(invitation Invitation) *Enrollment {
	return &Enrollment{invitation: invitation, state: Invited}
}

// State is how far it has come.
func (e *Enrollment) State() State { return e.state }

// Subject is whose enrollment it is.
func (e *Enrollment) Subject() Subject { return e.invitation.Subject }

// Accept enrolls the shell that answered.
func (e *Enrollment) Accept(hello Hello, now time.Time) Rejection {
	if e.state != Invited {
		return Taken
	}
	if rejection := e.invitation.Judge(hello, now); rejection != "" {
		return rejection
	}
	e.state, e.hello = Accepted, hello
	return ""
}

// Prepare takes an order. A shell has one at a time: until that is Finished, another one is Refused with reason Busy.
func (e *Enrollment) Prepare(order Order) error {
	switch e.state {
	case Accepted:
		e.state, e.order = Prepared, order
		return nil
	case Prepared, Authorized, Executing:
		return &fault.Error{
			Kind: fault.Refused, Reason: fault.Busy, Op: opRun, Target: string(e.Subject().Pane),
			Message:  fmt.Sprintf("run %s is at work in the enrolled shell of pane %s", e.order.RunID, e.Subject().Pane),
			Recovery: "wait until that call has ended, and call again",
		}
	case Invited, Retired:
	}
	return e.gone()
}

const opRun = "run a script in"

func (e *Enrollment) gone() *fault.Error {
	return &fault.Error{
		Kind: fault.NotFound, Op: opRun, Target: string(e.Subject().Pane),
		Message:  fmt.Sprintf("the shell of pane %s is not enrolled, or no longer", e.Subject().Pane),
		Recovery: "ask the operator to enroll it (--enroll-pane), or use run_shell_command",
	}
}

// Evidence is what tmux confirmed in one command list.
type Evidence struct {
	Server tmux.Generation
	Pane   tmux.PaneID
	PID    int    // of the pane's process, which lived
	RunID  string // for which the list was run
	Digest string // of the script for which it was run
}

// A Helper is the process that would execute the script, as the kernel says.
type Helper struct {
	PID    int // 0: in another PID namespace
	Parent int
	Own    bool // its user is that of this process
	Fresh  bool // it began when the order was given, or later: it is none of the shell's older jobs
}

// A Grant lets one helper execute one script, once.
type Grant struct {
	RunID      string
	Digest     string
	Limits     Limits
	Subject    Subject
	Process    tmux.ProcessGeneration // of the enrolled shell
	Enrollment string
}

// Admits reports whether the script is the one that was authorized.
func (g Grant) Admits(script string) bool { return Digest(script) == g.Digest }

// Authorize turns evidence into a grant for what is prepared. Evidence of anything else is PreconditionFailed, and nothing is granted.
func (e *Enrollment) Authorize(evidence Evidence) (Grant, error) {
	want := Evidence{
		Server: e.Subject().Server.Generation, Pane: e.Subject().Pane, PID: e.Subject().PID, RunID: e.order.RunID, Digest: e.order.Digest,
	}
	if e.state != Prepared || evidence != want {
		return Grant{}, &fault.Error{
			Kind: fault.PreconditionFailed, Op: "authorize a script in", Target: string(e.Subject().Pane),
			Message: fmt.Sprintf("what tmux confirmed for pane %s is not what is prepared there", e.Subject().Pane),
		}
	}
	e.state = Authorized
	e.grant = Grant{
		RunID: e.order.RunID, Digest: e.order.Digest, Limits: e.order.Limits, Subject: e.Subject(), Process: e.hello.Process,
		Enrollment: e.invitation.Enrollment,
	}
	return e.grant, nil
}

// Execute spends the grant on a script, which may be handed to the helper only if this is no error. It works once for a grant, and
// for no other script, and only for a helper that the enrolled process started for it.
func (e *Enrollment) Execute(grant Grant, script string, helper Helper) error {
	switch {
	case e.state != Authorized || grant != e.grant:
		return e.denied("there is no such authorization, or it was used")
	case !grant.Admits(script):
		return e.denied("the script is not the one that was authorized")
	case !e.Subject().Admits(helper):
		return e.denied("the helper is not the child that the enrolled shell started for it")
	}
	e.state = Executing
	return nil
}

// Admits reports whether a process may be the helper of the subject's shell.
func (s Subject) Admits(helper Helper) bool {
	return helper.PID != 0 && helper.Own && helper.Fresh && helper.Parent == s.PID
}

func (e *Enrollment) denied(why string) *fault.Error {
	return &fault.Error{Kind: fault.PreconditionFailed, Op: opRun, Target: string(e.Subject().Pane), Message: why}
}

// Finish is the end of an order, however it ended: what was granted for it is void, and the next may be prepared.
func (e *Enrollment) Finish(runID string) {
	if e.state != Retired && e.state != Invited && e.order.RunID == runID {
		e.state, e.order, e.grant = Accepted, Order{}, Grant{}
	}
}

// Retire ends the enrollment for good.
func (e *Enrollment) Retire() { e.state, e.grant = Retired, Grant{} }
