package app

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// schemaOf describes the JSON of a struct type as one object that every client can read: properties in the
// order of the fields, everything inline, closed to other properties, and null nowhere. It is written by hand
// because inference by jsonschema-go publishes null for slices and pointers, true for any, and knows no limits.
//
// A field without omitempty or omitzero is required. A pointer is what it points to, and must be omitted when
// nil; a slice or a map that is not omitted must not be nil. What marshals itself as text is a string; an interface
// or a json.RawMessage is an object of any properties. Fields of an embedded struct stand among the others. These
// tags refine a field, and where it is an array all but the last three refine its items:
//
//	jsonschema:"what it is"   description
//	enum:"a,b"                the only values
//	min:"0" max:"2000"        bounds of a number, inclusive
//	maxLength:"64"            characters
//	minItems:"1" maxItems:"8" bounds of an array
//	open:"true"               an object of any properties: what they are is told elsewhere
//
// A type that cannot be described so is a mistake in the catalogue: schemaOf panics.
func schemaOf(t reflect.Type) *jsonschema.Schema { return schemaWithin(t, nil) }

// schemaWithin describes t, which was reached through the struct types in within.
func schemaWithin(t reflect.Type, within []reflect.Type) *jsonschema.Schema {
	switch {
	case t.Kind() == reflect.Interface, t == reflect.TypeFor[json.RawMessage]():
		return &jsonschema.Schema{Type: "object"}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return &jsonschema.Schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return schemaWithin(t.Elem(), within)
	case reflect.String:
		return &jsonschema.Schema{Type: "string"}
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number"}
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return &jsonschema.Schema{Type: "array", Items: schemaWithin(t.Elem(), within)}
		}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: schemaWithin(t.Elem(), within)}
	case reflect.Struct:
		if slices.Contains(within, t) {
			break // it would have no end
		}
		schema := &jsonschema.Schema{
			Type:                 "object",
			Properties:           map[string]*jsonschema.Schema{},
			AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}, // marshals as false
		}
		addProperties(schema, t, append(slices.Clone(within), t))
		return schema
	default: // nothing that JSON carries unchanged
	}
	panic(fmt.Sprintf("no schema for %v within %v", t, within))
}

func addProperties(schema *jsonschema.Schema, t reflect.Type, within []reflect.Type) {
	for field := range t.Fields() {
		tag := field.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if field.Anonymous && name == "" {
			addProperties(schema, field.Type, within)
			continue
		}
		if !field.IsExported() || tag == "-" {
			continue
		}
		omits := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		switch {
		case name == "":
			panic(fmt.Sprintf("%v.%s has no JSON name", t, field.Name))
		case schema.Properties[name] != nil:
			panic(fmt.Sprintf("%v has two properties %q", t, name))
		case field.Type.Kind() == reflect.Pointer && !omits:
			panic(fmt.Sprintf("%v.%s would be null", t, field.Name))
		case !omits:
			schema.Required = append(schema.Required, name)
		}
		property := schemaWithin(field.Type, within)
		if field.Tag.Get("open") == "true" {
			property = &jsonschema.Schema{Type: "object"}
		}
		refineSchema(property, field.Tag)
		schema.Properties[name] = property
		schema.PropertyOrder = append(schema.PropertyOrder, name)
	}
}

func refineSchema(schema *jsonschema.Schema, tag reflect.StructTag) {
	schema.Description = tag.Get("jsonschema")
	schema.MinItems, schema.MaxItems = tagCount(tag, "minItems"), tagCount(tag, "maxItems")
	if schema.Items != nil {
		schema = schema.Items
	}
	schema.Minimum, schema.Maximum = tagBound(tag, "min"), tagBound(tag, "max")
	schema.MaxLength = tagCount(tag, "maxLength")
	if values := tag.Get("enum"); values != "" {
		for value := range strings.SplitSeq(values, ",") {
			schema.Enum = append(schema.Enum, value)
		}
	}
}

func tagBound(tag reflect.StructTag, key string) *float64 {
	value, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	limit, err := strconv.ParseFloat(value, 64)
	if err != nil {
		panic(fmt.Sprintf("tag %s: %v", key, err))
	}
	return &limit
}

func tagCount(tag reflect.StructTag, key string) *int {
	limit := tagBound(tag, key)
	if limit == nil {
		return nil
	}
	return new(int(*limit))
}
