package enroll

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// plain is what a path may hold that stands in the text which the shell sources.
var plain = regexp.MustCompile(`^/[A-Za-z0-9/.,_+@-]*$`)

// longest is how long the path of a directory may be in which sockets are made, whose names have 16 letters. Source: unix(7).
const longest = 107 - len("/abcdefghijklmnop")

// base is where the directories of enrollments are made: by uid, never by environment.
func base() string {
	uid := os.Geteuid()
	runtime := fmt.Sprintf("/run/user/%d", uid)
	if info, err := os.Lstat(runtime); err == nil && info.IsDir() && owner(info) == uid {
		return runtime
	}
	return "/tmp"
}

// prefix begins the names of the directories of this user's enrollments.
func prefix() string { return fmt.Sprintf("libtmux-mcp-shell-%d-", os.Geteuid()) }

// A place is the private directory of one enrollment. It is locked, by the open directory, while its process lives.
type place struct {
	path string
	lock *os.File
}

func makePlace(in string) (*place, error) {
	path, err := os.MkdirTemp(in, prefix())
	if err != nil {
		return nil, err
	}
	lock, err := os.Open(path)
	if err == nil {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err == nil && (!plain.MatchString(path) || len(path) > longest) {
		err = &fault.Error{
			Kind: fault.TransportError, Op: "make a directory for an enrollment", Target: path,
			Message:  fmt.Sprintf("%s is longer than %d bytes, or holds more than letters, digits and . , _ + @ -", path, longest),
			Recovery: "have it made in another directory",
		}
	}
	p := &place{path: path, lock: lock}
	if err != nil {
		return nil, errors.Join(err, p.remove())
	}
	return p, nil
}

func (p *place) file(name string) string { return filepath.Join(p.path, name) }

// empty removes what is in the directory.
func (p *place) empty() error {
	entries, err := os.ReadDir(p.path)
	for _, entry := range entries {
		if removed := os.Remove(p.file(entry.Name())); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
	}
	return err
}

func (p *place) remove() error {
	err := os.RemoveAll(p.path)
	if p.lock != nil {
		err = errors.Join(err, p.lock.Close())
	}
	return err
}

// youngest is how old a directory is before it may be taken for one that a dead process left: it is locked soon after it was made.
const youngest = time.Minute

// sweep removes the directories of processes that died. What cannot be removed stays for the next one.
func sweep(in string) {
	paths, err := filepath.Glob(filepath.Join(in, prefix()+"*"))
	if err != nil {
		return // a pattern of ours
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !info.IsDir() || owner(info) != os.Geteuid() || time.Since(info.ModTime()) < youngest {
			continue
		}
		lock, err := os.Open(path)
		if err != nil {
			continue
		}
		if unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil {
			_ = os.RemoveAll(path)
		}
		_ = lock.Close()
	}
}

// owner is the uid that owns a file; -1 if the system does not say.
func owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
