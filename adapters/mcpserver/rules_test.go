package mcpserver_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// The rules of the catalogue are only worth something if they notice what breaks them.
func TestTheRulesNoticeWhatBreaksThem(t *testing.T) {
	good := func() (*mcp.Tool, *app.Tool) {
		return &mcp.Tool{
				Name: "look_around", Title: "Look around", Description: "Looks.",
				InputSchema: json.RawMessage(`{"type":"object","properties":{"names":{"type":"array","description":"d","items":{"type":"string"}}},
					"required":["names"],"additionalProperties":false}`),
				OutputSchema: json.RawMessage(`{"type":"object","properties":{"o":{"type":"object"},"m":{"type":"object","additionalProperties":{"type":"string"}}},
					"additionalProperties":false}`),
				Annotations: &mcp.ToolAnnotations{Title: "Look around", ReadOnlyHint: true, DestructiveHint: new(false), OpenWorldHint: new(true)},
			},
			&app.Tool{Toolset: surface.Inspect, Effect: surface.Observe, Reach: surface.ReachNone, Holds: []surface.Content{surface.TerminalText}}
	}
	input := func(schema string) func(*mcp.Tool, *app.Tool) {
		return func(tool *mcp.Tool, _ *app.Tool) { tool.InputSchema = json.RawMessage(schema) }
	}
	property := func(schema string) func(*mcp.Tool, *app.Tool) {
		return input(`{"type":"object","properties":{"p":` + schema + `},"additionalProperties":false}`)
	}
	tests := map[string]struct {
		spoil func(*mcp.Tool, *app.Tool)
		says  string
	}{
		"nothing":                {func(*mcp.Tool, *app.Tool) {}, ""},
		"a long name":            {func(tool *mcp.Tool, _ *app.Tool) { tool.Name = strings.Repeat("x", 31) }, "a name is snake_case"},
		"camel case":             {func(tool *mcp.Tool, _ *app.Tool) { tool.Name = "lookAround" }, "a name is snake_case"},
		"no title":               {func(tool *mcp.Tool, _ *app.Tool) { tool.Title = "" }, "has a title"},
		"another title":          {func(tool *mcp.Tool, _ *app.Tool) { tool.Annotations.Title = "Look" }, "the tool's title"},
		"no description":         {func(tool *mcp.Tool, _ *app.Tool) { tool.Description = "" }, "a description has"},
		"a long description":     {func(tool *mcp.Tool, _ *app.Tool) { tool.Description = strings.Repeat("x", 1501) }, "not 1501"},
		"a missing hint":         {func(tool *mcp.Tool, _ *app.Tool) { tool.Annotations.OpenWorldHint = nil }, "all four hints"},
		"read-only change":       {func(_ *mcp.Tool, row *app.Tool) { row.Effect = surface.Change }, "is not read-only"},
		"read-only typing":       {func(_ *mcp.Tool, row *app.Tool) { row.Reach = surface.ReachPaneInput }, "a typing tool is not read-only"},
		"harmless typing":        {func(_ *mcp.Tool, row *app.Tool) { row.Reach = surface.ReachShell }, "can destroy"},
		"read-only destruction":  {func(tool *mcp.Tool, _ *app.Tool) { tool.Annotations.DestructiveHint = new(true) }, "destroys nothing"},
		"harmless deletion":      {func(_ *mcp.Tool, row *app.Tool) { row.Effect = surface.Delete }, "that deletes is destructive"},
		"harmless teardown":      {func(_ *mcp.Tool, row *app.Tool) { row.Toolset = surface.Teardown }, "teardown tools"},
		"inspect that writes":    {func(tool *mcp.Tool, _ *app.Tool) { tool.Annotations.ReadOnlyHint = false }, "inspect tools are read-only"},
		"a closed world":         {func(tool *mcp.Tool, _ *app.Tool) { tool.Annotations.OpenWorldHint = new(false) }, "an open world"},
		"a wait without timeout": {func(_ *mcp.Tool, row *app.Tool) { row.Waits = true }, "take a timeout"},
		"a timeout without wait": {input(`{"type":"object","properties":{"timeout":{"type":"number","description":"d"}},"additionalProperties":false}`), "take a timeout"},
		"a list as output": {func(tool *mcp.Tool, _ *app.Tool) {
			tool.OutputSchema = json.RawMessage(`{"type":"array","items":{"type":"string"}}`)
		}, "the output is one closed object"},
		"no properties":         {input(`{"type":"object","additionalProperties":false}`), "the input is one closed object"},
		"an open input":         {input(`{"type":"object","properties":{}}`), "the input is one closed object"},
		"a choice at the root":  {input(`{"type":"object","properties":{},"additionalProperties":false,"oneOf":[]}`), "no oneOf"},
		"a phantom requirement": {input(`{"type":"object","properties":{},"additionalProperties":false,"required":["p"]}`), "requires p"},
		"an unexplained one":    {input(`{"type":"object","properties":{"p":{"type":"string"}},"required":["p"],"additionalProperties":false}`), "argument p says what it is"},
		"null":                  {property(`{"type":["null","string"],"description":"d"}`), "one type, and not null"},
		"anything":              {property(`true`), "a schema is an object"},
		"a reference":           {property(`{"$ref":"#","type":"object","description":"d"}`), "no $ref"},
		"a format":              {property(`{"type":"string","format":"date-time","description":"d"}`), "no format"},
		"a pattern":             {property(`{"type":"string","pattern":"^%","description":"d"}`), "no pattern"},
		"an array of what":      {property(`{"type":"array","description":"d"}`), "arrays say"},
		"deep in an array":      {property(`{"type":"array","description":"d","items":{"type":"object","properties":{"q":{"type":"string","format":"x"}}}}`), "input.p[].q: no format"},
		"deep in a map":         {property(`{"type":"object","description":"d","additionalProperties":{"type":"null"}}`), "input.p.*: one type"},
		"a camel-case argument": {input(`{"type":"object","properties":{"paneId":{"type":"string","description":"d"}},"additionalProperties":false}`), "paneId is not snake_case"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tool, row := good()
			test.spoil(tool, row)
			broken := brokenRules(t, tool, *row)
			noticed := slices.ContainsFunc(broken, func(rule string) bool { return strings.Contains(rule, test.says) })
			if test.says == "" && len(broken) > 0 || test.says != "" && !noticed {
				t.Errorf("want a rule that says %q, got %q", test.says, broken)
			}
		})
	}
}
