package cli

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// serverExecutable finds the executable that listens at the socket, if it is a tmux of this user, and its version;
// empty if that cannot be known.
func serverExecutable(ctx context.Context, socket string) (version tmux.Version, path string) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return "", ""
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return "", ""
	}
	var peer *unix.Ucred
	controlErr := raw.Control(func(fd uintptr) { peer, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if controlErr != nil || err != nil || int(peer.Uid) != os.Getuid() {
		return "", ""
	}
	link := fmt.Sprintf("/proc/%d/exe", peer.Pid)
	path, err = os.Readlink(link)
	if err != nil || !strings.Contains(path, "tmux") {
		return "", ""
	}
	version, err = versionOf(ctx, link) // also if the file was replaced since
	if err != nil {
		return "", ""
	}
	return version, path
}
