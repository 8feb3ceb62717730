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
	return filepath.Join(base, "tmux-"+strconv.Itoa(os.Getuid()), name), nil
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

// noListener reports whether nobody listens at the socket now.
func noListener(path string) bool {
	conn, err := net.Dial("unix", path)
	if err != nil {
		return true
	}
	_ = conn.Close() // nothing was said
	return false
}
