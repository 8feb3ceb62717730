package mcpserver

import (
	"cmp"
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A wireError is an error as docs/tools.md shows it, in that order.
type wireError struct {
	Code     fault.Kind     `json:"code"`
	Reason   fault.Reason   `json:"reason,omitempty"`
	Target   string         `json:"target,omitempty"`
	Delivery fault.Delivery `json:"delivery"`
	Message  string         `json:"message"`
	Recovery string         `json:"recovery,omitempty"`
	Effects  *fault.Effects `json:"effects,omitempty"`
	Receipt  any            `json:"receipt,omitempty"`
}

// failure is an error as a result: text alone, because clients hold structuredContent to the output schema.
func (h handler) failure(ctx context.Context, err error) *mcp.CallToolResult {
	f := h.faultOf(err)
	w := wireError{
		Code: code(f.Kind), Reason: f.Reason, Target: f.Target, Delivery: cmp.Or(f.Delivery, fault.NotSent),
		Message: f.Error(), Recovery: f.Recovery, Effects: f.Effects, Receipt: f.Receipt,
	}
	if w.Effects == nil && w.Delivery == fault.PossiblySent && h.changes() {
		w.Effects = &fault.Effects{State: "unknown"}
	}
	if w.Code == fault.Internal {
		h.options.Logger.ErrorContext(ctx, "a call failed within this server", "tool", h.tool.Name, "error", err)
	}
	text, failed := encode(map[string]wireError{"error": w})
	if failed != nil { // a receipt that is no JSON
		h.options.Logger.ErrorContext(ctx, "a receipt is lost", "tool", h.tool.Name, "error", failed)
		w.Receipt = nil
		text, _ = encode(map[string]wireError{"error": w}) // strings and numbers alone
	}
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

// faultOf finds the fault in an error, or says what an error without one means.
func (h handler) faultOf(err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	f := &fault.Error{Kind: fault.Internal, Op: h.tool.Name, Err: err, Message: "this server failed"}
	switch {
	case errors.Is(err, context.Canceled):
		f.Kind, f.Message = fault.Cancelled, "the call was cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		f.Kind, f.Message = fault.Deadline, "the call did not end in time"
	}
	if h.changes() { // how far it came is not known
		f.Delivery = fault.PossiblySent
		f.Recovery = "inspect the state before you retry"
	}
	return f
}

// code is the one table from kinds of fault to codes on the wire. A guard that was false at dispatch should have been
// explained by the application; that it was not is this server's mistake.
func code(kind fault.Kind) fault.Kind {
	switch kind {
	case fault.InvalidInput, fault.NotFound, fault.StaleTarget, fault.StaleCursor, fault.InvalidFilter, fault.Refused,
		fault.Unsupported, fault.Capacity, fault.Deadline, fault.Cancelled, fault.CommandFailed, fault.DecodeError,
		fault.IncompleteSnapshot, fault.ServerGone, fault.TransportError:
		return kind
	case fault.Internal, fault.PreconditionFailed:
		return fault.Internal
	}
	return fault.Internal
}
