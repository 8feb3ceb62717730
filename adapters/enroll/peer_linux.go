package enroll

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A peer is the process at the other end of a socket, as the kernel says.
type peer struct {
	pid    int
	uid    int
	began  uint64   // clock ticks since boot
	handle *os.File // pidfd, by which it is told from a later process of the same pid
}

// peerOf finds the peer. The kernel keeps who connected; a later process of its pid is not taken for it.
func peerOf(conn *net.UnixConn) (*peer, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	who, handle := &peer{}, -1
	controlled := raw.Control(func(fd uintptr) {
		var cred *unix.Ucred
		if cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err != nil {
			return
		}
		who.pid, who.uid = int(cred.Pid), int(cred.Uid)
		handle, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD)
		if errors.Is(err, unix.ENOPROTOOPT) { // before Linux 6.5; the peer waits for us, so that its pid is still its own
			handle, err = unix.PidfdOpen(who.pid, 0)
		}
	})
	if err := errors.Join(controlled, err); err != nil {
		return nil, err
	}
	// Non-blocking, so that the runtime waits for it without a thread.
	if err := unix.SetNonblock(handle, true); err != nil {
		return nil, errors.Join(err, unix.Close(handle))
	}
	who.handle = os.NewFile(uintptr(handle), "pidfd")
	stat, err := readStat(who.pid)
	if err != nil {
		return nil, errors.Join(err, who.close())
	}
	who.began = stat.began
	return who, nil
}

func (p *peer) close() error { return p.handle.Close() }

// alive reports whether the process lives.
func (p *peer) alive() bool {
	raw, err := p.handle.SyscallConn()
	if err != nil {
		return false
	}
	alive := false
	err = raw.Control(func(fd uintptr) { alive = !ended(fd) })
	return err == nil && alive
}

// wait returns when the process has ended, or when close was called.
func (p *peer) wait() {
	raw, err := p.handle.SyscallConn()
	if err != nil {
		return // closed already
	}
	_ = raw.Read(ended) // closed: the end as well
}

// ended reports whether a pidfd's process has.
func ended(fd uintptr) bool {
	polled := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	_, err := unix.Poll(polled, 0)
	return err == nil && polled[0].Revents != 0
}

// killGroup kills the process group of a pidfd's process, whether that still is in it or not. Before Linux 6.9 it cannot be done: a number, instead, could
// be that of another group by now.
func killGroup(leader *os.File) error {
	raw, err := leader.SyscallConn()
	if err != nil {
		return err
	}
	controlled := raw.Control(func(fd uintptr) {
		err = unix.PidfdSendSignal(int(fd), unix.SIGKILL, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP)
	})
	if errors.Is(err, unix.ESRCH) { // none is left
		err = nil
	}
	return errors.Join(controlled, err)
}

// ticks is the present as began has it. Source: proc_pid_stat(5); a tick is a hundredth of a second for every process.
func ticks() (uint64, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now); err != nil {
		return 0, err
	}
	return uint64(now.Nano() / int64(10*time.Millisecond)), nil
}

// A stat is what the kernel says of a process. Source: proc_pid_stat(5).
type stat struct {
	parent     int
	foreground int    // process group in the foreground of its terminal
	began      uint64 // clock ticks since boot
}

func readStat(pid int) (stat, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return stat{}, err
	}
	// The second field is a name in parentheses that may hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 {
		return stat{}, fmt.Errorf("/proc/%d/stat has %d fields", pid, len(fields))
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return stat{}, err
	}
	foreground, err := strconv.Atoi(string(fields[5]))
	if err != nil {
		return stat{}, err
	}
	began, err := strconv.ParseUint(string(fields[19]), 10, 64)
	return stat{parent: parent, foreground: foreground, began: began}, err
}

// isShell refuses a subject whose process is no zsh.
func isShell(subject enroll.Subject) error {
	link, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", subject.PID))
	name := filepath.Base(strings.TrimSuffix(link, " (deleted)"))
	if err == nil && strings.HasPrefix(name, "zsh") {
		return nil
	}
	message := fmt.Sprintf("the process of pane %s is %s, not zsh", subject.Pane, name)
	if err != nil {
		message = fmt.Sprintf("the process of pane %s cannot be inspected", subject.Pane)
	}
	return &fault.Error{
		Kind: fault.Refused, Reason: fault.NotAShell, Op: opInvite, Target: string(subject.Pane), Message: message, Err: err,
		Recovery: "use a pane that was started with zsh " + enroll.Shell + "; run_shell_command runs in other shells too",
	}
}
