package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// openListener holds the process that listens at a socket, which must be that pid, in our namespace. Source: socket(7), SO_PEERPIDFD.
func openListener(ctx context.Context, socket string, pid int) (*handle, error) {
	var opened *handle
	err := patientlyAt(ctx, socket, func(fd int) error {
		peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err != nil {
			return err
		}
		if int(peer.Pid) != pid {
			return lacks(ports.LackNamespace, "tmux calls its process %d, and to us it is %d (0: none): it lives in another PID namespace, where "+
				"pids are those of other processes", pid, peer.Pid)
		}
		pidfd, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		if errors.Is(err, unix.ENOPROTOOPT) {
			return lacks(ports.LackKernel, "this kernel cannot hold the process behind a socket (SO_PEERPIDFD): that needs Linux 6.5 or newer")
		}
		if err != nil {
			return err
		}
		opened, err = newHandle(pidfd, pid)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := opened.isOurs(pid); err != nil {
		opened.close()
		return nil, err
	}
	return opened, nil
}

// isOurs makes sure that a process has its pid in our PID namespace alone, and that /proc is of that namespace. Source:
// proc_pid_fdinfo(5): NSpid is the pid in each namespace, from that of /proc inwards.
func (h *handle) isOurs(pid int) error {
	var text []byte
	var err error
	if controlErr := h.raw.Control(func(fd uintptr) { text, err = os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", fd)) }); controlErr != nil {
		return controlErr
	}
	if err != nil {
		return lacks(ports.LackProc, "/proc does not show this process (%v): it is missing, or of another PID namespace", err)
	}
	for line := range strings.Lines(string(text)) {
		if pids, ok := strings.CutPrefix(line, "NSpid:"); ok && slices.Equal(strings.Fields(pids), []string{strconv.Itoa(pid)}) {
			return nil
		}
	}
	return lacks(ports.LackNamespace, "process %d has another pid elsewhere: tmux, or what /proc shows, is of another PID namespace", pid)
}

// openProcess holds a process by its pid: whatever has that pid now.
func openProcess(pid int) (*handle, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil, errEnded
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // EPERM: a filter of system calls
		return nil, lacks(ports.LackKernel, "processes cannot be held here: pidfd_open: %v", err)
	case err != nil:
		return nil, fmt.Errorf("pidfd_open %d: %w", pid, err)
	}
	return newHandle(fd, pid)
}

// birthOf gives the parent of a process, and the clock tick at which it began.
func birthOf(pid int) (parent int, began uint64, err error) {
	s, err := readStat(pid)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, lacks(ports.LackProc, "/proc hides process %d, which runs", pid)
	}
	return s.parent, s.started, err
}

// isOver reports whether the process of a pidfd has ended, reaped or not.
func isOver(fd int) bool { return polled(fd)&(unix.POLLIN|unix.POLLHUP) != 0 }

// isReaped reports whether its parent has learned of that. Source: pidfd_open(2).
func isReaped(fd int) bool { return polled(fd)&unix.POLLHUP != 0 }

func polled(fd int) int16 {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(fds, 0)
		if !errors.Is(err, unix.EINTR) {
			return fds[0].Revents
		}
	}
}

// reapBound is how long a parent may take to learn that its child ended: until then the kernel tells nobody else how.
const reapBound = 200 * time.Millisecond

// exit tells how an ended process ended, as far as the kernel tells that of a stranger's child: before its parent learned it in /proc,
// to who may look into the process, and after it since Linux 6.15.
func (h *handle) exit(ctx context.Context) (ports.Exit, error) {
	exit := ports.Exit{At: h.at}
	if h.zombieStatus(&exit) || h.status(&exit) {
		return exit, nil
	}
	defer context.AfterFunc(ctx, func() { _ = h.file.SetReadDeadline(time.Unix(1, 0)) })() // closed: it has ended
	if err := h.file.SetReadDeadline(time.Now().Add(reapBound)); err != nil {
		return exit, err
	}
	if ctx.Err() != nil {
		return exit, ended(ctx)
	}
	if err := h.await(isReaped); err == nil {
		h.status(&exit)
	}
	if ctx.Err() != nil {
		return exit, ended(ctx)
	}
	return exit, nil
}

// status asks for the status, and reports whether there is no more to be learned.
func (h *handle) status(exit *ports.Exit) (final bool) {
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_EXIT}
	var err error
	if controlErr := h.raw.Control(func(fd uintptr) { err = unix.IoctlPidfdInfo(int(fd), &info) }); controlErr != nil || err != nil {
		return true
	}
	if info.Mask&unix.PIDFD_INFO_EXIT == 0 {
		return false
	}
	observe(exit, info.Exit_code)
	return true
}

// zombieStatus asks for the status while the parent has not learned of the end, and reports whether it is known.
func (h *handle) zombieStatus(exit *ports.Exit) (known bool) {
	s, err := readStat(h.pid)
	if err != nil || s.state != 'Z' {
		return false
	}
	// The kernel shows 0 to whom it does not tell the status, as it refuses to show him the executable.
	_, err = os.Readlink(procPath(h.pid, "exe"))
	told := s.exit != 0 || !errors.Is(err, fs.ErrPermission)
	reaped := true // then the pid may have been another's
	if err := h.raw.Control(func(fd uintptr) { reaped = isReaped(int(fd)) }); err != nil || reaped || !told {
		return false
	}
	observe(exit, s.exit)
	return true
}

// observe takes over what waitpid(2) would tell.
func observe(exit *ports.Exit, code int32) {
	status := unix.WaitStatus(code)
	exit.Observed = true
	if status.Signaled() {
		exit.Signal = int(status.Signal())
	} else {
		exit.Status = status.ExitStatus()
	}
}

// exiting is a flag of a process that has begun to end. It is set before any file of the process is closed. Source: PF_EXITING in
// Linux's sched.h; proc_pid_stat(5), flags.
const exiting = 0x4

// runs reports whether a process runs for certain, and has not begun to end.
func (h *handle) runs() bool {
	s, err := readStat(h.pid)
	return err == nil && s.flags&exiting == 0 && !h.over()
}
