package stdio

import (
	"cmp"
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Concurrency returns the receiving middleware that lets at most limit calls (0: 64) be at work; others wait their
// turn, and a call that is cancelled before it comes ends with an error, nothing done. It counts the methods that
// reach the server's own handlers. What the SDK answers from memory never waits, a ping least of all.
func Concurrency(limit int) mcp.Middleware {
	turns := make(chan struct{}, cmp.Or(limit, 64))
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
			switch method {
			case "tools/call", "resources/read", "prompts/get", "completion/complete":
			default:
				return next(ctx, method, request)
			}
			select {
			case turns <- struct{}{}:
				defer func() { <-turns }()
				return next(ctx, method, request)
			case <-ctx.Done():
				return nil, refusal(codeOverloaded, "cancelled while it waited its turn; nothing was done")
			}
		}
	}
}
