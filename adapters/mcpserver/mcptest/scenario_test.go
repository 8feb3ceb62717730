package mcptest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
)

// A watched test is one whose failure is what is expected.
type watched struct{ testing.TB }

func (watched) Helper() {}

func (watched) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// A scenario is only worth something if it notices what is not as it says.
func TestAScenarioNoticesWhatIsNotSo(t *testing.T) {
	const head = "About nothing.\n-- conversation --\n"
	const call = "> look {}\n< n: $n\n"
	tests := map[string]struct {
		text string
		says string // empty: it is as it says
	}{
		"a value":                    {head + call + "< n: 1\n< list.0: \"a\"\n< list: [\"a\"]\n< list ~ \"^.a\"\n", ""},
		"a value that has a name":    {head + call + "> look {\"sent\": \"$n\"}\n< n: $n\n< sent: 1\n", ""},
		"an error that is told of":   {head + "> look {\"fail\": true}\n< error.code: \"busy\"\n", ""},
		"another value":              {head + call + "< n: 2\n", "scenario:5: n is 1, want 2"},
		"another value than before":  {head + call + "> look {\"n\": 2}\n< n: $n\n", "n is 2, want $n, which is 1"},
		"no such field":              {head + call + "< m: 2\n", "there is no m"},
		"no such element":            {head + call + "< list.1: 2\n", "there is no list.1"},
		"another text":               {head + call + "< list ~ \"b\"\n", "want one in which b is found"},
		"an error that nobody tells": {head + "> look {\"fail\": true}\n> look {}\n", "scenario:3: the call failed"},
		"an error at the end":        {head + call + "> look {\"fail\": true}\n", "the call failed"},
		"an error that is none":      {head + "> look {}\n< error.code: \"busy\"\n", "there is no error.code"},
		"a name that is not known":   {head + "> look {\"sent\": \"$m\"}\n", "$m is not known here"},
		"a line that is nothing":     {head + "look\n", "what is"},
		"nothing compared":           {head + "> look {}\n", "compares nothing"},
		"no conversation":            {"About nothing.\n", "is not a comment and a conversation"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
			server.AddTool(&mcp.Tool{
				Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"object"}`),
			}, func(_ context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				given := map[string]any{"n": 1, "list": []string{"a"}}
				if err := json.Unmarshal(request.Params.Arguments, &given); err != nil {
					return nil, err
				}
				if given["fail"] == true {
					return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: `{"error":{"code":"busy","delivery":"not_sent","message":"m"}}`}}}, nil
				}
				text, err := json.Marshal(given)
				return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}, err
			})
			defer func() {
				said, _ := recover().(string)
				if test.says == "" && said != "" || !strings.Contains(said, test.says) {
					t.Errorf("want %q, got %q", test.says, said)
				}
			}()
			mcptest.Play(watched{t}, "scenario", []byte(test.text), mcptest.Serve(t, server), nil)
		})
	}
}
