package mcpserver_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

func TestACaptureOverTheWire(t *testing.T) {
	converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := world.AddSession("main", "record")
		world.Print(pane, strings.Repeat("a", 81)+"\r\nb")
		item := c.Must(t, "tmux_snapshot", object{"entity": "pane"})["items"].([]any)[0].(object)
		ref := item["ref"].(object)
		target := object{"generation": ref["generation"], "target_id": ref["id"]}
		with := func(more object) object {
			all := maps.Clone(target)
			maps.Copy(all, more)
			return all
		}

		first := c.Must(t, "tmux_capture", with(object{"track": true, "max_lines": 22}))
		rows := first["rows"].([]any)
		if rows[0] != "b\n" || len(rows) != 22 || first["mode"] != "snapshot" || first["truncated"] != true || first["dropped_lines"] != 2.0 {
			t.Errorf("got %v", first)
		}
		world.Print(pane, "c")
		next := c.Must(t, "tmux_capture", with(object{"cursor": first["next_cursor"]}))
		if diff := cmp.Diff(object{"start": 0.0, "delete": 1.0, "rows": []any{"bc\n"}}, next["splice"]); diff != "" {
			t.Errorf("splice (-want +got):\n%s", diff)
		}
		if next["mode"] != "delta" || next["base_capture_id"] != first["capture_id"] || next["reset"] != false || next["history_continuity"] != "unknown" || next["rows"] != nil {
			t.Errorf("got %v", next)
		}
		for name, arguments := range map[string]object{
			string(fault.InvalidInput): with(object{"cursor": next["next_cursor"], "max_lines": 3}),
			string(fault.StaleCursor):  with(object{"cursor": "AAAA"}),
			string(fault.StaleTarget):  {"generation": "g0", "target_id": "%0"},
			string(fault.NotFound):     {"generation": ref["generation"], "target_id": "%9"},
		} {
			if _, failure := c.Call(t, "tmux_capture", arguments); failure == nil || string(failure.Code) != name || failure.Recovery == "" {
				t.Errorf("%v: %+v, want %s", arguments, failure, name)
			}
		}

		uri := "tmux://local/" + ref["generation"].(string) + "/panes/%250/screen"
		screen, failure := readResource(t, c, uri)
		if failure != nil || screen.MIMEType != "text/plain" || screen.Text != strings.Repeat("a", 81)+"\nbc\n"+strings.Repeat("\n", 21) {
			t.Fatalf("%+v, %+v", screen, failure)
		}
		if screen.Meta["truncated"] != false || screen.Meta["history_continuity"] != "unknown" || screen.Meta["interval"] == nil || screen.Meta["capture_id"] == nil {
			t.Errorf("_meta %v", screen.Meta)
		}
		other := world.SessionOf(world.AddSession("other", "record"))
		world.Link(world.WindowOf(pane), other)
		if _, failure := readResource(t, c, uri); failure == nil || failure.Code != fault.InvalidInput || !strings.Contains(failure.Message, "session_id") {
			t.Errorf("in two sessions: %+v", failure)
		}
		world.Restart("again", "record")
		for again, want := range map[string]fault.Kind{
			uri: fault.StaleTarget,
			strings.Replace(uri, "%250", "%25%30", 1): fault.InvalidInput,
			strings.Replace(uri, "%250", "main", 1):   fault.InvalidInput,
			uri + "/x":                                fault.NotFound,
		} {
			if _, failure := readResource(t, c, again); failure == nil || failure.Code != want {
				t.Errorf("%s: %+v, want %s", again, failure, want)
			}
		}
	})
}
