package snapshot_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// row is a pane of tmux 3.4 that has these fields, and nothing in the others.
func row(t testing.TB, fields map[string]string) snapshot.Row {
	t.Helper()
	made, err := snapshot.NewRow(tmux.KindPane, "3.4", func(name string) string { return fields[name] })
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func TestCriteria(t *testing.T) {
	pane := row(t, map[string]string{
		"pane_id": "%1", "pane_title": "Größe \xff a", "pane_pid": "42", "pane_active": "1", "pane_dead": "0", "pane_mode": "", "cursor_x": "0",
	})
	for criteria, want := range map[string]bool{
		``: true,
		`{"field":"pane_id","op":"eq","value":"%1"}`:                                                   true,
		`{"field":"pane_id","op":"eq","value":"%10"}`:                                                  false,
		`{"field":"pane_id","op":"ne","value":"%1"}`:                                                   false,
		`{"field":"pane_title","op":"contains","value":"öß"}`:                                          true,
		`{"field":"pane_title","op":"contains","value":"ÖSS"}`:                                         false,
		`{"field":"pane_title","op":"starts_with","value":"Gr"}`:                                       true,
		`{"field":"pane_title","op":"ends_with","value":" a"}`:                                         true,
		`{"field":"pane_title","op":"ends_with","value":"Gr"}`:                                         false,
		`{"field":"pane_title","op":"matches","value":"^Gr.+ a$"}`:                                     true,
		`{"field":"pane_title","op":"matches","value":"(?i)GRÖ"}`:                                      true,
		`{"field":"pane_title","op":"matches","value":"^a"}`:                                           false,
		`{"field":"pane_mode","op":"eq","value":""}`:                                                   true,
		`{"field":"pane_id","op":"in","value":["%0","%1"]}`:                                            true,
		`{"field":"pane_id","op":"in","value":["%0","%2"]}`:                                            false,
		`{"field":"pane_pid","op":"in","value":[41,42]}`:                                               true,
		`{"field":"pane_pid","op":"eq","value":42}`:                                                    true,
		`{"field":"pane_pid","op":"eq","value":42.0}`:                                                  true,
		`{"field":"pane_pid","op":"ne","value":42}`:                                                    false,
		`{"field":"pane_pid","op":"lt","value":42}`:                                                    false,
		`{"field":"pane_pid","op":"le","value":42}`:                                                    true,
		`{"field":"pane_pid","op":"gt","value":-1}`:                                                    true,
		`{"field":"pane_pid","op":"gt","value":42}`:                                                    false,
		`{"field":"pane_pid","op":"ge","value":42}`:                                                    true,
		`{"field":"cursor_x","op":"eq","value":0}`:                                                     true,
		`{"field":"pane_active","op":"eq","value":true}`:                                               true,
		`{"field":"pane_active","op":"ne","value":true}`:                                               false,
		`{"field":"pane_dead","op":"eq","value":false}`:                                                true,
		`{"field":"pane_dead","op":"eq","value":true}`:                                                 false,
		`{"field":"pane_dead_status","op":"eq","value":0}`:                                             false, // it is absent
		`{"field":"pane_dead_status","op":"ne","value":0}`:                                             false,
		`{"not":{"field":"pane_dead_status","op":"eq","value":0}}`:                                     true,
		`{"not":{"not":{"field":"pane_id","op":"eq","value":"%1"}}}`:                                   true,
		`{"all":[{"field":"pane_pid","op":"gt","value":1}]}`:                                           true,
		`{"all":[{"field":"pane_pid","op":"gt","value":1},{"field":"pane_pid","op":"gt","value":99}]}`: false,
		`{"any":[{"field":"pane_pid","op":"gt","value":99},{"field":"pane_pid","op":"gt","value":1}]}`: true,
		`{"any":[{"field":"pane_pid","op":"gt","value":99}]}`:                                          false,
		nested(snapshot.MaxDepth):                                                                      true,
		wide(snapshot.MaxNodes):                                                                        true,
		` { "field" : "pane_id" , "op" : "eq", "value": "\u00251" } `:                                  true,
	} {
		parsed, err := snapshot.ParseCriteria(tmux.KindPane, []byte(criteria))
		if err != nil {
			t.Errorf("%.100s: %v", criteria, err)
		} else if got := parsed.Match(pane); got != want {
			t.Errorf("%.100s: %t, want %t", criteria, got, want)
		}
	}
}

const leaf = `{"field":"pane_pid","op":"gt","value":1}`

// nested is criteria of a depth, and wide of so many nodes.
func nested(depth int) string {
	return strings.Repeat(`{"any":[`, depth-1) + leaf + strings.Repeat(`]}`, depth-1)
}

func wide(nodes int) string { return `{"all":[` + strings.Repeat(leaf+",", nodes-2) + leaf + `]}` }

func TestCriteriaThatCannotBe(t *testing.T) {
	for _, c := range []struct{ criteria, says, recovery string }{
		{`[]`, `criteria: not an object`, `{"all": [...]}`},
		{`"x"`, `criteria: not an object`, ``},
		{`null`, `criteria: not an object`, ``},
		{`{`, `criteria: not JSON`, ``},
		{`{}`, `criteria: "field" is missing`, ``},
		{`{"all":[]}`, `criteria.all: not a list`, `pass no criteria for all`},
		{`{"any":{}}`, `criteria.any: not a list`, ``},
		{`{"any":null}`, `criteria.any: not a list`, ``},
		{`{"not":[]}`, `criteria.not: not an object`, ``},
		{`{"not":` + leaf + `,"all":[]}`, `criteria: "all" stands beside something else`, ``},
		{`{"all":[` + leaf + `,3]}`, `criteria.all[1]: not an object`, ``},
		{`{"none":[]}`, `criteria: there is no "none"`, ``},
		{`{"field":"pane_pid","op":"eq"}`, `criteria: "value" is missing`, ``},
		{`{"field":"pane_pid","value":1}`, `criteria: "op" is missing`, ``},
		{`{"field":"pane_pid","op":"eq","value":1,"value":2}`, `criteria: "value" is given twice`, `give it once`},
		{`{"any":[{"not":{"field":"pane_ipd","op":"eq","value":1}}]}`, `criteria.any[0].not.field: "pane_ipd" is no field of a pane`, `pane_pid`},
		{`{"field":"session_name","op":"eq","value":"x"}`, `criteria.field: "session_name" is no field of a pane`, ``},
		{`{"field":7,"op":"eq","value":"x"}`, `criteria.field: 7 is no field`, ``},
		{`{"field":"pane_pid","op":"equals","value":1}`, `criteria.op: "equals" is no operator`, `eq, ne, lt, le, gt, ge, in, contains`},
		{`{"field":"pane_pid","op":"contains","value":1}`, `criteria.op: pane_pid is number, which does not take contains`, `eq, ne, lt`},
		{`{"field":"pane_title","op":"lt","value":"x"}`, `criteria.op: pane_title is text, which does not take lt`, `matches`},
		{`{"field":"pane_dead","op":"in","value":[true]}`, `criteria.op: pane_dead is flag`, `eq, ne`},
		{`{"field":"pane_pid","op":"eq","value":"1"}`, `criteria.value: pane_pid is a number, not "1"`, `pass a whole number`},
		{`{"field":"pane_pid","op":"eq","value":1.5}`, `criteria.value: pane_pid is a number, not 1.5`, ``},
		{`{"field":"pane_pid","op":"eq","value":1e300}`, `criteria.value: pane_pid is a number, not 1e300`, ``},
		{`{"field":"pane_title","op":"eq","value":1}`, `criteria.value: pane_title is text, not 1`, `pass a string`},
		{`{"field":"pane_title","op":"eq","value":null}`, `criteria.value: pane_title is text, not null`, ``},
		{`{"field":"pane_dead","op":"eq","value":1}`, `criteria.value: pane_dead is a flag, not 1`, `true or false`},
		{`{"field":"pane_pid","op":"in","value":[]}`, `criteria.value: not a list`, `1 to 256`},
		{`{"field":"pane_pid","op":"in","value":[1,"2"]}`, `criteria.value[1]: pane_pid is a number`, ``},
		{`{"field":"pane_pid","op":"in","value":[` + strings.Repeat("1,", 256) + `1]}`, `criteria.value: not a list`, ``},
		{`{"field":"pane_title","op":"matches","value":"("}`, `criteria.value: error parsing regexp`, `RE2`},
		{`{"field":"pane_title","op":"matches","value":"(?=x)"}`, `criteria.value: error parsing regexp`, ``},
		{`{"field":"pane_title","op":"matches","value":"` + strings.Repeat("x", 1025) + `"}`, `criteria.value: a pattern of 1025 bytes`, ``},
		{`{"field":"pane_title","op":"eq","value":"` + strings.Repeat("x", 64<<10) + `"}`, `criteria: 65579 bytes are more than 65536`, ``},
		{nested(snapshot.MaxDepth + 1), `.any[0]: it is deeper than 8`, `less deeply`},
		{wide(snapshot.MaxNodes + 1), `criteria.all[63]: it is the node after 64`, `"in"`},
	} {
		_, err := snapshot.ParseCriteria(tmux.KindPane, []byte(c.criteria))
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Kind != fault.InvalidFilter {
			t.Errorf("%.100s: %v, want invalid_filter", c.criteria, err)
		} else if !strings.Contains(f.Message, c.says) || !strings.Contains(f.Recovery, c.recovery) || f.Recovery == "" {
			t.Errorf("%.100s: %q, recovery %q; want %q, %q", c.criteria, f.Message, f.Recovery, c.says, c.recovery)
		}
	}
}

// What is no criteria is refused at a place in it, and what is can be asked of every row: whether it or its opposite.
func TestCriteriaAreRefusedOrDecide(t *testing.T) {
	rows := []snapshot.Row{row(t, nil), row(t, map[string]string{"pane_title": "a", "pane_pid": "1", "pane_dead": "1"})}
	scalar := rapid.SampledFrom([]any{"", "a", "pane_title", "pane_pid", "pane_dead", "eq", "gt", "matches", "in", 0, 1, 1.5, true, nil})
	sound := rapid.SampledFrom([]any{
		map[string]any{"field": "pane_title", "op": "eq", "value": "a"},
		map[string]any{"field": "pane_pid", "op": "ge", "value": 1},
		map[string]any{"field": "pane_dead", "op": "ne", "value": true},
	})
	leaf := rapid.OneOf(sound, rapid.Custom(func(t *rapid.T) any {
		value := scalar.Draw(t, "value")
		if rapid.IntRange(0, 3).Draw(t, "list") == 0 {
			value = []any{value}
		}
		return map[string]any{
			"field": rapid.SampledFrom([]any{"pane_title", "pane_pid", "pane_dead", "pane_x", 1}).Draw(t, "field"),
			"op":    rapid.SampledFrom([]any{"eq", "ne", "lt", "ge", "contains", "matches", "in", "is"}).Draw(t, "op"), "value": value,
		}
	}))
	node := rapid.Deferred(func() *rapid.Generator[any] { return leaf })
	for range 3 {
		inner := node
		node = rapid.OneOf(inner, rapid.Custom(func(t *rapid.T) any {
			return map[string]any{rapid.SampledFrom([]string{"all", "any", "none"}).Draw(t, "key"): rapid.SliceOfN(inner, 0, 2).Draw(t, "nodes")}
		}), rapid.Custom(func(t *rapid.T) any { return map[string]any{"not": inner.Draw(t, "node")} }))
	}
	accepted, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		text, err := json.Marshal(node.Draw(t, "criteria"))
		if err != nil {
			t.Fatal(err)
		}
		criteria, err := snapshot.ParseCriteria(tmux.KindPane, text)
		if err != nil {
			refused++
			if !fault.Is(err, fault.InvalidFilter) || !strings.HasPrefix(err.Error(), "criteria") {
				t.Fatalf("%s: %v", text, err)
			}
			return
		}
		accepted++
		opposite, err := snapshot.ParseCriteria(tmux.KindPane, fmt.Appendf(nil, `{"not":%s}`, text))
		if err != nil {
			t.Fatalf("not %s: %v", text, err)
		}
		for _, row := range rows {
			if criteria.Match(row) == opposite.Match(row) {
				t.Fatalf("%s and its opposite are both %t", text, criteria.Match(row))
			}
		}
	})
	if accepted == 0 || refused == 0 {
		t.Errorf("%d accepted and %d refused show nothing", accepted, refused)
	}
}

func TestCriteriaAboutAFieldOfANewerTmux(t *testing.T) {
	criteria, err := snapshot.ParseCriteria(tmux.KindPane, []byte(`{"not":{"field":"pane_dead_signal","op":"eq","value":"9"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := criteria.Check("3.3"); err != nil {
		t.Errorf("tmux 3.3 has it: %v", err)
	}
	err = criteria.Check("3.2a")
	if !fault.Is(err, fault.InvalidFilter) || !strings.Contains(err.Error(), "pane_dead_signal, which tmux 3.2a does not have") {
		t.Errorf("tmux 3.2a: %v", err)
	}
}

func TestRows(t *testing.T) {
	print := map[string]string{"pane_id": "%3", "pane_title": "a\"\xff<b>\n", "pane_pid": "7", "pane_dead": "1", "pane_active": "0", "pane_dead_signal": "15"}
	for _, version := range []tmux.Version{"3.2a", "3.4"} {
		row, err := snapshot.NewRow(tmux.KindPane, version, func(name string) string { return print[name] })
		if err != nil {
			t.Fatal(err)
		}
		text, replaced := row.AppendJSON(nil)
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil || replaced != 1 || strings.Contains(string(text), "pane_dead_status") {
			t.Errorf("%s: %d replaced, %v", text, replaced, err)
		}
		if diff := cmp.Diff([]any{"%3", "a\"\uFFFD<b>\n", 7.0, true, false}, []any{got["pane_id"], got["pane_title"], got["pane_pid"], got["pane_dead"], got["pane_active"]}); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if _, has := got["pane_dead_signal"]; has != (version == "3.4") || row.ID() != "%3" {
			t.Errorf("tmux %s: %s, id %q", version, text, row.ID())
		}
	}
	if _, err := snapshot.NewRow(tmux.KindPane, "3.4", func(string) string { return "x" }); err == nil || !strings.Contains(err.Error(), "pane_index") {
		t.Errorf("a number that is none: %v", err)
	}
}

// Each field has one meaning, and stands once in its kind.
func TestTheFieldsAreWellFormed(t *testing.T) {
	types := map[string]snapshot.Type{}
	for _, kind := range snapshot.Kinds() {
		names := lo.Map(snapshot.Fields(kind), func(f snapshot.Field, _ int) string { return f.Name })
		if len(names) == 0 || len(lo.Uniq(names)) != len(names) {
			t.Errorf("%s: %v", kind, names)
		}
		for _, field := range snapshot.Fields(kind) {
			if known, ok := types[field.Name]; ok && known != field.Type {
				t.Errorf("%s is %s and %s", field.Name, known, field.Type)
			}
			types[field.Name] = field.Type
			if len(snapshot.Operators(field.Type)) == 0 {
				t.Errorf("%s takes no operator", field.Name)
			}
		}
	}
	if len(snapshot.Fields("buffer")) > 0 {
		t.Error("there is no snapshot of buffers")
	}
}
