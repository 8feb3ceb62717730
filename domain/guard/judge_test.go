package guard_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// obstacles are what can stand in the way, in the order of their precedence, and for which actions they count.
var obstacles = []struct {
	reason fault.Reason
	counts []guard.Action
	set    func(*tmux.Pane, *tmux.Topology, *guard.Evidence)
}{
	{fault.Dead, all, func(p *tmux.Pane, _ *tmux.Topology, _ *guard.Evidence) { p.Dead = true }},
	{fault.InputOff, all, func(p *tmux.Pane, _ *tmux.Topology, _ *guard.Evidence) { p.InputOff = true }},
	{fault.InMode, all, func(p *tmux.Pane, _ *tmux.Topology, _ *guard.Evidence) { p.Mode = "copy-mode" }},
	{fault.CallerPane, all, func(p *tmux.Pane, _ *tmux.Topology, e *guard.Evidence) { e.Caller = p.ID }},
	{fault.Synchronized, run, func(p *tmux.Pane, _ *tmux.Topology, _ *guard.Evidence) { p.Synchronized = true }},
	{fault.Attended, all, func(p *tmux.Pane, t *tmux.Topology, _ *guard.Evidence) {
		t.Clients = []tmux.Client{{Name: "/dev/pts/9", Window: p.Window}}
	}},
	{fault.NotAShell, run, func(_ *tmux.Pane, _ *tmux.Topology, e *guard.Evidence) {
		e.Process = guard.Process{State: guard.ForegroundNot, Name: "python3"}
	}},
	{fault.Busy, all, func(_ *tmux.Pane, _ *tmux.Topology, e *guard.Evidence) {
		e.Holders = map[tmux.PaneID]string{"%1": "r1"}
	}},
	{fault.Draft, run, func(_ *tmux.Pane, _ *tmux.Topology, e *guard.Evidence) { e.Draft.State = guard.DraftPresent }},
}

var (
	all = []guard.Action{guard.Keys, guard.Paste, guard.Run}
	run = []guard.Action{guard.Run}
)

// Every combination of obstacles is refused for the first that counts, and only a pane without any that counts is free.
func TestPrecedenceOverAllCombinations(t *testing.T) {
	for _, action := range all {
		for set := range 1 << len(obstacles) {
			pane := tmux.Pane{ID: "%1", Window: "@1", PID: 42, Active: true}
			topology := tmux.Topology{Running: true, Windows: []tmux.Window{{ID: "@1"}}}
			known := guard.Evidence{Process: guard.Process{State: guard.AtPrompt}, Draft: guard.Draft{State: guard.DraftEmpty}}
			var want fault.Reason
			for i, o := range obstacles {
				if set&(1<<i) == 0 {
					continue
				}
				o.set(&pane, &topology, &known)
				if want == "" && slices.Contains(o.counts, action) {
					want = o.reason
				}
			}
			topology.Panes = []tmux.Pane{pane}
			verdict := guard.Judge(topology, guard.Wish{Action: action, Pane: "%1"}, known)
			if got := reasonOf(verdict); got != want {
				t.Fatalf("%s with obstacles %09b: got %q, want %q", action, set, got, want)
			}
			if want == "" && !slices.Equal(verdict.Recipients, []tmux.PaneID{"%1"}) {
				t.Fatalf("%s: recipients %v", action, verdict.Recipients)
			}
		}
	}
}

func reasonOf(v guard.Verdict) fault.Reason {
	if v.Refusal == nil {
		return ""
	}
	return v.Refusal.Reason
}

func TestForeground(t *testing.T) {
	for state, want := range map[guard.Foreground]fault.Reason{
		guard.AtPrompt: "", guard.ForegroundBusy: fault.Busy, guard.ForegroundNot: fault.NotAShell,
		guard.ForegroundUnknown: fault.NotAShell, "": fault.NotAShell,
	} {
		topology := tmux.Topology{Panes: []tmux.Pane{{ID: "%1"}}}
		known := guard.Evidence{Process: guard.Process{State: state}, Draft: guard.Draft{State: guard.DraftEmpty}}
		if got := reasonOf(guard.Judge(topology, guard.Wish{Action: guard.Run, Pane: "%1"}, known)); got != want {
			t.Errorf("run while %q: got %q, want %q", state, got, want)
		}
		if got := reasonOf(guard.Judge(topology, guard.Wish{Action: guard.Keys, Pane: "%1"}, known)); got != "" {
			t.Errorf("keys while %q: got %q, want none", state, got)
		}
	}
}

func TestExceptionsThatTheCallerNames(t *testing.T) {
	watched := []tmux.Client{{Name: "/dev/pts/9", Window: "@1"}}
	for _, c := range []struct {
		name    string
		wish    guard.Wish
		known   guard.Evidence
		clients []tmux.Client
		want    fault.Reason
	}{
		{"attended, confirmed", guard.Wish{Action: guard.Keys, ConfirmAttended: true}, guard.Evidence{}, watched, ""},
		{"held, stop keys", guard.Wish{Action: guard.Keys, StopKeys: true}, guard.Evidence{Holders: map[tmux.PaneID]string{"%1": "r1"}}, nil, ""},
		{"draft, to be cleared", guard.Wish{Action: guard.Run, ClearDraft: true}, guard.Evidence{Draft: guard.Draft{State: guard.DraftPresent}}, nil, ""},
		{"unknown draft", guard.Wish{Action: guard.Run}, guard.Evidence{Draft: guard.Draft{State: guard.DraftUnknown}}, nil, fault.Draft},
		{"unknown but promptlike, unattended", guard.Wish{Action: guard.Run}, guard.Evidence{Draft: guard.Draft{State: guard.DraftUnknown, Promptlike: true}}, nil, ""},
		{
			"unknown but promptlike, attended",
			guard.Wish{Action: guard.Run, ConfirmAttended: true},
			guard.Evidence{Draft: guard.Draft{State: guard.DraftUnknown, Promptlike: true}},
			watched, fault.Draft,
		},
		{"a draft that ends like a prompt", guard.Wish{Action: guard.Run}, guard.Evidence{Draft: guard.Draft{State: guard.DraftPresent, Promptlike: true}}, nil, fault.Draft},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.wish.Pane = "%1"
			c.known.Process.State = guard.AtPrompt
			topology := tmux.Topology{
				Windows: []tmux.Window{{ID: "@1"}}, Panes: []tmux.Pane{{ID: "%1", Window: "@1", Active: true}}, Clients: c.clients,
			}
			if got := reasonOf(guard.Judge(topology, c.wish, c.known)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAttention(t *testing.T) {
	for _, c := range []struct {
		name   string
		client tmux.Client
		zoomed bool // and %1 is not the active pane
		want   fault.Reason
	}{
		{"looks at the window", tmux.Client{Window: "@1"}, false, fault.Attended},
		{"looks at another window", tmux.Client{Window: "@2"}, false, ""},
		{"control client", tmux.Client{Window: "@1", Control: true}, false, ""},
		{"suspended", tmux.Client{Window: "@1", Suspended: true}, false, ""},
		{"hidden by another's zoom", tmux.Client{Window: "@1"}, true, ""},
		{"zoomed, but with an active pane of its own", tmux.Client{Window: "@1", ActivePane: true}, true, fault.Attended},
	} {
		t.Run(c.name, func(t *testing.T) {
			topology := tmux.Topology{
				Windows: []tmux.Window{{ID: "@1", Zoomed: c.zoomed}},
				Panes:   []tmux.Pane{{ID: "%1", Window: "@1"}}, Clients: []tmux.Client{c.client},
			}
			if got := reasonOf(guard.Judge(topology, guard.Wish{Action: guard.Paste, Pane: "%1"}, guard.Evidence{})); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestTheWholeCohortMustBeClear(t *testing.T) {
	panes := []tmux.Pane{
		{ID: "%1", Window: "@1", Index: 1, PID: 11, Synchronized: true},
		{ID: "%2", Window: "@1", Index: 0, PID: 12, Synchronized: true, Active: true},
		{ID: "%3", Window: "@1", Index: 2, PID: 13},
		{ID: "%4", Window: "@2", Index: 0, PID: 14, Synchronized: true},
	}
	judge := func(action guard.Action, known guard.Evidence) guard.Verdict {
		return guard.Judge(tmux.Topology{Windows: []tmux.Window{{ID: "@1"}}, Panes: panes}, guard.Wish{Action: action, Pane: "%1"}, known)
	}
	verdict := judge(guard.Keys, guard.Evidence{})
	if d := cmp.Diff([]tmux.PaneID{"%2", "%1"}, verdict.Recipients); d != "" {
		t.Errorf("recipients of keys (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]guard.Recipient{{Pane: "%2", PID: 12, Active: true}, {Pane: "%1", PID: 11}}, verdict.Precondition.Recipients); d != "" {
		t.Errorf("precondition (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]tmux.PaneID{"%1"}, judge(guard.Paste, guard.Evidence{}).Recipients); d != "" {
		t.Errorf("recipients of a paste (-want +got):\n%s", d)
	}
	if refusal := judge(guard.Keys, guard.Evidence{Caller: "%2"}).Refusal; refusal == nil || refusal.Reason != fault.CallerPane || refusal.Target != "%2" {
		t.Errorf("the caller in the cohort: got %v, want caller_pane of %%2", refusal)
	}
	if refusal := judge(guard.Keys, guard.Evidence{Holders: map[tmux.PaneID]string{"%2": "r1"}}).Refusal; refusal == nil || refusal.Reason != fault.Busy {
		t.Errorf("a run in the cohort: got %v, want busy", refusal)
	}
	if refusal := judge(guard.Keys, guard.Evidence{Caller: "%3"}).Refusal; refusal != nil {
		t.Errorf("the caller outside the cohort: got %v", refusal)
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	for _, o := range obstacles {
		t.Run(string(o.reason), func(t *testing.T) {
			pane := tmux.Pane{ID: "%1", Window: "@1"}
			var topology tmux.Topology
			known := guard.Evidence{Process: guard.Process{State: guard.AtPrompt}}
			o.set(&pane, &topology, &known)
			topology.Panes, topology.Windows = []tmux.Pane{pane}, []tmux.Window{{ID: "@1"}}
			r := guard.Judge(topology, guard.Wish{Action: guard.Run, Pane: "%1"}, known).Refusal
			if r == nil || r.Recovery == "" || r.Op == "" || r.Target != "%1" || r.Kind != fault.Refused {
				t.Errorf("refusal lacks something: %s", fmt.Sprintf("%+v", r))
			}
		})
	}
}
