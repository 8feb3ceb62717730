package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

func TestTheTextOfAnError(t *testing.T) {
	tests := map[string]struct {
		tool string
		err  error
		want string
	}{
		"a refusal": {
			"touch",
			&fault.Error{
				Kind: fault.Refused, Op: "send keys", Reason: fault.InMode, Target: "%3", Delivery: fault.NotSent,
				Message:  "pane %3 is in copy-mode: keys would drive the mode, not the program",
				Recovery: "wait until the person leaves the mode, or use another pane (list_panes)",
			},
			`{"error":{"code":"refused","reason":"in_mode","target":"%3","delivery":"not_sent",` +
				`"message":"pane %3 is in copy-mode: keys would drive the mode, not the program",` +
				`"recovery":"wait until the person leaves the mode, or use another pane (list_panes)"}}`,
		},
		"input": {
			"touch",
			fault.Invalidf(`call list_panes and pass an id such as "%1"`, "pane_id %q is an index, not a stable id", "1"),
			`{"error":{"code":"invalid_input","delivery":"not_sent","message":"pane_id \"1\" is an index, not a stable id",` +
				`"recovery":"call list_panes and pass an id such as \"%1\""}}`,
		},
		"a wrapped fault": {
			"look",
			fmt.Errorf("while listing: %w", &fault.Error{Kind: fault.ServerGone, Op: "capture", Target: "%1", Err: errors.New("no server <running>")}),
			`{"error":{"code":"server_gone","target":"%1","delivery":"not_sent","message":"capture %1: server_gone: no server <running>"}}`,
		},
		"all that can be said": {
			"touch",
			&fault.Error{
				Kind: fault.Cancelled, Target: "%1", Message: "stopped", Delivery: fault.PossiblySent, Recovery: "look",
				Effects: &fault.Effects{State: "known", Created: []string{"%2"}, Bytes: new(0)}, Receipt: map[string]int{"run": 1},
			},
			`{"error":{"code":"cancelled","target":"%1","delivery":"possibly_sent","message":"stopped","recovery":"look",` +
				`"effects":{"state":"known","created":["%2"],"bytes":0},"receipt":{"run":1}}}`,
		},
		"a change that may have happened": {
			"touch",
			&fault.Error{Kind: fault.TransportError, Message: "the answer was lost", Delivery: fault.PossiblySent},
			`{"error":{"code":"transport_error","delivery":"possibly_sent","message":"the answer was lost","effects":{"state":"unknown"}}}`,
		},
		"a look that may have happened": {
			"look",
			&fault.Error{Kind: fault.TransportError, Message: "the answer was lost", Delivery: fault.PossiblySent},
			`{"error":{"code":"transport_error","delivery":"possibly_sent","message":"the answer was lost"}}`,
		},
		"a guard that nobody explained": {
			"look",
			&fault.Error{Kind: fault.PreconditionFailed, Message: "the guard was false"},
			`{"error":{"code":"internal","delivery":"not_sent","message":"the guard was false"}}`,
		},
		"a kind that nobody knows": {
			"look",
			&fault.Error{Kind: "confused", Message: "what?"},
			`{"error":{"code":"internal","delivery":"not_sent","message":"what?"}}`,
		},
		"a deadline": {
			"look",
			fmt.Errorf("read: %w", context.DeadlineExceeded),
			`{"error":{"code":"deadline","delivery":"not_sent","message":"the call did not end in time: read: context deadline exceeded"}}`,
		},
		"a deadline in a change": {
			"touch",
			context.DeadlineExceeded,
			`{"error":{"code":"deadline","delivery":"possibly_sent","message":"the call did not end in time: context deadline exceeded",` +
				`"recovery":"inspect the state before you retry","effects":{"state":"unknown"}}}`,
		},
		"no fault at all": {
			"look",
			errors.New("disk full"),
			`{"error":{"code":"internal","delivery":"not_sent","message":"this server failed: disk full"}}`,
		},
		"a receipt that is no JSON": {
			"look",
			&fault.Error{Kind: fault.Capacity, Message: "too much", Receipt: func() {}},
			`{"error":{"code":"capacity","delivery":"not_sent","message":"too much"}}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			result, failure := talk(t, answers(nil, test.err), mcpserver.Options{}).Call(t, test.tool, nil)
			if failure == nil {
				t.Fatalf("want an error, got %v", result)
			}
			if diff := cmp.Diff(test.want, failure.Text); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

// Every kind that the domain knows has its own code, but for the one that never leaves the application.
func TestEveryKindHasItsCode(t *testing.T) {
	kinds := []fault.Kind{
		fault.InvalidInput, fault.NotFound, fault.StaleTarget, fault.StaleCursor, fault.InvalidFilter, fault.Unsupported,
		fault.Capacity, fault.Deadline, fault.Cancelled, fault.CommandFailed, fault.DecodeError, fault.IncompleteSnapshot,
		fault.ServerGone, fault.TransportError, fault.Internal,
	}
	for _, kind := range kinds {
		_, failure := talk(t, answers(nil, &fault.Error{Kind: kind, Message: "m"}), mcpserver.Options{}).Call(t, "look", nil)
		if failure == nil || failure.Code != kind {
			t.Errorf("%s: got %+v", kind, failure)
		}
	}
}
