package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/app"
)

// A handler answers the calls of one tool.
type handler struct {
	application Application
	tool        app.Tool
	options     Options
	questions   *questions
}

// handle answers one call. It returns no error: to the SDK that would be a failure of the protocol, which a model may
// never see.
func (h handler) handle(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	defer h.report(ctx, request)()
	var asked *person
	if h.options.Ask {
		asked = h.newPerson(request)
		ctx = app.WithPerson(ctx, asked)
	}
	result, err := h.answer(ctx, request.Params.Arguments)
	switch {
	case asked != nil && asked.question != nil:
		return asked.pending(), nil
	case err != nil:
		return h.failure(ctx, err), nil
	}
	return result, nil
}

// answer calls the tool, and makes a panic of it a failure of this call alone.
func (h handler) answer(ctx context.Context, arguments json.RawMessage) (result *mcp.CallToolResult, err error) {
	defer func() {
		if r := recover(); r != nil {
			h.options.Logger.ErrorContext(ctx, "panic in a tool", "tool", h.tool.Name, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("%s panicked: %v", h.tool.Name, r)
		}
	}()
	structured, err := h.application.Answer(ctx, h.tool.Name, arguments)
	if err != nil {
		return nil, err
	}
	return h.success(structured)
}
