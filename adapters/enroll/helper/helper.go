// Package helper is the process that executes an authorized script: this program again, started by the enrolled shell with
// a hidden subcommand. It must start fast, so that it is run while the program's packages are still being initialized, and knows
// nothing but the system and the wire.
package helper

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// Subcommand is the first of the arguments by which a program that imports this package becomes a helper: it is followed by the
// path of a socket and the digest of the script. What imports it is never run then.
const Subcommand = "__execute"

// How long the helper waits for what may never come.
const (
	drainTime = 200 * time.Millisecond // for the end of outputs after that of the script
	graceTime = 300 * time.Millisecond // between asking a script to end and killing it
)

// The exit statuses of a helper, which only the enrolled shell sees.
const (
	exitReported = 0
	exitRefused  = 3 // nothing was executed
	exitEnded    = 4 // the script was ended, and nobody was told how
)

func init() {
	if len(os.Args) == 4 && os.Args[1] == Subcommand {
		os.Exit(run(os.Args[2], os.Args[3]))
	}
}

// run executes the script that the socket grants, if it has that digest.
func run(socket, digest string) int {
	// The shell ignores an interrupt while it waits; its script does not. A signal that is caught is the default for the script.
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, unix.SIGINT, unix.SIGHUP, unix.SIGTERM, unix.SIGQUIT, unix.SIGTSTP, unix.SIGPIPE)
	peer, err := dial(socket)
	if err != nil {
		return exitRefused
	}
	grant, err := await(peer, signals)
	if err == nil && grant.Digest() != digest {
		err = errors.New("the script is not the one that was authorized")
	}
	if err != nil {
		_ = WriteReport(peer, *notStarted(err)) // nobody may be there
		return exitRefused
	}
	gone := make(chan struct{})
	go func() { // the server says nothing more: what comes is its end
		_, _ = io.Copy(io.Discard, peer)
		close(gone)
	}()
	started := func(script *os.Process) { _ = WriteStart(peer, script) } // nobody may be there: gone says it
	report := execute(grant, started, gone, signals)
	if report == nil || WriteReport(peer, *report) != nil {
		return exitEnded
	}
	return exitReported
}

// await waits for the grant, unless the person interrupts it or the terminal goes away before.
func await(peer io.Reader, signals <-chan os.Signal) (Grant, error) {
	var grant Grant
	received := make(chan error, 1)
	go func() {
		var err error
		grant, err = ReadGrant(peer)
		received <- err
	}()
	for {
		select {
		case err := <-received:
			return grant, err
		case signal := <-signals:
			if signal == unix.SIGINT || signal == unix.SIGHUP || signal == unix.SIGTERM {
				return Grant{}, errors.New("the helper was told to end before it had a script")
			}
		}
	}
}

func dial(path string) (*os.File, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fd)
	if err := errors.Join(unix.Connect(fd, &unix.SockaddrUnix{Name: path}), unix.SetNonblock(fd, true)); err != nil {
		return nil, errors.Join(err, unix.Close(fd))
	}
	return os.NewFile(uintptr(fd), path), nil
}
