// Package mcpserver speaks MCP for the application: it publishes the catalogue's rows as tools and turns calls,
// answers, faults, progress and cancellation from one into the other. What a tool does is not known here.
package mcpserver

//go:generate go test . -run TestToolsDocument -update

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// An Application is what the adapter drives; see app.App.
type Application interface {
	// Tools are the tools on offer. They never change.
	Tools() []app.Tool
	// Answer calls one of them and returns its Out value as JSON. Errors that are no *fault.Error become internal ones.
	Answer(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error)
	// Withheld are the tools that are not on offer. They never change.
	Withheld() []surface.Member
	// Resources are the templates of resources on offer. They never change.
	Resources() []app.Resource
	// ReadResource reads what a URI names that is of one of them. Its errors are as those of Answer.
	ReadResource(ctx context.Context, uri string) (app.Content, error)
	// Capabilities tell what is on offer, on which tmux, and why.
	Capabilities(ctx context.Context) app.Capabilities
}

// Options configure a server. The zero value is usable.
type Options struct {
	Version string       // of the product; "devel" if empty
	Logger  *slog.Logger // discards if nil
	Ask     bool         // let calls ask the person, where the client shows questions
}

// New makes a server of the application's tools. Every call at work is cancelled when its request is, and when ctx
// ends; the end of a session or of Run cancels none, so the caller ends ctx once no answer can go out any more.
func New(ctx context.Context, application Application, options Options) *mcp.Server {
	options.Logger = cmp.Or(options.Logger, slog.New(slog.DiscardHandler))
	tools := application.Tools()
	server := mcp.NewServer(
		&mcp.Implementation{Name: "libtmux-mcp", Title: "tmux", Version: cmp.Or(options.Version, "devel")},
		&mcp.ServerOptions{
			Instructions: instructions(tools, application.Withheld()),
			Logger:       options.Logger,
			// No logging, and lists that never change.
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
			// What stands in terminals is nobody else's.
			SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
		})
	asking := &questions{}
	for _, tool := range tools {
		h := handler{application: application, tool: tool, options: options, questions: asking}
		server.AddTool(published(tool), func(call context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			call, cancel := either(call, ctx)
			defer cancel()
			return h.handle(call, request)
		})
	}
	server.AddResource(capabilities, func(call context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		call, cancel := either(call, ctx)
		defer cancel()
		return readCapabilities(call, application)
	})
	reader := resourceReader{application: application, logger: options.Logger}
	for _, resource := range application.Resources() {
		server.AddResourceTemplate(publishedTemplate(resource), func(call context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			call, cancel := either(call, ctx)
			defer cancel()
			return reader.read(call, request.Params.URI)
		})
	}
	server.AddReceivingMiddleware(explainAbsence)
	return server
}

// either is a call's context that ends with another one too.
func either(call, other context.Context) (context.Context, context.CancelFunc) {
	call, cancel := context.WithCancelCause(call)
	stop := context.AfterFunc(other, func() { cancel(context.Cause(other)) })
	return call, func() {
		stop()
		cancel(nil)
	}
}
