package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A call is one run of the tmux executable.
type call struct {
	argv    []string
	stdin   []byte
	start   bool     // a server may be started
	configs []string // of a server that is started; nil: tmux's own
	env     []string // in addition
}

// An output is what a run printed.
type output struct {
	stdout, stderr string
	status         int
}

// termGrace is how long a tmux process that was told to end may take before it is killed.
const termGrace = 500 * time.Millisecond

// outputGrace is how long the output of a tmux process may be read after its end. On a loaded machine the reader is late; whoever else
// holds the pipe open must not hold up the call.
const outputGrace = 3 * time.Second

// exec runs tmux to its end. A context that ends first ends the process: its input closes, then TERM, then KILL. What it printed counts for
// nothing then, so that nobody waits until a server that hangs, and was handed its output, lets go of that.
func (c *Conn) exec(ctx context.Context, call call) (output, error) {
	if err := ctx.Err(); err != nil {
		return output{}, contextFault(ctx, fault.NotSent)
	}
	executable, err := c.Executable(ctx)
	if err != nil {
		return output{}, err
	}
	if err := checkSocket(c.socket); err != nil {
		return output{}, err
	}
	argv, env := []string{"-u", "-S", c.socket}, slices.Concat(c.env, call.env)
	if call.start {
		if err := makeDirectory(c.socket); err != nil {
			return output{}, err
		}
		for _, config := range call.configs {
			argv = append(argv, "-f", config)
		}
		closeOnExec()
		if !hasLocale(env) {
			env = append(env, "LANG=C.UTF-8") // the shells of the server that this may start
		}
	} else {
		argv = append(argv, "-N")
	}

	cmd := exec.CommandContext(ctx, executable.Path, append(argv, call.argv...)...)
	cmd.Env = env
	var kill *time.Timer
	cmd.Cancel = func() error {
		kill = time.AfterFunc(termGrace, func() { _ = cmd.Process.Kill() }) // it may have ended
		return cmd.Process.Signal(syscall.SIGTERM)
	}
	cmd.WaitDelay = termGrace // for the writer of its input
	if call.stdin != nil {
		cmd.Stdin = bytes.NewReader(call.stdin)
	}
	stdout, stderr := &bounded{room: c.options.MaxOutput}, &bounded{room: c.options.MaxOutput}
	endStdout, err := stdout.from(&cmd.Stdout)
	if err != nil {
		return output{}, transport(fault.NotSent, "", "tmux could not be run", err)
	}
	endStderr, err := stderr.from(&cmd.Stderr)
	if err != nil {
		return output{}, errors.Join(transport(fault.NotSent, "", "tmux could not be run", err), endStdout(0))
	}
	err = cmd.Start()
	started := err == nil
	if started {
		err = cmd.Wait()
	}
	if kill != nil {
		kill.Stop()
	}
	grace := outputGrace
	if !started || ctx.Err() != nil {
		grace = 0
	}
	read := errors.Join(endStdout(grace), endStderr(grace))
	switch {
	case !started && ctx.Err() != nil:
		return output{}, contextFault(ctx, fault.NotSent)
	case !started:
		return output{}, transport(fault.NotSent, "", "tmux could not be run", err)
	case stdout.full || stderr.full:
		return output{}, &fault.Error{
			Kind: fault.Capacity, Delivery: fault.PossiblySent,
			Message: fmt.Sprintf("tmux answered with more than %d bytes", c.options.MaxOutput), Recovery: "ask for less at once",
		}
	case ctx.Err() != nil:
		return output{}, contextFault(ctx, fault.PossiblySent)
	}
	if _, exited := errors.AsType[*exec.ExitError](err); exited || err == nil {
		err = read
	}
	if err != nil {
		return output{}, transport(fault.PossiblySent, "", "talking to the tmux process failed", err)
	}
	return output{stdout: stdout.String(), stderr: stderr.String(), status: cmd.ProcessState.ExitCode()}, nil
}

func contextFault(ctx context.Context, delivery fault.Delivery) *fault.Error {
	kind, message := fault.Cancelled, "the call was cancelled"
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		kind, message = fault.Deadline, "tmux did not answer in time"
	}
	return &fault.Error{Kind: kind, Message: message, Delivery: delivery, Err: ctx.Err()}
}

// bounded collects output up to a limit and then refuses more, which ends the process that writes it. It keeps the pieces as they
// come, because a buffer that grows holds a large answer three times over.
type bounded struct {
	pieces []string
	room   int // bytes
	full   bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.room {
		b.full = true
		return 0, errors.New("too much output")
	}
	b.pieces, b.room = append(b.pieces, string(p)), b.room-len(p)
	return len(p), nil
}

// from makes a pipe for a process to write to, and reads it until it is at its end, or full. The end that it returns is called once, after
// the process was started, and waits no longer than grace for the end of the pipe.
func (b *bounded) from(writer *io.Writer) (end func(grace time.Duration) error, err error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	*writer = out
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(b, in)
		read <- errors.Join(err, in.Close())
	}()
	return func(grace time.Duration) error {
		closed := out.Close()                         // the process has its own
		_ = in.SetReadDeadline(time.Now().Add(grace)) // closed already, if all is read
		return errors.Join(closed, <-read)
	}, nil
}

func (b *bounded) String() string { return strings.Join(b.pieces, "") }

// closeOnExec keeps what this process inherited, beside its standard streams, from a server that it starts, which would
// hold it open for good. What Go opened is kept from children anyway.
func closeOnExec() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // no such directory: nothing can be known of inherited descriptors
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
