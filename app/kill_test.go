package app_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// kills are the three ways to end the world's first pane, alone in its session.
var kills = []struct {
	name string
	kill func(h *house, a *app.App, confirmed app.Confirming) (app.KillOut, error)
}{
	{"kill_pane", func(h *house, a *app.App, c app.Confirming) (app.KillOut, error) {
		return a.KillPane(h.Context(), app.KillPaneIn{PaneID: "%0", Confirming: c})
	}},
	{"kill_window", func(h *house, a *app.App, c app.Confirming) (app.KillOut, error) {
		return a.KillWindow(h.Context(), app.KillWindowIn{WindowID: "@0", Confirming: c})
	}},
	{"kill_session", func(h *house, a *app.App, c app.Confirming) (app.KillOut, error) {
		return a.KillSession(h.Context(), app.KillSessionIn{SessionID: "$0", Confirming: c})
	}},
}

func TestKillingTellsWhatEnded(t *testing.T) {
	for _, c := range kills {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.world.AddSession("main")
				h.world.AddSession("other")
				out, err := c.kill(h, h.app, app.Confirming{})
				if err != nil {
					h.Fatal(err)
				}
				want := app.KillOut{Generation: out.Generation, Panes: []string{"%0"}, Windows: []string{"@0"}, Sessions: []string{"$0"}}
				if diff := cmp.Diff(want, out); diff != "" || out.Generation == "" {
					h.Errorf("(-want +got):\n%s", diff)
				}
				_, err = c.kill(h, h.app, app.Confirming{})
				h.wantFault(err, fault.NotFound, "")
			})
		})
	}
}

func TestKillingNeedsWhatItConfirms(t *testing.T) {
	for _, c := range kills {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.world.AddSession("main")
				h.world.AddSession("other")
				h.world.SetCaller(pane, ports.CallerAncestor)
				h.world.Attach("$0", fake.Client{})
				for _, step := range []struct {
					confirmed app.Confirming
					reason    fault.Reason
				}{
					{app.Confirming{}, fault.HoldsCaller},
					{app.Confirming{ConfirmAttended: true}, fault.HoldsCaller},
					{app.Confirming{ConfirmSelf: true}, fault.Attended},
				} {
					_, err := c.kill(h, h.app, step.confirmed)
					h.wantFault(err, fault.Refused, step.reason)
				}
				if _, err := c.kill(h, h.app, app.Confirming{ConfirmSelf: true, ConfirmAttended: true}); err != nil {
					h.Error(err)
				}
			})
		})
	}
}

// arrival changes the world just before something ends.
type arrival struct {
	ports.Terminator
	before func()
}

func (a arrival) End(ctx context.Context, server tmux.Server, ending guard.Ending) (ports.Ended, error) {
	a.before()
	return a.Terminator.End(ctx, server, ending)
}

func TestAPersonWhoComesJustBeforeAnEnd(t *testing.T) {
	for _, c := range kills {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.world.AddSession("main")
				came := false
				a := app.New(app.Ports{Reader: h.world, Processes: h.world, Terminator: arrival{h.world, func() {
					if !came {
						came = true
						h.world.Attach("$0", fake.Client{})
					}
				}}}, app.Options{})
				defer a.Close()
				_, err := c.kill(h, a, app.Confirming{})
				h.wantFault(err, fault.Refused, fault.Attended)
			})
			inHouse(t, fake.Options{}, func(h *house) { // a house where it never stands still
				h.world.AddSession("main")
				a := app.New(app.Ports{Reader: h.world, Processes: h.world, Terminator: arrival{h.world, func() {
					h.world.Split("%0")
				}}}, app.Options{})
				defer a.Close()
				_, err := c.kill(h, a, app.Confirming{})
				h.wantFault(err, fault.CommandFailed, "")
			})
		})
	}
}

func TestIDsAfterARestartEndNothing(t *testing.T) {
	for _, c := range kills {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.shell()
				if _, err := h.app.ListPanes(h.Context(), app.ListPanesIn{}); err != nil {
					h.Fatal(err)
				}
				reborn := h.world.Restart("main")
				_, err := c.kill(h, h.app, app.Confirming{ConfirmSelf: true, ConfirmAttended: true})
				h.wantFault(err, fault.StaleTarget, "")
				h.awaitPrompt(reborn)
			})
		})
	}
}

func TestClearHistory(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		h.run(pane, "seq 1 100")
		h.awaitPrompt(pane)
		if _, err := h.app.ClearHistory(h.Context(), app.ClearHistoryIn{PaneID: string(pane)}); err != nil {
			h.Fatal(err)
		}
		out, err := h.app.CapturePane(h.Context(), app.CapturePaneIn{PaneID: string(pane), History: 1000})
		if err != nil || len(out.Lines) > 24 {
			h.Errorf("%d lines are left, %v", len(out.Lines), err)
		}
		h.world.EnterMode(pane, "copy-mode")
		_, err = h.app.ClearHistory(h.Context(), app.ClearHistoryIn{PaneID: string(pane), Screen: true})
		h.wantFault(err, fault.Refused, fault.InMode)
	})
}
