package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// decode reads a call's arguments into in, a pointer to the struct that schemaOf described. Nothing is guessed:
// an unknown, missing, repeated, mistyped or out-of-range argument, null, NUL, and text that is not Unicode are faults of
// kind InvalidInput that name the argument, what came and what is wanted. Numbers without a fraction count as
// whole, however they are written. Absent arguments (none, or null) are no arguments.
func decode(schema *jsonschema.Schema, arguments json.RawMessage, in any) error {
	if text := bytes.TrimSpace(arguments); len(text) == 0 || string(text) == "null" {
		arguments = json.RawMessage("{}")
	}
	if !json.Valid(arguments) {
		return fault.Invalidf("send one JSON object", "the arguments are not JSON")
	}
	c := checker{raw: arguments, in: json.NewDecoder(bytes.NewReader(arguments))}
	c.in.UseNumber()
	c.nesting, _ = in.(nesting)
	if err := c.value("", schema); err != nil {
		return err
	}
	if err := json.Unmarshal(c.out.Bytes(), in); err != nil {
		return fault.Invalidf("correct the arguments and call again", "the arguments do not fit: %v", err)
	}
	return nil
}

// A nesting is arguments that hold other calls' arguments, which those calls decode: what is wrong with them is wrong with one call.
type nesting interface {
	// nests reports whether an argument is of that kind, by its name as in "calls[0].arguments".
	nests(argument string) bool
}

// A checker reads valid JSON token by token, holds it to a schema, and writes it anew with whole numbers as Go reads them.
// It knows what schemaOf can say and no more. A nil schema allows what JSON allows, but for null, NUL, and so on.
type checker struct {
	raw []byte
	in  *json.Decoder
	out bytes.Buffer

	nesting nesting // nil: nothing is nested
}

// value checks the next value, which belongs to the argument called name; the arguments themselves have no name.
func (c *checker) value(name string, schema *jsonschema.Schema) error {
	literal, token, err := c.next()
	if err != nil {
		return err
	}
	switch token := token.(type) {
	case json.Delim:
		if token == '{' && schemaAccepts(schema, "object") {
			if c.nesting != nil && c.nesting.nests(name) {
				return c.unread()
			}
			return c.object(name, schema)
		}
		if token == '[' && schemaAccepts(schema, "array") {
			return c.array(name, schema)
		}
	case string:
		if schemaAccepts(schema, "string") {
			return c.text(name, literal, token, schema)
		}
	case json.Number:
		if schemaAccepts(schema, "integer", "number") {
			return c.number(name, token, schema)
		}
	case bool:
		if schemaAccepts(schema, "boolean") {
			c.out.WriteString(strconv.FormatBool(token))
			return nil
		}
	}
	if schema == nil {
		return fault.Invalidf("leave it out", "%s must not be null", argumentCalled(name))
	}
	return mismatch(name, schema, whatCame(token))
}

func schemaAccepts(schema *jsonschema.Schema, types ...string) bool {
	return schema == nil || slices.Contains(types, schema.Type)
}

// next reads a token and gives its literal too, after whatever separates it from the last.
func (c *checker) next() ([]byte, json.Token, error) {
	start := c.in.InputOffset()
	token, err := c.in.Token()
	if err != nil {
		return nil, nil, fault.Invalidf("send one JSON object", "the arguments are not JSON: %v", err)
	}
	return c.raw[start:c.in.InputOffset()], token, nil
}

// unread copies the object that has begun as it is.
func (c *checker) unread() error {
	start := c.in.InputOffset() - 1
	for depth := 1; depth > 0; {
		_, token, err := c.next()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
	c.out.Write(c.raw[start:c.in.InputOffset()])
	return nil
}

// object checks the members of the object that has begun, up to its end.
func (c *checker) object(name string, schema *jsonschema.Schema) error {
	given := map[string]bool{}
	c.out.WriteByte('{')
	for c.in.More() {
		literal, token, err := c.next()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		member := strings.TrimPrefix(name+"."+key, ".")
		if len(given) > 0 {
			c.out.WriteByte(',')
		}
		if err := c.text(clipped(member), literal, key, nil); err != nil {
			return err
		}
		if given[key] {
			return fault.Invalidf("give it once", "argument %q is given twice", clipped(member))
		}
		given[key] = true
		property, known := schemaMember(schema, key)
		if !known {
			return fault.Invalidf(knownArguments(schema), "unknown argument %q", clipped(member))
		}
		c.out.WriteByte(':')
		if err := c.value(member, property); err != nil {
			return err
		}
	}
	if _, _, err := c.next(); err != nil {
		return err
	}
	c.out.WriteByte('}')
	if schema == nil {
		return nil
	}
	for _, required := range schema.Required {
		if !given[required] {
			member := strings.TrimPrefix(name+"."+required, ".")
			return fault.Invalidf(argumentAdvice(member, schema.Properties[required]), "argument %s is missing", member)
		}
	}
	return nil
}

// schemaMember finds the schema of a member; nil for one about which nothing is said.
func schemaMember(schema *jsonschema.Schema, key string) (member *jsonschema.Schema, known bool) {
	switch {
	case schema == nil:
		return nil, true
	case schema.Properties[key] != nil:
		return schema.Properties[key], true
	case schema.AdditionalProperties == nil:
		return nil, true
	default:
		return schema.AdditionalProperties, schema.AdditionalProperties.Not == nil
	}
}

func knownArguments(schema *jsonschema.Schema) string {
	if len(schema.PropertyOrder) == 0 {
		return "call it without arguments"
	}
	names := slices.Clone(schema.PropertyOrder)
	for i, name := range names {
		if slices.Contains(schema.Required, name) {
			names[i] += " (required)"
		}
	}
	return "its arguments are " + strings.Join(names, ", ")
}

func (c *checker) array(name string, schema *jsonschema.Schema) error {
	var items *jsonschema.Schema
	if schema != nil {
		items = schema.Items
	}
	c.out.WriteByte('[')
	n := 0
	for ; c.in.More(); n++ {
		if n > 0 {
			c.out.WriteByte(',')
		}
		if err := c.value(fmt.Sprintf("%s[%d]", name, n), items); err != nil {
			return err
		}
	}
	if _, _, err := c.next(); err != nil {
		return err
	}
	c.out.WriteByte(']')
	if schema != nil && (n < lo.FromPtrOr(schema.MinItems, 0) || n > lo.FromPtrOr(schema.MaxItems, math.MaxInt)) {
		return mismatch(name, schema, fmt.Sprintf("one of %d", n))
	}
	return nil
}

func (c *checker) text(name string, literal []byte, text string, schema *jsonschema.Schema) error {
	switch {
	case !utf8.Valid(literal):
		return fault.Invalidf("send text as UTF-8", "%s is not valid UTF-8", name)
	case unpairedSurrogate(literal):
		return fault.Invalidf("send characters beyond U+FFFF as UTF-8 or as a pair of escapes",
			"%s holds half of a surrogate pair, which is no character", name)
	case strings.ContainsRune(text, 0):
		return fault.Invalidf("leave it out", "%s holds a NUL, which tmux cannot carry", name)
	case schema == nil:
	case len(schema.Enum) > 0 && !slices.Contains(schema.Enum, any(text)):
		return mismatch(name, schema, whatCame(text))
	case schema.MaxLength != nil && utf8.RuneCountInString(text) > *schema.MaxLength:
		return mismatch(name, schema, fmt.Sprintf("one of %d", utf8.RuneCountInString(text)))
	}
	encoded, err := json.Marshal(text)
	if err != nil {
		return err
	}
	c.out.Write(encoded)
	return nil
}

// unpairedSurrogate reports whether a JSON string escapes half of a surrogate pair, which Go would silently replace.
func unpairedSurrogate(literal []byte) bool {
	unit := func(at int) rune {
		value, _ := strconv.ParseUint(string(literal[at:at+4]), 16, 16) // json.Valid saw to it
		return rune(value)
	}
	for i := 0; i < len(literal); i++ {
		if literal[i] != '\\' {
			continue
		}
		i++
		if literal[i] != 'u' {
			continue
		}
		first := unit(i + 1)
		i += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		if !bytes.HasPrefix(literal[i+1:], []byte(`\u`)) || utf16.DecodeRune(first, unit(i+3)) == unicode.ReplacementChar {
			return true
		}
		i += 6
	}
	return false
}

// mostExact is the largest number up to which JSON written by any client is exact.
const mostExact = 1 << 53

func (c *checker) number(name string, literal json.Number, schema *jsonschema.Schema) error {
	value, err := literal.Float64()
	switch {
	case schema == nil && err == nil:
		c.out.WriteString(literal.String())
		return nil
	case err != nil,
		schema.Type == "integer" && (value != math.Trunc(value) || math.Abs(value) > mostExact),
		value < lo.FromPtrOr(schema.Minimum, math.Inf(-1)),
		value > lo.FromPtrOr(schema.Maximum, math.Inf(1)):
		return mismatch(name, schema, whatCame(literal))
	}
	format := byte('g')
	if schema.Type == "integer" {
		format = 'f'
	}
	c.out.WriteString(strconv.FormatFloat(value, format, -1, 64))
	return nil
}
