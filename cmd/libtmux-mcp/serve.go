package main

import (
	"context"
	"log/slog"
	"os"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/stdio"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// serve wires the application and serves it on standard input and output until the peer ends the input or ctx is done.
// It ends what this process owns and leaves every tmux server running.
func serve(ctx context.Context, c config) error {
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: c.level}))
	conn, err := cli.New(cli.Options{Tmux: lo.FromPtr(c.flags.Tmux), SocketPath: c.socketPath, Config: c.tmuxConfig})
	if err != nil {
		return err
	}
	var audit func(app.AuditEntry)
	if c.flags.Audit != nil {
		file, err := openAudit(*c.flags.Audit, logger)
		if err != nil {
			return err
		}
		defer file.close()
		audit = file.write
	}
	launch := c.launch(conn)
	launch.Created = c.daemon(ctx, conn, logger)
	selection := c.choice.Freeze(lo.Ternary(launch.Configured, "", launch.Created))
	frames, err := shell.Open(shell.Options{})
	if err != nil {
		return err
	}
	enrollments, err := enroll.Open(enroll.Options{})
	if err != nil {
		return err
	}
	backend := c.backend(conn)
	defer backend.close()
	identity := process.NewIdentity(backend.server)
	defer identity.Close()
	outside := backend.ports
	outside.Frames, outside.Identity = frames, identity
	outside.Processes = process.New(process.Options{TMUX: c.environment["TMUX"], TMUXPane: c.environment["TMUX_PANE"]})
	outside.Enrollments, outside.Authorizer = enrollments, backend.server
	application := app.New(outside, app.Options{
		CallTimeout: c.timeout, MaxResultBytes: c.flags.MaxResponseBytes, SocketPath: conn.Socket(), Endpoint: c.endpoint, Backend: backend.commands, Polling: backend.polling, Logger: logger, Surface: &selection, Launch: launch, Audit: audit,
	})
	defer application.Close()
	enlisted, err := c.enlist(ctx, application, backend.server, logger)
	if err != nil {
		return err
	}
	defer enlisted.close()

	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	mcpServer := mcpserver.New(calls, application, mcpserver.Options{
		Version: version, Logger: logger, Ask: c.flags.Ask,
	})
	mcpServer.AddReceivingMiddleware(stdio.Contain(logger), stdio.Concurrency(c.flags.Concurrency))
	return stdio.New(os.Stdin, os.Stdout, stdio.Options{
		MaxFrameBytes: c.flags.MaxFrameBytes, MaxRequests: c.flags.MaxRequests, MaxOutputBytes: c.flags.MaxOutputBytes, Logger: logger,
	}).Serve(ctx, mcpServer)
}

// daemon makes sure that the dedicated server runs, if it is the one that is meant. If this process created it, its generation
// is the answer.
func (c config) daemon(ctx context.Context, conn *cli.Conn, logger *slog.Logger) tmux.Generation {
	if c.selected != selectedByDefault {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	created, err := conn.Daemon(ctx)
	if err != nil {
		// Without tmux there is still something to serve: tools that say what is wrong.
		logger.Warn("the dedicated tmux server cannot be started", "socket", conn.Socket(), "err", err)
		return ""
	}
	logger.Info("dedicated tmux server", "socket", conn.Socket(), "created", created != "")
	return created
}

// launch is how this process was started. A server that it creates with a configuration of the person's is as much theirs as
// ours.
func (c config) launch(conn *cli.Conn) app.Launch {
	return app.Launch{
		Version: version, SelectedBy: string(c.selected), Configured: c.tmuxConfig != "",
		Executable: func(ctx context.Context) (string, tmux.Version, error) {
			executable, err := conn.Executable(ctx)
			return executable.Path, executable.Version, err
		},
	}
}
