package guard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// twoSessions is $0 with @0 (%0, %1) and the shared @1 (%2), $1 with @1 and @2 (%3), and $2 with @3 (%4) alone. Whoever is attached
// sees the window that is named.
func twoSessions(attached map[tmux.SessionID]tmux.WindowID) tmux.Topology {
	t := tmux.Topology{Running: true}
	for _, id := range []tmux.SessionID{"$0", "$1", "$2"} {
		t.Sessions = append(t.Sessions, tmux.Session{ID: id})
	}
	for _, id := range []tmux.WindowID{"@0", "@1", "@2", "@3"} {
		t.Windows = append(t.Windows, tmux.Window{ID: id, Viewers: "v" + string(id)})
	}
	for i, window := range []tmux.WindowID{"@0", "@0", "@1", "@2", "@3"} {
		t.Panes = append(t.Panes, tmux.Pane{ID: tmux.PaneID("%" + string(rune('0'+i))), Window: window, Index: i, Active: i != 1})
	}
	t.Links = []tmux.Link{
		{Session: "$0", Window: "@1", Index: 1},
		{Session: "$0", Window: "@0", Index: 0},
		{Session: "$1", Window: "@1", Index: 0},
		{Session: "$1", Window: "@2", Index: 1},
		{Session: "$2", Window: "@3"},
	}
	for session, window := range attached {
		t.Clients = append(t.Clients, tmux.Client{Name: "person", Session: session, Window: window})
	}
	return t
}

func TestJudgeEndRefuses(t *testing.T) {
	type attached = map[tmux.SessionID]tmux.WindowID
	tests := map[string]struct {
		target   string
		attached attached
		caller   tmux.PaneID
		kind     fault.Kind   // empty: neither confirmation is needed
		reason   fault.Reason // of the refusal without any confirmation
	}{
		"nobody is there":                               {"%0", nil, "", "", ""},
		"no such pane":                                  {"%9", nil, "", fault.NotFound, ""},
		"no such window":                                {"@9", nil, "", fault.NotFound, ""},
		"no such session":                               {"$9", nil, "", fault.NotFound, ""},
		"the caller's pane":                             {"%0", nil, "%0", fault.Refused, fault.HoldsCaller},
		"beside the caller's pane":                      {"%1", nil, "%0", "", ""},
		"the caller's window":                           {"@0", nil, "%1", fault.Refused, fault.HoldsCaller},
		"the caller's session":                          {"$0", nil, "%1", fault.Refused, fault.HoldsCaller},
		"the caller's window lives on in another":       {"$0", nil, "%2", "", ""},
		"a pane that a person sees":                     {"%1", attached{"$0": "@0"}, "", fault.Refused, fault.Attended},
		"a window that a person sees":                   {"@0", attached{"$0": "@0"}, "", fault.Refused, fault.Attended},
		"a window seen through another session":         {"@1", attached{"$1": "@1"}, "", fault.Refused, fault.Attended},
		"a window that nobody sees now":                 {"@0", attached{"$0": "@1"}, "", "", ""},
		"a session that a person sees":                  {"$0", attached{"$0": "@0"}, "", fault.Refused, fault.Attended},
		"a session whose shared window its person sees": {"$0", attached{"$0": "@1"}, "", fault.Refused, fault.Attended},
		"a session whose shared window another sees":    {"$0", attached{"$1": "@1"}, "", "", ""},
		"the last window of a session":                  {"@3", attached{"$2": "@3"}, "", fault.Refused, fault.Attended},
		"the caller comes before the person":            {"$0", attached{"$0": "@0"}, "%0", fault.Refused, fault.HoldsCaller},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			for _, self := range []bool{false, true} {
				for _, seen := range []bool{false, true} {
					wish := guard.EndWish{Target: test.target, ConfirmSelf: self, ConfirmAttended: seen}
					_, refusal := guard.JudgeEnd(twoSessions(test.attached), wish, test.caller)
					want := test.reason
					if want == fault.HoldsCaller && self {
						want = ""
						if len(test.attached) > 0 {
							want = fault.Attended
						}
					}
					if want == fault.Attended && seen {
						want = ""
					}
					var got fault.Reason
					if refusal != nil {
						got = refusal.Reason
						if refusal.Recovery == "" || refusal.Message == "" || refusal.Target != test.target {
							t.Errorf("%+v does not say what is wrong and what to do", refusal)
						}
					}
					if got != want || test.kind == fault.NotFound && !fault.Is(refusal, fault.NotFound) {
						t.Errorf("confirm_self %t, confirm_attended %t: got %v, want %q", self, seen, refusal, want)
					}
				}
			}
		})
	}
}

func TestJudgeEndSaysWhatMustHold(t *testing.T) {
	first := guard.EndingWindow{Window: "@0", Panes: []tmux.PaneID{"%0", "%1"}, Active: "%0", Viewers: "v@0"}
	shared := guard.EndingWindow{Window: "@1", Panes: []tmux.PaneID{"%2"}, Active: "%2", Viewers: "v@1"}
	living := shared
	living.Shared = 2
	for target, want := range map[string][]guard.EndingWindow{
		"%1": {first},
		"@0": {first},
		"@1": {shared},
		"$0": {first, living},
	} {
		for _, confirmed := range []bool{false, true} {
			got, refusal := guard.JudgeEnd(twoSessions(nil), guard.EndWish{Target: target, ConfirmAttended: confirmed}, "")
			if refusal != nil {
				t.Fatal(refusal)
			}
			if diff := cmp.Diff(guard.Ending{Target: target, Windows: want, Unwatched: !confirmed}, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", target, diff)
			}
		}
	}
}

func TestAHiddenPaneIsOneBehindAZoom(t *testing.T) {
	zoomed := guard.EndingWindow{Window: "@0", Active: "%0", Zoomed: true}
	for name, test := range map[string]struct {
		ending guard.Ending
		want   bool
	}{
		"behind":           {guard.Ending{Target: "%1", Windows: []guard.EndingWindow{zoomed}}, true},
		"the zoomed one":   {guard.Ending{Target: "%0", Windows: []guard.EndingWindow{zoomed}}, false},
		"no zoom":          {guard.Ending{Target: "%1", Windows: []guard.EndingWindow{{Window: "@0", Active: "%0"}}}, false},
		"the whole window": {guard.Ending{Target: "@0", Windows: []guard.EndingWindow{zoomed}}, false},
	} {
		if active, hidden := test.ending.Hidden(); hidden != test.want || hidden && active != "%0" {
			t.Errorf("%s: got %s, %t", name, active, hidden)
		}
	}
}
