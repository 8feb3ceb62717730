package app_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// recorder adds a session with a program that reads whatever is typed.
func (h *house) recorder() tmux.PaneID {
	h.Helper()
	pane := h.world.AddSession("main", "record")
	if err := h.world.AwaitRaw(h.Context(), pane); err != nil {
		h.Fatal(err)
	}
	return pane
}

func TestSendingToExactlyOnePane(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.recorder()
		want := app.TmuxSendOut{DispatchOut: app.DispatchOut{Delivery: fault.Observed}, Completion: "dispatch_only"}
		text := strings.Repeat(`#{pane_id} $(x) -x; `, 3000)
		for _, in := range []app.TmuxSendIn{{Text: new(text)}, {Keys: []string{"Enter", "C-c", ";"}}, {Text: new("")}} {
			in.Reference = h.reference(pane)
			out, err := h.app.TmuxSend(h.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, out); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
		if got := h.world.Received(pane); got != text+"\r\x03;" {
			t.Errorf("%d bytes arrived, want %d", len(got), len(text)+3)
		}
	})
}

func TestWhatIsNotSent(t *testing.T) {
	keys := make([]string, 257)
	for i := range keys {
		keys[i] = "x"
	}
	for name, c := range map[string]struct {
		in     app.TmuxSendIn
		kind   fault.Kind
		reason fault.Reason
		before func(h *house, pane tmux.PaneID)
	}{
		"neither":       {in: app.TmuxSendIn{}, kind: fault.InvalidInput},
		"both":          {in: app.TmuxSendIn{Text: new("x"), Keys: []string{"x"}}, kind: fault.InvalidInput},
		"too long":      {in: app.TmuxSendIn{Text: new(strings.Repeat("x", 65537))}, kind: fault.InvalidInput},
		"too many keys": {in: app.TmuxSendIn{Keys: keys}, kind: fault.InvalidInput},
		"a word as key": {in: app.TmuxSendIn{Keys: []string{"exit"}}, kind: fault.InvalidInput},
		"a window": {
			in: app.TmuxSendIn{Text: new("x"), Reference: app.Reference{Generation: "g", TargetID: "@0"}}, kind: fault.InvalidInput,
		},
		"no generation": {in: app.TmuxSendIn{Text: new("x"), Reference: app.Reference{TargetID: "%0"}}, kind: fault.InvalidInput},
		"another life":  {in: app.TmuxSendIn{Text: new("x"), Reference: app.Reference{Generation: "g0", TargetID: "%0"}}, kind: fault.StaleTarget},
		"an unknown pane": {in: app.TmuxSendIn{Text: new("x")}, kind: fault.NotFound, before: func(h *house, pane tmux.PaneID) {
			h.world.Split(pane, "record")
			h.world.KillPane(pane)
		}},
		"a dead pane": {in: app.TmuxSendIn{Text: new("x")}, kind: fault.Refused, reason: fault.Dead, before: func(h *house, pane tmux.PaneID) {
			h.world.SetOption(string(pane), "remain-on-exit", "on")
			h.world.Exit(pane, 0)
		}},
		"a mode": {in: app.TmuxSendIn{Text: new("x")}, kind: fault.Refused, reason: fault.InMode, before: func(h *house, pane tmux.PaneID) {
			h.world.EnterMode(pane, "copy-mode")
		}},
		"a person looks": {in: app.TmuxSendIn{Text: new("x")}, kind: fault.Refused, reason: fault.Attended, before: func(h *house, pane tmux.PaneID) {
			h.world.Attach(h.world.SessionOf(pane), fake.Client{})
		}},
		"siblings would get it": {in: app.TmuxSendIn{Keys: []string{"C-c"}, ConfirmAttended: true}, kind: fault.Refused, reason: fault.Synchronized, before: func(h *house, pane tmux.PaneID) {
			h.world.Split(pane, "record")
			h.world.SetOption("@0", "synchronize-panes", "on")
		}},
		"no server": {in: app.TmuxSendIn{Text: new("x")}, kind: fault.ServerGone, before: func(h *house, _ tmux.PaneID) { h.world.KillServer() }},
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.recorder()
				if c.in.Reference == (app.Reference{}) {
					c.in.Reference = h.reference(pane)
				}
				if c.before != nil {
					c.before(h, pane)
				}
				_, err := h.app.TmuxSend(h.Context(), c.in)
				h.wantEffects(err, c.kind, c.reason, noEffects)
				if f := h.wantFault(err, c.kind, c.reason); strings.Contains(f.Recovery, "list_panes") && c.kind != fault.Refused {
					t.Errorf("the recovery is of another surface: %q", f.Recovery)
				}
				if name != "an unknown pane" && name != "no server" && h.world.Received(pane) != "" {
					t.Errorf("%q was typed", h.world.Received(pane))
				}
			})
		})
	}
}

// A person who agreed is looked past.
func TestSendingPastAPersonWhoAgreed(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.recorder()
		h.world.Attach(h.world.SessionOf(pane), fake.Client{})
		if _, err := h.app.TmuxSend(h.Context(), app.TmuxSendIn{Reference: h.reference(pane), Text: new("x"), ConfirmAttended: true}); err != nil {
			t.Fatal(err)
		}
		if got := h.world.Received(pane); got != "x" {
			t.Errorf("%q arrived", got)
		}
	})
}

// A restart at the worst moment, after everything was judged, reaches tmux as a precondition that does not hold.
func TestARestartBehindTheJudgement(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.recorder()
		ref := h.reference(pane)
		a := h.with(func(p *app.Ports) { p.Input = restarting{p.Input, h} })
		_, err := a.TmuxSend(h.Context(), app.TmuxSendIn{Reference: ref, Text: new("x")})
		h.wantEffects(err, fault.StaleTarget, "", noEffects)
		if got := h.world.Received(pane); got != "" {
			t.Errorf("%q was typed into a pane of another life", got)
		}
	})
}

// A restarting input has tmux restart just before it types.
type restarting struct {
	ports.Input
	h *house
}

func (r restarting) SendText(ctx context.Context, pre guard.Precondition, text string, enter bool) error {
	r.h.world.Restart("main", "record")
	return r.Input.SendText(ctx, pre, text, enter)
}
