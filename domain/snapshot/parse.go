package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

const nodeForm = `pass {"all": [...]}, {"any": [...]}, {"not": {...}} or {"field": ..., "op": ..., "value": ...}`

// ParseCriteria reads criteria about entities of a kind, as JSON: all, any, not, or a field with an operator and a value. What is wrong
// is an InvalidFilter that names where. None are no criteria.
func ParseCriteria(kind tmux.Kind, text []byte) (Criteria, error) {
	if len(text) == 0 {
		return Criteria{}, nil
	}
	const root = "criteria"
	if len(text) > MaxBytes {
		return Criteria{}, invalid(root, "ask for less at once", "%d bytes are more than %d", len(text), MaxBytes)
	}
	if !json.Valid(text) {
		return Criteria{}, invalid(root, nodeForm, "not JSON")
	}
	p := parser{kind: kind}
	node, err := p.node(root, text, 1)
	if err != nil {
		return Criteria{}, err
	}
	return Criteria{matches: node, fields: p.fields}, nil
}

// A parser reads one criteria.
type parser struct {
	kind   tmux.Kind
	nodes  int
	fields []Field
}

// node reads one node at a depth, counted from 1.
func (p *parser) node(path string, text json.RawMessage, depth int) (func(Row) bool, error) {
	if depth > MaxDepth {
		return nil, invalid(path, "nest less deeply", "it is deeper than %d", MaxDepth)
	}
	if p.nodes++; p.nodes > MaxNodes {
		return nil, invalid(path, `ask for less at once, or use "in"`, "it is the node after %d", MaxNodes)
	}
	members, err := membersOf(path, text)
	if err != nil {
		return nil, err
	}
	for _, combinator := range []string{"all", "any", "not"} {
		inner, ok := members[combinator]
		switch {
		case !ok:
			continue
		case len(members) > 1:
			return nil, invalid(path, nodeForm, "%q stands beside something else", combinator)
		}
		at := path + "." + combinator
		if combinator == "not" {
			node, err := p.node(at, inner, depth+1)
			return func(r Row) bool { return !node(r) }, err
		}
		nodes, err := p.list(at, inner, depth+1)
		if combinator == "all" {
			return func(r Row) bool { return lo.EveryBy(nodes, func(n func(Row) bool) bool { return n(r) }) }, err
		}
		return func(r Row) bool { return lo.SomeBy(nodes, func(n func(Row) bool) bool { return n(r) }) }, err
	}
	return p.leaf(path, members)
}

func (p *parser) list(path string, text json.RawMessage, depth int) ([]func(Row) bool, error) {
	items, ok := decoded[[]json.RawMessage](text)
	if !ok || len(items) == 0 {
		return nil, invalid(path, "list one criterion at least, or pass no criteria for all", "not a list of criteria")
	}
	var nodes []func(Row) bool
	for i, item := range items {
		node, err := p.node(fmt.Sprintf("%s[%d]", path, i), item, depth)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return nodes, nil
}

func (p *parser) leaf(path string, members map[string]json.RawMessage) (func(Row) bool, error) {
	for name := range members {
		if !slices.Contains([]string{"field", "op", "value"}, name) {
			return nil, invalid(path, nodeForm, "there is no %.64q", name)
		}
	}
	for _, name := range []string{"field", "op", "value"} {
		if _, ok := members[name]; !ok {
			return nil, invalid(path, nodeForm, "%q is missing", name)
		}
	}
	known := join(lo.Map(Fields(p.kind), func(f Field, _ int) string { return f.Name }))
	name, ok := decoded[string](members["field"])
	field, exists := lo.Find(Fields(p.kind), func(f Field) bool { return f.Name == name })
	if !ok || !exists {
		return nil, invalid(path+".field", "pass one of "+known, "%.64s is no field of a %s", members["field"], p.kind)
	}
	p.fields = append(p.fields, field)
	op, ok := decoded[operator](members["op"])
	switch {
	case !ok || !slices.Contains(allOperators(), op):
		return nil, invalid(path+".op", "pass one of "+join(allOperators()), "%.64s is no operator", members["op"])
	case !slices.Contains(operators[field.Type], op):
		return nil, invalid(path+".op", fmt.Sprintf("%s takes %s", field.Type, join(operators[field.Type])), "%s is %s, which does not take %s", field.Name, field.Type, op)
	}
	at := path + ".value"
	if op != in {
		return p.compare(at, field, op, members["value"])
	}
	items, ok := decoded[[]json.RawMessage](members["value"])
	if !ok || len(items) == 0 || len(items) > MaxValues {
		return nil, invalid(at, fmt.Sprintf("pass a list of 1 to %d values", MaxValues), "not a list that %q takes", in)
	}
	var nodes []func(Row) bool
	for i, item := range items {
		node, err := p.compare(fmt.Sprintf("%s[%d]", at, i), field, equal, item)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, node)
	}
	return func(r Row) bool { return lo.SomeBy(nodes, func(n func(Row) bool) bool { return n(r) }) }, nil
}

// compare is one comparison of a field with a value of its type.
func (p *parser) compare(path string, field Field, op operator, text json.RawMessage) (func(Row) bool, error) {
	place := places[p.kind][field.Name]
	about := func(holds func(Value) bool) func(Row) bool {
		return func(r Row) bool { return r.Values[place].Type != "" && holds(r.Values[place]) }
	}
	switch field.Type {
	case Text:
		wanted, ok := decoded[string](text)
		if !ok {
			return nil, invalid(path, "pass a string", "%s is text, not %.64s", field.Name, text)
		}
		holds, err := compareText(path, op, wanted)
		return about(func(v Value) bool { return holds(v.Text) }), err
	case Flag:
		wanted, ok := decoded[bool](text)
		if !ok {
			return nil, invalid(path, "pass true or false", "%s is a flag, not %.64s", field.Name, text)
		}
		return about(func(v Value) bool { return (v.Number != 0) == wanted == (op == equal) }), nil
	default:
		wanted, ok := decoded[float64](text)
		if !ok || wanted != math.Trunc(wanted) || math.Abs(wanted) > 1<<53 {
			return nil, invalid(path, "pass a whole number", "%s is a number, not %.64s", field.Name, text)
		}
		return about(compareNumber(op, int64(wanted))), nil
	}
}

func compareText(path string, op operator, wanted string) (func(string) bool, error) {
	switch op {
	case different:
		return func(s string) bool { return s != wanted }, nil
	case contains:
		return func(s string) bool { return strings.Contains(s, wanted) }, nil
	case startsWith:
		return func(s string) bool { return strings.HasPrefix(s, wanted) }, nil
	case endsWith:
		return func(s string) bool { return strings.HasSuffix(s, wanted) }, nil
	case matches:
		if len(wanted) > MaxPattern {
			return nil, invalid(path, "pass a shorter pattern", "a pattern of %d bytes is longer than %d", len(wanted), MaxPattern)
		}
		pattern, err := regexp.Compile(wanted)
		if err != nil {
			return nil, invalid(path, "pass a regular expression as RE2 has them: https://github.com/google/re2/wiki/Syntax", "%v", err)
		}
		return pattern.MatchString, nil
	default:
		return func(s string) bool { return s == wanted }, nil
	}
}

func compareNumber(op operator, wanted int64) func(Value) bool {
	return func(v Value) bool {
		switch op {
		case different:
			return v.Number != wanted
		case less:
			return v.Number < wanted
		case lessEqual:
			return v.Number <= wanted
		case greater:
			return v.Number > wanted
		case greaterEqual:
			return v.Number >= wanted
		default:
			return v.Number == wanted
		}
	}
}

// membersOf are those of an object, none of which stands there twice.
func membersOf(path string, text json.RawMessage) (map[string]json.RawMessage, error) {
	in := json.NewDecoder(bytes.NewReader(text))
	if opening, err := in.Token(); err != nil || opening != json.Delim('{') {
		return nil, invalid(path, nodeForm, "not an object")
	}
	members := map[string]json.RawMessage{}
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, invalid(path, nodeForm, "%v", err)
		}
		name, _ := key.(string) // as keys are
		if _, twice := members[name]; twice {
			return nil, invalid(path, "give it once", "%.64q is given twice", name)
		}
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, invalid(path, nodeForm, "%v", err)
		}
		members[name] = value
	}
	return members, nil
}

// decoded is a JSON value of a type, and whether it is one; null is none.
func decoded[T any](text json.RawMessage) (T, bool) {
	var value *T
	err := json.Unmarshal(text, &value)
	if err != nil || value == nil {
		var none T
		return none, false
	}
	return *value, true
}
