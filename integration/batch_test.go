//go:build integration

package integration_test

import (
	"fmt"
	"testing"
)

func TestBinaryBatch(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		for _, backend := range []string{"cli", "control"} {
			t.Run(backend, func(t *testing.T) {
				s := startServer(t, tmux)
				options := []string{"--tmux", tmux, "--socket", s.Socket, "--backend", backend}
				for _, tool := range []string{"call_read_tools_batch", "list_panes", "get_pane_info", "get_tmux_variables", "send_keys"} {
					options = append(options, "--enable-tool", tool)
				}
				p := hello(t, options...)
				alone := call(t, p, "list_panes", nil)
				out := call(t, p, "call_read_tools_batch", fields{"on_error": "continue", "calls": []fields{
					{"tool": "list_panes"},
					{"tool": "get_pane_info", "arguments": fields{"pane_id": "%99"}},
					{"tool": "show_environment"},
					{"tool": "send_keys", "arguments": fields{"pane_id": "%0", "text": "x"}},
					{"tool": "get_tmux_variables", "arguments": fields{"names": []string{"session_name"}, "pane_id": "%0"}},
				}})
				out.want(t, fields{"total": 5.0, "failed": 3.0, "truncated": false})
				got := []string{}
				for _, row := range out["results"].([]any) {
					row := row.(map[string]any)
					failure, _ := row["error"].(map[string]any)
					got = append(got, fmt.Sprint(row["tool"], " ", failure["code"]))
				}
				want := "[list_panes <nil> get_pane_info not_found show_environment invalid_input send_keys invalid_input get_tmux_variables <nil>]"
				if fmt.Sprint(got) != want {
					t.Errorf("got %v, want %s", got, want)
				}
				row := out["results"].([]any)[0].(map[string]any)["result"].(map[string]any)
				if row["generation"] != alone["generation"] || row["total"] != alone["total"] {
					t.Errorf("in a batch %v, alone %v", row, alone)
				}
			})
		}
	})
}
