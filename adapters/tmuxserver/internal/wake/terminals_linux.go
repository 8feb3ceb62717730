package wake

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
)

const (
	// used is what is asked of the kernel about a terminal: that a program wrote to it, read a line that may have been echoed, or
	// left it, or that it is gone. Source: inotify(7).
	used = unix.IN_MODIFY | unix.IN_ACCESS | unix.IN_CLOSE_WRITE | unix.IN_DELETE_SELF

	// respite is how long the kernel is not asked again: a terminal may be written to without pause.
	respite = time.Millisecond
)

// A Terminals knows at once when programs write to the terminals of panes. It asks the kernel, and costs tmux nothing. The zero
// value is usable; it holds something only while it listens, and for as long as the kernel then takes to let go, some 20 ms.
type Terminals struct {
	mu      sync.Mutex
	current *source // nil: nobody listens
	tells   bool    // this kernel was seen to
}

// A source is one queue of the kernel's.
type source struct {
	fd     int // of events
	events *os.File
	closed chan struct{} // when nobody listens any more

	mu        sync.Mutex
	listeners map[int32]map[*listener]bool // by the kernel's number of a terminal
}

// A listener hears of one terminal.
type listener struct{ notify func(written bool) }

// Listen begins to tell of the terminal of a pane, until stop is called: that something was written to it, or happened to it otherwise that
// may show. It is an error if this kernel does not tell, or if the terminal,
// as it is called here, cannot be shown to be the one that the server means. notify must not wait, nor stop; it is not called any more
// once stop has returned.
func (t *Terminals) Listen(at grammar.Location, notify func(written bool)) (stop func(), err error) {
	if err := identify(at); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current == nil {
		opened, err := open(!t.tells)
		if err != nil {
			return nil, err
		}
		t.current, t.tells = opened, true
	}
	from := t.current
	terminal, told, err := from.add(at.TTY, notify)
	if err != nil {
		t.retire(from)
		return nil, err
	}
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		from.remove(terminal, told)
		t.retire(from)
	}), nil
}

// retire lets a source go to which nobody listens, and does not wait for it.
func (t *Terminals) retire(s *source) {
	if len(s.listeners) > 0 {
		return
	}
	t.current = nil
	close(s.closed)
	_ = s.events.SetReadDeadline(time.Unix(1, 0)) // it can have one: it is not blocking
}

// open begins to listen, to nothing yet; first it may try whether the kernel tells.
func open(try bool) (*source, error) {
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("the kernel cannot be asked about terminals (inotify): %w", err)
	}
	if try {
		if err := probe(fd); err != nil {
			_ = unix.Close(fd) // nothing is in it
			return nil, err
		}
	}
	s := &source{fd: fd, events: os.NewFile(uintptr(fd), "inotify"), closed: make(chan struct{}), listeners: map[int32]map[*listener]bool{}}
	go s.read()
	return s, nil
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

// read tells what the kernel tells, until nobody listens. Closing waits in the kernel until no processor can still be telling.
func (s *source) read() {
	defer func() { _ = s.events.Close() }() // nothing is in it
	buffer := make([]byte, 16<<10)
	for {
		n, err := s.events.Read(buffer)
		if err != nil {
			return // nobody listens
		}
		s.take(buffer[:n])
		select {
		case <-time.After(respite):
		case <-s.closed:
		}
	}
}

// take takes whole events.
func (s *source) take(events []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var event unix.InotifyEvent
	for len(events) >= unix.SizeofInotifyEvent {
		if _, err := binary.Decode(events, binary.NativeEndian, &event); err != nil {
			return // impossible: there are bytes enough
		}
		events = events[min(unix.SizeofInotifyEvent+int(event.Len), len(events)):]
		for terminal, told := range s.listeners {
			if terminal != event.Wd && event.Mask&unix.IN_Q_OVERFLOW == 0 {
				continue
			}
			for l := range told {
				l.notify(event.Mask&(unix.IN_MODIFY|unix.IN_Q_OVERFLOW) != 0)
			}
		}
	}
}

// add begins to tell of a terminal.
func (s *source) add(path string, notify func(written bool)) (terminal int32, told *listener, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	wd, err := unix.InotifyAddWatch(s.fd, path, used)
	if err != nil {
		return 0, nil, fmt.Errorf("inotify: %s: %w", path, err)
	}
	terminal, told = int32(wd), &listener{notify} //nolint:gosec // the kernel's numbers are 32 bits
	if s.listeners[terminal] == nil {
		s.listeners[terminal] = map[*listener]bool{}
	}
	s.listeners[terminal][told] = true
	return terminal, told, nil
}

// remove ends what a listener is told. The last one ends what is asked about its terminal.
func (s *source) remove(terminal int32, told *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners[terminal], told)
	if len(s.listeners[terminal]) == 0 {
		delete(s.listeners, terminal)
		_, _ = unix.InotifyRmWatch(s.fd, uint32(terminal)) //nolint:gosec // it may be gone already
	}
}

// identify sees that the terminal that this process would find is the pane's: another file system may have another one of that name.
// The process that tmux started in the pane tells, or tmux, which must be seen from here as it sees itself.
func identify(at grammar.Location) error {
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
