package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// toBeCreated stands for the server that serve would create.
const toBeCreated = tmux.Generation("to be created")

// tools prints the tools that serve would offer, and why. It looks at tmux and starts nothing.
func tools(ctx context.Context, out io.Writer, c config) error {
	conn, err := cli.New(cli.Options{Tmux: lo.FromPtr(c.flags.Tmux), SocketPath: c.socketPath, Config: c.tmuxConfig})
	if err != nil {
		return err
	}
	server := tmuxserver.New(conn, tmuxserver.Options{})
	launch := c.launch(conn)
	looking, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	now, err := server.Topology(looking, tmux.DetailBrief)
	if absent := err == nil && !now.Running; absent && c.selected == selectedByDefault && !launch.Configured {
		launch.Created = toBeCreated
	}
	selection := c.choice.Freeze(launch.Created)
	application := app.New(app.Ports{Reader: server}, app.Options{
		CallTimeout: c.timeout, SocketPath: conn.Socket(), Endpoint: c.endpoint, Backend: lo.Ternary(c.flags.Backend == backendControl, backendControl, backendCLI), Surface: &selection, Launch: launch,
	})
	defer application.Close()
	capabilities := application.Capabilities(ctx)
	if c.json {
		encoder := json.NewEncoder(out)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(capabilities)
	}
	return printTools(out, capabilities, launch.Created != "")
}

// printTools prints capabilities for a person.
func printTools(out io.Writer, c app.Capabilities, created bool) error {
	var text strings.Builder
	state := cmp.Or(c.Server.State, c.Server.Problem)
	if created {
		state += "; serve creates one with the minimal configuration"
	}
	fmt.Fprintf(&text, "tmux server at %s (selected by %s): %s\n\n", c.Socket.Path, c.Socket.SelectedBy, state)
	for _, tool := range c.Tools {
		by := c.Selection.Base.By
		if lo.Contains(c.Selection.Added.Tools, tool.Name) {
			by = c.Selection.Added.By
		}
		fmt.Fprintf(&text, "%s\t%s\t%s\t%s%s\n", tool.Name, cmp.Or(tool.Toolset, "-"), tool.Effects, by,
			lo.Ternary(tool.CreatedServerOnly, ", for that server alone", ""))
	}
	if len(c.Withheld) > 0 {
		fmt.Fprintf(&text, "\nNot on offer:\n")
	}
	for _, tool := range c.Withheld {
		fmt.Fprintf(&text, "%s\t%s\t%s\n", tool.Name, cmp.Or(tool.Toolset, "-"), tool.Enable)
	}
	fmt.Fprintf(&text, "\n%s\n", c.Notice)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(table, text.String()); err != nil {
		return err
	}
	return table.Flush()
}
