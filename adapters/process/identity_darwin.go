package process

import (
	"context"
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// proved says whether somebody has run what stands here, and found that it keeps the contract of ports.Identity.
const proved = false

// openListener holds the process that listens at a socket, which must be that pid.
func openListener(ctx context.Context, socket string, pid int) (*handle, error) {
	if !proved {
		return nil, lacks(ports.LackSystem, "nobody has proved yet that processes can be told apart for certain on this operating system")
	}
	connection, err := new(net.Dialer).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	defer connection.Close()
	raw, err := connection.(*net.UnixConn).SyscallConn()
	if err != nil {
		return nil, err
	}
	peer := 0
	controlErr := raw.Control(func(fd uintptr) { peer, err = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID) })
	if err := errors.Join(controlErr, err); err != nil {
		return nil, err
	}
	if peer != pid {
		return nil, fmt.Errorf("process %d listens at %s, not %d", peer, socket, pid)
	}
	return openProcess(pid)
}

// openProcess holds a process by its pid: whatever has that pid now. Source: kqueue(2), EVFILT_PROC.
func openProcess(pid int) (*handle, error) {
	queue, err := unix.Kqueue()
	if err != nil {
		return nil, fmt.Errorf("kqueue: %w", err)
	}
	unix.CloseOnExec(queue)
	watched := unix.Kevent_t{Ident: uint64(pid), Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD, Fflags: unix.NOTE_EXIT}
	if _, err := unix.Kevent(queue, []unix.Kevent_t{watched}, nil, nil); err != nil {
		closed := unix.Close(queue)
		if errors.Is(err, unix.ESRCH) {
			return nil, errEnded
		}
		return nil, errors.Join(fmt.Errorf("watch process %d: %w", pid, err), closed)
	}
	return newHandle(queue, pid)
}

// birthOf gives the parent of a process, and the microsecond at which it began.
func birthOf(pid int) (parent int, began uint64, err error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, 0, err
	}
	start := info.Proc.P_starttime
	return int(info.Eproc.Ppid), uint64(start.Sec)*1e6 + uint64(start.Usec), nil
}

// isOver reports whether the queue tells of an end, which it goes on to tell.
func isOver(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, 0)
		if !errors.Is(err, unix.EINTR) {
			return fds[0].Revents != 0
		}
	}
}

// runs reports whether a process runs for certain, and has not begun to end. How that shows has not been looked for.
func (*handle) runs() bool { return false }

// exit tells that an ended process ended: its status is for its parent alone.
func (h *handle) exit(context.Context) (ports.Exit, error) { return ports.Exit{At: h.at}, nil }
