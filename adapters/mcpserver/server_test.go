package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
)

func TestToolsArePublished(t *testing.T) {
	tools := talk(t, answers(nil, nil), mcpserver.Options{}).Tools
	got, err := json.Marshal(tools)
	if err != nil {
		t.Fatal(err)
	}
	const want = `[` +
		`{"annotations":{"destructiveHint":false,"idempotentHint":true,"openWorldHint":true,"readOnlyHint":true,"title":"Look"},` +
		`"description":"Looks.","inputSchema":{"type":"object"},"name":"look","outputSchema":{"type":"object"},"title":"Look"},` +
		`{"annotations":{"destructiveHint":true,"idempotentHint":false,"openWorldHint":false,"readOnlyHint":false,"title":"Touch"},` +
		`"description":"Touches.","inputSchema":{"type":"object"},"name":"touch","outputSchema":{"type":"object"},"title":"Touch"}]`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// Clients of the newest protocol ask server/discover, older ones initialize.
func TestWhatEveryProtocolIsTold(t *testing.T) {
	told := map[string]string{}
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			serverEnd, clientEnd := mcp.NewInMemoryTransports()
			server := mcpserver.New(t.Context(), answers(nil, nil), mcpserver.Options{Version: "1.2.3"})
			if _, err := server.Connect(t.Context(), serverEnd, nil); err != nil {
				t.Fatal(err)
			}
			c := mcptest.Dial(t, clientEnd, nil, &mcp.ClientSessionOptions{ProtocolVersion: version})
			got := c.Session.InitializeResult()
			if got.ProtocolVersion != version {
				t.Errorf("protocol: want %s, got %s", version, got.ProtocolVersion)
			}
			if diff := cmp.Diff(&mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}, got.Capabilities); diff != "" {
				t.Errorf("capabilities (-want +got):\n%s", diff)
			}
			told[got.Instructions] = version
			if len(told) != 1 || got.Instructions == "" {
				t.Errorf("want the same instructions whatever the protocol, got %q", told)
			}
		})
	}
}

func TestListsArePrivate(t *testing.T) {
	c := talk(t, answers(nil, nil), mcpserver.Options{})
	list, err := c.Session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(mcp.Cacheable{CacheScope: "private"}, list.Cacheable); diff != "" {
		t.Errorf("cacheability (-want +got):\n%s", diff)
	}
}

func TestAnUnknownToolIsAProtocolError(t *testing.T) {
	c := talk(t, func(_ context.Context, name string, _ json.RawMessage) (any, error) {
		t.Errorf("%s was called", name)
		return nil, nil
	}, mcpserver.Options{})
	_, _, err := c.Ask(t.Context(), "smell", nil)
	got, ok := errors.AsType[*jsonrpc.Error](err)
	if !ok || got.Code != jsonrpc.CodeInvalidParams {
		t.Errorf("want a JSON-RPC error %d, got %v", jsonrpc.CodeInvalidParams, err)
	}
}

func TestArgumentsArriveAsTheyWereSent(t *testing.T) {
	var got []string
	c := talk(t, func(_ context.Context, name string, arguments json.RawMessage) (any, error) {
		got = append(got, name+string(arguments))
		return struct{}{}, nil
	}, mcpserver.Options{})
	for _, sent := range []any{nil, json.RawMessage(`{"a":1.0,"b":90071992547409931}`)} {
		c.Must(t, "look", sent)
	}
	if diff := cmp.Diff([]string{"look{}", `look{"a":1.0,"b":90071992547409931}`}, got); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}
