package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// A dummy is an application of two tools: "look" observes, "touch" changes, and both do what the test says.
type dummy func(ctx context.Context, name string, arguments json.RawMessage) (any, error)

func (d dummy) Answer(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	out, err := d(ctx, name, arguments)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(out)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

func (d dummy) Tools() []app.Tool {
	open := func() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }
	return []app.Tool{
		{
			Name: "look", Title: "Look", Description: "Looks.", Toolset: surface.Inspect,
			Hints:  app.Hints{ReadOnly: true, Idempotent: true, OpenWorld: true},
			Effect: surface.Observe, Reach: surface.ReachNone, Input: open(), Output: open(),
		},
		{
			Name: "touch", Title: "Touch", Description: "Touches.", Toolset: surface.Teardown,
			Hints:  app.Hints{Destructive: true},
			Effect: surface.Delete, Reach: surface.ReachNone, Input: open(), Output: open(),
		},
	}
}

// Withheld has a tool of a toolset that is partly on offer, one of a toolset that is not, and one of none.
func (d dummy) Withheld() []surface.Member {
	return []surface.Member{
		{Name: "smell", Toolset: surface.Inspect}, {Name: "taste", Toolset: surface.Manage}, {Name: "exact_touch", Toolset: surface.Exact},
	}
}

func (d dummy) Resources() []app.Resource { return nil }

func (d dummy) ReadResource(context.Context, string) (app.Content, error) { return app.Content{}, nil }

func (d dummy) Capabilities(context.Context) app.Capabilities {
	return app.Capabilities{Product: app.ProductFacts{Name: "a <dummy>"}}
}

// answers is a dummy that always answers the same.
func answers(out any, err error) dummy {
	return func(context.Context, string, json.RawMessage) (any, error) { return out, err }
}

// talk begins a conversation with a dummy.
func talk(t *testing.T, application dummy, options mcpserver.Options) *mcptest.Conversation {
	t.Helper()
	return mcptest.Serve(t, mcpserver.New(t.Context(), application, options))
}
