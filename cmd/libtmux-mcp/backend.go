package main

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
)

// The backends: how command lists reach tmux.
const (
	backendCLI     = "cli"     // one tmux process each
	backendControl = "control" // one control-mode client that stays attached, while there is a session to attach to
)

// A backend is how tmux is reached. Close it.
type backend struct {
	name   string
	server *tmuxserver.Server
	close  func()
}

// backend makes the one that was chosen. Nothing is started or attached yet.
func (c config) backend(conn *cli.Conn) backend {
	if c.flags.Backend != backendControl {
		return backend{name: backendCLI, server: tmuxserver.New(conn, tmuxserver.Options{}), close: func() {}}
	}
	clients := control.NewClients(func(ctx context.Context, attach []string) (control.Stream, error) {
		return conn.Attach(ctx, attach)
	}, conn.Socket())
	over := control.NewConn(clients, conn)
	return backend{name: backendControl, server: tmuxserver.New(over, tmuxserver.Options{Own: clients.Own}), close: over.Close}
}
