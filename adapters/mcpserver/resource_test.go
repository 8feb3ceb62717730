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
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/app"
)

func TestCapabilitiesAreAResource(t *testing.T) {
	c := talk(t, answers(nil, nil), mcpserver.Options{})
	list, err := c.Session.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 1 || list.CacheScope != "private" {
		t.Fatalf("got %+v, %v; want one resource, private", list, err)
	}
	listed := list.Resources[0]
	if listed.URI != "tmux://capabilities" || listed.MIMEType != "application/json" || listed.Description == "" {
		t.Errorf("listed: %+v", listed)
	}
	read, err := c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: listed.URI})
	if err != nil || len(read.Contents) != 1 || read.CacheScope != "private" {
		t.Fatalf("got %+v, %v; want one content, private", read, err)
	}
	if content := read.Contents[0]; content.MIMEType != listed.MIMEType || content.URI != listed.URI || !strings.Contains(content.Text, `"name":"a <dummy>"`) {
		t.Errorf("content: %+v", content)
	}
	_, err = c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "tmux://nothing"})
	if got, ok := errors.AsType[*jsonrpc.Error](err); !ok || got.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("another resource: %v, want JSON-RPC error %d", err, jsonrpc.CodeInvalidParams)
	}
}

func TestCapabilitiesNameWhatIsListed(t *testing.T) {
	converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		world.AddSession("work")
		read, err := c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "tmux://capabilities"})
		if err != nil {
			t.Fatal(err)
		}
		var told app.Capabilities
		if err := json.Unmarshal([]byte(read.Contents[0].Text), &told); err != nil {
			t.Fatal(err)
		}
		listed, named := map[string]bool{}, map[string]bool{}
		for _, tool := range c.Tools {
			listed[tool.Name] = true
		}
		for _, tool := range told.Tools {
			named[tool.Name] = true
			if tool.Effects == "" || tool.Reach == "" || len(tool.Holds) == 0 || tool.Limits.Seconds <= 0 {
				t.Errorf("too little of %+v", tool)
			}
		}
		if diff := cmp.Diff(listed, named); diff != "" || len(named) == 0 {
			t.Errorf("tools (-listed +capabilities):\n%s", diff)
		}
		if told.Server.State != "existing" || told.Server.Version == "" {
			t.Errorf("server: %+v", told.Server)
		}
	})
}

func TestTheInstructionsSayWhatIsWithheld(t *testing.T) {
	told := talk(t, answers(nil, nil), mcpserver.Options{}).Session.InitializeResult().Instructions
	const want = "Not on offer here: 1 of the toolset inspect, the toolset manage. Do not work around that; " +
		"whoever starts this server can enable it (LIBTMUX_TOOLSETS, LIBTMUX_TOOLS; how: tmux://capabilities)."
	if !strings.Contains(told, want) {
		t.Errorf("%q does not say %q", told, want)
	}
	if all, _ := catalogue(t); strings.Contains(all.Session.InitializeResult().Instructions, "Not on offer") {
		t.Error("something is withheld of the whole catalogue")
	}
}
