package stdio

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// A descriptor reads or writes an open file so that Close ends a blocked call, which os.File cannot for a
// descriptor that blocks, as standard streams do. It polls the file beside a pipe of its own and leaves the
// file's flags alone, because they belong to every process that has it open.
type descriptor struct {
	file        *os.File
	woken, wake *os.File // the pipe: closing wake ends every poll
}

var _ io.ReadWriteCloser = (*descriptor)(nil)

func newDescriptor(file *os.File) (*descriptor, error) {
	woken, wake, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &descriptor{file: file, woken: woken, wake: wake}, nil
}

// Read reads what is there, waiting for it if need be.
func (d *descriptor) Read(p []byte) (int, error) {
	n, err := d.transfer("read", unix.POLLIN, unix.Read, p)
	if n == 0 && err == nil && len(p) > 0 {
		return 0, io.EOF
	}
	return n, err
}

// Write writes p by the page, each when the file has room for one.
func (d *descriptor) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := d.transfer("write", unix.POLLOUT, unix.Write, p[written:min(len(p), written+pageBytes)])
		written += n
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Close ends all calls and waits for them. The file stays open.
func (d *descriptor) Close() error {
	return errors.Join(d.wake.Close(), d.woken.Close())
}

// transfer calls once when the file is ready. Neither file can be closed under it: Control holds both.
func (d *descriptor) transfer(op string, events int16, call func(int, []byte) (int, error), p []byte) (n int, err error) {
	outer := control(d.woken, func(woken int) {
		if inner := control(d.file, func(fd int) { n, err = transfer(fd, woken, events, call, p) }); inner != nil {
			err = inner
		}
	})
	if outer != nil {
		err = outer
	}
	if err != nil {
		return 0, &os.PathError{Op: op, Path: d.file.Name(), Err: err}
	}
	return n, nil
}

func transfer(fd, woken int, events int16, call func(int, []byte) (int, error), p []byte) (int, error) {
	for {
		ready := []unix.PollFd{{Fd: int32(fd), Events: events}, {Fd: int32(woken), Events: unix.POLLIN}}
		_, err := unix.Poll(ready, -1)
		if err == nil {
			if ready[1].Revents != 0 {
				return 0, os.ErrClosed
			}
			var n int
			if n, err = call(fd, p); err == nil {
				return n, nil
			}
		}
		if !errors.Is(err, unix.EINTR) && !errors.Is(err, unix.EAGAIN) {
			return 0, err
		}
	}
}

// control calls f with the number of an open file, which stays open meanwhile and keeps its mode.
func control(file *os.File, f func(fd int)) error {
	connection, err := file.SyscallConn()
	if err != nil {
		return err
	}
	return connection.Control(func(fd uintptr) { f(int(fd)) })
}
