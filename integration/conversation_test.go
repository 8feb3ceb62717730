//go:build integration

package integration_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A talk is an MCP conversation in memory with the application over a real tmux.
type talk struct {
	*mcptest.Conversation
	t      *testing.T
	server *realServer
	detach func() // ends the client that stays, if there is one; commands go without it from then on
}

// args are the arguments of a call.
type args map[string]any

// The backends of the product, for conversations with each.
const (
	backendCLI     = "cli"
	backendControl = "control"
)

// eachBackend runs a test against every tmux under test over each backend, as subtests named for both.
func eachBackend(t *testing.T, test func(t *testing.T, binary, backend string)) {
	t.Helper()
	overBackends(t, 2, test)
}

// anyBackend is eachBackend for a rule to which the backend does not matter; with -short such tests take turns, and each runs over one.
func anyBackend(t *testing.T, test func(t *testing.T, binary, backend string)) {
	t.Helper()
	overBackends(t, 1, test)
}

func overBackends(t *testing.T, least int, test func(t *testing.T, binary, backend string)) {
	t.Helper()
	eachTmux(t, func(t *testing.T, binary string) {
		for _, backend := range few(t, 0, least, backendCLI, backendControl) {
			t.Run(backend, func(t *testing.T) { test(t, binary, backend) })
		}
	})
}

// converse begins a conversation about a server, with frames in a directory of the test's own unless one is given.
func converse(t *testing.T, server *realServer, frames *shell.Frames) *talk {
	t.Helper()
	return converseOver(t, backendCLI, server, frames)
}

// converseOver is converse over a backend.
func converseOver(t *testing.T, backend string, server *realServer, frames *shell.Frames) *talk {
	t.Helper()
	if frames == nil {
		var err error
		if frames, err = shell.Open(shell.Options{Dir: filepath.Join(t.TempDir(), "frames")}); err != nil {
			t.Fatal(err)
		}
	}
	typed := cliServer(t, server)
	var reader ports.Reader = typed
	var events ports.Events = typed
	detach := func() {}
	if backend == backendControl {
		conn, over, heard := controlBackend(t, server)
		typed, reader, events, detach = over, heard.Reader(over), heard, conn.Close
	}
	identity := process.NewIdentity(typed)
	t.Cleanup(identity.Close)
	application := app.New(app.Ports{
		Reader: reader, Events: events, Input: typed, Creator: typed, Inspector: typed, Snapshots: typed, Manager: typed, Channels: channels(t, server, typed), Terminator: typed, Processes: process.New(process.Options{}),
		Identity: identity, Frames: frames,
	}, app.Options{SocketPath: server.Socket, Backend: backend})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(application.Close)
	t.Cleanup(cancel)
	return &talk{Conversation: mcptest.Serve(t, mcpserver.New(ctx, application, mcpserver.Options{})), t: t, server: server, detach: detach}
}

// must calls a tool that has to succeed.
func (c *talk) must(tool string, arguments args) map[string]any {
	c.t.Helper()
	return c.Must(c.t, tool, arguments)
}

// refused calls a tool that has to be refused for a reason.
func (c *talk) refused(reason fault.Reason, tool string, arguments args) *mcptest.Failure {
	c.t.Helper()
	out, failure := c.Call(c.t, tool, arguments)
	if failure == nil || failure.Code != fault.Refused || failure.Reason != reason || failure.Delivery != fault.NotSent {
		c.t.Fatalf("%s %v: got %v, %+v; want refused: %s", tool, arguments, out, failure, reason)
	}
	return failure
}

// failed calls a tool that has to fail with a code.
func (c *talk) failed(code fault.Kind, tool string, arguments args) *mcptest.Failure {
	c.t.Helper()
	out, failure := c.Call(c.t, tool, arguments)
	if failure == nil || failure.Code != code {
		c.t.Fatalf("%s %v: got %v, %+v; want %s", tool, arguments, out, failure, code)
	}
	return failure
}

// run runs a command and checks how it ended and what it wrote.
func (c *talk) run(pane, command, outcome string, status int, lines ...string) map[string]any {
	c.t.Helper()
	return c.runWith(args{"pane_id": pane, "command": command}, outcome, status, lines...)
}

func (c *talk) runWith(arguments args, outcome string, status int, lines ...string) map[string]any {
	c.t.Helper()
	out := c.must("run_shell_command", arguments)
	if out["outcome"] != outcome || out["exit_status"] != float64(status) || out["complete"] != true {
		c.t.Errorf("%.200v:\n got %.2000v\nwant %s with status %d, complete", arguments, out, outcome, status)
	}
	got, _ := out["lines"].([]any)
	if len(got) != len(lines) {
		c.t.Errorf("%.200v: %d lines %.2000q, want %d %.2000q", arguments, len(got), got, len(lines), lines)
		return out
	}
	for i, line := range lines {
		if got[i] != line {
			c.t.Errorf("%.200v: line %d is %.500q, want %.500q", arguments, i, got[i], line)
		}
	}
	return out
}
