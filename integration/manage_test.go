//go:build integration

package integration_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// A person looks at a zoomed pane while their session is tidied up: the pane stays in front.
func TestTidyingUpBesideAPerson(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		w := newTmuxWorld(t, binary)
		seen := w.Session("main", porttest.Recorder)
		beside := string(w.Split(seen, porttest.Recorder))
		w.Put(seen, porttest.Zoomed)
		w.Attach("$0", porttest.Terminal)
		talk := converse(t, w.realServer, nil)
		windows := talk.must("list_windows", nil)["windows"].([]any)
		saved := windows[0].(map[string]any)["layout"]

		stays := func(after string) {
			t.Helper()
			if got := w.Tmux(t, "list-clients", "-F", "#{window_id} #{pane_id} #{window_zoomed_flag}"); got != "@0 "+string(seen)+" 1" {
				t.Fatalf("after %s the person sees %q", after, got)
			}
		}
		talk.must("rename", args{"target_id": "@0", "name": "work"})
		talk.must("rename", args{"target_id": seen, "name": "#(touch X)#{pid}"})
		stays("rename")
		talk.must("select_layout", args{"window_id": "@0", "layout": "even-horizontal"})
		stays("select_layout")
		if got := talk.must("select_layout", args{"window_id": "@0", "layout": saved})["layout"]; got != saved {
			t.Errorf("layout %v, want %v", got, saved)
		}
		talk.must("resize", args{"target_id": beside, "height": 5})
		stays("resize")
		talk.must("swap_panes", args{"pane_id": beside, "other_pane_id": seen})
		stays("swap_panes")
		talk.must("move_window", args{"window_id": "@0", "index": 4})
		stays("move_window")
		other := talk.must("create_session", nil)["session_id"]
		talk.must("create_window", args{"session_id": "$0"})
		talk.refused(fault.Attended, "move_window", args{"window_id": "@0", "session_id": other})
		talk.must("set_option", args{"name": "remain-on-exit", "value": "on", "target_id": beside})
		talk.failed(fault.InvalidInput, "set_option", args{"name": "status", "value": "off"})
		talk.failed(fault.InvalidInput, "select_layout", args{"window_id": "@0", "layout": "0000,80x24,0,0"})
		stays("all of it")

		if out := talk.must("resize", args{"target_id": beside, "zoom": true}); out["zoomed"] != true {
			t.Errorf("a zoom: %v", out)
		}
		talk.must("select", args{"target_id": seen})
		if got := w.Tmux(t, "list-clients", "-F", "#{pane_id}"); got != string(seen) {
			t.Errorf("after select the person sees %s", got)
		}
	})
}
