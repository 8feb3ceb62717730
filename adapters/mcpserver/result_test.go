package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
)

type run struct {
	Status int      `json:"exit_status"`
	Lines  []string `json:"lines"`
	Errors string   `json:"stderr,omitempty"`
	Cursor string   `json:"cursor"`
}

func TestTheTextOfAResult(t *testing.T) {
	bulk := strings.Repeat("x", 50_000)
	tests := map[string]struct {
		out  run
		want string
	}{
		"small": {
			run{3, []string{"a <b> & c", "日本\t\x1b"}, "", "c1"},
			`{"exit_status":3,"lines":["a <b> & c","日本\t\u001b"],"cursor":"c1"}`,
		},
		"empty": {
			run{0, []string{}, "", "c1"},
			`{"exit_status":0,"lines":[],"cursor":"c1"}`,
		},
		"one bulk": {
			run{3, []string{bulk, bulk}, "short", "c1"},
			`{"exit_status":3,"lines":"left out of this text (100007 bytes): see structuredContent, or ask for less","stderr":"short","cursor":"c1"}`,
		},
		"two bulks of which one fits": {
			run{3, []string{bulk}, bulk + bulk, "c1"},
			`{"exit_status":3,"lines":["` + bulk + `"],"stderr":"left out of this text (100002 bytes): see structuredContent, or ask for less","cursor":"c1"}`,
		},
		"two bulks": {
			run{3, []string{bulk + bulk}, bulk + bulk, "c1"},
			`{"exit_status":3,"lines":"left out of this text (100004 bytes): see structuredContent, or ask for less",` +
				`"stderr":"left out of this text (100002 bytes): see structuredContent, or ask for less","cursor":"c1"}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := talk(t, answers(test.out, nil), mcpserver.Options{})
			answer, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{Name: "look"})
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := c.Read("look", answer); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(test.want, answer.Content[0].(*mcp.TextContent).Text); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			whole, err := json.Marshal(answer.StructuredContent)
			if err != nil {
				t.Fatal(err)
			}
			var got run
			if err := json.Unmarshal(whole, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.out, got); diff != "" {
				t.Errorf("structuredContent (-want +got):\n%s", diff)
			}
		})
	}
}
