package app

import (
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A CriteriaLanguage is what criteria can say.
type CriteriaLanguage struct {
	Combinators []string                               `json:"combinators"`
	Operators   map[snapshot.Type][]string             `json:"operators" jsonschema:"that each type of field takes"`
	Patterns    string                                 `json:"patterns" jsonschema:"what matches takes"`
	MaxDepth    int                                    `json:"max_depth"`
	MaxNodes    int                                    `json:"max_nodes"`
	MaxBytes    int                                    `json:"max_bytes"`
	MaxValues   int                                    `json:"max_values" jsonschema:"of in"`
	MaxPattern  int                                    `json:"max_pattern_bytes"`
	Fields      map[tmux.Kind]map[string]snapshot.Type `json:"fields" jsonschema:"of each entity, and their types; those that this tmux has"`
}

func criteriaLanguage(t tmux.Topology) CriteriaLanguage {
	language := CriteriaLanguage{
		Combinators: []string{"all", "any", "not"}, Operators: map[snapshot.Type][]string{}, Patterns: "RE2",
		MaxDepth: snapshot.MaxDepth, MaxNodes: snapshot.MaxNodes, MaxBytes: snapshot.MaxBytes, MaxValues: snapshot.MaxValues, MaxPattern: snapshot.MaxPattern,
		Fields: map[tmux.Kind]map[string]snapshot.Type{},
	}
	for _, typ := range []snapshot.Type{snapshot.Text, snapshot.Number, snapshot.Flag} {
		language.Operators[typ] = snapshot.Operators(typ)
	}
	for _, kind := range snapshot.Kinds() {
		known := lo.Filter(snapshot.Fields(kind), func(f snapshot.Field, _ int) bool { return !t.Running || f.Known(t.Server.Version) })
		language.Fields[kind] = lo.SliceToMap(known, func(f snapshot.Field) (string, snapshot.Type) { return f.Name, f.Type })
	}
	return language
}
