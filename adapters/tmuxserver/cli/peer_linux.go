package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// serverExecutable finds the executable that listens at the socket, if it is a tmux of this user, and its version;
// empty if that cannot be known. It lives unless it has surely ended.
func serverExecutable(ctx context.Context, socket string) (version tmux.Version, path string, lives bool) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return "", "", false
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return "", "", true
	}
	var peer *unix.Ucred
	controlErr := raw.Control(func(fd uintptr) { peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if controlErr != nil || err != nil || int(peer.Uid) != os.Getuid() {
		return "", "", true
	}
	link := fmt.Sprintf("/proc/%d/exe", peer.Pid)
	path, err = os.Readlink(link)
	if err != nil || !strings.Contains(path, "tmux") {
		return "", "", peer.Pid == 0 || !errors.Is(err, fs.ErrNotExist) // 0: one of another PID namespace
	}
	version, err = versionOf(ctx, link) // also if the file was replaced since
	if err != nil {
		return "", "", true
	}
	return version, path, true
}
