package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
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

func TestAResultHasACeiling(t *testing.T) {
	of := func(size int) any { // bytes of JSON
		return map[string]string{"s": strings.Repeat("x", size-len(`{"s":""}`))}
	}
	tests := map[string]struct {
		tool    string
		size    int
		options mcpserver.Options
		want    string // error; none if empty
	}{
		"at the ceiling": {tool: "look", size: 1 << 20},
		"above it": {
			tool: "look", size: 1<<20 + 1,
			want: `{"error":{"code":"capacity","delivery":"not_sent","message":"the result of look has 1048577 bytes, more than the 1048576 that one answer may have",` +
				`"recovery":"ask for less: smaller max_lines or max_bytes, or narrower filters"}}`,
		},
		"above one of your own, after a change": {
			tool: "touch", size: 101, options: mcpserver.Options{MaxResultBytes: 100},
			want: `{"error":{"code":"capacity","delivery":"observed","message":"the result of touch has 101 bytes, more than the 100 that one answer may have",` +
				`"recovery":"it was done: do not repeat it, inspect the state in smaller pieces"}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, failure := talk(t, answers(of(test.size), nil), test.options).Call(t, test.tool, nil)
			got := ""
			if failure != nil {
				got = failure.Text
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAResultThatIsNoJSON(t *testing.T) {
	_, failure := talk(t, answers(func() {}, nil), mcpserver.Options{}).Call(t, "touch", nil)
	if failure == nil || failure.Code != fault.Internal || failure.Delivery != fault.PossiblySent {
		t.Errorf("want internal, possibly_sent, got %+v", failure)
	}
}
