package helper

import (
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// execute runs a script to its end, and says when it has started and how it ended. Nil: it was ended, because who asked for it or the terminal is gone.
func execute(grant Grant, started func(*os.Process), gone <-chan struct{}, signals <-chan os.Signal) *Report {
	overflow := make(chan Kind, 2)
	stdout, err := capture(grant.StdoutLimit, overflow, OverflowStdout)
	if err != nil {
		return notStarted(err)
	}
	defer stdout.close()
	stderr, err := capture(grant.StderrLimit, overflow, OverflowStderr)
	if err != nil {
		return notStarted(err)
	}
	defer stderr.close()
	script, err := os.StartProcess("/bin/sh", []string{"sh", "-c", grant.Script}, &os.ProcAttr{
		Files: []*os.File{nil, stdout.write, stderr.write}, // no standard input at all
		Sys:   session(),
	})
	if err != nil {
		return notStarted(err)
	}
	started(script) // within microseconds, before sh itself is loaded: no process of the script has to be left to chance for longer
	stdout.begin()
	stderr.begin()
	ended := make(chan *os.ProcessState, 1)
	go func() {
		state, _ := script.Wait() // fails for no child that was never waited for
		ended <- state
	}()
	var state *os.ProcessState
	for state == nil {
		select {
		case state = <-ended:
		case kind := <-overflow:
			end(script.Pid, ended)
			return &Report{Kind: kind}
		case <-gone:
			end(script.Pid, ended)
			return nil
		case received := <-signals:
			switch received {
			case unix.SIGINT, unix.SIGQUIT: // typed at the terminal, which is not the script's
				_ = unix.Kill(-script.Pid, received.(unix.Signal)) // gone already is fine
			case unix.SIGHUP, unix.SIGTERM:
				end(script.Pid, ended)
				return nil
			}
		}
	}
	open := drain(stdout, stderr)
	select {
	case kind := <-overflow:
		return &Report{Kind: kind}
	default:
	}
	report := &Report{Kind: Exited, Open: open, Stdout: stdout.data, Stderr: stderr.data}
	status := state.Sys().(syscall.WaitStatus)
	report.Code = uint32(status.ExitStatus())
	if status.Signaled() {
		report.Kind, report.Code = Signaled, uint32(status.Signal())
	}
	return report
}

// end asks the script's process group to end, and then kills it.
func end(group int, ended <-chan *os.ProcessState) {
	_ = unix.Kill(-group, unix.SIGTERM) // gone already is fine
	select {
	case <-ended:
	case <-time.After(graceTime):
	}
	_ = unix.Kill(-group, unix.SIGKILL)
}

// drain waits a little for the ends of outputs, and says whether a process still holds one.
func drain(outputs ...*output) (open bool) {
	timeout := time.After(drainTime)
	for _, o := range outputs {
		select {
		case <-o.done:
		case <-timeout:
			open = true
		}
		if open {
			break
		}
	}
	for _, o := range outputs {
		_ = o.read.SetReadDeadline(time.Unix(1, 0)) // fails for no pipe
		<-o.done
	}
	return open
}

func notStarted(err error) *Report { return &Report{Kind: NotStarted, Stdout: []byte(err.Error())} }

// An output collects what is written to a pipe, up to a limit.
type output struct {
	read, write *os.File
	limit       int
	kind        Kind
	overflow    chan<- Kind
	data        []byte
	done        chan struct{}
}

func capture(limit int, overflow chan<- Kind, kind Kind) (*output, error) {
	read, write, err := os.Pipe()
	return &output{read: read, write: write, limit: limit, kind: kind, overflow: overflow, done: make(chan struct{})}, err
}

// begin reads until the pipe's end, its deadline, or more than the limit.
func (o *output) begin() {
	_ = o.write.Close()
	go func() {
		defer close(o.done)
		data, _ := io.ReadAll(io.LimitReader(o.read, int64(o.limit)+1)) // a deadline is no error here: drain says it
		if len(data) > o.limit {
			o.overflow <- o.kind
			return
		}
		o.data = data
	}()
}

func (o *output) close() {
	_ = o.write.Close() // twice is fine
	_ = o.read.Close()
}
