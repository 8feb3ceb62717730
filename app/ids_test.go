package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// fitting is a value that an argument may have.
func fitting(name string, schema *jsonschema.Schema) any {
	byName := map[string]any{
		"pane_id": "%0", "other_pane_id": "%1", "window_id": "@0", "session_id": "$0", "target_id": "@0",
		"names": []string{"pane_id"}, "name": "@x", "layout": "tiled", "patterns": []string{"x"},
	}
	switch {
	case byName[name] != nil:
		return byName[name]
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	case schema.Type == "array":
		return []string{"x"}
	case schema.Type == "string":
		return "x"
	}
	return 1
}

// Every tool refuses, in every argument that is an id, what is none. The test walks the catalogue, so that a tool that comes later
// is covered.
func TestEveryToolRefusesBadIDs(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.Split(h.world.AddSession("main"))
		before, walked := h.world.String(), 0
		for _, tool := range h.app.Tools() {
			for argument := range tool.Input.Properties {
				if !strings.HasSuffix(argument, "_id") || argument == "run_id" {
					continue
				}
				wrong := map[string][]string{
					"pane_id": {"@0", "$0"}, "other_pane_id": {"@0", "$0"}, "window_id": {"%0", "$0"}, "session_id": {"%0", "@0"},
				}
				for _, id := range append(wrong[argument], "0", "1", "-1", "%", "%01", "@-1", "$x", "main", "main:0.0", "=main:", "{last}", "!", "%0 ", "%0;", "#{pane_id}", "#(id)", "+1") {
					arguments := map[string]any{}
					for _, required := range tool.Input.Required {
						arguments[required] = fitting(required, tool.Input.Properties[required])
					}
					arguments[argument] = id
					text, err := json.Marshal(arguments)
					if err != nil {
						h.Fatal(err)
					}
					out, err := h.call(tool.Name, string(text))
					walked++
					if !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), argument) {
						h.Errorf("%s %s: got %+v, %v; want that it refuses %s", tool.Name, text, out, err, argument)
					}
				}
			}
		}
		if tools := len(h.app.Tools()); walked < 10*tools {
			h.Errorf("only %d calls of %d tools: the walk misses arguments", walked, tools)
		}
		if after := h.world.String(); after != before {
			h.Errorf("something changed:\n%s\nwas\n%s", after, before)
		}
	})
}
