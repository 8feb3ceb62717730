package enroll

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/samber/lo"
)

// A File is a setup file at a path of the operator's choice: one line that runs the words of an invitation.
type File struct {
	path string
	made *os.File
}

// WriteFile makes a private file, only if nothing is there, in a directory of this user that nobody else may write to. A symbolic
// link is not followed. Who makes it removes it.
func WriteFile(path string, words []string) (*File, error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory", dir)
	case owner(info) != os.Geteuid():
		return nil, fmt.Errorf("the directory %s belongs to uid %d: name a file in one of yours", dir, owner(info))
	case info.Mode().Perm()&0o022 != 0:
		return nil, fmt.Errorf("the directory %s may be written to by others (mode %04o): name a file in a private one", dir, info.Mode().Perm())
	}
	path = filepath.Join(dir, filepath.Base(path))
	made, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = fmt.Errorf("%s exists already, and is left as it is: name a file that does not exist, or remove this one if a server that was killed left it", path)
		}
		return nil, err
	}
	f := &File{path: path, made: made}
	line := `\builtin ` + strings.Join(lo.Map(words, func(word string, _ int) string { return quoted(word) }), " ") + "\n"
	if _, err := made.WriteString(line); err != nil {
		return nil, errors.Join(err, f.Remove())
	}
	return f, nil
}

// Remove takes the file away if it is still the one that was made. It may be called more than once.
func (f *File) Remove() error {
	made, err := f.made.Stat() // the open file keeps its number from being used again
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	there, missing := os.Lstat(f.path)
	if err == nil && missing == nil && os.SameFile(made, there) {
		err = os.Remove(f.path)
	}
	return errors.Join(err, f.made.Close())
}
