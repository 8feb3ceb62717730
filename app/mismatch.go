package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// mismatch says that an argument is not what its schema wants.
func mismatch(name string, schema *jsonschema.Schema, came string) error {
	return fault.Invalidf(argumentAdvice(name, schema), "%s must be %s, not %s", argumentCalled(name), wantedBy(schema), came)
}

func argumentCalled(name string) string { return cmp.Or(clipped(name), "the arguments") }

// argumentAdvice says what a right argument is.
func argumentAdvice(name string, schema *jsonschema.Schema) string {
	advice := fmt.Sprintf("give %s as %s", argumentCalled(name), wantedBy(schema))
	if schema.Description != "" {
		advice += ": " + schema.Description
	}
	return advice
}

// wantedBy says in words what a schema accepts.
func wantedBy(schema *jsonschema.Schema) string {
	if len(schema.Enum) > 0 {
		return "one of " + strings.Join(lo.Map(schema.Enum, func(v any, _ int) string { return fmt.Sprintf("%q", v) }), ", ")
	}
	switch schema.Type {
	case "integer":
		return "a whole number" + ofBounds(schema.Minimum, schema.Maximum)
	case "number":
		return "a number" + ofBounds(schema.Minimum, schema.Maximum)
	case "boolean":
		return "true or false"
	case "array":
		return "a list" + ofLengths(schema.MinItems, schema.MaxItems, "items")
	case "object":
		return "an object"
	default:
		return "a string" + ofLengths(nil, schema.MaxLength, "characters")
	}
}

func ofBounds(least, most *float64) string {
	show := func(limit *float64) string { return strconv.FormatFloat(*limit, 'f', -1, 64) }
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf(" from %s to %s", show(least), show(most))
	case least != nil:
		return " of at least " + show(least)
	case most != nil:
		return " of at most " + show(most)
	}
	return ""
}

func ofLengths(least, most *int, unit string) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf(" of %d to %d %s", *least, *most, unit)
	case least != nil:
		return fmt.Sprintf(" of at least %d %s", *least, unit)
	case most != nil:
		return fmt.Sprintf(" of at most %d %s", *most, unit)
	}
	return ""
}

// whatCame says what stood where something else was wanted.
func whatCame(token json.Token) string {
	switch token := token.(type) {
	case json.Delim:
		if token == '{' {
			return "an object"
		}
		return "a list"
	case string:
		return "the string " + strconv.Quote(clipped(token))
	case json.Number:
		return "the number " + clipped(token.String())
	case bool:
		return strconv.FormatBool(token)
	default:
		return "null"
	}
}

// clipped shortens text that a caller chose, so that an error stays readable.
func clipped(text string) string {
	const most = 64 // characters
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return text
}
