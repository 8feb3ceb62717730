package mcptest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// A Restarter is a tmux with the panes %0 and %1 in @0 of $0, which a test can restart.
type Restarter interface {
	// Restart ends the server and starts another one, in which the same ids are of something else.
	Restart(t testing.TB)
	// State is all that a tool might change.
	State(t testing.TB) string
}

// staleArguments are what tools are called with that name something. A tool that is not here gets the arguments that it requires.
var staleArguments = map[string][]map[string]any{
	"rename":       {{"target_id": "%0"}, {"target_id": "@0"}, {"target_id": "$0"}},
	"select":       {{"target_id": "%1"}, {"target_id": "@0"}},
	"resize":       {{"target_id": "@0", "width": 50}, {"target_id": "%0", "zoom": true}},
	"set_option":   {{"target_id": "%0"}, {"target_id": "@0"}, {"target_id": "$0"}},
	"move_window":  {{"index": 7}},
	"respawn_pane": {{"kill": true, "confirm_attended": true}},
	"send_keys":    {{"text": "stale"}, {"keys": []string{"C-c"}}},
	"kill_pane":    {{"confirm_self": true, "confirm_attended": true}},
	"kill_window":  {{"confirm_self": true, "confirm_attended": true}},
	"kill_session": {{"confirm_self": true, "confirm_attended": true}},
	"tmux_create": {
		{"kind": "session", "generation": "", "name": "stale"}, {"kind": "window", "generation": "", "parent_id": "$0"}, {"kind": "pane", "generation": "", "parent_id": "%0"},
	},
	"tmux_send":  {{"text": "stale"}, {"keys": []string{"C-c"}}},
	"tmux_close": {{"target_id": "%0"}, {"target_id": "@0"}, {"target_id": "$0"}},
}

// staleValues fit arguments by their name.
var staleValues = map[string]any{
	"pane_id": "%0", "other_pane_id": "%1", "window_id": "@0", "session_id": "$0", "target_id": "%0", "parent_id": "%0",
	"name": "@stale", "layout": "tiled",
}

// Stale holds every tool of rows that changes something, and takes an id or a generation, to stale_target after a restart of tmux,
// and the new life to be untouched. What listed the new one brings no reference to the old one back.
func Stale(t *testing.T, c *Conversation, rows []app.Tool, tmux Restarter) {
	t.Helper()
	old := c.Must(t, "list_panes", nil)["generation"]
	tmux.Restart(t)
	before := tmux.State(t)
	called := 0
	call := func(row app.Tool) {
		for _, arguments := range staleCalls(row, old) {
			out, failure := c.Call(t, row.Name, arguments)
			called++
			if failure == nil || failure.Code != fault.StaleTarget || failure.Delivery != fault.NotSent {
				t.Errorf("%s %v: got %v, %+v, want stale_target, not_sent; say in mcptest which arguments it needs", row.Name, arguments, out, failure)
			}
			if after := tmux.State(t); after != before {
				t.Fatalf("%s %v changed the new life (-before +after):\n%s", row.Name, arguments, cmp.Diff(before, after))
			}
		}
	}
	exact, others := 0, 0
	for _, row := range rows {
		switch {
		case row.Effect == surface.Observe && row.Reach == surface.ReachNone:
		case row.Toolset == surface.Exact:
			exact++
			call(row)
		default:
			others++
			call(row)
		}
	}
	c.Must(t, "list_panes", nil)
	for _, row := range rows {
		if row.Toolset == surface.Exact && (row.Effect != surface.Observe || row.Reach != surface.ReachNone) {
			call(row)
		}
	}
	if exact < 4 || others < 15 || called < exact+others {
		t.Errorf("%d calls of %d exact and %d other tools: the walk misses some", called, exact, others)
	}
}

// staleCalls are calls of a tool about a life of tmux; none if it names nothing of it.
func staleCalls(row app.Tool, generation any) (calls []map[string]any) {
	names := slices.Collect(maps.Keys(row.Input.Properties))
	if !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(name, "_id") || name == "generation" }) {
		return nil
	}
	given := staleArguments[row.Name]
	if given == nil {
		given = []map[string]any{{}}
	}
	for _, some := range given {
		arguments := maps.Clone(some)
		for _, name := range row.Input.Required {
			if arguments[name] == nil {
				arguments[name] = fitting(name, row.Input.Properties[name])
			}
		}
		if row.Input.Properties["generation"] != nil {
			arguments["generation"] = generation
		}
		calls = append(calls, arguments)
	}
	return calls
}

// fitting is a value that a required argument may have.
func fitting(name string, schema *jsonschema.Schema) any {
	switch {
	case staleValues[name] != nil:
		return staleValues[name]
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Type == "string":
		return "stale"
	case schema.Type == "array":
		return []string{"stale"}
	case schema.Type == "object":
		return json.RawMessage("{}")
	case schema.Type == "boolean":
		return true
	}
	return 1
}
