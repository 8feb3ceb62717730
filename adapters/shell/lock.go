package shell

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// errHeld says that another open file, of this or another process, holds the lock.
var errHeld = errors.New("held")

// A lock is an exclusive flock on a file. The kernel gives it free when its process dies.
type lock struct{ file *os.File }

// acquire takes the lock at path, making the file if need be, and never waits: errHeld if it is held.
func acquire(path string) (*lock, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			_ = file.Close() // nothing was written
			if errors.Is(err, unix.EWOULDBLOCK) {
				return nil, errHeld
			}
			return nil, err
		}
		// The holder before us may have removed the file between our open and our lock: then this lock excludes nobody.
		opened, err := file.Stat()
		if err != nil {
			_ = file.Close()
			return nil, err
		}
		if there, err := os.Lstat(path); err == nil && os.SameFile(opened, there) {
			return &lock{file}, nil
		}
		_ = file.Close()
	}
}

// remove gives the lock free and takes its file away.
func (l *lock) remove() error {
	return errors.Join(os.Remove(l.file.Name()), l.release())
}

// release gives the lock free. It unlocks explicitly, because a child that is being forked right now shares the file.
func (l *lock) release() error {
	return errors.Join(unix.Flock(int(l.file.Fd()), unix.LOCK_UN), l.file.Close())
}

// held reports whether the lock at path is held. One that is not is taken for a moment, shared.
func held(path string) (bool, error) {
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = file.Close() }() // only read
	err = unix.Flock(int(file.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	return false, errors.Join(err, unix.Flock(int(file.Fd()), unix.LOCK_UN))
}

// pause waits a moment for another process, which holds a lock for some milliseconds; flock cannot wait for a context.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(2 * time.Millisecond):
		return nil
	}
}
