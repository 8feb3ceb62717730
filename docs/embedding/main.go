// Command embedding is a program of somebody else's with this server in it. It offers, over the tmux that it is given, the exact base and
// three tools that it chose itself, and uses one of them directly before it serves an MCP client on standard input and output.
//
//	go run ./docs/embedding -socket "$(tmux display-message -p '#{socket_path}')"
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

func main() {
	socket := flag.String("socket", "", "absolute path of the socket of a tmux server")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := embed(ctx, *socket, &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, "embedding:", err)
		os.Exit(1)
	}
}

// embed serves one client over a transport.
func embed(ctx context.Context, socket string, transport mcp.Transport) error {
	// What the application works with is its embedder's, who closes it. Nothing here starts a process or touches tmux yet.
	conn, err := cli.New(cli.Options{SocketPath: socket})
	if err != nil {
		return err
	}
	tmux := tmuxserver.New(conn, tmuxserver.Options{})
	identity := process.NewIdentity(tmux)
	defer identity.Close()
	frames, err := shell.Open(shell.Options{})
	if err != nil {
		return err
	}

	// The selection is made once. What is not in it is denied to clients, and to this program too.
	choice, err := surface.Choose(app.Members(), surface.Wish{Exact: append(app.ExactBase(), "tmux_create", "tmux_send", "tmux_close")})
	if err != nil {
		return err
	}
	selection := choice.Freeze("")
	application := app.New(app.Ports{
		Reader: tmux, Events: tmux, Input: tmux, Creator: tmux, Inspector: tmux, Snapshots: tmux, Manager: tmux, Terminator: tmux,
		Processes: process.New(process.Options{}), Identity: identity, Frames: frames,
	}, app.Options{SocketPath: conn.Socket(), Surface: &selection})
	defer application.Close()

	// Every tool is a method with its arguments and results as structs.
	session, err := application.TmuxCreate(ctx, app.TmuxCreateIn{Kind: "session", Argv: []string{"cat"}})
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "created", session.Created[0].ID)

	// The server is the SDK's own: any of its transports will do.
	return mcpserver.New(ctx, application, mcpserver.Options{Version: "1.0"}).Run(ctx, transport)
}
