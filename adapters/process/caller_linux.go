package process

import (
	"context"
	"errors"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/samber/lo"
	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// serverCommand is the name that a tmux server gives its process.
const serverCommand = "tmux: server"

// Caller looks at this process and its ancestors, then at their terminals, then at the environment, which may be
// older than the truth. Processes and terminals count only if the kernel says that the peer of the socket is the server as
// it calls itself: else it lives in another PID namespace, where numbers mean other processes.
func (i *Inspector) Caller(ctx context.Context, topology tmux.Topology) ports.Caller {
	unknown := ports.Caller{How: ports.CallerUnknown}
	if !topology.Running {
		return unknown
	}
	// The pid and the terminal of a dead pane may belong to someone else by now.
	panes := lo.Filter(topology.Panes, func(p tmux.Pane, _ int) bool { return !p.Dead })
	if i.confirms(ctx, topology.Server) {
		ancestors, nested := ancestry(topology.Server.PID)
		for _, a := range ancestors {
			if pane, ok := lo.Find(panes, func(p tmux.Pane) bool { return p.PID == a.pid }); ok {
				return ports.Caller{Pane: pane.ID, How: ports.CallerAncestor}
			}
		}
		if nested {
			return unknown
		}
		for _, a := range ancestors {
			if pane, ok := lo.Find(panes, func(p tmux.Pane) bool { return a.terminal != 0 && deviceOf(p.TTY) == a.terminal }); ok {
				return ports.Caller{Pane: pane.ID, How: ports.CallerTerminal}
			}
		}
	}
	if pane, ok := topology.Pane(tmux.PaneID(i.options.TMUXPane)); ok && serverOf(i.options.TMUX) == topology.Server.PID {
		return ports.Caller{Pane: pane.ID, How: ports.CallerEnvironment}
	}
	return unknown
}

// An ancestor is this process or one above it.
type ancestor struct {
	pid      int
	terminal uint64 // device number; 0 if none
}

// ancestry lists this process and those above it, nearest first, up to the server. It ends at another tmux server, below
// which everything belongs to a pane of that one.
func ancestry(server int) (ancestors []ancestor, nested bool) {
	for pid := os.Getpid(); pid > 1 && pid != server; {
		s, err := readStat(pid)
		if err != nil {
			return ancestors, false
		}
		if s.command == serverCommand {
			return ancestors, true
		}
		ancestors = append(ancestors, ancestor{pid, s.terminal})
		pid = s.parent
	}
	return ancestors, false
}

// confirms reports whether the server is the process that listens at its socket. What was confirmed once is not asked again: a
// server does not change its namespace.
func (i *Inspector) confirms(ctx context.Context, server tmux.Server) bool {
	asked := life{server.SocketPath, server.PID, server.StartTime.Unix()}
	i.mu.Lock()
	known := i.real == asked
	i.mu.Unlock()
	if known {
		return true
	}
	peer, err := patientPeerOf(ctx, server.SocketPath)
	if err != nil || peer != server.PID {
		return false
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.real = asked
	return true
}

const (
	fullBound = 200 * time.Millisecond // how long a server may leave its queue of connections full
	fullPause = 5 * time.Millisecond
)

// patientPeerOf asks the kernel which process listens at a socket.
func patientPeerOf(ctx context.Context, path string) (pid int, err error) {
	err = patientlyAt(ctx, path, func(fd int) error {
		peer, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err == nil {
			pid = int(peer.Pid)
		}
		return err
	})
	return pid, err
}

// patientlyAt looks at a connection to a socket: again and again while the server has more connections before it than it has accepted.
func patientlyAt(ctx context.Context, path string, look func(fd int) error) error {
	ctx, cancel := context.WithTimeout(ctx, fullBound)
	defer cancel()
	for {
		err := connected(ctx, path, look)
		if !errors.Is(err, unix.EAGAIN) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(fullPause):
		}
	}
}

// connected looks at a connection to a socket, and closes it at once: one that stays open would keep a tmux server from ending.
func connected(ctx context.Context, path string, look func(fd int) error) error {
	connection, err := new(net.Dialer).DialContext(ctx, "unix", path)
	if err != nil {
		return err
	}
	defer connection.Close()
	raw, err := connection.(*net.UnixConn).SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = look(int(fd)) }); err != nil {
		return err
	}
	return failed
}

// deviceOf gives the device number of a terminal; 0 if there is none.
func deviceOf(path string) uint64 {
	var status unix.Stat_t
	if err := unix.Stat(path, &status); err != nil || status.Mode&unix.S_IFMT != unix.S_IFCHR {
		return 0
	}
	return status.Rdev
}

// serverOf gives the server's pid in a value of TMUX; 0 if there is none. The socket's path, which comes first, may hold commas.
func serverOf(value string) int {
	rest := value[:max(0, strings.LastIndexByte(value, ','))]
	pid, err := strconv.Atoi(rest[strings.LastIndexByte(rest, ',')+1:])
	if err != nil {
		return 0
	}
	return pid
}
