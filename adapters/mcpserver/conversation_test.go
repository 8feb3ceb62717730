package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// converse holds a conversation with the whole application over a fake tmux, in time that passes at once.
func converse(t *testing.T, test func(t *testing.T, world *fake.World, c *mcptest.Conversation)) {
	t.Helper()
	converseAs(t, mcpserver.Options{}, client{}, test)
}

// A client is one that is not mcptest's default.
type client struct {
	options mcp.ClientOptions
	session mcp.ClientSessionOptions
}

// converseAs is converse between a server and a client with options.
func converseAs(t *testing.T, options mcpserver.Options, as client, test func(t *testing.T, world *fake.World, c *mcptest.Conversation)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		world := fake.New(fake.Options{})
		t.Cleanup(world.Close)
		application := app.New(app.Ports{Reader: world, Events: world, Input: world, Creator: world, Inspector: world, Snapshots: world, Manager: world, Channels: world, Terminator: world, Processes: world, Identity: world, Frames: world}, app.Options{})
		t.Cleanup(application.Close)
		serverEnd, clientEnd := mcp.NewInMemoryTransports()
		session, err := mcpserver.New(t.Context(), application, options).Connect(t.Context(), serverEnd, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		test(t, world, mcptest.Dial(t, clientEnd, &as.options, &as.session))
		if t.Failed() {
			t.Log(world)
		}
	})
}

// object is the arguments of a call, or some of the fields of a result.
type object = map[string]any

// pick is what a result says of the fields that are wanted.
func pick(result, wanted object) object {
	picked := object{}
	for key := range wanted {
		picked[key] = result[key]
	}
	return picked
}

func TestTheMainJob(t *testing.T) {
	converse(t, func(t *testing.T, _ *fake.World, c *mcptest.Conversation) {
		must := func(name string, arguments, want object) object {
			t.Helper()
			result := c.Must(t, name, arguments)
			if diff := cmp.Diff(want, pick(result, want)); diff != "" {
				t.Fatalf("%s %v (-want +got):\n%s", name, arguments, diff)
			}
			return result
		}
		must("get_server_info", nil, object{"server": "absent"})
		must("list_panes", nil, object{"server": "absent", "total": 0.0, "panes": []any{}})
		pane := must("create_session", object{"name": "work"}, object{"server_started": true})["pane_id"]
		must("list_sessions", object{"name": "work"}, object{"server": "running", "total": 1.0})
		must("list_panes", object{"detail": "full"}, object{"total": 1.0})
		run := must("run_shell_command", object{"pane_id": pane, "command": "echo hello; (exit 3)"},
			object{"outcome": "completed", "started": true, "exit_status": 3.0, "lines": []any{"hello"}, "complete": true})["run_id"]
		for range 2 {
			must("get_run", object{"run_id": run}, object{"outcome": "completed", "exit_status": 3.0, "lines": []any{"hello"}})
		}
		must("run_shell_command", object{"pane_id": pane, "command": "echo out; echo err >&2", "streams": true},
			object{"stdout": object{"encoding": "utf-8", "data": "out\n", "truncated": false}, "stderr": object{"encoding": "utf-8", "data": "err\n", "truncated": false}})
		must("send_keys", object{"pane_id": pane, "text": "# typed"}, object{"recipients": []any{pane}, "completion": "dispatch_only"})
		lines := must("capture_pane", object{"pane_id": pane, "state": true}, object{"alternate": false})["lines"].([]any)
		if last := lines[len(lines)-1].(string); !strings.HasSuffix(last, "# typed") {
			t.Errorf("want a screen that ends with what was typed, got %q", lines)
		}
	})
}

func TestACallThatCannotBe(t *testing.T) {
	tests := map[string]struct {
		tool      string
		arguments string
		want      string // error
	}{
		"an index": {
			"capture_pane", `{"pane_id":"1"}`,
			`{"error":{"code":"invalid_input","delivery":"not_sent","message":"pane_id \"1\" is an index, not a stable id","recovery":"call list_panes and pass an id such as \"%1\""}}`,
		},
		"an argument of another tool": {
			"get_server_info", `{"pane_id":"%0"}`,
			`{"error":{"code":"invalid_input","delivery":"not_sent","message":"unknown argument \"pane_id\"","recovery":"call it without arguments"}}`,
		},
		"an argument given twice": {
			"send_keys", `{"pane_id":"%0","pane_id":"%0","text":"x"}`,
			`{"error":{"code":"invalid_input","delivery":"not_sent","message":"argument \"pane_id\" is given twice","recovery":"give it once"}}`,
		},
		"a NUL": {
			"send_keys", `{"pane_id":"%0","text":"x\u0000y"}`,
			`{"error":{"code":"invalid_input","delivery":"not_sent","message":"text holds a NUL, which tmux cannot carry","recovery":"leave it out"}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
				pane := world.AddSession("work")
				c.Must(t, "list_panes", nil)
				_, failure := c.Call(t, test.tool, json.RawMessage(test.arguments))
				if failure == nil || failure.Text != test.want {
					t.Errorf("want %s, got %+v", test.want, failure)
				}
				if typed := world.Received(pane); typed != "" {
					t.Errorf("typed %q", typed)
				}
			})
		})
	}
}

func TestARestartOverTheWire(t *testing.T) {
	converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := world.AddSession("work")
		c.Must(t, "list_panes", nil)
		again := world.Restart("work")
		_, failure := c.Call(t, "send_keys", object{"pane_id": pane, "text": "x"})
		if failure == nil || failure.Code != fault.StaleTarget || failure.Delivery != fault.NotSent || failure.Target != string(pane) {
			t.Errorf("want stale_target, not_sent, %s; got %+v", pane, failure)
		}
		if typed := world.Received(again); typed != "" {
			t.Errorf("typed %q into a pane of another life", typed)
		}
	})
}

// A capture as large as may be asked for has its bulk in structuredContent alone; see mcptest for what is left.
func TestALargeCaptureOverTheWire(t *testing.T) {
	converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := world.AddSession("work")
		world.Print(pane, strings.Repeat(strings.Repeat("x", 79)+"\r\n", 1500))
		c.Must(t, "list_panes", nil)
		result := c.Must(t, "capture_pane", object{"pane_id": pane, "history": 2000, "max_lines": 2000, "max_bytes": 262144})
		if lines := result["lines"].([]any); len(lines) < 1500 {
			t.Errorf("want 1500 lines at least, got %d", len(lines))
		}
	})
}

// A batch of captures that are each as large as may be asked for stays one answer, and says which of them had no room.
func TestALargeBatchOverTheWire(t *testing.T) {
	converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := world.AddSession("work")
		world.Print(pane, strings.Repeat(strings.Repeat("\x01é", 40)+"\r\n", 1900))
		c.Must(t, "list_panes", nil)
		capture := object{"tool": "capture_pane", "arguments": object{"pane_id": pane, "history": 2000, "max_lines": 2000, "max_bytes": 262144}}
		calls := make([]object, 16)
		for i := range calls {
			calls[i] = capture
		}
		result := c.Must(t, "call_read_tools_batch", object{"calls": calls, "on_error": "continue"})
		text, err := json.Marshal(result)
		if err != nil || len(text) > app.DefaultMaxResultBytes {
			t.Errorf("%d bytes, %v", len(text), err)
		}
		rows, failed := result["results"].([]any), 0
		for _, row := range rows {
			if failure, ok := row.(object)["error"].(object); ok && failure["code"] == string(fault.Capacity) {
				failed++
			}
		}
		if len(rows) != 16 || failed == 0 || failed > 14 || result["truncated"] != true || result["failed"] != float64(failed) {
			t.Errorf("%d of %d rows had no room; failed %v, truncated %v", failed, len(rows), result["failed"], result["truncated"])
		}
	})
}
