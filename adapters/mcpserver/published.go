package mcpserver

import (
	"maps"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/app"
)

// published is a catalogue row as clients see it. The title stands twice, because clients of protocols before
// 2025-06-18 know only the second.
func published(tool app.Tool) *mcp.Tool {
	return &mcp.Tool{
		Name:         tool.Name,
		Title:        tool.Title,
		Description:  tool.Description,
		InputSchema:  tool.Input,
		OutputSchema: undescribed(tool.Output),
		Annotations: &mcp.ToolAnnotations{
			Title:           tool.Title,
			ReadOnlyHint:    tool.Hints.ReadOnly,
			DestructiveHint: &tool.Hints.Destructive,
			IdempotentHint:  tool.Hints.Idempotent,
			OpenWorldHint:   &tool.Hints.OpenWorld,
		},
	}
}

// undescribed is the schema of a result as clients validate by it. What its fields mean stands in docs/tools.md: told to every
// client in every list it would be a fifth of that, and a model sees results, hardly ever their schemas.
func undescribed(schema *jsonschema.Schema) *jsonschema.Schema {
	if schema == nil {
		return nil
	}
	bare := *schema
	bare.Description = ""
	bare.Items = undescribed(schema.Items)
	bare.AdditionalProperties = undescribed(schema.AdditionalProperties)
	bare.Properties = maps.Clone(schema.Properties)
	for name, property := range bare.Properties {
		bare.Properties[name] = undescribed(property)
	}
	return &bare
}
