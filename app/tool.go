package app

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// A Tool is one row of the catalogue: all that listing, calling, documentation and capabilities say of a tool.
type Tool struct {
	Name        string // snake_case, at most 30 characters
	Title       string // for a person
	Description string // for a model: the rule first
	Toolset     surface.Toolset
	Hints       Hints
	Effect      surface.Effect
	Reach       surface.Reach
	Holds       []surface.Content // what the output may hold
	Amplifies   bool              // can make one later input reach several panes
	Waits       bool              // has a timeout argument; others end within the application's call timeout
	Input       *jsonschema.Schema
	Output      *jsonschema.Schema

	call func(ctx context.Context, a *App, arguments json.RawMessage) (any, error)
}

// Hints are the annotations of MCP. Source: MCP specification, ToolAnnotations.
type Hints struct {
	ReadOnly    bool
	Destructive bool
	Idempotent  bool
	OpenWorld   bool
}

// row completes a catalogue row with the schemas of a method's In and Out and the call that decodes one and
// returns the other. In and Out are structs; see schemaOf for the tags that refine their schemas.
func row[In, Out any](tool Tool, method func(*App, context.Context, In) (Out, error)) Tool {
	tool.Input, tool.Output = schemaOf(reflect.TypeFor[In]()), schemaOf(reflect.TypeFor[Out]())
	tool.call = func(ctx context.Context, a *App, arguments json.RawMessage) (any, error) {
		var in In
		if err := decode(tool.Input, arguments, &in); err != nil {
			return nil, err
		}
		return method(a, ctx, in)
	}
	return tool
}
