package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// publishedTemplate is a kind of resource as clients see it.
func publishedTemplate(resource app.Resource) *mcp.ResourceTemplate {
	return &mcp.ResourceTemplate{
		Name: resource.Name, Title: resource.Title, Description: resource.Description, URITemplate: resource.Template, MIMEType: resource.MIMEType,
	}
}

// A resourceReader answers reads of resources that stand under templates.
type resourceReader struct {
	application Application
	logger      *slog.Logger
}

// read answers one. Its errors are those of the protocol, whose data is what a tool would answer.
func (r resourceReader) read(ctx context.Context, uri string) (*mcp.ReadResourceResult, error) {
	content, err := r.content(ctx, uri)
	if err != nil {
		return nil, r.failure(ctx, uri, err)
	}
	return &mcp.ReadResourceResult{
		Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: content.MIMEType, Text: content.Text, Blob: content.Blob, Meta: content.Meta}},
	}, nil
}

// content reads what a URI names, and makes a panic of it a failure of this read alone.
func (r resourceReader) content(ctx context.Context, uri string) (content app.Content, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.logger.ErrorContext(ctx, "panic in a resource", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("the resource panicked: %v", p)
		}
	}()
	return r.application.ReadResource(ctx, uri)
}

func (r resourceReader) failure(ctx context.Context, uri string, err error) error {
	failure := app.Tool{Name: "the resource", Effect: surface.Observe, Reach: surface.ReachNone}.Failure(err)
	if failure.Code == fault.Internal {
		r.logger.ErrorContext(ctx, "a read failed within this server", "uri", uri, "error", err)
	}
	return resourceError(failure)
}

func resourceError(failure app.Failure) error {
	code := int64(jsonrpc.CodeInternalError)
	switch failure.Code {
	case fault.NotFound, fault.InvalidInput, fault.InvalidFilter, fault.StaleTarget, fault.StaleCursor:
		code = jsonrpc.CodeInvalidParams
	default: // what is not about the URI
	}
	data, err := encode(map[string]app.Failure{"error": failure})
	if err != nil {
		return err
	}
	return &jsonrpc.Error{Code: code, Message: failure.Message, Data: json.RawMessage(data)}
}

// explainAbsence gives the error of a URI that no template matches the form of all others.
func explainAbsence(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		result, err := next(ctx, method, request)
		read, ok := request.(*mcp.ReadResourceRequest)
		absent, isProtocol := errors.AsType[*jsonrpc.Error](err)
		if !ok || !isProtocol || absent.Code != jsonrpc.CodeInvalidParams || absent.Message != "Resource not found" {
			return result, err
		}
		return nil, resourceError(app.Failure{
			Code: fault.NotFound, Delivery: fault.NotSent, Message: fmt.Sprintf("there is no resource %.200q here", read.Params.URI),
			Recovery: "list the resources and their templates",
		})
	}
}
