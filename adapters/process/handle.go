package process

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// errEnded says that there is no process to hold.
var errEnded = errors.New("the process has ended")

// A handle is a process that the kernel keeps apart from every other, whatever pid those have: a descriptor that becomes readable when
// the process ends. The runtime's poller waits at it, and no thread.
type handle struct {
	pid  int // while the process lives; then it may become another's
	file *os.File
	raw  syscall.RawConn

	watch sync.WaitGroup
	ended chan struct{} // closed once the process has ended
	at    time.Time     // when that was noticed; set before ended is closed
}

// newHandle takes the descriptor of a process over.
func newHandle(fd, pid int) (*handle, error) {
	if err := unix.SetNonblock(fd, true); err != nil { // else the poller does not take it
		return nil, errors.Join(fmt.Errorf("hold a process: %w", err), unix.Close(fd))
	}
	h := &handle{pid: pid, file: os.NewFile(uintptr(fd), "process"), ended: make(chan struct{})}
	var err error
	if h.raw, err = h.file.SyscallConn(); err != nil {
		return nil, errors.Join(fmt.Errorf("hold a process: %w", err), h.file.Close())
	}
	h.watch.Go(func() {
		if h.await(isOver) == nil {
			h.at = time.Now()
			close(h.ended)
		}
	})
	return h, nil
}

// await blocks until a condition of the descriptor holds, which is asked each time it becomes readable.
func (h *handle) await(condition func(fd int) bool) error {
	return h.raw.Read(func(fd uintptr) bool { return condition(int(fd)) })
}

// over reports whether the process has ended by now.
func (h *handle) over() bool {
	over := false
	err := h.raw.Control(func(fd uintptr) { over = isOver(int(fd)) })
	return err == nil && over
}

// close lets the process go and waits until nobody watches it.
func (h *handle) close() {
	_ = h.file.Close() // it may be closed once
	h.watch.Wait()
}
