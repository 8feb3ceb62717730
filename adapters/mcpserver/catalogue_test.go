package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// Budgets of the catalogue, in bytes of JSON unless it says otherwise.
const (
	greatestName        = 30       // characters: clients join it to the server's name
	greatestDescription = 1500     // characters: clients cut longer ones without a word
	greatestTeaching    = 20 << 10 // name, description and input schema, over all tools of toolsets
	greatestList        = 64 << 10
)

// catalogue begins a conversation with the application itself, which has no tmux: to list needs none.
func catalogue(t *testing.T) (*mcptest.Conversation, []app.Tool) {
	t.Helper()
	application := app.New(app.Ports{}, app.Options{})
	t.Cleanup(application.Close)
	c := mcptest.Serve(t, mcpserver.New(t.Context(), application, mcpserver.Options{}))
	rows := application.Tools()
	if len(rows) == 0 {
		t.Fatal("the catalogue is empty")
	}
	return c, rows
}

func named(rows []app.Tool) map[string]app.Tool {
	return lo.KeyBy(rows, func(row app.Tool) string { return row.Name })
}

func TestEveryToolKeepsTheRules(t *testing.T) {
	c, catalogued := catalogue(t)
	rows := named(catalogued)
	listed := lo.Map(c.Tools, func(tool *mcp.Tool, _ int) string { return tool.Name })
	if diff := cmp.Diff(slices.Sorted(maps.Keys(rows)), listed); diff != "" {
		t.Errorf("tools listed (-catalogue +live):\n%s", diff)
	}
	for _, tool := range c.Tools {
		row := rows[tool.Name]
		if diff := cmp.Diff([]any{asMap(t, row.Input), withoutDescriptions(asMap(t, row.Output))}, []any{tool.InputSchema, tool.OutputSchema}); diff != "" {
			t.Errorf("%s: schemas (-catalogue +live):\n%s", tool.Name, diff)
		}
		for _, broken := range brokenRules(t, tool, row) {
			t.Errorf("%s: %s", tool.Name, broken)
		}
	}
}

// withoutDescriptions takes them from a schema, and from all within it.
func withoutDescriptions(schema map[string]any) map[string]any {
	delete(schema, "description")
	properties, _ := schema["properties"].(map[string]any)
	for _, inner := range append(slices.Collect(maps.Values(properties)), schema["items"], schema["additionalProperties"]) {
		if inner, ok := inner.(map[string]any); ok {
			withoutDescriptions(inner)
		}
	}
	return schema
}

func TestTheCatalogueKeepsItsBudgets(t *testing.T) {
	c, catalogued := catalogue(t)
	rows := named(catalogued)
	size := func(v any) int {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	teaching := 0
	for _, tool := range c.Tools {
		if rows[tool.Name].Toolset != surface.Exact {
			teaching += size(tool.Name) + size(tool.Description) + size(tool.InputSchema)
		}
	}
	t.Logf("%d tools: %d bytes to teach them, %d bytes of tools/list", len(c.Tools), teaching, size(c.Tools))
	if teaching > greatestTeaching {
		t.Errorf("names, descriptions and input schemas have %d bytes, more than %d", teaching, greatestTeaching)
	}
	if list := size(c.Tools); list > greatestList {
		t.Errorf("tools/list has %d bytes, more than %d", list, greatestList)
	}
}

func TestTheInstructionsNameOnlyWhatIsOnOffer(t *testing.T) {
	c, rows := catalogue(t)
	told := map[string]string{
		"the catalogue": c.Session.InitializeResult().Instructions,
		"other tools":   talk(t, answers(nil, nil), mcpserver.Options{}).Session.InitializeResult().Instructions,
	}
	for name, instructions := range told {
		t.Logf("%s: %d characters\n%s", name, utf8.RuneCountInString(instructions), instructions)
		if n := utf8.RuneCountInString(instructions); n == 0 || n > mcpserver.MaxInstructions {
			t.Errorf("%s: the instructions have %d characters", name, n)
		}
		for _, word := range []string{"inspect the state before you retry", "untrusted"} {
			if !strings.Contains(instructions, word) {
				t.Errorf("%s: the instructions do not say %q", name, word)
			}
		}
	}
	for _, row := range rows {
		if strings.Contains(told["other tools"], row.Name) {
			t.Errorf("instructions name %s, which is not on offer", row.Name)
		}
	}
}

var wellNamed = regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// brokenRules says which rules of docs/tools.md a tool breaks, as it is published.
func brokenRules(t *testing.T, tool *mcp.Tool, row app.Tool) (broken []string) {
	t.Helper()
	must := func(holds bool, rule string, args ...any) {
		if !holds {
			broken = append(broken, fmt.Sprintf(rule, args...))
		}
	}
	must(wellNamed.MatchString(tool.Name) && len(tool.Name) <= greatestName, "a name is snake_case and at most %d characters", greatestName)
	must(tool.Title != "", "a tool has a title")
	length := utf8.RuneCountInString(tool.Description)
	must(length > 0 && length <= greatestDescription, "a description has 1 to %d characters, not %d", greatestDescription, length)

	hints := tool.Annotations
	if hints == nil || hints.DestructiveHint == nil || hints.OpenWorldHint == nil {
		return append(broken, "a tool has all four hints")
	}
	destructive, openWorld := *hints.DestructiveHint, *hints.OpenWorldHint
	types := row.Reach == surface.ReachPaneInput || row.Reach == surface.ReachShell
	must(hints.Title == tool.Title, "the hints have the tool's title")
	must(!hints.ReadOnlyHint || row.Effect == surface.Observe && row.Reach == surface.ReachNone && !destructive,
		"a read-only tool observes, reaches no process and destroys nothing")
	must(row.Effect == surface.Observe || !hints.ReadOnlyHint, "a tool that changes tmux is not read-only")
	must(!types || !hints.ReadOnlyHint, "a typing tool is not read-only")
	must(!types || destructive, "a typing tool can destroy what a program holds")
	must(row.Effect != surface.Delete || destructive, "a tool that deletes is destructive")
	must(row.Toolset != surface.Inspect || hints.ReadOnlyHint && openWorld, "inspect tools are read-only and open-world")
	must(row.Toolset != surface.Teardown || destructive, "teardown tools are destructive")
	must(!slices.Contains(row.Holds, surface.TerminalText) || openWorld, "terminal text comes from an open world")

	input, output := asMap(t, tool.InputSchema), asMap(t, tool.OutputSchema)
	properties, _ := input["properties"].(map[string]any)
	_, waits := properties["timeout"]
	must(waits == row.Waits, "exactly tools that wait take a timeout")
	for name, schema := range map[string]map[string]any{"input": input, "output": output} {
		must(schema["type"] == "object" && schema["properties"] != nil && schema["additionalProperties"] == false,
			"the %s is one closed object with properties", name)
		broken = append(broken, brokenSchema(name, schema)...)
	}
	required, _ := input["required"].([]any)
	for _, name := range required {
		property, _ := properties[name.(string)].(map[string]any)
		must(property["description"] != nil, "required argument %s says what it is", name)
	}
	return broken
}

// allowed are the keywords that every known client and model API reads; all others break one of them.
var allowed = []string{
	"type", "properties", "required", "additionalProperties", "items", "enum", "description",
	"minimum", "maximum", "minItems", "maxItems", "maxLength",
}

// brokenSchema says what in a schema, at path, some client cannot read.
func brokenSchema(path string, schema map[string]any) (broken []string) {
	must := func(holds bool, rule string) {
		if !holds {
			broken = append(broken, path+": "+rule)
		}
	}
	for keyword := range schema {
		must(slices.Contains(allowed, keyword), "no "+keyword)
	}
	kind, _ := schema["type"].(string)
	must(slices.Contains([]string{"string", "integer", "number", "boolean", "array", "object"}, kind), "one type, and not null")
	inner := map[string]any{}
	if kind == "array" {
		must(schema["items"] != nil, "arrays say what their items are")
		inner["[]"] = schema["items"]
	}
	if open, ok := schema["additionalProperties"].(map[string]any); ok {
		inner[".*"] = open
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, property := range properties {
		must(wellNamed.MatchString(name), "property "+name+" is not snake_case")
		inner["."+name] = property
	}
	if required, ok := schema["required"].([]any); ok {
		for _, name := range required {
			must(properties[name.(string)] != nil, fmt.Sprintf("requires %v, which it does not have", name))
		}
	}
	for name, schema := range inner {
		if schema, ok := schema.(map[string]any); ok {
			broken = append(broken, brokenSchema(path+name, schema)...)
		} else {
			broken = append(broken, path+name+": a schema is an object")
		}
	}
	return broken
}

// asMap is a schema as JSON has it.
func asMap(t *testing.T, schema any) map[string]any {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatalf("schema %s: %v", text, err)
	}
	return m
}
