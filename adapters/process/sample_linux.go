package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// ticks is the unit of times in /proc. Source: proc_pid_stat(5); Linux shows user space 100 Hz on amd64 and arm64.
const ticks = time.Second / 100

// Sample reads /proc and the modes of the pane's terminal; some 40 microseconds.
func (*Inspector) Sample(ctx context.Context, pane tmux.Pane) guard.Sample {
	s, err := sample(ctx, pane)
	if err != nil {
		return guard.Sample{Err: &fault.Error{
			Kind: fault.Unsupported, Op: "inspect", Target: string(pane.ID),
			Message: fmt.Sprintf("the foreground of pane %s cannot be inspected", pane.ID), Err: err,
		}}
	}
	return s
}

func sample(ctx context.Context, pane tmux.Pane) (guard.Sample, error) {
	if err := ctx.Err(); err != nil {
		return guard.Sample{}, err
	}
	own, err := readStat(pane.PID)
	if err != nil {
		return guard.Sample{}, err
	}
	modes, err := readModes(pane.TTY, own.terminal)
	if err != nil {
		return guard.Sample{}, err
	}
	age, err := ageOf(own)
	if err != nil {
		return guard.Sample{}, err
	}
	s := guard.Sample{
		Leader: own.foreground, ReadCount: -1, Age: age,
		Canonical: modes.Lflag&unix.ICANON != 0, Echo: modes.Lflag&unix.ECHO != 0,
	}
	if own.foreground <= 0 {
		return guard.Sample{}, fmt.Errorf("no process group is in the foreground of %s", pane.TTY)
	}
	leader, err := readStat(s.Leader)
	if errors.Is(err, fs.ErrNotExist) {
		s.LeaderGone = true
		return s, nil
	}
	if err != nil {
		return guard.Sample{}, err
	}
	s.Command, s.State = leader.command, leader.state
	s.Executable, s.Argv = readExecutable(s.Leader), readArgv(s.Leader)
	uid, known := readUser(s.Leader)
	s.SameUser = known && uid == os.Getuid()
	s.WaitChannel, s.ReadCount = readWaitChannel(s.Leader), readCount(s.Leader)
	return s, nil
}

// readModes reads the modes of a terminal without becoming its session's leader, waiting for it or keeping it, and makes sure that
// it is the one that the process has: a pid from another PID namespace would name a stranger.
func readModes(path string, device uint64) (*unix.Termios, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer unix.Close(fd)
	var status unix.Stat_t
	if err := unix.Fstat(fd, &status); err != nil {
		return nil, fmt.Errorf("stat %s: %w", path, err)
	}
	if status.Mode&unix.S_IFMT != unix.S_IFCHR || status.Rdev != device {
		return nil, fmt.Errorf("%s is not the terminal of the pane's process", path)
	}
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("read the modes of %s: %w", path, err)
	}
	return modes, nil
}

func ageOf(s stat) (time.Duration, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return 0, fmt.Errorf("read the clock: %w", err)
	}
	return max(0, time.Duration(now.Nano())-time.Duration(s.started)*ticks), nil
}

// Stopped reads the state of a process. One that has ended and is not yet reaped does not exist any more.
func (*Inspector) Stopped(_ context.Context, pid int) (stopped, exists bool) {
	if pid <= 0 {
		return false, false
	}
	s, err := readStat(pid)
	if err != nil {
		// Where /proc hides the processes of others, only a signal that is never sent tells.
		return false, !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
	}
	return s.state == 'T', s.state != 'Z' && s.state != 'X'
}
