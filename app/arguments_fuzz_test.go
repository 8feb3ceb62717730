package app_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// kinds are the kinds of fault that may leave the application.
var kinds = []fault.Kind{
	fault.InvalidInput, fault.NotFound, fault.StaleTarget, fault.StaleCursor, fault.InvalidFilter, fault.Refused, fault.Unsupported,
	fault.Capacity, fault.Deadline, fault.Cancelled, fault.CommandFailed, fault.DecodeError, fault.IncompleteSnapshot, fault.ServerGone,
	fault.TransportError,
}

// unending is what a shell may never come back from: in a bubble nothing could stop it.
var unending = regexp.MustCompile(`while|until|for|\(\)|\{\s*\S+\s*\|`)

// FuzzArguments calls every tool with whatever a client may send: it gives what its schema says, or a fault that says what is
// wrong.
func FuzzArguments(f *testing.F) {
	tools := app.New(app.Ports{}, app.Options{}).Tools()
	for i, tool := range tools {
		for _, seed := range []string{``, `{}`, `null`, `[]`, `{"pane_id":"%0"}`, `{"pane_id":"%9"}`, `{"timeout":1e308}`} {
			f.Add(uint8(i), []byte(seed))
		}
		for _, all := range []bool{false, true} {
			seed, err := json.Marshal(example(tool.Input, all))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(i), seed)
		}
	}
	outputs := make([]*jsonschema.Resolved, len(tools))
	for i, tool := range tools {
		var err error
		if outputs[i], err = tool.Output.Resolve(nil); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, arguments []byte) {
		if unending.Match(arguments) {
			t.Skip("may be a program without an end")
		}
		n := int(which) % len(tools)
		inHouse(t, fake.Options{}, func(h *house) {
			h.shell()
			if _, err := h.app.Call(h.Context(), "list_panes", nil); err != nil {
				h.Fatal(err)
			}
			out, err := h.app.Call(h.Context(), tools[n].Name, arguments)
			synctest.Wait()
			if err != nil {
				if f, ok := errors.AsType[*fault.Error](err); !ok || !slices.Contains(kinds, f.Kind) || f.Message == "" {
					h.Errorf("%s %q: %#v", tools[n].Name, arguments, err)
				}
				return
			}
			text, err := json.Marshal(out)
			if err != nil {
				h.Fatalf("%s %q: %v", tools[n].Name, arguments, err)
			}
			var object any
			if err := json.Unmarshal(text, &object); err != nil {
				h.Fatal(err)
			}
			if err := outputs[n].Validate(object); err != nil {
				h.Errorf("%s %q answers %s: %v", tools[n].Name, arguments, text, err)
			}
		})
	})
}

// example is an object that fits a schema, with what must be in it or with all that may.
func example(schema *jsonschema.Schema, all bool) map[string]any {
	object := map[string]any{}
	for name, property := range schema.Properties {
		if all || slices.Contains(schema.Required, name) {
			object[name] = exampleOf(name, property)
		}
	}
	return object
}

func exampleOf(name string, schema *jsonschema.Schema) any {
	ids := map[string]string{"pane_id": "%0", "window_id": "@0", "session_id": "$0", "target_id": "%0", "other_pane_id": "%0"}
	switch {
	case ids[name] != "":
		return ids[name]
	case len(schema.Enum) > 0:
		return schema.Enum[0]
	}
	switch schema.Type {
	case "array":
		return []any{exampleOf("", schema.Items)}
	case "integer", "number":
		return 2
	case "boolean":
		return true
	case "object":
		return map[string]any{}
	}
	return "echo"
}
