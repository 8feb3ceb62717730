package cli

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// What the tmux client says when it could not talk to a server.
var (
	noServer     = regexp.MustCompile(`(?m)^no server running on |^error connecting to .*\((No such file or directory|Connection refused)\)`)
	noPermission = regexp.MustCompile(`(?m)^error (?:connecting to|creating) .*\((Permission denied|Operation not permitted)\)`)
	noConnection = regexp.MustCompile(`(?m)^error (connecting to|creating) `)
	noAccess     = regexp.MustCompile(`(?m)^access not allowed`)
	lost         = regexp.MustCompile(`(?m)^(lost server|server exited)`)
	mismatch     = regexp.MustCompile(`(?m)^(server exited unexpectedly|protocol version mismatch)`)
)

// isTransport reports whether tmux failed to talk to the server, rather than the server to do what it was told.
func isTransport(out output) bool {
	for _, words := range []*regexp.Regexp{noServer, noConnection, noAccess, lost, mismatch} {
		if words.MatchString(out.stderr) || words.MatchString(out.stdout) {
			return true
		}
	}
	return false
}

// transportFault says what a run that gave no answer means. began: something of the list ran.
func (c *Conn) transportFault(ctx context.Context, out output, began bool) error {
	words := strings.TrimSpace(out.stderr + "\n" + out.stdout)
	said := func(pattern *regexp.Regexp) bool { return pattern.MatchString(words) }
	delivery := fault.NotSent
	if began {
		delivery = fault.PossiblySent
	}
	switch {
	case said(noServer):
		return serverGone(c.socket, fault.NotSent)
	case said(noPermission), said(noAccess):
		return permission(c.socket)
	case said(noConnection):
		return transport(fault.NotSent, "check the socket path", "tmux cannot use the socket "+c.socket+": "+words, nil)
	case said(mismatch) && !began:
		return c.mismatchFault(ctx, words)
	case said(lost):
		return serverGone(c.socket, fault.PossiblySent)
	default:
		return transport(delivery, "", fmt.Sprintf("tmux ended with status %d and no answer: %s", out.status, words), nil)
	}
}

func serverGone(socket string, delivery fault.Delivery) *fault.Error {
	return &fault.Error{
		Kind: fault.ServerGone, Delivery: delivery, Message: "no tmux server runs at " + socket,
		Recovery: "start one with create_session",
	}
}

func permission(socket string) *fault.Error {
	return transport(fault.NotSent, "run as the user whose tmux server this is, or choose another socket",
		"no permission to use the tmux socket "+socket, nil)
}

// mismatchFault is about a server that ends the connection at once: it speaks another version of tmux's protocol, unless
// it just ended.
func (c *Conn) mismatchFault(ctx context.Context, words string) error {
	executable, err := c.Executable(ctx)
	if err != nil {
		return err
	}
	server := "another tmux version, probably 3.6 or newer"
	v, path, lives := serverExecutable(ctx, c.socket)
	switch {
	case v == executable.Version, !lives, v == "" && noListener(c.socket): // it only just stopped taking connections
		return serverGone(c.socket, fault.PossiblySent)
	case v != "":
		server = fmt.Sprintf("tmux %s (%s)", v, path)
	}
	return transport(fault.NotSent, "use the tmux executable that the server was started from (--tmux)",
		fmt.Sprintf("tmux %s (%s) cannot talk to the server at %s, which is %s: %s",
			executable.Version, executable.Path, c.socket, server, words), nil)
}
