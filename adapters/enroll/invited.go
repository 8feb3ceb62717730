package enroll

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// peerTime is how long one process may take for its part of the handshake, while others wait.
const peerTime = 2 * time.Second

// An invited is one invitation: a directory with what the shell sources, and a socket.
type invited struct {
	invitation enroll.Invitation
	at         *place
	listener   *net.UnixListener
	waits      chan struct{} // held by who waits for the shell

	mu       sync.Mutex
	accepted bool // the directory is the shell's now
	closed   bool
}

func (i *invited) open(helper []string) error {
	for name, text := range texts(i.at.path, i.invitation.Token, i.invitation.Enrollment, helper) {
		if err := os.WriteFile(i.at.file(name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := errors.Join(unix.Mkfifo(i.at.file(fileDown), 0o600), unix.Mkfifo(i.at.file(fileUp), 0o600)); err != nil {
		return err
	}
	var err error
	i.listener, err = listen(i.at.file(fileInvite))
	return err
}

// listen makes a socket that only this user may use.
func listen(path string) (*net.UnixListener, error) {
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	return listener, os.Chmod(path, 0o600)
}

// Arguments implements ports.Invited.
func (i *invited) Arguments() []string { return []string{"source", i.at.file(fileSetup)} }

// Accept implements ports.Invited.
func (i *invited) Accept(ctx context.Context) (enroll.Hello, ports.Shell, error) {
	pane := string(i.invitation.Subject.Pane)
	ctx, cancel := context.WithDeadline(ctx, i.invitation.ExpiresAt)
	defer cancel()
	select {
	case i.waits <- struct{}{}: // one at a time, for the listener has one deadline
		defer func() { <-i.waits }()
	case <-ctx.Done():
		return enroll.Hello{}, nil, i.unanswered(ctx.Err(), "")
	}
	_ = i.listener.SetDeadline(time.Time{}) // fails if it is closed, and then Accept ends too
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(woken)
		_ = i.listener.SetDeadline(time.Unix(1, 0)) // likewise
	})
	defer func() {
		if !stop() {
			<-woken
		}
	}()
	var last string
	for {
		conn, err := i.listener.AcceptUnix()
		if err != nil {
			switch {
			case ctx.Err() != nil:
				err = ctx.Err()
			case errors.Is(err, net.ErrClosed) && !time.Now().Before(i.invitation.ExpiresAt):
				err = context.DeadlineExceeded
			case errors.Is(err, net.ErrClosed): // taken back
				err = context.Canceled
			}
			return enroll.Hello{}, nil, i.unanswered(err, last)
		}
		hello, shell, rejected, err := i.greet(conn)
		err = errors.Join(err, conn.Close())
		if shell != nil {
			return hello, shell, nil
		}
		if err != nil {
			return enroll.Hello{}, nil, failed(opAccept, pane, err)
		}
		last = rejected
	}
}

// unanswered is why nobody enrolled.
func (i *invited) unanswered(err error, last string) error {
	f := failed(opAccept, string(i.invitation.Subject.Pane), err).(*fault.Error) //nolint:errorlint,forcetypeassert // made here
	if f.Kind == fault.Deadline {
		f.Message = fmt.Sprintf("the shell of pane %s did not enroll in time", i.invitation.Subject.Pane)
		f.Recovery = "invite it again, and source the setup in that pane"
	}
	if last != "" {
		f.Message += "; who tried last was rejected: " + last
	}
	return f
}

// greet is the handshake with one process. Rejected says why it is not the shell; an error is ours.
func (i *invited) greet(conn *net.UnixConn) (hello enroll.Hello, shell *Shell, rejected string, err error) {
	if err := conn.SetDeadline(time.Now().Add(peerTime)); err != nil {
		return hello, nil, "", err
	}
	who, err := peerOf(conn)
	if err != nil {
		return hello, nil, "it is gone", nil //nolint:nilerr // its end, not ours
	}
	lines := bufio.NewReader(io.LimitReader(conn, 256))
	hello, rejection := heard(lines, who, i.invitation.Subject.Server.Generation)
	if rejection == "" {
		rejection = i.invitation.Judge(hello, time.Now())
	}
	if rejection != "" {
		_ = conn.SetDeadline(time.Now().Add(peerTime)) // who said nothing in time is told so all the same
		_, _ = fmt.Fprintln(conn, rejection.Says())    // it may be gone
		return hello, nil, rejection.Says(), who.close()
	}
	shell, err = i.connect(conn, lines, who)
	if err != nil {
		return hello, nil, "it did not finish: " + err.Error(), who.close()
	}
	return hello, shell, "", nil
}

// heard is what a process says first.
func heard(lines *bufio.Reader, who *peer, server tmux.Generation) (enroll.Hello, enroll.Rejection) {
	line, err := lines.ReadString('\n')
	words := strings.Fields(line)
	if err != nil || len(words) != 3 || words[0] != "hello" {
		return enroll.Hello{}, enroll.Malformed
	}
	return enroll.Hello{
		Token: words[1], Version: words[2], PID: who.pid, Own: who.uid == os.Geteuid(),
		Process: tmux.NewProcessGeneration(server, who.pid, who.began),
	}, ""
}

// connect lets the shell open the FIFOs, and takes their names away.
func (i *invited) connect(conn *net.UnixConn, lines *bufio.Reader, who *peer) (shell *Shell, err error) {
	up, err := os.OpenFile(i.at.file(fileUp), os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	shell = &Shell{subject: i.invitation.Subject, who: who, at: i.at, up: up, gone: make(chan struct{}), orders: make(chan struct{}, 1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, up.Close())
			if shell.down != nil {
				err = errors.Join(err, shell.down.Close())
			}
			shell = nil
		}
	}()
	if _, err := fmt.Fprintln(conn, "ok"); err != nil {
		return shell, err
	}
	if line, err := lines.ReadString('\n'); err != nil || line != "opened\n" {
		return shell, errors.Join(err, fmt.Errorf("it said %q", line))
	}
	// Fails unless the shell has it open to read.
	if shell.down, err = os.OpenFile(i.at.file(fileDown), os.O_WRONLY|unix.O_NONBLOCK, 0); err != nil {
		return shell, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return shell, net.ErrClosed
	}
	if err := errors.Join(i.listener.Close(), i.at.empty()); err != nil {
		return shell, err
	}
	if _, err := fmt.Fprintln(conn, "enrolled"); err != nil {
		return shell, err
	}
	i.accepted = true
	shell.begin()
	return shell, nil
}

// Close implements ports.Invited.
func (i *invited) Close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed || i.accepted {
		i.closed = true
		return nil
	}
	i.closed = true
	var err error
	if i.listener != nil {
		err = i.listener.Close()
	}
	return errors.Join(err, i.at.remove())
}
