//go:build integration

package integration_test

import (
	"slices"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// A person has one session open; what is not theirs may end, and only that.
func TestCleaningUpBesideAPerson(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		w := newTmuxWorld(t, binary)
		theirs := string(w.Session("main", porttest.Recorder))
		w.Attach("$0", porttest.Terminal)
		talk := converse(t, w.realServer, nil)
		talk.must("list_panes", nil)

		talk.refused(fault.Attended, "kill_pane", args{"pane_id": theirs})
		talk.refused(fault.Attended, "kill_window", args{"window_id": "@0"})
		talk.refused(fault.Attended, "kill_session", args{"session_id": "$0"})
		talk.refused(fault.Attended, "kill_session", args{"session_id": "$0", "confirm_self": true})

		window := talk.must("create_window", args{"session_id": "$0"})
		beside := talk.must("split_window", args{"pane_id": window["pane_id"]})["pane_id"]
		ended(t, talk.must("kill_pane", args{"pane_id": beside}), []any{beside}, nil, nil)
		ended(t, talk.must("kill_pane", args{"pane_id": window["pane_id"]}), []any{window["pane_id"]}, []any{window["window_id"]}, nil)
		session := talk.must("create_session", args{"name": "mine"})
		ended(t, talk.must("kill_session", args{"session_id": session["session_id"]}),
			[]any{session["pane_id"]}, []any{session["window_id"]}, []any{session["session_id"]})
		talk.failed(fault.NotFound, "kill_session", args{"session_id": session["session_id"]})

		if clients := w.clients(); clients != 1 {
			t.Errorf("%d clients, want the person's", clients)
		}
		second := talk.must("split_window", args{"pane_id": theirs})["pane_id"]
		ended(t, talk.must("kill_pane", args{"pane_id": second, "confirm_attended": true}), []any{second}, nil, nil)
	})
}

// ended checks what a kill says that ended.
func ended(t *testing.T, out map[string]any, panes, windows, sessions []any) {
	t.Helper()
	for name, want := range map[string][]any{"panes": panes, "windows": windows, "sessions": sessions} {
		if got, _ := out[name].([]any); !slices.Equal(got, want) {
			t.Errorf("%s that ended: %v, want %v", name, got, want)
		}
	}
}
