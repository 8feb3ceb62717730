package grammar_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

var server = tmux.Server{PID: 12, StartTime: time.Unix(34, 0), Version: "3.4"}

func TestWhatPreconditionsWant(t *testing.T) {
	for _, c := range []struct {
		name string
		pre  guard.Precondition
		want string
	}{
		{"one pane", guard.Precondition{Recipients: []guard.Recipient{{Pane: "%5", PID: 6}}}, "12.34;%5;%5=6=000."},
		{"a cohort", guard.Precondition{Cohort: true, Recipients: []guard.Recipient{{Pane: "%4", PID: 3}, {Pane: "%5", PID: 6}}}, "12.34;%5;%4=3=000.%5=6=000."},
		{"unwatched", guard.Precondition{Unwatched: true, Recipients: []guard.Recipient{{Pane: "%5", PID: 6}}}, "12.34;%5;%5=6=000.;0;"},
		{
			"watched as before",
			guard.Precondition{Unwatched: true, Zoomed: true, Viewers: "/dev/pts/1,x", Recipients: []guard.Recipient{{Pane: "%5", PID: 6}}},
			"12.34;%5;%5=6=000.0.;1;/dev/pts/1,x",
		},
		{
			"a cohort of a zoomed window",
			guard.Precondition{Unwatched: true, Zoomed: true, Cohort: true, Recipients: []guard.Recipient{{Pane: "%4", PID: 3, Active: true}, {Pane: "%5", PID: 6}}},
			"12.34;%5;%4=3=000.1.%5=6=000.0.;1;",
		},
		{
			"zoomed, and confirmed",
			guard.Precondition{Zoomed: true, Recipients: []guard.Recipient{{Pane: "%5", PID: 6}}},
			"12.34;%5;%5=6=000.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.pre.Server, c.pre.Pane = server, "%5"
			got := grammar.Input(c.pre)
			if diff := cmp.Diff(grammar.Condition{Target: "%5", Format: got.Format, Want: c.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatAFailedConditionFound(t *testing.T) {
	for _, c := range []struct {
		found        string
		life, target bool
	}{
		{"12.34;%5", true, true},
		{"12.34;%5;more", true, true},
		{"12.34;%51", true, false},
		{"12.34;%0", true, false},
		{"12.34;", true, false},
		{"12.35;%5", false, false},
		{"112.34;%5", false, false},
		{"", false, false},
	} {
		if life, target := grammar.SameLife(c.found, server), grammar.SameTarget(c.found, server, "%5"); life != c.life || target != c.target {
			t.Errorf("%q: life %v, target %v", c.found, life, target)
		}
	}
}

func TestComplaints(t *testing.T) {
	for words, want := range map[string]fault.Kind{
		"can't find pane: %9\n":                              fault.NotFound,
		"can't find session: $9":                             fault.NotFound,
		"duplicate session: main":                            fault.InvalidInput,
		"create window failed: index 3 in use":               fault.InvalidInput,
		"create window failed: index in use: 3":              fault.InvalidInput,
		"invalid window name: a\tb":                          fault.InvalidInput,
		"width too large":                                    fault.InvalidInput,
		"size or position no space for a new pane":           fault.CommandFailed,
		"no space for new pane":                              fault.CommandFailed,
		"command too long":                                   fault.InvalidInput,
		"create window failed: fork failed: out of memory":   fault.CommandFailed,
		"a hook said something\ncan't find window: @3":       fault.NotFound,
		"unknown command: no-such":                           fault.CommandFailed,
		"something about can't find pane: in the middle: %1": fault.CommandFailed,
	} {
		e := grammar.CommandFault("do it to", "%1", words)
		if e.Kind != want || e.Op != "do it to" || e.Target != "%1" || e.Message == "" {
			t.Errorf("%q is %+v, want %s", words, e, want)
		}
	}
}
