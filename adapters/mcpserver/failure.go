package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// failure is an error as a result: text alone, because clients hold structuredContent to the output schema.
func (h handler) failure(ctx context.Context, err error) *mcp.CallToolResult {
	failure := h.tool.Failure(err)
	if failure.Code == fault.Internal {
		h.options.Logger.ErrorContext(ctx, "a call failed within this server", "tool", h.tool.Name, "error", err)
	}
	text, failed := encode(map[string]app.Failure{"error": failure})
	if failed != nil { // a receipt that is no JSON
		h.options.Logger.ErrorContext(ctx, "a receipt is lost", "tool", h.tool.Name, "error", failed)
		failure.Receipt = nil
		text, _ = encode(map[string]app.Failure{"error": failure}) // strings and numbers alone
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}
