package app_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// pidOf is the process of a pane.
func (h *house) pidOf(pane tmux.PaneID) int {
	h.Helper()
	t, err := h.world.Topology(h.Context(), tmux.DetailBrief)
	if err != nil {
		h.Fatal(err)
	}
	found, _ := t.Pane(pane)
	return found.PID
}

func TestRespawning(t *testing.T) {
	for _, version := range []tmux.Version{"3.2a", "3.7c", "3.8"} { // from 3.8 on a dead pane has no process
		t.Run(string(version), func(t *testing.T) { inHouse(t, fake.Options{Version: version}, respawns) })
	}
}

func respawns(h *house) {
	pane := h.world.AddSession("main", "vim", "file")
	h.world.Split(pane) // the session stays
	before := h.pidOf(pane)
	respawn := func(in app.RespawnPaneIn) (app.RespawnPaneOut, error) {
		in.PaneID = string(pane)
		return h.app.RespawnPane(h.Context(), in)
	}
	_, err := respawn(app.RespawnPaneIn{})
	if f := h.wantFault(err, fault.Refused, fault.Busy); !strings.Contains(f.Recovery, "kill true") || !strings.Contains(f.Message, "vim") {
		h.Errorf("%v: %s", f, f.Recovery)
	}
	for _, cwd := range []string{"relative", filepath.Join(h.TempDir(), "none")} {
		_, err = respawn(app.RespawnPaneIn{Kill: true, Cwd: cwd})
		h.wantFault(err, fault.InvalidInput, "")
	}
	if h.pidOf(pane) != before {
		h.Fatal("it was respawned")
	}
	out, err := respawn(app.RespawnPaneIn{Kill: true})
	if err != nil || out.PaneID != string(pane) || out.PID == before || out.PID != h.pidOf(pane) || out.StartCommand != "vim file" || out.Generation == "" {
		h.Errorf("got %+v, %v", out, err)
	}
	h.world.SetOption(string(pane), "remain-on-exit", "on")
	h.world.Exit(pane, 1)
	if out, err = respawn(app.RespawnPaneIn{}); err != nil || out.PID != h.pidOf(pane) || out.StartCommand != "vim file" {
		h.Errorf("a dead pane: %+v, %v", out, err)
	}
}

func TestRespawningProtects(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		h.world.SetOption(string(pane), "remain-on-exit", "on")
		in := app.RespawnPaneIn{PaneID: string(pane), Kill: true}
		refused := func(in app.RespawnPaneIn, kind fault.Kind, reason fault.Reason) {
			h.Helper()
			before := h.pidOf(pane)
			_, err := h.app.RespawnPane(h.Context(), in)
			h.wantFault(err, kind, reason)
			if h.pidOf(pane) != before {
				h.Error("it was respawned")
			}
		}
		name := h.world.Attach("$0", fake.Client{})
		refused(in, fault.Refused, fault.Attended)
		h.world.SetCaller(pane, ports.CallerAncestor)
		confirmed := in
		confirmed.ConfirmAttended = true
		refused(confirmed, fault.Refused, fault.CallerPane)
		h.world.SetCaller("", ports.CallerUnknown)
		if _, err := h.app.RespawnPane(h.Context(), confirmed); err != nil {
			h.Errorf("confirmed: %v", err)
		}
		h.world.Detach(name)
		h.awaitPrompt(pane)

		run, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "sleep 60", Timeout: new(0.5)})
		if err != nil {
			h.Fatal(err)
		}
		refused(in, fault.Refused, fault.Busy)
		if _, err := h.app.GetRun(h.Context(), app.GetRunIn{RunID: run.RunID, Timeout: new(100.0)}); err != nil {
			h.Fatal(err)
		}
		h.awaitPrompt(pane)

		name = h.world.Attach("$0", fake.Client{Control: true})
		refused(in, fault.Unsupported, "")
		h.world.Detach(name)
		h.world.Attach("$0", fake.Client{Control: true, Silent: true})
		if _, err := h.app.RespawnPane(h.Context(), in); err != nil {
			h.Errorf("a client that is told nothing: %v", err)
		}
	})
}

// comes is what happens just before a respawn.
type comes struct {
	ports.Creator
	before func()
}

func (c comes) Respawn(ctx context.Context, server tmux.Server, request ports.Respawn) (tmux.Pane, error) {
	c.before()
	return c.Creator.Respawn(ctx, server, request)
}

func TestWhatHappensJustBeforeARespawn(t *testing.T) {
	for _, c := range []struct {
		name   string
		before func(h *house, n int)
		kind   fault.Kind
		reason fault.Reason
	}{
		{"a person comes", func(h *house, n int) {
			if n == 0 {
				h.world.Attach("$0", fake.Client{})
			}
		}, fault.Refused, fault.Attended},
		{"somebody else respawns it", func(h *house, _ int) { h.world.Replace("%0", "vim") }, fault.StaleTarget, ""},
		{"the pane goes", func(h *house, _ int) { h.world.KillPane("%0") }, fault.NotFound, ""},
		{"tmux restarts", func(h *house, _ int) { h.world.Restart("main", "vim") }, fault.StaleTarget, ""},
		{"it never stands still", func(h *house, n int) {
			h.world.Attach(h.world.SessionOf("%0"), fake.Client{Suspended: true})
		}, fault.CommandFailed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.world.AddSession("main", "vim")
				h.world.AddSession("other", "vim")
				if _, err := h.app.ListPanes(h.Context(), app.ListPanesIn{}); err != nil {
					h.Fatal(err)
				}
				outside, n := h.ports(h.world), 0
				outside.Creator = comes{h.world, func() { c.before(h, n); n++ }}
				a := app.New(outside, app.Options{})
				defer a.Close()
				_, err := a.RespawnPane(h.Context(), app.RespawnPaneIn{PaneID: "%0", Kill: true})
				if f := h.wantFault(err, c.kind, c.reason); f.Delivery == fault.Observed || f.Delivery == fault.PossiblySent {
					h.Errorf("delivery %s, but nothing was done: %v", f.Delivery, f)
				}
			})
		})
	}
}

// A run that starts and a respawn of the same pane come one after the other, and never cross.
func TestARespawnAndARunNeverCross(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		answers := make([]string, 2)
		inParallel(2, func(i int) {
			if i == 0 {
				out, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "sleep 1; echo done"})
				answers[i] = fmt.Sprint(out.Outcome, fault.KindOf(err))
				return
			}
			_, err := h.app.RespawnPane(h.Context(), app.RespawnPaneIn{PaneID: string(pane), Kill: true})
			answers[i] = string(fault.KindOf(err))
		})
		// Either the run was first, and the respawn refused; or the respawn was, and the run came to the new shell or none.
		if answers[1] != "" && (answers[1] != string(fault.Refused) || answers[0] != "completed") {
			h.Errorf("run: %s, respawn: %s", answers[0], answers[1])
		}
		if answers[1] == "" && answers[0] == "pane_died" {
			h.Error("the respawn killed a run")
		}
	})
}
