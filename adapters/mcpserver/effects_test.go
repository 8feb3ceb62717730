package mcpserver_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// effects is what each tool does, said apart from the catalogue: what tmux loses or gets by it, what it can make a process do, and then
// the hints that follow. A tool that comes later has to be here.
var effects = map[string]string{
	"read-only, idempotent, open world": `get_server_info list_sessions list_windows list_panes get_pane_info capture_pane capture_since search_panes
		wait_for_text get_run get_tmux_variables show_options show_hooks show_environment call_read_tools_batch
		tmux_capabilities tmux_snapshot tmux_capture tmux_wait`,
	"idempotent":              "rename select select_layout resize set_option", // the same again changes nothing
	"":                        "move_window swap_panes signal_channel wait_for_channel",
	"open world":              "create_session create_window split_window", // a shell starts
	"destructive, open world": "respawn_pane run_shell_command send_keys paste_text tmux_create tmux_send tmux_run",
	"destructive":             "clear_history kill_pane kill_window kill_session tmux_close",
}

func TestHintsAreTrue(t *testing.T) {
	c, _ := catalogue(t)
	want, got := map[string]string{}, map[string]string{}
	for hints, tools := range effects {
		for tool := range strings.FieldsSeq(tools) {
			want[tool] = hints
		}
	}
	for _, tool := range c.Tools {
		hints := tool.Annotations
		got[tool.Name] = strings.Join(lo.Compact([]string{
			lo.Ternary(hints.ReadOnlyHint, "read-only", ""), lo.Ternary(*hints.DestructiveHint, "destructive", ""),
			lo.Ternary(hints.IdempotentHint, "idempotent", ""), lo.Ternary(*hints.OpenWorldHint, "open world", ""),
		}), ", ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hints (-the table of effects +published):\n%s", diff)
	}
}

// Every tool of a toolset answers by its schema, in which no array is null: where there is nothing, and where there is something. What
// a call answers is checked as it is read; see mcptest.
func TestEveryToolAnswersByItsSchema(t *testing.T) {
	_, rows := catalogue(t)
	answered := map[string]bool{}
	call := func(t *testing.T, c *mcptest.Conversation, row app.Tool) {
		given := object{
			"pane_id": "%0", "other_pane_id": "%1", "window_id": "@0", "session_id": "$0", "target_id": "%0", "name": "@name", "value": "v",
			"layout": "tiled", "names": []string{"pane_id"}, "patterns": []string{"$"}, "pattern": "$", "scope": "session", "text": "x", "command": "echo",
			"channel": "c", "calls": []object{{"tool": "list_panes"}}, "timeout": 1, "kill": true, "zoom": false, "index": 7, "confirm_self": true,
		}
		adapt(row.Name, given)
		given = lo.PickBy(given, func(argument string, _ any) bool { return row.Input.Properties[argument] != nil })
		if _, failure := c.Call(t, row.Name, given); failure == nil {
			answered[row.Name] = true
		} else {
			t.Logf("%s %v: %s", row.Name, given, failure.Text)
		}
	}
	converse(t, func(t *testing.T, _ *fake.World, c *mcptest.Conversation) {
		for _, row := range rows {
			if row.Name != "create_session" { // which starts a server
				call(t, c, row)
			}
		}
	})
	inSession := func(rows ...app.Tool) {
		converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
			world.Split(world.AddSession("main"))
			if err := world.AwaitPrompt(t.Context(), "%0"); err != nil {
				t.Fatal(err)
			}
			c.Must(t, "list_panes", nil)
			for _, row := range rows {
				call(t, c, row)
			}
		})
	}
	harmless, others := lo.FilterReject(rows, func(row app.Tool, _ int) bool {
		return row.Toolset != surface.Execute && row.Toolset != surface.Teardown
	})
	inSession(harmless...)
	for _, row := range others {
		inSession(row) // each may take away what the next needs
	}
	for _, row := range rows {
		needsAnother := slices.Contains([]string{"capture_since", "get_run"}, row.Name) // what another call gave
		if row.Toolset != surface.Exact && answered[row.Name] == needsAnother {
			t.Errorf("%s: answered %t; say in this test which arguments it needs", row.Name, answered[row.Name])
		}
	}
}

// adapt makes arguments fit that mean something else to a tool.
func adapt(tool string, given object) {
	switch tool {
	case "resize":
		delete(given, "width")
	case "select", "move_window":
		delete(given, "session_id")
	case "list_sessions", "list_windows", "show_hooks", "show_options", "show_environment":
		delete(given, "name")
		delete(given, "target_id")
	case "get_tmux_variables", "search_panes":
		delete(given, "window_id")
	}
}
