//go:build integration

package integration_test

import (
	"fmt"
	"maps"
	"slices"
	"syscall"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// Of any two things that stand in the way in a real pane, input is refused for the one that comes first.
func TestInputIsRefusedForTheFirstOfTwo(t *testing.T) {
	run := []string{"run_shell_command"}
	all := append([]string{"send_keys", "paste_text"}, run...)
	obstacles := []struct { // in the order of their precedence
		reason fault.Reason
		counts []string // tools
		set    func(t *testing.T, w *tmuxWorld, pane tmux.PaneID)
	}{
		{fault.Dead, all, func(t *testing.T, w *tmuxWorld, pane tmux.PaneID) {
			w.Tmux(t, "set-option", "-p", "-t", string(pane), "remain-on-exit", "on")
			if err := syscall.Kill(number(t, w.Tmux(t, "display-message", "-p", "-t", string(pane), "#{pane_pid}")), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			eventually(t, "the pane is dead", func() (bool, string) {
				dead := w.Tmux(t, "display-message", "-p", "-t", string(pane), "#{pane_dead}")
				return dead == "1", dead
			})
		}},
		{fault.InputOff, all, func(_ *testing.T, w *tmuxWorld, pane tmux.PaneID) { w.Put(pane, porttest.InputOff) }},
		{fault.InMode, all, func(_ *testing.T, w *tmuxWorld, pane tmux.PaneID) { w.Put(pane, porttest.CopyMode) }},
		{fault.Synchronized, run, func(t *testing.T, w *tmuxWorld, pane tmux.PaneID) {
			w.SetOption(w.Tmux(t, "display-message", "-p", "-t", string(pane), "#{window_id}"), "synchronize-panes", "on")
		}},
		{fault.Attended, all, func(t *testing.T, w *tmuxWorld, pane tmux.PaneID) {
			w.Attach(tmux.SessionID(w.Tmux(t, "display-message", "-p", "-t", string(pane), "#{session_id}")), porttest.Terminal)
		}},
		{fault.NotAShell, run, func(*testing.T, *tmuxWorld, tmux.PaneID) {}}, // a recorder is none
	}
	arguments := map[string]args{"send_keys": {"text": "x"}, "paste_text": {"text": "x"}, "run_shell_command": {"command": "true"}}
	anyBackend(t, func(t *testing.T, binary, backend string) {
		w := newTmuxWorld(t, binary)
		panes := map[string]tmux.PaneID{}
		for i, first := range obstacles {
			for _, second := range obstacles[i+1:] {
				pair := fmt.Sprint(first.reason, " and ", second.reason)
				panes[pair] = w.Session(fmt.Sprint("pair", len(panes)), porttest.Recorder)
				second.set(t, w, panes[pair])
				first.set(t, w, panes[pair]) // the last: what is dead enters no mode
			}
		}
		talk := converseOver(t, backend, w.realServer, nil)
		talk.must("list_panes", nil)
		for i, first := range obstacles {
			for _, second := range obstacles[i+1:] {
				pane := panes[fmt.Sprint(first.reason, " and ", second.reason)]
				for _, tool := range all {
					in := args{"pane_id": string(pane)}
					maps.Copy(in, arguments[tool])
					switch {
					case slices.Contains(first.counts, tool):
						talk.refused(first.reason, tool, in)
					case slices.Contains(second.counts, tool):
						talk.refused(second.reason, tool, in)
					}
				}
			}
		}
		for pair, pane := range panes {
			if received := w.Received(pane); received != "" {
				t.Errorf("%s: the pane received %q", pair, received)
			}
		}
	})
}
