package app_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/app"
)

// What is read is what the published schema says, as a client's own validator reads it.
func TestDecodeAgreesWithTheSchema(t *testing.T) {
	type arguments struct {
		Pane    string            `json:"a"`
		Choice  string            `json:"b,omitempty" enum:"x,y"`
		Number  int               `json:"c,omitempty" min:"-1" max:"2"`
		Real    float64           `json:"d,omitempty" min:"0"`
		Truth   *bool             `json:"e,omitempty"`
		List    []string          `json:"f,omitempty" minItems:"1" maxItems:"2" maxLength:"1"`
		Map     map[string]string `json:"g,omitempty"`
		Objects []struct {
			A int             `json:"a"`
			B json.RawMessage `json:"b,omitempty"`
		} `json:"h,omitempty"`
	}
	schema := app.SchemaOf(reflect.TypeFor[arguments]())
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	object := func(member *rapid.Generator[any]) *rapid.Generator[any] {
		return rapid.Map(rapid.MapOfN(rapid.StringMatching(`[a-i]`), member, 0, 2), func(m map[string]any) any { return m })
	}
	list := func(item *rapid.Generator[any]) *rapid.Generator[any] {
		return rapid.Map(rapid.SliceOfN(item, 0, 3), func(s []any) any { return s })
	}
	scalar := rapid.OneOf(
		rapid.SampledFrom([]any{"", "x", "y", "xy", "日", "日本", -2, -1, 0, 2, 3, 0.5, -0.5, true, false}),
		rapid.Map(rapid.Float64Range(-3, 3), func(f float64) any { return f }))
	inner := rapid.OneOf(scalar, list(scalar), object(scalar))
	given := object(rapid.OneOf(scalar, inner, list(inner)))

	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		instance := given.Draw(t, "arguments").(map[string]any)
		if rapid.Bool().Draw(t, "required") {
			instance["a"] = "%1"
		}
		text, err := json.Marshal(instance)
		if err != nil {
			t.Fatal(err)
		}
		var in arguments
		read := app.Decode(schema, text, &in)
		valid := resolved.Validate(instance)
		if (read == nil) != (valid == nil) {
			t.Fatalf("%s\nread:   %v\nschema: %v", text, read, valid)
		}
		if read != nil {
			refused++
		} else {
			accepted++
		}
	})
	t.Logf("%d accepted, %d refused", accepted, refused)
	if accepted == 0 || refused == 0 {
		t.Errorf("%d accepted and %d refused show nothing", accepted, refused)
	}
}
