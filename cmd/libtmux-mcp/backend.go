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
	name     string
	server   *tmuxserver.Server
	channels *control.Channels
	close    func()
}

// backend makes the one that was chosen. Nothing is started or attached yet.
func (c config) backend(conn *cli.Conn) backend {
	waits := func(ctx context.Context, argv []string) (control.Markable, error) { return conn.Attach(ctx, argv) }
	direct := tmuxserver.New(conn, tmuxserver.Options{})
	if c.flags.Backend != backendControl {
		channels := control.NewChannels(waits, direct, direct)
		return backend{name: backendCLI, server: direct, channels: channels, close: channels.Close}
	}
	clients := control.NewClients(func(ctx context.Context, argv []string) (control.Stream, error) { return conn.Attach(ctx, argv) }, conn.Socket())
	over := control.NewConn(clients, conn)
	server := tmuxserver.New(over, tmuxserver.Options{Own: clients.Own})
	channels := control.NewChannels(waits, server, direct)
	return backend{name: backendControl, server: server, channels: channels, close: func() { channels.Close(); over.Close() }}
}
