//go:build integration

package integration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// Three hundred panes page as they were, while some die and tmux itself is restarted.
func TestSnapshotPages(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		const panes = 300
		s := startServer(t, binary, "cat")
		for range 5 { // a list has at most 16 KiB
			var list []string
			for range (panes - 1) / 5 {
				list = append(list, "new-window", "-d", "-t", "main:", "cat", ";")
			}
			s.Tmux(t, list...)
		}
		s.Tmux(t, "new-window", "-d", "-t", "main:", "cat", ";", "new-window", "-d", "-t", "main:", "cat", ";", "new-window", "-d", "-t", "main:", "cat", ";", "new-window", "-d", "-t", "main:", "cat")
		want := strings.Fields(s.Tmux(t, "list-panes", "-a", "-F", "#{pane_id}"))
		if len(want) != panes {
			t.Fatalf("%d panes, want %d", len(want), panes)
		}
		c := converseOver(t, backend, s, nil)
		page := c.must("tmux_snapshot", args{"entity": "pane", "limit": 200})
		var got []string
		collect := func() {
			for _, item := range page["items"].([]any) {
				got = append(got, item.(map[string]any)["ref"].(map[string]any)["id"].(string))
			}
		}
		collect()
		generation := page["server"].(map[string]any)["generation"].(string)
		s.Tmux(t, "kill-pane", "-t", want[250])
		windows := c.must("tmux_snapshot", args{"entity": "window", "criteria": args{"field": "window_panes", "op": "gt", "value": 1}})
		if coverage := windows["coverage"].(map[string]any); coverage["read"] != panes-1.0 || coverage["matched"] != 0.0 {
			t.Errorf("windows: %v", coverage)
		}
		s.Tmux(t, "kill-server")
		eventually(t, "nobody listens", func() (bool, string) {
			out, err := s.Try("list-sessions")
			return err != nil, out
		})
		page = c.must("tmux_snapshot", args{"cursor": page["next_cursor"]})
		collect()
		if slices.Sort(got); page["truncated"] != false || !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("pages have %d panes, want the %d that there were", len(got), len(want))
		}
		if absent := c.must("tmux_snapshot", args{"entity": "pane"}); absent["server"].(map[string]any)["state"] != "absent" {
			t.Errorf("without a server: %v", absent)
		}
		eventually(t, "another tmux runs", func() (bool, string) {
			out, err := s.Try("-f", "/dev/null", "new-session", "-d", "cat")
			return err == nil, out
		})
		_, err := c.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "tmux://local/" + generation + "/snapshots/pane"})
		if err == nil || !strings.Contains(err.Error(), "another life of tmux") {
			t.Errorf("a resource of the life before: %v", err)
		}
		c.failed(fault.StaleCursor, "tmux_snapshot", args{"cursor": generation})
	})
}

// Who denies by default is offered two tools and what was named, and nothing else exists.
func TestBinaryDeniesByDefault(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		for _, backend := range []string{backendCLI, backendControl} {
			s := startServer(t, tmux)
			p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", backend, "--endpoint", "work", "--enable-tool", "get_pane_info")
			tools, err := p.Tools(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(tools)
			if !slices.Equal(tools, []string{"get_pane_info", "tmux_capabilities", "tmux_snapshot"}) {
				t.Errorf("tools %v", tools)
			}
			if _, err := p.Call(t.Context(), "send_keys", fields{"pane_id": "%0", "text": "x"}); err == nil || !strings.Contains(err.Error(), "-32602") {
				t.Errorf("send_keys, which is not on offer: %v", err)
			}
			told := call(t, p, "tmux_capabilities", nil)
			told.want(t, fields{"endpoint": "work", "owns_daemon": false, "resource_subscriptions": false})
			server := told["server"].(map[string]any)
			if pid := fmt.Sprint(server["pid"]); pid != s.Tmux(t, "display-message", "-p", "#{pid}") {
				t.Errorf("server %v", server)
			}
			page := call(t, p, "tmux_snapshot", fields{"entity": "session"})
			item := page["items"].([]any)[0].(map[string]any)
			ref, values := item["ref"].(map[string]any), item["fields"].(map[string]any)
			if ref["generation"] != server["generation"] || ref["id"] != "$0" || values["session_name"] != "main" || values["session_attached"] != 0.0 {
				t.Errorf("%s: item %v", backend, item)
			}
			if clients := call(t, p, "tmux_snapshot", fields{"entity": "client"}); len(clients["items"].([]any)) != 0 {
				t.Errorf("%s: clients %v", backend, clients)
			}
			raw, err := p.Request(t.Context(), "resources/read", fields{"uri": "tmux://work/" + server["generation"].(string) + "/snapshots/pane"})
			if err != nil || !strings.Contains(string(raw), `pane_id`) {
				t.Errorf("resource: %s, %v", raw, err)
			}
		}
	})
}
