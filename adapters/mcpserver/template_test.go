package mcpserver_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// readResource reads a resource: what it holds, or else what its error's data says.
func readResource(t *testing.T, c *mcptest.Conversation, uri string) (*mcp.ResourceContents, *app.Failure) {
	t.Helper()
	read, err := c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err == nil {
		if len(read.Contents) != 1 || read.CacheScope != "private" || read.Contents[0].URI != uri {
			t.Fatalf("%s: %+v", uri, read)
		}
		return read.Contents[0], nil
	}
	said, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok {
		t.Fatalf("%s: %v", uri, err)
	}
	var told struct{ Error app.Failure }
	if err := json.Unmarshal(said.Data, &told); err != nil || told.Error.Code == "" || told.Error.Message == "" || told.Error.Recovery == "" {
		t.Fatalf("%s: data %s, %v", uri, said.Data, err)
	}
	return nil, &told.Error
}

func TestSnapshotsAreResources(t *testing.T) {
	converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		first := world.AddSession("main", "record")
		for range 59 {
			world.AddWindow(world.SessionOf(first), "w", "record")
		}
		templates, err := c.Session.ListResourceTemplates(t.Context(), nil)
		if err != nil || templates.CacheScope != "private" {
			t.Fatalf("%+v, %v", templates, err)
		}
		var listed []string
		for _, template := range templates.ResourceTemplates {
			listed = append(listed, template.URITemplate)
		}
		const root = "tmux://{endpoint}/{generation}/snapshots/{entity}"
		for _, want := range []string{root, root + "/pages/{cursor}"} {
			if !strings.Contains(strings.Join(listed, " ")+" ", want+" ") {
				t.Errorf("no template %s in %q", want, listed)
			}
		}
		generation := c.Must(t, "tmux_capabilities", nil)["server"].(object)["generation"].(string)
		base := "tmux://local/" + generation + "/snapshots/pane"
		page, failure := readResource(t, c, base)
		if failure != nil || page.MIMEType != "application/json" {
			t.Fatalf("%+v, %+v", page, failure)
		}
		var out app.TmuxSnapshotOut
		if err := json.Unmarshal([]byte(page.Text), &out); err != nil {
			t.Fatal(err)
		}
		next := base + "/pages/" + out.NextCursor
		if len(out.Items) != 50 || page.Meta["next_page"] != next || page.Meta["capture_id"] != out.CaptureID || page.Meta["truncated"] != true || page.Meta["interval"] == nil {
			t.Errorf("%d items, _meta %+v", len(out.Items), page.Meta)
		}
		again := out.Interval
		world.Restart("again", "record") // what is captured stays, what is asked anew does not
		page, failure = readResource(t, c, next)
		if failure != nil {
			t.Fatal(failure)
		}
		var rest app.TmuxSnapshotOut
		if err := json.Unmarshal([]byte(page.Text), &rest); err != nil || len(rest.Items) != 10 || rest.CaptureID != out.CaptureID || page.Meta["next_page"] != nil {
			t.Errorf("%d items, %+v, %v", len(rest.Items), page.Meta, err)
		}
		if diff := cmp.Diff(again, rest.Interval); diff != "" {
			t.Errorf("interval (-want +got):\n%s", diff)
		}
		for uri, want := range map[string]fault.Kind{
			base: fault.StaleTarget,
			"tmux://local/g0/snapshots/pane/pages/" + out.NextCursor:                   fault.StaleCursor,
			"tmux://local/" + generation + "/snapshots/window/pages/" + out.NextCursor: fault.StaleCursor,
			base + "/pages/AAAA": fault.StaleCursor,
			"tmux://local/" + generation + "/snapshots/buffer":  fault.NotFound,
			"tmux://other/" + generation + "/snapshots/pane":    fault.NotFound,
			"tmux://local/" + generation + "/snapshots/%70ane":  fault.InvalidInput,
			"tmux://local/" + generation + "/snapshots/pane%2f": fault.InvalidInput,
			"tmux://%6Cocal/" + generation + "/snapshots/pane":  fault.InvalidInput,
			"tmux://local/" + generation + "/snapshots/":        fault.InvalidInput,
			"tmux://local/" + generation + "/snapshots/pane/":   fault.NotFound,
			"tmux://local/" + generation + "/snapshots/pane?x":  fault.NotFound,
			"tmux://local/" + generation + "/screens/pane":      fault.NotFound,
			"tmux://nothing": fault.NotFound,
		} {
			if _, failure := readResource(t, c, uri); failure == nil || failure.Code != want || failure.Delivery != fault.NotSent {
				t.Errorf("%s: %+v, want %s", uri, failure, want)
			}
		}
	})
}

func TestASnapshotOverTheWire(t *testing.T) {
	converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		for _, name := range []string{"a", "b", "c"} {
			world.AddSession(name, "record")
		}
		page := c.Must(t, "tmux_snapshot", object{"entity": "session", "limit": 2, "criteria": object{"field": "session_name", "op": "ne", "value": "b"}})
		if items := page["items"].([]any); len(items) != 2 || page["truncated"] != false {
			t.Errorf("got %v", page)
		}
		page = c.Must(t, "tmux_snapshot", object{"entity": "pane", "limit": 2})
		world.Restart("again")
		page = c.Must(t, "tmux_snapshot", object{"cursor": page["next_cursor"]})
		item := page["items"].([]any)[0].(object)
		ref := item["ref"].(object)
		if ref["kind"] != string(tmux.KindPane) || ref["id"] != "%2" || ref["generation"] != page["server"].(object)["generation"] {
			t.Errorf("item %v of %v", item, page["server"])
		}
		_, failure := c.Call(t, "tmux_snapshot", object{"entity": "pane", "criteria": object{"all": []any{object{"field": "pane_id", "op": "like", "value": "x"}}}})
		if failure == nil || failure.Code != fault.InvalidFilter || !strings.HasPrefix(failure.Message, "criteria.all[0].op: ") {
			t.Errorf("got %+v", failure)
		}
	})
}
