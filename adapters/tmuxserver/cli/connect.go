package cli

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// connect connects to the server.
func (c *Conn) connect(ctx context.Context) (*peer, error) {
	if ctx.Err() != nil {
		return nil, contextFault(ctx, fault.NotSent)
	}
	if err := checkSocket(c.socket); err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", c.socket)
	switch {
	case err == nil:
		return &peer{conn: conn.(*net.UnixConn), from: bufio.NewReader(conn)}, nil
	case ctx.Err() != nil:
		return nil, contextFault(ctx, fault.NotSent)
	case errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, fs.ErrNotExist):
		return nil, serverGone(c.socket, fault.NotSent)
	case errors.Is(err, fs.ErrPermission):
		return nil, permission(c.socket)
	}
	return nil, transport(fault.NotSent, "check the socket path", "the socket "+c.socket+" cannot be used", err)
}

// unheard is the fault of a connection that broke off before anything was done by it.
func (c *Conn) unheard(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return contextFault(ctx, fault.NotSent)
	case errors.Is(err, errSpeech):
		return transport(fault.NotSent, "use --backend cli, with the tmux executable that the server was started from (--tmux)",
			"no control client can be attached at "+c.socket, err)
	}
	return transport(fault.NotSent, "", "the server at "+c.socket+" ended the connection", err)
}

// serverVersion asks the server's version, as a client that prints. It asks twice at once: from 3.7 on tmux gives up printing if it does not get
// to run for 100 ms.
func (c *Conn) serverVersion(ctx context.Context) (tmux.Version, error) {
	p, err := c.connect(ctx)
	if err != nil {
		return "", err
	}
	defer p.close()
	defer context.AfterFunc(ctx, p.close)()
	nonce := rand.Text()
	asks := []string{"display-message", "-p", nonce + "#{version}" + nonce}
	hello, err := introduce(flagNoStart|flagUTF8, "", slices.Concat(asks, []string{";"}, asks))
	if err == nil {
		err = p.say(hello)
	}
	var printed strings.Builder
	for err == nil {
		var m message
		if m, err = p.next(); err != nil {
			break
		}
		switch m.kind {
		case messageWriteOpen:
			err = p.say(compose(nil, messageWriteReady, numbers(int(m.number(0)), 0)))
		case messageWrite:
			printed.WriteString(m.text(4))
		case messageReadOpen:
			err = p.refuse(m)
		case messageExit, messageShutdown:
			_, after, _ := strings.Cut(printed.String(), nonce)
			version, _, found := strings.Cut(after, nonce)
			switch why := m.text(4); {
			case found:
				return tmux.Version(version), nil
			case noAccess.MatchString(why):
				return "", permission(c.socket)
			default:
				return "", transport(fault.NotSent, "", fmt.Sprintf("the server at %s did not tell its version: %q, %q", c.socket, why, printed.String()), nil)
			}
		}
	}
	return "", c.unheard(ctx, err)
}
