package shell

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"syscall"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// plain is what a path may hold that is typed into any shell without quoting.
var plain = regexp.MustCompile(`^/[A-Za-z0-9/.,_+@-]*$`)

// defaultPlace is where the frames of this user are: by uid, never by environment, so that every process of the user finds
// the same place whatever its environment is.
func defaultPlace() string {
	uid := os.Geteuid()
	runtime := fmt.Sprintf("/run/user/%d", uid)
	if info, err := os.Lstat(runtime); err == nil && info.IsDir() && owner(info) == uid {
		return runtime + "/libtmux-mcp"
	}
	return fmt.Sprintf("/tmp/libtmux-mcp-%d", uid)
}

// prepare makes dir, or holds what is there to what it must be: a directory, no link, ours and private.
func prepare(dir string) error {
	refuse := func(message string, err error) error {
		return &fault.Error{
			Kind: fault.TransportError, Op: "open the run directory", Target: dir, Message: "run directory " + dir + " " + message,
			Recovery: "remove it, or make it a directory of yours with mode 0700", Err: err,
		}
	}
	if !plain.MatchString(dir) || filepath.Clean(dir) != dir {
		return refuse("is not an absolute, clean path of letters, digits and . , _ + @ - alone", nil)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return refuse("cannot be made", err)
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return refuse("cannot be read", err)
	case !info.IsDir():
		return refuse("is not a directory", nil)
	case owner(info) != os.Geteuid():
		return refuse(fmt.Sprintf("belongs to uid %d", owner(info)), nil)
	case info.Mode().Perm()&0o077 != 0:
		return refuse(fmt.Sprintf("is open to others (mode %04o)", info.Mode().Perm()), nil)
	}
	return nil
}

// owner is the uid that owns a file; -1 if the system does not say.
func owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
