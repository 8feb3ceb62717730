package snapshot

import (
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// The limits of criteria.
const (
	MaxDepth   = 8
	MaxNodes   = 64
	MaxBytes   = 64 << 10 // of the JSON
	MaxValues  = 256      // of one "in"
	MaxPattern = 1024     // bytes
)

// Criteria say which rows are wanted. The zero value wants all.
type Criteria struct {
	matches func(Row) bool
	fields  []Field // that they are about
}

// Match reports whether a row is wanted. A field that is absent meets no criterion of its own, not even ne.
func (c Criteria) Match(row Row) bool { return c.matches == nil || c.matches(row) }

// Check refuses criteria about a field that a version does not have: whether rows meet them is not known there.
func (c Criteria) Check(version tmux.Version) error {
	for _, field := range c.fields {
		if !field.Known(version) {
			return &fault.Error{
				Kind:     fault.InvalidFilter,
				Message:  fmt.Sprintf("criteria are about %s, which tmux %s does not have", field.Name, version),
				Recovery: fmt.Sprintf("leave %s out: tmux has it from %s on", field.Name, field.Since),
			}
		}
	}
	return nil
}

// An operator compares the value of a field with one that is given.
type operator string

// The operators.
const (
	equal        operator = "eq"
	different    operator = "ne"
	less         operator = "lt"
	lessEqual    operator = "le"
	greater      operator = "gt"
	greaterEqual operator = "ge"
	contains     operator = "contains"
	startsWith   operator = "starts_with"
	endsWith     operator = "ends_with"
	matches      operator = "matches"
	in           operator = "in"
)

// operators are those that each type takes.
var operators = map[Type][]operator{
	Text:   {equal, different, contains, startsWith, endsWith, matches, in},
	Number: {equal, different, less, lessEqual, greater, greaterEqual, in},
	Flag:   {equal, different},
}

// Operators are those of a type, in the order in which they are told.
func Operators(typ Type) []string {
	return lo.Map(operators[typ], func(o operator, _ int) string { return string(o) })
}

func allOperators() []operator {
	return lo.Uniq(append(append([]operator{}, operators[Number]...), operators[Text]...))
}

// invalid is a fault about one place in the criteria.
func invalid(path, recovery, format string, args ...any) error {
	return &fault.Error{Kind: fault.InvalidFilter, Message: path + ": " + fmt.Sprintf(format, args...), Recovery: recovery}
}

func join[T ~string](words []T) string {
	return strings.Join(lo.Map(words, func(w T, _ int) string { return string(w) }), ", ")
}
