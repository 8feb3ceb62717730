package app

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// enrollments are the shells that are invited and enrolled, until they are gone or the application is closed. The zero value is ready.
type enrollments struct {
	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // of who waits for shells to go
	roster enroll.Roster
	seats  map[*enroll.Enrollment]*seat
}

// A seat is what belongs to one enrollment outside.
type seat struct {
	invited ports.Invited
	expiry  *time.Timer
	shell   ports.Shell // nil until it is accepted
}

var errClosed = &fault.Error{Kind: fault.Cancelled, Op: "enroll a shell", Message: "the application is closed", Recovery: "make another one"}

// invite takes a place and makes ready what the shell sources.
func (s *enrollments) invite(e *enroll.Enrollment, expires time.Time, make func() (ports.Invited, error)) (ports.Invited, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	if err := s.roster.Invite(e); err != nil {
		return nil, err
	}
	invited, err := make()
	if err != nil {
		s.roster.Remove(e)
		return nil, err
	}
	if s.seats == nil {
		s.seats = map[*enroll.Enrollment]*seat{}
	}
	s.seats[e] = &seat{invited: invited, expiry: time.AfterFunc(time.Until(expires), func() { _ = s.expire(e) })} // nobody is there to be told
	return invited, nil
}

// expire takes back an invitation that nobody accepted.
func (s *enrollments) expire(e *enroll.Enrollment) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e.State() != enroll.Invited {
		return nil
	}
	return s.retire(e)
}

// retire ends an enrollment, wherever it stands. Called with the mutex held.
func (s *enrollments) retire(e *enroll.Enrollment) error {
	at := s.seats[e]
	if at == nil {
		return nil
	}
	e.Retire()
	s.roster.Remove(e)
	delete(s.seats, e)
	at.expiry.Stop()
	err := at.invited.Close()
	if at.shell != nil {
		err = errors.Join(err, at.shell.Close())
	}
	return err
}

// enroll gives a shell that answered its place, and frees that when it is gone.
func (s *enrollments) enroll(e *enroll.Enrollment, hello enroll.Hello, shell ports.Shell) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.seats[e]
	if at == nil { // expired or closed at this moment
		return errors.Join(errClosed, shell.Close())
	}
	if rejection := e.Accept(hello, time.Now()); rejection != "" {
		return errors.Join(&fault.Error{
			Kind: fault.Cancelled, Op: "enroll a shell", Target: string(e.Subject().Pane), Message: rejection.Says(),
			Recovery: "invite the shell again",
		}, shell.Close(), s.retire(e))
	}
	at.shell = shell
	replaced := s.roster.Enroll(e)
	s.work.Go(func() {
		<-shell.Gone()
		s.mu.Lock()
		defer s.mu.Unlock()
		_ = s.retire(e) // the shell is gone: nobody is there to be told
	})
	if replaced != nil {
		return s.retire(replaced)
	}
	return nil
}

// close ends all of them.
func (s *enrollments) close() {
	s.mu.Lock()
	s.closed = true
	for e := range s.seats {
		_ = s.retire(e) // this process ends, and what it cannot remove is swept by the next one
	}
	s.mu.Unlock()
	s.work.Wait()
}

// find is the enrollment of a pane's shell for one order, and its shell.
func (s *enrollments) prepare(pane tmux.Pane, server tmux.Server, order enroll.Order) (*enroll.Enrollment, ports.Shell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.roster.Find(pane.ID)
	if e == nil {
		return nil, nil, notEnrolled(pane.ID)
	}
	if subject := e.Subject(); subject.Server.Generation != server.Generation || subject.PID != pane.PID {
		return nil, nil, respawned(pane.ID)
	}
	if err := e.Prepare(order); err != nil {
		return nil, nil, err
	}
	return e, s.seats[e].shell, nil
}

func notEnrolled(pane tmux.PaneID) *fault.Error {
	return &fault.Error{
		Kind: fault.NotFound, Target: string(pane), Message: "no shell is enrolled in pane " + string(pane),
		Recovery: "ask the operator to enroll it (--enroll-pane), or use run_shell_command",
	}
}

func respawned(pane tmux.PaneID) *fault.Error {
	return &fault.Error{
		Kind: fault.StaleTarget, Target: string(pane), Message: "pane " + string(pane) + " has another process now than the shell that was enrolled",
		Recovery: "ask the operator to enroll the shell that is there now",
	}
}

// change does one step of an enrollment's rules.
func change[T any](s *enrollments, step func() (T, error)) (T, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return step()
}

// InviteOptions adjust an invitation. The zero value is usable.
type InviteOptions struct {
	Timeout   time.Duration // within which InviteShell answers; that of calls if 0
	ExpiresIn time.Duration // within which the shell must enroll, from then on; 60 s if 0, at most 300 s
}

// A ShellInvitation is that of the shell in one pane. The application owns it, and takes it back when it expires or is closed.
type ShellInvitation struct {
	enrollment *enroll.Enrollment
	invited    ports.Invited
	expires    time.Time
}

// ShellArguments are the words of the command that a person, or a shell's configuration, runs in that pane to enroll its shell.
// They work once. Each call answers a copy.
func (i *ShellInvitation) ShellArguments() []string {
	return append([]string(nil), i.invited.Arguments()...)
}

// ExpiresAt is when the invitation is void. It has a monotonic reading.
func (i *ShellInvitation) ExpiresAt() time.Time { return i.expires }

// InviteShell lets the shell that a reference's pane runs enroll for tmux_run. Nothing is typed: somebody has to run what
// ShellArguments say, in that pane. The pane's process has to be zsh 5.9 (or 5.9.N), interactive at its prompt, and tmux 3.3 or newer.
func (a *App) InviteShell(ctx context.Context, ref Reference, options InviteOptions) (*ShellInvitation, error) {
	ctx, err := a.admit(ctx, tmuxRun)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lo.CoalesceOrEmpty(options.Timeout, a.options.CallTimeout))
	defer cancel()
	t, err := a.exact(ctx, tmux.DetailBrief, "target_id", ref, tmux.KindPane)
	if err != nil {
		return nil, a.explained(err, "invite a shell")
	}
	pane, _ := t.Pane(tmux.PaneID(ref.TargetID))
	if pane.Dead {
		return nil, dead(pane.ID)
	}
	subject := enroll.Subject{Server: t.Server, Pane: pane.ID, PID: pane.PID}
	invitation, err := enroll.Invite(newID(), newID()+newID(), subject, time.Now(), lo.CoalesceOrEmpty(options.ExpiresIn, enroll.DefaultLife))
	if err != nil {
		return nil, err
	}
	e := enroll.New(invitation)
	invited, err := a.enrollments.invite(e, invitation.ExpiresAt, func() (ports.Invited, error) { return a.Enrollments.Invite(ctx, invitation) })
	if err != nil {
		return nil, a.explained(err, "invite a shell")
	}
	return &ShellInvitation{enrollment: e, invited: invited, expires: invitation.ExpiresAt}, nil
}

func dead(pane tmux.PaneID) *fault.Error {
	return &fault.Error{
		Kind: fault.Refused, Reason: fault.Dead, Target: string(pane), Message: "pane " + string(pane) + " is dead: its process has ended",
		Recovery: "use another pane",
	}
}

// AcceptShell waits until the invited shell has enrolled. When ctx ends before the invitation expires, it may be called again.
func (a *App) AcceptShell(ctx context.Context, invitation *ShellInvitation) error {
	ctx, err := a.admit(ctx, tmuxRun)
	if err != nil {
		return err
	}
	if invitation == nil {
		return fault.Invalidf("pass what InviteShell answered", "there is no invitation")
	}
	hello, shell, err := invitation.invited.Accept(ctx)
	if err != nil {
		if !time.Now().Before(invitation.expires) {
			err = errors.Join(err, a.enrollments.expire(invitation.enrollment))
		}
		return a.explained(err, "enroll a shell")
	}
	if err := a.enrollments.enroll(invitation.enrollment, hello, shell); err != nil {
		return a.explained(err, "enroll a shell")
	}
	return nil
}
