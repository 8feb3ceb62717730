//go:build matrix

package matrix_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// converse has a conversation with the server in a cell, as a client outside of it has: JSON-RPC on the streams of an
// attached process. When the conversation ends the server must end too, with status 0.
func converse(t testing.TB, cell running, talk func(*mcp.ClientSession)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepBound)
	defer cancel()
	var stderr strings.Builder
	stdout, write := io.Pipe()
	server, err := cell.exec(ctx, write, &stderr, nil, dir+"/libtmux-mcp", "--socket", "/tmp/smoke")
	if err != nil {
		t.Fatal(err)
	}
	said := mcp.NewClient(&mcp.Implementation{Name: "matrix", Version: "1"}, nil)
	session, err := said.Connect(ctx, &mcp.IOTransport{Reader: stdout, Writer: server}, nil)
	if err != nil {
		t.Fatalf("initialize: %v\n%s", err, stderr.String())
	}
	talk(session)
	if err := session.Close(); err != nil {
		t.Errorf("closing the session: %v", err)
	}
	if status, err := server.wait(ctx); status != 0 || err != nil {
		t.Errorf("at the end of its input the server ends with status %d, %v, want 0\n%s", status, err, stderr.String())
	}
}

// answer calls a tool and gives its answer, or the object of its error.
func answer(t testing.TB, session *mcp.ClientSession, tool string, arguments map[string]any) (data map[string]any, isError bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepBound)
	defer cancel()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if len(result.Content) == 0 {
		t.Fatalf("%s answers nothing", tool)
	}
	text, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s answers a %T, want text", tool, result.Content[0])
	}
	if err := json.Unmarshal([]byte(text.Text), &data); err != nil {
		t.Fatalf("%s answers what is no object: %v: %s", tool, err, text.Text)
	}
	if failure, ok := data["error"].(map[string]any); ok && result.IsError {
		return failure, true
	}
	return data, result.IsError
}

// smoke makes a session, and runs a command in its pane that tells where it ran.
func smoke(t testing.TB, cell running, version string) {
	t.Helper()
	converse(t, cell, func(session *mcp.ClientSession) {
		made, failed := answer(t, session, "create_session", map[string]any{"name": "smoke", "cwd": "/", "width": 80, "height": 24})
		if failed {
			t.Fatalf("create_session: %v", made)
		}
		ran, failed := answer(t, session, "run_shell_command", map[string]any{
			"pane_id": made["pane_id"], "command": "tmux -V; (exit 3)",
		})
		got := fmt.Sprint(failed, ran["outcome"], ran["exit_status"], ran["lines"])
		if diff := cmp.Diff(fmt.Sprint(false, "completed", 3, []any{"tmux " + version}), got); diff != "" {
			t.Errorf("run_shell_command (-want +got):\n%s\nall of it: %v", diff, ran)
		}
	})
}

// refusal asks a server with a tmux that is too old. It must say so at once, and what is needed; it returns its words.
func refusal(t testing.TB, cell running, version string) (words string) {
	t.Helper()
	converse(t, cell, func(session *mcp.ClientSession) {
		for _, tool := range []string{"list_panes", "create_session"} {
			data, failed := answer(t, session, tool, nil)
			text := fmt.Sprint(data["message"], ": ", data["recovery"])
			for _, want := range []string{version, "too old", "3.2a or newer"} {
				if !failed || data["code"] != "unsupported" || !strings.Contains(text, want) {
					t.Errorf("%s with tmux %s answers %v, want an error with code unsupported that says %q", tool, version, data, want)
				}
			}
			words = text
		}
	})
	if sockets := cell.output(t, "find", "/tmp", "-type", "s"); sockets != "" {
		t.Errorf("a tmux server was started all the same: %s", sockets)
	}
	return words
}
