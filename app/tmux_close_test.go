package app_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestClosingTellsAllThatEnded(t *testing.T) {
	for target, want := range map[string][]tmux.Ref{
		"%1": {{Kind: "pane", ID: "%1"}},
		"%3": {{Kind: "window", ID: "@2"}, {Kind: "pane", ID: "%3"}},
		"@0": {{Kind: "window", ID: "@0"}, {Kind: "pane", ID: "%0"}, {Kind: "pane", ID: "%1"}},
		"@1": {{Kind: "window", ID: "@1"}, {Kind: "pane", ID: "%2"}}, // in both sessions
		"$1": {{Kind: "session", ID: "$1"}, {Kind: "window", ID: "@2"}, {Kind: "pane", ID: "%3"}},
	} {
		t.Run(target, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.twoSessions()
				for i := range want {
					want[i].Generation = tmux.Generation(h.generation())
				}
				out, err := h.app.TmuxClose(h.Context(), app.TmuxCloseIn{Reference: h.reference(tmux.PaneID(target))})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(app.TmuxCloseOut{DispatchOut: app.DispatchOut{Delivery: fault.Observed}, Closed: want}, out); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestWhatIsNotClosed(t *testing.T) {
	for name, c := range map[string]struct {
		ref    app.Reference
		kind   fault.Kind
		reason fault.Reason
		before func(h *house)
	}{
		"no generation": {ref: app.Reference{TargetID: "%0"}, kind: fault.InvalidInput},
		"another life":  {ref: app.Reference{Generation: "g0", TargetID: "%0"}, kind: fault.StaleTarget},
		"no id":         {ref: app.Reference{Generation: "GEN"}, kind: fault.InvalidInput},
		"a name":        {ref: app.Reference{Generation: "GEN", TargetID: "main"}, kind: fault.InvalidInput},
		"an index":      {ref: app.Reference{Generation: "GEN", TargetID: "0"}, kind: fault.InvalidInput},
		"unknown":       {ref: app.Reference{Generation: "GEN", TargetID: "@9"}, kind: fault.NotFound},
		"a person looks": {
			ref: app.Reference{Generation: "GEN", TargetID: "$0"}, kind: fault.Refused, reason: fault.Attended,
			before: func(h *house) { h.world.Attach("$0", fake.Client{}) },
		},
		"the conversation runs there": {
			ref: app.Reference{Generation: "GEN", TargetID: "@0"}, kind: fault.Refused, reason: fault.HoldsCaller,
			before: func(h *house) { h.world.SetCaller("%1", ports.CallerAncestor) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.twoSessions()
				if c.before != nil {
					c.before(h)
				}
				if c.ref.Generation == "GEN" {
					c.ref.Generation = h.generation()
				}
				before := h.world.String()
				_, err := h.app.TmuxClose(h.Context(), app.TmuxCloseIn{Reference: c.ref})
				h.wantEffects(err, c.kind, c.reason, noEffects)
				if after := h.world.String(); after != before {
					t.Errorf("something changed:\n%s\nwas\n%s", after, before)
				}
				if c.kind != fault.Refused {
					return
				}
				if _, err := h.app.TmuxClose(h.Context(), app.TmuxCloseIn{Reference: c.ref, Confirming: app.Confirming{ConfirmSelf: true, ConfirmAttended: true}}); err != nil {
					t.Errorf("confirmed: %v", err)
				}
			})
		})
	}
}
