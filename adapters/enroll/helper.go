package enroll

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll/helper"
	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A Helper is the child of an enrolled shell that waits for a script.
type Helper struct {
	shell    *Shell
	order    enroll.Order
	answers  <-chan answer
	listener *net.UnixListener
	conn     *net.UnixConn
	process  enroll.Helper
	once     sync.Once
	closed   error
}

var _ ports.Helper = (*Helper)(nil)

// Process implements ports.Helper.
func (h *Helper) Process() enroll.Helper { return h.process }

// endTime is how long a helper may take to end its script: it asks, and kills 0.3 s later.
const endTime = time.Second

const silent = "its shell does not answer, as while it runs something or reads"

// begin asks the shell and waits until its helper is there.
func (h *Helper) begin(ctx context.Context) error {
	asked, err := ticks()
	if err != nil {
		return err
	}
	switch err := h.shell.ask(h.order); {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return h.shell.busy(silent)
	case err != nil:
		return errors.Join(h.shell.lost(), err)
	}
	timer := time.NewTimer(silence)
	defer timer.Stop()
	select {
	case a := <-h.answers:
		if err := h.understand(a); err != nil {
			return err
		}
	case <-timer.C:
		return h.shell.busy(silent)
	case <-h.shell.gone:
		return h.shell.lost()
	case <-ctx.Done():
		return ctx.Err()
	}
	type met struct {
		conn    *net.UnixConn
		process enroll.Helper
		err     error
	}
	found := make(chan met, 1)
	go func() {
		conn, process, err := h.shell.meet(h.listener, asked)
		found <- met{conn, process, err}
	}()
	select {
	case m := <-found:
		h.conn, h.process = m.conn, m.process
		return m.err
	case a := <-h.answers: // done, before it was met
		err = &fault.Error{
			Kind: fault.CommandFailed, Op: opPrepare, Target: string(h.shell.subject.Pane),
			Message: fmt.Sprintf("the shell of pane %s could not start the helper (%s %s)", h.shell.subject.Pane, a.word, a.rest),
		}
	case <-h.shell.gone:
		err = h.shell.lost()
	case <-ctx.Done():
		err = ctx.Err()
	}
	err = errors.Join(err, h.listener.Close())
	if m := <-found; m.conn != nil {
		h.conn = m.conn
	}
	return err
}

// understand is what the first answer means.
func (h *Helper) understand(a answer) error {
	switch {
	case a.word == "ready":
		return nil
	case a.word == "refused" && a.rest == string(fault.Draft):
		return h.shell.refused(fault.Draft, "has text at its prompt, or someone types there", "wait until its line is empty, or ask the person, and call again")
	case a.word == "refused":
		return h.shell.busy("its line editor is at something else than an empty first line")
	}
	return fmt.Errorf("the shell answered %q", a)
}

// Run implements ports.Helper.
func (h *Helper) Run(ctx context.Context, grant enroll.Grant, script string) (enroll.Completion, error) {
	pane := string(h.shell.subject.Pane)
	if !h.shell.who.alive() {
		return enroll.Completion{}, h.shell.lost()
	}
	stop := context.AfterFunc(ctx, func() { _ = h.conn.SetDeadline(time.Unix(1, 0)) }) // fails if it is closed, and then reading ends too
	defer stop()
	report, process, err := h.exchange(helper.Grant{StdoutLimit: grant.Limits.Stdout, StderrLimit: grant.Limits.Stderr, Script: script})
	if err != nil {
		return enroll.Completion{}, h.unreported(ctx, err, h.sweep(process))
	}
	if process != nil {
		_ = process.Close() // nothing was written
	}
	switch report.Kind {
	case helper.Exited:
		return enroll.Completion{Status: int(report.Code), Stdout: report.Stdout, Stderr: report.Stderr, Open: report.Open}, nil
	case helper.Signaled:
		name := unix.SignalName(unix.Signal(report.Code))
		if name == "" {
			name = fmt.Sprintf("signal %d", report.Code)
		}
		return enroll.Completion{Signal: name, Stdout: report.Stdout, Stderr: report.Stderr, Open: report.Open}, nil
	case helper.OverflowStdout, helper.OverflowStderr:
		name, limit := "stdout", grant.Limits.Stdout
		if report.Kind == helper.OverflowStderr {
			name, limit = "stderr", grant.Limits.Stderr
		}
		return enroll.Completion{}, &fault.Error{
			Kind: fault.Capacity, Op: opRun, Target: pane, Delivery: fault.Observed, Effects: &fault.Effects{State: "unknown"},
			Message:  fmt.Sprintf("%s of the script is longer than %d bytes: the script was ended, and how it would have ended is not known", name, limit),
			Recovery: fmt.Sprintf("look at what it did; then raise %s_limit, or write to a file", name),
		}
	case helper.NotStarted:
	}
	return enroll.Completion{}, &fault.Error{
		Kind: fault.CommandFailed, Op: opRun, Target: pane, Delivery: fault.NotSent,
		Message: fmt.Sprintf("the script was not executed: %.200s", report.Stdout),
	}
}

// exchange hands the script over and reads what comes of it. The process is that of the script, if it was started and can be told from others.
func (h *Helper) exchange(grant helper.Grant) (report helper.Report, process *os.File, err error) {
	if err := helper.WriteGrant(h.conn, grant); err != nil {
		return report, nil, err
	}
	process, rest, err := helper.ReadStart(h.conn)
	if err == nil {
		report, err = helper.ReadReport(rest, grant)
	}
	return report, process, err
}

// sweep has the helper end the script, and kills what is left of the script's process group when the helper has ended or does not. It closes the process, and
// reports whether it could kill.
func (h *Helper) sweep(process *os.File) bool {
	_ = errors.Join(h.conn.CloseWrite(), h.conn.SetReadDeadline(time.Now().Add(endTime))) // fails if it is closed, as reading then does
	if process == nil {
		process, _, _ = helper.ReadStart(h.conn) // the call may have ended when the script was started, before that was read
	}
	_, err := io.Copy(io.Discard, h.conn)
	if process == nil {
		return false
	}
	if !errors.Is(err, net.ErrClosed) { // else the shell is being closed, and the helper ends the script by itself
		err = killGroup(process)
	}
	return errors.Join(err, process.Close()) == nil
}

// unreported is the fault of a helper that did not tell how its script ended. Swept says that nothing is left of the script's process group.
func (h *Helper) unreported(ctx context.Context, err error, swept bool) error {
	f := &fault.Error{
		Kind: fault.CommandFailed, Op: opRun, Target: string(h.shell.subject.Pane), Delivery: fault.PossiblySent, Effects: &fault.Effects{State: "unknown"},
		Message:  "the helper ended without a report: whether and how the script ended is not known, and its processes may go on",
		Recovery: "inspect what the script did before you run it again", Err: err,
	}
	if swept {
		f.Message = "the helper ended without a report: how far the script came is not known, and what was left of its process group was killed"
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		f.Kind, f.Message = fault.Deadline, "the script did not end in time, and was told to end: that all its processes have is not proved"
	case ctx.Err() != nil:
		f.Kind, f.Message = fault.Cancelled, "the call was cancelled and the script told to end: that all its processes have is not proved"
	case errors.Is(err, helper.ErrMalformed):
		f.Kind, f.Message = fault.DecodeError, "the helper's report is malformed: how the script ended is not known"
	case errors.Is(err, io.EOF):
		f.Err = nil
	}
	return f
}

// Close implements ports.Helper.
func (h *Helper) Close() error {
	h.once.Do(func() {
		h.shell.mu.Lock()
		h.shell.helper = nil
		h.shell.mu.Unlock()
		h.closed = h.release()
		<-h.shell.orders
	})
	return h.closed
}

// release gives up what the order holds. It may be called more than once.
func (h *Helper) release() error {
	var errs []error
	for _, end := range []io.Closer{h.listener, h.conn} {
		if end == (*net.UnixConn)(nil) {
			continue
		}
		if err := end.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
