package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// capabilities is the static resource that tells what is on offer, on which tmux, and why.
var capabilities = &mcp.Resource{
	URI: "tmux://capabilities", Name: "capabilities", Title: "Capabilities", MIMEType: "application/json",
	Description: "Which tools are on offer and why, what each may do, which are withheld and how an operator would enable them; tmux, its socket and its server.",
}

func readCapabilities(ctx context.Context, application Application) (*mcp.ReadResourceResult, error) {
	text, err := encode(application.Capabilities(ctx))
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{
		Contents: []*mcp.ResourceContents{{URI: capabilities.URI, MIMEType: capabilities.MIMEType, Text: string(text)}},
	}, nil
}
