package fake

import (
	"context"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var (
	_ ports.Enrollments = (*World)(nil)
	_ ports.Authorizer  = (*World)(nil)
	_ ports.Invited     = (*invited)(nil)
	_ ports.Shell       = (*enrolled)(nil)
)

// Invite implements [ports.Enrollments]. A shell enrolls when it is typed the arguments.
func (w *World) Invite(ctx context.Context, invitation enroll.Invitation) (ports.Invited, error) {
	const op = "invite the shell of"
	w.mu.Lock()
	defer w.mu.Unlock()
	pane := string(invitation.Subject.Pane)
	if err := ended(ctx, op); err != nil {
		return nil, err
	}
	if p := w.process[invitation.Subject.PID]; p == nil || p.name != string(guard.Zsh) {
		refused := failed(fault.Refused, op, pane, "the process of %s is not zsh", pane)
		refused.Reason = fault.NotAShell
		return nil, refused
	}
	i := &invited{world: w, invitation: invitation}
	w.invitations[invitation.Enrollment] = i
	return i, nil
}

// Authorize implements [ports.Authorizer].
func (w *World) Authorize(ctx context.Context, subject enroll.Subject, order enroll.Order) (enroll.Evidence, error) {
	const op = "authorize a script in"
	w.mu.Lock()
	defer w.mu.Unlock()
	pane := string(subject.Pane)
	if err := w.contact(ctx, op); err != nil {
		return enroll.Evidence{}, err
	}
	if err := w.same(subject.Server, op, pane); err != nil {
		return enroll.Evidence{}, err
	}
	if p := w.server.pane(subject.Pane); p == nil || p.dead || p.pid != subject.PID {
		return enroll.Evidence{}, failed(fault.PreconditionFailed, op, pane, "%s is not as it was when it was enrolled", pane)
	}
	return enroll.Evidence{
		Server: w.server.id.Generation, Pane: subject.Pane, PID: subject.PID, RunID: order.RunID, Digest: order.Digest,
	}, nil
}

// An invited is one invitation.
type invited struct {
	world      *World
	invitation enroll.Invitation
	hello      enroll.Hello
	shell      *enrolled // that answered
	rejected   string    // why the last one that was not the shell was not
	closed     bool
}

// Arguments implements [ports.Invited].
func (i *invited) Arguments() []string { return []string{"source", i.path()} }

func (i *invited) path() string { return "/fake/" + i.invitation.Enrollment + "/setup" }

// Accept implements [ports.Invited].
func (i *invited) Accept(ctx context.Context) (enroll.Hello, ports.Shell, error) {
	w, pane := i.world, string(i.invitation.Subject.Pane)
	ctx, cancel := context.WithDeadline(ctx, i.invitation.ExpiresAt)
	defer cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.wait(ctx, func() bool { return i.shell != nil || i.closed })
	if err == nil && i.shell != nil {
		return i.hello, i.shell, nil
	}
	kind, message := fault.Cancelled, "the invitation of "+pane+" was taken back"
	if late := !time.Now().Before(i.invitation.ExpiresAt); late || ctx.Err() != nil {
		if late || fault.Is(ended(ctx, ""), fault.Deadline) {
			kind = fault.Deadline
		}
		message = "the shell of " + pane + " did not enroll in time"
	}
	if i.rejected != "" {
		message += "; who tried last was rejected: " + i.rejected
	}
	return enroll.Hello{}, nil, &fault.Error{
		Kind: kind, Op: "enroll the shell of", Target: pane, Message: message, Recovery: "invite it again, and source the setup in that pane", Err: err,
	}
}

// Close implements [ports.Invited].
func (i *invited) Close() error {
	i.world.mu.Lock()
	defer i.world.mu.Unlock()
	i.closed = true
	delete(i.world.invitations, i.invitation.Enrollment)
	i.world.touch()
	return nil
}

// invitedAs finds the invitation that a typed line sources.
func (w *World) invitedAs(line string) *invited {
	for _, i := range w.invitations {
		if line == "source "+i.path() {
			return i
		}
	}
	return nil
}

// enroll is what a shell does that sources a setup; it gives the status. Called without the mutex.
func (s *shell) enroll(i *invited) int {
	w, t := s.terminal.pane.world, s.terminal
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.touch()
	hello := enroll.Hello{
		Token: i.invitation.Token, Version: enroll.Shell, PID: s.self.pid, Own: true,
		Process: tmux.NewProcessGeneration(w.server.id.Generation, s.self.pid, t.pane.began),
	}
	if rejection := i.invitation.Judge(hello, time.Now()); rejection != "" {
		i.rejected = rejection.Says()
		t.pane.write([]byte("libtmux-mcp: not enrolled: " + i.rejected + "\n"))
		return 1
	}
	delete(w.invitations, i.invitation.Enrollment)
	made := &enrolled{world: w, subject: i.invitation.Subject, shell: s, gone: make(chan struct{})}
	i.hello, i.shell = hello, made
	w.work.Go(func() { // it ends with its terminal
		select {
		case <-t.ctx.Done():
		case <-made.gone:
		}
		made.end()
	})
	t.pane.write([]byte("libtmux-mcp: this shell is enrolled\n"))
	return 0
}

// An enrolled shell.
type enrolled struct {
	world   *World
	subject enroll.Subject
	shell   *shell
	helper  *helper // at work
	once    sync.Once
	gone    chan struct{}
}

func (e *enrolled) end() { e.once.Do(func() { close(e.gone) }) }

// Gone implements [ports.Shell].
func (e *enrolled) Gone() <-chan struct{} { return e.gone }

// Close implements [ports.Shell].
func (e *enrolled) Close() error {
	e.end()
	return nil
}

// Prepare implements [ports.Shell].
func (e *enrolled) Prepare(ctx context.Context, order enroll.Order) (ports.Helper, error) {
	const op = "prepare a script in"
	w, pane := e.world, string(e.subject.Pane)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := ended(ctx, op); err != nil {
		return nil, err
	}
	s := e.shell
	select {
	case <-e.gone:
		return nil, failed(fault.NotFound, op, pane, "the shell that was enrolled in %s is gone", pane)
	default:
	}
	refused := failed(fault.Refused, op, pane, "%s is busy", pane)
	switch {
	case s.terminal.ctx.Err() != nil:
		return nil, failed(fault.NotFound, op, pane, "the shell that was enrolled in %s is gone", pane)
	case !s.idle || s.pending != "" || e.helper != nil:
		refused.Reason = fault.Busy
		return nil, refused
	case len(s.line) > 0:
		refused.Reason, refused.Message = fault.Draft, pane+" has text at its prompt"
		return nil, refused
	}
	h := &helper{shell: e, order: order, self: &process{pid: w.newPID(), name: "libtmux-mcp", argv: []string{"libtmux-mcp"}, of: s.terminal}}
	w.process[h.self.pid], e.helper = h.self, h
	w.touch()
	return h, nil
}
