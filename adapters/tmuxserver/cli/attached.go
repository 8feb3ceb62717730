package cli

import (
	"context"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// An Attached is a control-mode client: a tmux process that stays. What tmux says is read from it, and command lines are written
// to it.
type Attached struct {
	in, out *os.File
	back    *os.File // the end to which tmux writes
	process *os.Process
	exited  chan struct{} // closed when the process has ended
}

var _ io.ReadWriteCloser = (*Attached)(nil)

// Attach starts a control-mode client that runs these commands, as a tmux process is given them. If they do not attach it, it ends when
// they have. It starts no server. The caller closes it.
func (c *Conn) Attach(ctx context.Context, argv []string) (*Attached, error) {
	if ctx.Err() != nil {
		return nil, contextFault(ctx, fault.NotSent)
	}
	executable, err := c.Executable(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkSocket(c.socket); err != nil {
		return nil, err
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, transport(fault.NotSent, "", "a control client needs a pipe", err)
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		_ = in.Close() // nobody has its other end
		return nil, transport(fault.NotSent, "", "a control client needs a pipe", err)
	}
	cmd := exec.Command(executable.Path, append([]string{"-u", "-S", c.socket, "-N", "-C"}, argv...)...) //nolint:noctx // it outlives the call
	cmd.Env, cmd.Stdin, cmd.Stdout = c.env, theirIn, theirOut
	if err := cmd.Start(); err != nil {
		_, _, _ = in.Close(), out.Close(), theirOut.Close() // likewise
		return nil, transport(fault.NotSent, "", "tmux could not be run", err)
	}
	a := &Attached{in: in, out: out, back: theirOut, process: cmd.Process, exited: make(chan struct{})}
	go func() {
		defer close(a.exited)
		_, _ = cmd.Wait(), theirOut.Close() // how it ended does not matter: its output did
	}()
	return a, nil
}

// PID is the client's process id.
func (a *Attached) PID() int { return a.process.Pid }

// Read reads what tmux says.
func (a *Attached) Read(p []byte) (int, error) { return a.out.Read(p) }

// Mark puts a line of less than a page among what is read, behind all that tmux has written.
func (a *Attached) Mark(line string) error {
	_, err := a.back.WriteString(line + "\n")
	return err
}

// Write sends to tmux.
func (a *Attached) Write(p []byte) (int, error) { return a.in.Write(p) }

// Close detaches the client, by the end of its input, and waits until its process is gone; one that does not go is killed.
// Somebody should go on reading meanwhile.
func (a *Attached) Close() error {
	_ = a.in.Close() // a second time is fine
	timer := time.NewTimer(termGrace)
	defer timer.Stop()
	for _, signal := range []syscall.Signal{0, syscall.SIGTERM, syscall.SIGKILL} {
		if signal != 0 {
			_ = a.process.Signal(signal) // gone already is fine
		}
		timer.Reset(termGrace)
		select {
		case <-a.exited:
			return a.out.Close()
		case <-timer.C:
		}
	}
	<-a.exited
	return a.out.Close()
}
