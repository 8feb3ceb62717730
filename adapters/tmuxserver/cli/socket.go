package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// SocketPath is where tmux -L puts the socket of that name: in tmux-UID under TMUX_TMPDIR, or /tmp if that is not
// set or does not exist. A name that is no file name is InvalidInput.
func SocketPath(name string) (string, error) {
	if name == "" || name == "." || name == ".." || strings.ContainsAny(name, "/\x00") {
		return "", fault.Invalidf("pass the name of a socket, or its path as --socket", "socket name %q is no file name", name)
	}
	base := "/tmp"
	if dir, err := filepath.EvalSymlinks(os.Getenv("TMUX_TMPDIR")); err == nil && filepath.IsAbs(dir) {
		base = dir
	} else if dir, err := filepath.EvalSymlinks(base); err == nil {
		base = dir
	}
	return filepath.Join(base, userDirectory(), name), nil
}

// greatestPath is how many bytes a socket's path may have.
const greatestPath = len(syscall.RawSockaddrUnix{}.Path) - 1

func checkSocketPath(path string) error {
	switch {
	case !filepath.IsAbs(path):
		return fault.Invalidf("pass an absolute path", "socket path %q is not absolute", path)
	case strings.ContainsRune(path, 0):
		return fault.Invalidf("pass a path without NUL", "socket path %q holds NUL", path)
	case len(path) > greatestPath:
		return fault.Invalidf(fmt.Sprintf("sockets have paths of at most %d bytes", greatestPath),
			"socket path %q is %d bytes long", path, len(path))
	}
	return nil
}

// resolve follows symbolic links, of the directory alone while the socket does not exist.
func resolve(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil && len(resolved) <= greatestPath {
		return resolved
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		if resolved := filepath.Join(dir, filepath.Base(path)); len(resolved) <= greatestPath {
			return resolved
		}
	}
	return filepath.Clean(path)
}

// checkSocket looks at what is there before tmux does: tmux takes a file that is no socket for an absent server, and would
// delete it to start one.
func checkSocket(path string) error {
	if err := checkDirectory(filepath.Dir(path)); err != nil {
		return err
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // tmux says so
	case errors.Is(err, fs.ErrPermission):
		return permission(path)
	case err != nil:
		return transport(fault.NotSent, "check the socket path", "the tmux socket cannot be used", err)
	case info.Mode().Type() != fs.ModeSocket:
		return transport(fault.NotSent, "name a tmux socket, or a path at which there is nothing",
			path+" is not a socket", nil)
	}
	return nil
}

// userDirectory is the name of the directory in which tmux -L puts this user's sockets.
func userDirectory() string { return "tmux-" + strconv.Itoa(os.Getuid()) }

// checkDirectory refuses, as tmux -L does, a directory of this user's sockets that others could have made or can change.
func checkDirectory(dir string) error {
	if filepath.Base(dir) != userDirectory() {
		return nil
	}
	info, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return transport(fault.NotSent, "check the directory", "the directory of the tmux sockets cannot be read", err)
	}
	if owner, ok := info.Sys().(*syscall.Stat_t); !info.IsDir() || !ok || int(owner.Uid) != os.Getuid() || info.Mode().Perm()&0o007 != 0 {
		return transport(fault.NotSent, "remove it, or choose another socket", dir+" has unsafe permissions for tmux sockets", nil)
	}
	return nil
}

// makeDirectory makes the directory of this user's sockets, where a server is about to be started. Others exist.
func makeDirectory(path string) error {
	dir := filepath.Dir(path)
	if filepath.Base(dir) == userDirectory() {
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return transport(fault.NotSent, "check the directory", "the directory of the tmux sockets cannot be made", err)
		}
		return checkDirectory(dir)
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return transport(fault.NotSent, "make it, or choose another socket", dir+", where the tmux socket would be, is not a directory", err)
	}
	return nil
}

// noListener reports whether nobody listens at the socket now.
func noListener(path string) bool {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return true
	}
	_ = conn.Close() // nothing was said
	return false
}
