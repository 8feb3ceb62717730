//go:build !linux

package enroll

import (
	"errors"
	"net"
	"os"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A peer is the process at the other end of a socket. Here it is never known.
type peer struct {
	pid   int
	uid   int
	began uint64
}

var errUnknown = errors.New("this system does not tell which process it is")

func peerOf(*net.UnixConn) (*peer, error) { return nil, errUnknown }

func (p *peer) close() error { return nil }

func (p *peer) alive() bool { return false }

func (p *peer) wait() {}

func killGroup(*os.File) error { return errUnknown }

func ticks() (uint64, error) { return 0, errUnknown }

type stat struct{ parent, foreground int }

func readStat(int) (stat, error) { return stat{}, errUnknown }

func isShell(subject enroll.Subject) error {
	return &fault.Error{
		Kind: fault.Unsupported, Op: opInvite, Target: string(subject.Pane), Message: "shells cannot be enrolled on this system", Err: errUnknown,
		Recovery: "use run_shell_command",
	}
}
