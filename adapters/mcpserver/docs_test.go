package mcpserver_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

var update = flag.Bool("update", false, "write docs/tools.md anew instead of comparing it")

// The document is what a live server lists, so it cannot lag behind.
func TestToolsDocument(t *testing.T) {
	const path = "../../docs/tools.md"
	want := document(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/tools.md is not what the server lists: run \"make docs\" (-server +document):\n%s", diff)
	}
}

const preface = `# Tools

What a client is shown by tools/list, and what the fields of results mean, which it is not. Written by "make docs"; do not edit.

Every result is one object in structuredContent, and the same JSON as text; where that text would pass 64 KiB, a note
stands in it for each of the largest fields. What is absent is unknown or does not apply. Errors have one shape for all
tools: see [errors.md](errors.md).
`

var toolsets = []struct {
	set   surface.Toolset
	title string
}{
	{surface.Inspect, "inspect"},
	{surface.Manage, "manage"},
	{surface.Execute, "execute"},
	{surface.Teardown, "teardown"},
	{surface.Exact, "Enabled by exact name"},
}

func document(t *testing.T) string {
	t.Helper()
	c, rows := catalogue(t)
	var out strings.Builder
	out.WriteString(preface)
	live := lo.KeyBy(c.Tools, func(tool *mcp.Tool) string { return tool.Name })
	written := 0
	for _, toolset := range toolsets {
		heading := fmt.Sprintf("\n## %s\n", toolset.title)
		for _, row := range rows {
			if row.Toolset != toolset.set {
				continue
			}
			out.WriteString(heading)
			describeTool(&out, live[row.Name], row)
			heading = ""
			written++
		}
	}
	if written != len(live) {
		t.Fatalf("%d of %d tools belong to a toolset that the document knows", written, len(live))
	}
	return out.String()
}

func describeTool(out *strings.Builder, tool *mcp.Tool, row app.Tool) {
	fmt.Fprintf(out, "\n### %s\n\n**%s.** %s\n\n", tool.Name, tool.Title, tool.Description)
	fmt.Fprintf(out, "%s.\n\n", strings.Join(hints(tool.Annotations, row), "; "))
	if arguments := fields("", row.Input); len(arguments) == 0 {
		out.WriteString("No arguments.\n\n")
	} else {
		fmt.Fprintf(out, "| argument | type | |\n| --- | --- | --- |\n%s\n", strings.Join(arguments, ""))
	}
	fmt.Fprintf(out, "| result | type | |\n| --- | --- | --- |\n%s", strings.Join(fields("", row.Output), ""))
}

func hints(h *mcp.ToolAnnotations, row app.Tool) []string {
	said := []string{lo.Ternary(h.ReadOnlyHint, "Read-only", lo.Ternary(*h.DestructiveHint, "Destructive", "Additive"))}
	if h.IdempotentHint {
		said = append(said, "idempotent")
	}
	if *h.OpenWorldHint {
		said = append(said, "open world")
	}
	if row.Reach != surface.ReachNone {
		said = append(said, "reaches "+strings.ReplaceAll(string(row.Reach), "_", " "))
	}
	if row.Amplifies {
		said = append(said, "amplifies later input")
	}
	if row.Waits {
		said = append(said, "waits")
	}
	if len(row.Holds) > 0 {
		held := lo.Map(row.Holds, func(c surface.Content, _ int) string { return strings.ReplaceAll(string(c), "_", " ") })
		said = append(said, "the result holds "+strings.Join(held, ", "))
	}
	return said
}

// fields are the table rows of an object's properties, and of what is in them, in the order that the
// server gives. The SDK's client loses that order, so they come from the catalogue, to which another test holds the list.
func fields(prefix string, object *jsonschema.Schema) (rows []string) {
	for _, name := range object.PropertyOrder {
		property := object.Properties[name]
		kind := lo.Ternary(lo.Contains(object.Required, name), "", "optional ") + kindOf(property)
		meaning := strings.ReplaceAll(property.Description, "|", "\\|")
		rows = append(rows, strings.TrimSuffix(fmt.Sprintf("| `%s%s` | %s | %s", prefix, name, kind, meaning), " ")+" |\n")
		switch {
		case property.Items != nil && property.Items.Properties != nil:
			rows = append(rows, fields(prefix+name+"[].", property.Items)...)
		case property.Properties != nil:
			rows = append(rows, fields(prefix+name+".", property)...)
		}
	}
	return rows
}

func kindOf(schema *jsonschema.Schema) string {
	kind := schema.Type
	switch {
	case schema.Items != nil:
		kind = "array of " + kindOf(schema.Items)
	case len(schema.Enum) > 0:
		kind = strings.Join(lo.Map(schema.Enum, func(v any, _ int) string { return fmt.Sprintf("`%v`", v) }), ", ")
	case schema.AdditionalProperties != nil && schema.Properties == nil:
		kind = "object of " + kindOf(schema.AdditionalProperties)
	}
	return kind + limits("", schema.Minimum, schema.Maximum) +
		limits(" items", asFloat(schema.MinItems), asFloat(schema.MaxItems)) + limits(" characters", nil, asFloat(schema.MaxLength))
}

func limits(unit string, least, most *float64) string {
	switch {
	case least != nil && most != nil:
		return fmt.Sprintf(", %.0f to %.0f%s", *least, *most, unit)
	case least != nil:
		return fmt.Sprintf(", at least %.0f%s", *least, unit)
	case most != nil:
		return fmt.Sprintf(", at most %.0f%s", *most, unit)
	}
	return ""
}

func asFloat(n *int) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}
