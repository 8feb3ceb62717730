package control

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

const (
	// written is what is asked of the kernel about a terminal: that a program wrote to it, read a line that may have been echoed, or
	// left it, or that it is gone. Source: inotify(7).
	written = unix.IN_MODIFY | unix.IN_ACCESS | unix.IN_CLOSE_WRITE | unix.IN_DELETE_SELF

	// respite is how long the kernel is not asked again: a terminal may be written to without pause.
	respite = time.Millisecond
)

// A terminals knows at once when programs write to the terminals of panes. It asks the kernel, and costs tmux nothing.
type terminals struct {
	notify func(of func(pane tmux.PaneID) bool) // it must not wait
	fd     int                                  // of events
	events *os.File
	ended  chan struct{} // closed when nobody reads events any more

	mu     sync.Mutex
	closed bool
	panes  map[int32][]tmux.PaneID // by the kernel's number of a terminal
}

// openTerminals begins to listen, to nothing yet. It is an error if this kernel does not tell. Close it.
func openTerminals(notify func(of func(pane tmux.PaneID) bool)) (*terminals, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("the kernel cannot be asked about terminals (inotify): %w", err)
	}
	if err := probe(fd); err != nil {
		_ = unix.Close(fd) // nothing is in it
		return nil, err
	}
	t := &terminals{notify: notify, fd: fd, events: os.NewFile(uintptr(fd), "inotify"), ended: make(chan struct{}), panes: map[int32][]tmux.PaneID{}}
	go t.read()
	return t, nil
}

// probe writes to a terminal of its own, to see whether the kernel tells.
func probe(events int) error {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer master.Close()
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return fmt.Errorf("TIOCGPTN: %w", err)
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return fmt.Errorf("TIOCSPTLCK: %w", err)
	}
	path := fmt.Sprintf("/dev/pts/%d", number)
	terminal, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer terminal.Close()
	wd, err := unix.InotifyAddWatch(events, path, unix.IN_MODIFY)
	if err != nil {
		return fmt.Errorf("inotify: %w", err)
	}
	if _, err := terminal.Write([]byte(".")); err != nil {
		return err
	}
	buffer := make([]byte, 4096)
	if n, err := unix.Read(events, buffer); err != nil || n < unix.SizeofInotifyEvent {
		return fmt.Errorf("this kernel does not tell what is written to terminals (%w)", err)
	}
	_, err = unix.InotifyRmWatch(events, uint32(wd)) //nolint:gosec // a number that the kernel gave
	return err
}

// read tells what the kernel tells.
func (t *terminals) read() {
	defer close(t.ended)
	buffer := make([]byte, 16<<10)
	for {
		n, err := t.events.Read(buffer)
		if err != nil {
			return // closed
		}
		t.take(buffer[:n])
		<-time.After(respite)
	}
}

// take takes whole events.
func (t *terminals) take(events []byte) {
	var event unix.InotifyEvent
	for len(events) >= unix.SizeofInotifyEvent {
		if _, err := binary.Decode(events, binary.NativeEndian, &event); err != nil {
			return // impossible: there are bytes enough
		}
		events = events[min(unix.SizeofInotifyEvent+int(event.Len), len(events)):]
		t.mu.Lock()
		panes := slices.Clone(t.panes[event.Wd])
		if event.Mask&unix.IN_IGNORED != 0 {
			delete(t.panes, event.Wd)
		}
		t.mu.Unlock()
		t.notify(func(pane tmux.PaneID) bool { return event.Mask&unix.IN_Q_OVERFLOW != 0 || slices.Contains(panes, pane) })
	}
}

// listen begins to tell of a pane. It is an error if its terminal, as it is called here, cannot be shown to be the one that the
// server means.
func (t *terminals) listen(at tmuxserver.Location) error {
	if err := identify(at); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return os.ErrClosed
	}
	wd, err := unix.InotifyAddWatch(t.fd, at.TTY, written)
	if err != nil {
		return fmt.Errorf("inotify: %s: %w", at.TTY, err)
	}
	terminal := int32(wd) //nolint:gosec // the kernel's numbers are 32 bits
	t.leave(at.Pane, terminal)
	t.panes[terminal] = append(t.panes[terminal], at.Pane)
	return nil
}

// forget ends what is told of a pane.
func (t *terminals) forget(pane tmux.PaneID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.leave(pane, -1)
}

// leave takes a pane from its terminal, which is not asked about any more unless it is the one to keep.
func (t *terminals) leave(pane tmux.PaneID, keep int32) {
	for terminal, panes := range t.panes {
		if !slices.Contains(panes, pane) {
			continue
		}
		t.panes[terminal] = slices.DeleteFunc(panes, func(p tmux.PaneID) bool { return p == pane })
		if len(t.panes[terminal]) == 0 && terminal != keep {
			delete(t.panes, terminal)
			if !t.closed {
				_, _ = unix.InotifyRmWatch(t.fd, uint32(terminal)) //nolint:gosec // it may be gone already
			}
		}
	}
}

// close ends it.
func (t *terminals) close() {
	t.mu.Lock()
	t.closed = true
	_ = t.events.Close() // nothing is in it
	t.mu.Unlock()
	<-t.ended
}

// identify sees that the terminal that this process would find is the pane's: another file system may have another one of that name.
// The process that tmux started in the pane tells, or tmux, which must be seen from here as it sees itself.
func identify(at tmuxserver.Location) error {
	parent, err := parentOf(at.PID)
	if err != nil {
		return err
	}
	if parent != at.Server.PID {
		return fmt.Errorf("process %d is none that tmux (%d) started: tmux runs in another container", at.PID, at.Server.PID)
	}
	here, err := os.Stat(at.TTY)
	if err != nil {
		return err
	}
	for _, pid := range []int{at.PID, at.Server.PID} {
		var there os.FileInfo
		if there, err = os.Stat(fmt.Sprintf("/proc/%d/root%s", pid, at.TTY)); err != nil {
			continue // one that runs as somebody else may not be looked into
		}
		if !os.SameFile(here, there) {
			return fmt.Errorf("%s is another terminal to tmux: it runs in another container", at.TTY)
		}
		return nil
	}
	return err
}

// parentOf reads who started a process. Source: proc_pid_stat(5).
func parentOf(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	var state string
	var parent int
	_, err = fmt.Sscan(string(text[bytes.LastIndexByte(text, ')')+1:]), &state, &parent)
	return parent, err
}
