package surface

import (
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"
)

// The environment variables by which an operator selects tools, each a comma list.
const (
	ToolsetsVariable = "LIBTMUX_TOOLSETS"      // toolsets instead of the default ones; set and empty: none
	ToolsVariable    = "LIBTMUX_TOOLS"         // tools to add
	ExcludeVariable  = "LIBTMUX_EXCLUDE_TOOLS" // tools to remove last
)

// EnableFlag is the flag by which an operator adds one tool.
const EnableFlag = "--enable-tool"

// Toolsets are all toolsets, from the least to the most that can be lost.
func Toolsets() []Toolset { return []Toolset{Inspect, Manage, Execute, Teardown} }

// A Member is what selecting needs to know of a tool.
type Member struct {
	Name    string
	Toolset Toolset
}

// A Wish is what an operator asked for, as it was written. The zero value asks for the default.
type Wish struct {
	Exact    []string // names that are the base instead of toolsets; nil: toolsets
	Toolsets *string  // of ToolsetsVariable; nil: it is not set
	Enable   []string // of EnableFlag, beside those of ToolsVariable
	Tools    string   // of ToolsVariable
	Exclude  string   // of ExcludeVariable
}

// A Choice is a wish that can be fulfilled: every name in it is known.
type Choice struct {
	catalogue []Member
	exact     []string
	toolsets  []Toolset // nil: the default ones
	enable    []string  // by EnableFlag
	tools     []string  // by ToolsVariable
	exclude   []string
}

// Choose checks a wish against a catalogue. An unknown name, an empty element, and a base of exact names together with one
// of toolsets are errors that say what is known, in one line.
func Choose(catalogue []Member, wish Wish) (Choice, error) {
	tools := lo.Map(catalogue, func(m Member, _ int) string { return m.Name })
	choice := Choice{catalogue: catalogue, exact: wish.Exact, enable: wish.Enable}
	if wish.Exact != nil && wish.Toolsets != nil {
		return Choice{}, fmt.Errorf("%s selects toolsets, where --endpoint, %s or --enroll-pane asks for exact tools: unset it, or leave those out", ToolsetsVariable, EnableFlag)
	}
	for source, names := range map[string][]string{"the exact tools": wish.Exact, EnableFlag: wish.Enable} {
		if err := unknown(source, names, tools); err != nil {
			return Choice{}, err
		}
	}
	if wish.Toolsets != nil {
		names, err := elements(ToolsetsVariable, *wish.Toolsets, lo.Map(Toolsets(), func(t Toolset, _ int) string { return string(t) }))
		if err != nil {
			return Choice{}, err
		}
		choice.toolsets = lo.Map(names, func(name string, _ int) Toolset { return Toolset(name) })
	}
	var err error
	if choice.tools, err = elements(ToolsVariable, wish.Tools, tools); err != nil {
		return Choice{}, err
	}
	choice.exclude, err = elements(ExcludeVariable, wish.Exclude, tools)
	return choice, err
}

// elements splits a comma list, blanks around its elements aside. The empty list is not nil.
func elements(source, list string, known []string) ([]string, error) {
	if list == "" {
		return []string{}, nil
	}
	names := strings.Split(list, ",")
	for i, name := range names {
		names[i] = strings.Trim(name, " ")
	}
	if slices.Contains(names, "") {
		return nil, fmt.Errorf("%s=%q has an empty element (known: %s)", source, list, strings.Join(known, ", "))
	}
	return names, unknown(source, names, known)
}

// unknown is the error of the first name that is not known.
func unknown(source string, names, known []string) error {
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%s: there is no %q (known: %s)", source, name, strings.Join(known, ", "))
		}
	}
	return nil
}
