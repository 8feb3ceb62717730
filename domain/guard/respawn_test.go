package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Every combination of what speaks against a respawn, and of what was confirmed: the first that stands is the reason.
func TestJudgeRespawn(t *testing.T) {
	for bits := range 1 << 6 {
		has := func(bit int) bool { return bits>>bit&1 == 1 }
		caller, seen, held, dead, kill, confirmed := has(0), has(1), has(2), has(3), has(4), has(5)
		t.Run(fmt.Sprintf("caller=%t seen=%t held=%t dead=%t kill=%t confirmed=%t", caller, seen, held, dead, kill, confirmed), func(t *testing.T) {
			attached := map[tmux.SessionID]tmux.WindowID{}
			if seen {
				attached["$0"] = "@0"
			}
			topology, known := twoSessions(attached), guard.Evidence{Holders: map[tmux.PaneID]string{"%0": "other"}}
			topology.Panes[1].PID, topology.Panes[1].Dead, topology.Panes[1].Command = 7, dead, "vim"
			if caller {
				known.Caller = "%1"
			}
			if held {
				known.Holders["%1"] = "r1"
			}
			var want fault.Reason
			switch {
			case caller:
				want = fault.CallerPane
			case seen && !confirmed:
				want = fault.Attended
			case held, !dead && !kill:
				want = fault.Busy
			}
			got, refusal := guard.JudgeRespawn(topology, guard.RespawnWish{Pane: "%1", Kill: kill, ConfirmAttended: confirmed}, known)
			if want != "" {
				if refusal == nil || refusal.Reason != want || refusal.Kind != fault.Refused || refusal.Target != "%1" || refusal.Recovery == "" || got != (guard.Respawning{}) {
					t.Fatalf("got %+v and %+v, want %s", got, refusal, want)
				}
				if says := map[bool]string{true: "r1", false: "kill true"}[held]; want == fault.Busy && !strings.Contains(refusal.Recovery, says) {
					t.Errorf("recovery %q does not name %s", refusal.Recovery, says)
				}
				return
			}
			wanted := guard.Respawning{Pane: "%1", PID: 7, Kill: kill, Unwatched: !confirmed, Viewers: "v@0"}
			if diff := cmp.Diff(wanted, got); diff != "" || refusal != nil {
				t.Errorf("refusal %v, and (-want +got):\n%s", refusal, diff)
			}
		})
	}
	if _, refusal := guard.JudgeRespawn(twoSessions(nil), guard.RespawnWish{Pane: "%9"}, guard.Evidence{}); refusal == nil || refusal.Kind != fault.NotFound {
		t.Errorf("no such pane: %v", refusal)
	}
}
