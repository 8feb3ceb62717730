package main

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/app"
)

// The backends: how tmux is reached.
const (
	backendAuto    = "auto"    // commands as cli, waits as control
	backendCLI     = "cli"     // one tmux process for each command list; waits poll
	backendControl = "control" // one control-mode client that stays attached, while there is a session to attach to
)

// A backend is how tmux is reached. Close it.
type backend struct {
	commands string // backendCLI or backendControl
	server   *tmuxserver.Server
	ports    app.Ports     // those that are tmux
	polling  func() string // why waits poll; empty: they do not
	close    func()
}

// backend makes the one that was chosen. Nothing is started or attached yet.
func (c config) backend(conn *cli.Conn) backend {
	clients := control.NewClients(func(ctx context.Context, argv []string) (control.Stream, error) { return conn.Attach(ctx, argv) }, conn.Socket())
	b := backend{commands: backendCLI, close: func() {}}
	var over tmuxserver.Conn = conn
	if c.flags.Backend == backendControl {
		stays := control.NewConn(clients, conn)
		b.commands, b.close, over = backendControl, stays.Close, stays
	}
	b.server = tmuxserver.New(over, tmuxserver.Options{Own: clients.Own})
	channels := control.NewChannels(func(ctx context.Context, argv []string) (control.Markable, error) { return conn.Attach(ctx, argv) },
		b.server, tmuxserver.New(conn, tmuxserver.Options{}))
	detach := b.close
	b.close = func() { channels.Close(); detach() }
	b.ports = app.Ports{
		Reader: b.server, Events: b.server, Input: b.server, Creator: b.server, Inspector: b.server, Snapshots: b.server, Manager: b.server, Channels: channels, Terminator: b.server,
	}
	if c.flags.Backend == backendCLI {
		b.polling = func() string { return "--backend cli attaches no client" }
		return b
	}
	events := control.NewEvents(clients, b.server)
	b.close = func() { events.Close(); channels.Close(); detach() }
	b.ports.Events, b.ports.Reader, b.polling = events, events.Reader(b.server), events.Polling
	return b
}
