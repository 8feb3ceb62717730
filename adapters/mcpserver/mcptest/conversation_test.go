package mcptest_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
)

// A conversation is only worth something if it notices what breaks the contract.
func TestAConversationNoticesWhatBreaksTheContract(t *testing.T) {
	text := func(texts ...string) (content []mcp.Content) {
		for _, text := range texts {
			content = append(content, &mcp.TextContent{Text: text})
		}
		return content
	}
	failure := func(text1 string) *mcp.CallToolResult {
		return &mcp.CallToolResult{IsError: true, Content: text(text1)}
	}
	result := func(structured, text1 string) *mcp.CallToolResult {
		return &mcp.CallToolResult{StructuredContent: json.RawMessage(structured), Content: text(text1)}
	}
	long := strings.Repeat("x", 64<<10)
	tests := map[string]struct {
		answer *mcp.CallToolResult
		says   string // empty: nothing is broken
	}{
		"a result":                    {result(`{"n":1}`, `{"n":1}`), ""},
		"a result without its bulk":   {result(`{"n":1,"s":"`+long+`"}`, `{"n":1,"s":"see there"}`), ""},
		"a text without a field":      {result(`{"n":1,"s":"`+long+`"}`, `{"n":1}`), "does not speak of s"},
		"a text of everything":        {result(`{"n":1,"s":"`+long+`"}`, `{"n":2,"s":"`+long+`"}`), "the text has 65"},
		"another text":                {result(`{"n":1}`, `{"n":2}`), `the text {"n":2} is not the result {"n":1}`},
		"a text that is no JSON":      {result(`{"n":1}`, `one`), "no JSON object"},
		"no text":                     {&mcp.CallToolResult{StructuredContent: json.RawMessage(`{"n":1}`)}, "want one content, got 0"},
		"two texts":                   {&mcp.CallToolResult{Content: text("{}", "{}")}, "want one content, got 2"},
		"no text but an image":        {&mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte{1}}}}, "want text, got"},
		"no structure":                {&mcp.CallToolResult{Content: text("{}")}, "want an object as structuredContent"},
		"a result beside its schema":  {result(`{"n":"one"}`, `{"n":"one"}`), "breaks its schema"},
		"null":                        {result(`{"n":1,"s":null}`, `{"n":1,"s":null}`), "breaks its schema"},
		"an error":                    {failure(`{"error":{"code":"not_found","delivery":"not_sent","message":"m"}}`), ""},
		"a refusal":                   {failure(`{"error":{"code":"refused","reason":"busy","delivery":"not_sent","message":"m"}}`), ""},
		"a refusal without reason":    {failure(`{"error":{"code":"refused","delivery":"not_sent","message":"m"}}`), "lacks"},
		"a reason without refusal":    {failure(`{"error":{"code":"not_found","reason":"busy","delivery":"not_sent","message":"m"}}`), "lacks"},
		"an error without delivery":   {failure(`{"error":{"code":"not_found","message":"m"}}`), "lacks"},
		"an error with more":          {failure(`{"error":{"code":"not_found","delivery":"not_sent","message":"m","stack":"s"}}`), "unknown field"},
		"an error that is prose":      {failure(`no such pane`), "the error no such pane"},
		"an error with structure":     {&mcp.CallToolResult{IsError: true, StructuredContent: json.RawMessage(`{}`), Content: text(`{}`)}, "has structuredContent"},
		"a precondition that escaped": {failure(`{"error":{"code":"precondition_failed","delivery":"not_sent","message":"m"}}`), "should not have left"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
			server.AddTool(&mcp.Tool{
				Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`),
				OutputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"s":{"type":"string"}},"required":["n"]}`),
			}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return test.answer, nil })
			_, _, err := mcptest.Serve(t, server).Ask(t.Context(), "look", nil)
			switch {
			case test.says == "" && err != nil:
				t.Errorf("want nothing broken, got %v", err)
			case test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)):
				t.Errorf("want an error that says %q, got %v", test.says, err)
			}
		})
	}
}
