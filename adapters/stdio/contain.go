package stdio

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Contain returns the receiving middleware that turns a panic of a handler into the internal error of its call,
// and logs it with its stack. It belongs outermost. A panic in a goroutine that a handler started is beyond it.
func Contain(logger *slog.Logger) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, request mcp.Request) (result mcp.Result, err error) {
			defer func() {
				if reason := recover(); reason != nil {
					logger.Error("a handler panicked", "method", method, "panic", reason, "stack", string(debug.Stack()))
					result, err = nil, refusal(jsonrpc.CodeInternalError, "internal error in %s; see the server's log", method)
				}
			}()
			return next(ctx, method, request)
		}
	}
}
