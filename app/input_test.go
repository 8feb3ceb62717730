package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// inputs are the ways to give a pane input, each with something that every program would notice.
var inputs = []struct {
	name string
	send func(*house, tmux.PaneID, bool) error
}{
	{"send_keys with text", func(h *house, pane tmux.PaneID, confirm bool) error {
		_, err := h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Text: new("x"), Enter: true, ConfirmAttended: confirm})
		return err
	}},
	{"send_keys with keys", func(h *house, pane tmux.PaneID, confirm bool) error {
		_, err := h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Keys: []string{"x"}, ConfirmAttended: confirm})
		return err
	}},
	{"paste_text", func(h *house, pane tmux.PaneID, confirm bool) error {
		_, err := h.app.PasteText(h.Context(), app.PasteTextIn{PaneID: string(pane), Text: "x", Enter: true, ConfirmAttended: confirm})
		return err
	}},
	{"run_shell_command", func(h *house, pane tmux.PaneID, confirm bool) error {
		_, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "true", ConfirmAttended: confirm})
		return err
	}},
}

// obstacles stand in the way of every kind of input, in the order of their precedence.
var obstacles = []struct {
	reason fault.Reason
	set    func(*house, tmux.PaneID)
}{
	{fault.Dead, func(h *house, pane tmux.PaneID) {
		h.world.SetOption("", "remain-on-exit", "on")
		h.world.Exit(pane, 1)
	}},
	{fault.InputOff, func(h *house, pane tmux.PaneID) { h.world.SetInput(pane, false) }},
	{fault.InMode, func(h *house, pane tmux.PaneID) { h.world.EnterMode(pane, "copy-mode") }},
	{fault.CallerPane, func(h *house, pane tmux.PaneID) { h.world.SetCaller(pane, ports.CallerAncestor) }},
	{fault.Attended, func(h *house, pane tmux.PaneID) { h.world.Attach(h.world.SessionOf(pane), fake.Client{}) }},
}

// Whatever stands in the way, every kind of input is refused for it and nothing is typed.
func TestInputIsRefused(t *testing.T) {
	for _, obstacle := range obstacles {
		for _, input := range inputs {
			t.Run(string(obstacle.reason)+"/"+input.name, func(t *testing.T) {
				inHouse(t, fake.Options{}, func(h *house) {
					pane := h.shell()
					obstacle.set(h, pane)
					before := h.world.Received(pane)
					f := h.wantFault(input.send(h, pane, false), fault.Refused, obstacle.reason)
					if f.Target != string(pane) || f.Delivery != "" && f.Delivery != fault.NotSent {
						h.Errorf("target %q, delivery %q", f.Target, f.Delivery)
					}
					if got := h.world.Received(pane); got != before {
						h.Errorf("typed %q", strings.TrimPrefix(got, before))
					}
				})
			})
		}
	}
}

// Of any two things that stand in the way it is refused for the one that comes first.
func TestInputIsRefusedForTheFirstOfTwo(t *testing.T) {
	for i, first := range obstacles {
		for _, second := range obstacles[i+1:] {
			for _, input := range inputs {
				t.Run(string(first.reason)+" and "+string(second.reason)+"/"+input.name, func(t *testing.T) {
					inHouse(t, fake.Options{}, func(h *house) {
						pane := h.shell()
						second.set(h, pane)
						first.set(h, pane) // the last: what is dead enters no mode
						h.wantFault(input.send(h, pane, false), fault.Refused, first.reason)
					})
				})
			}
		}
	}
}

func TestConfirmedInputReachesAnAttendedPane(t *testing.T) {
	for _, input := range inputs[:3] {
		t.Run(input.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.shell()
				h.world.Attach(h.world.SessionOf(pane), fake.Client{})
				if err := input.send(h, pane, true); err != nil {
					h.Fatal(err)
				}
				if got := h.world.Received(pane); !strings.Contains(got, "x") {
					h.Errorf("received %q", got)
				}
			})
		})
	}
}

func TestStoppedAndOtherClientsDoNotAttend(t *testing.T) {
	for name, client := range map[string]fake.Client{"control": {Control: true}, "suspended": {Suspended: true}} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.shell()
				h.world.Attach(h.world.SessionOf(pane), client)
				if out := h.run(pane, "echo fine"); cmp.Diff([]string{"fine"}, out.Lines) != "" {
					h.Errorf("got %+v", out)
				}
			})
		})
	}
}

func TestTheSynchronizedCohort(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		sibling := h.world.Split(pane)
		h.awaitPrompt(sibling)
		h.world.SetOption(string(h.world.WindowOf(pane)), "synchronize-panes", "on")

		_, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "true"})
		h.wantFault(err, fault.Refused, fault.Synchronized)
		if got := h.world.Received(sibling); got != "" {
			h.Errorf("the sibling received %q", got)
		}
		if _, err := h.app.PasteText(h.Context(), app.PasteTextIn{PaneID: string(pane), Text: "echo one", Enter: true}); err != nil {
			h.Fatal(err)
		}
		if got := h.world.Received(sibling); got != "" {
			h.Errorf("a paste reached the sibling: %q", got)
		}
		out, err := h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Text: new("y")})
		if err != nil {
			h.Fatal(err)
		}
		if d := cmp.Diff([]string{string(pane), string(sibling)}, out.Recipients); d != "" {
			h.Errorf("recipients (-want +got):\n%s", d)
		}
		if got := h.world.Received(sibling); got != "y" {
			h.Errorf("the sibling received %q, want y", got)
		}
		h.world.EnterMode(sibling, "copy-mode")
		_, err = h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Text: new("z")})
		if f := h.wantFault(err, fault.Refused, fault.InMode); f.Target != string(sibling) {
			h.Errorf("target %s, want the sibling", f.Target)
		}
	})
}

func TestARestartMakesIDsStale(t *testing.T) {
	for _, input := range inputs {
		t.Run(input.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.shell()
				if _, err := h.app.ListPanes(h.Context(), app.ListPanesIn{}); err != nil {
					h.Fatal(err)
				}
				reborn := h.world.Restart("main")
				h.awaitPrompt(reborn)
				if pane != reborn {
					h.Fatalf("the new pane is %s, not %s again: nothing is shown", reborn, pane)
				}
				f := h.wantFault(input.send(h, pane, false), fault.StaleTarget, "")
				if !strings.Contains(f.Recovery, "list_panes") {
					h.Errorf("recovery %q", f.Recovery)
				}
				h.wantFault(input.send(h, pane, false), fault.StaleTarget, "") // still: a refusal lists nothing
				if got := h.world.Received(reborn); got != "" {
					h.Errorf("the new pane received %q", got)
				}
				if _, err := h.app.ListPanes(h.Context(), app.ListPanesIn{}); err != nil {
					h.Fatal(err)
				}
				if err := input.send(h, pane, false); err != nil {
					h.Errorf("after listing: %v", err)
				}
			})
		})
	}
}

// meddler changes the world just before an input is dispatched.
type meddler struct {
	ports.Input
	before func()
}

func (m meddler) SendText(ctx context.Context, pre guard.Precondition, text string, enter bool) error {
	m.before()
	return m.Input.SendText(ctx, pre, text, enter)
}

func TestAChangeBetweenJudgementAndDispatch(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*house, tmux.PaneID)
		kind   fault.Kind
		reason fault.Reason
	}{
		{"the person enters a mode", func(h *house, pane tmux.PaneID) { h.world.EnterMode(pane, "copy-mode") }, fault.Refused, fault.InMode},
		{"a person attaches", func(h *house, pane tmux.PaneID) { h.world.Attach(h.world.SessionOf(pane), fake.Client{}) }, fault.Refused, fault.Attended},
		{"tmux restarts", func(h *house, _ tmux.PaneID) { h.world.Restart("main") }, fault.StaleTarget, ""},
		{"the pane is killed", func(h *house, pane tmux.PaneID) { h.world.AddSession("other"); h.world.KillPane(pane) }, fault.NotFound, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.shell()
				changed := false
				a := app.New(app.Ports{Reader: h.world, Creator: h.world, Processes: h.world, Frames: h.world, Input: meddler{h.world, func() {
					if !changed {
						changed = true
						c.change(h, pane)
					}
				}}}, app.Options{})
				defer a.Close()
				_, err := a.Call(h.Context(), "send_keys", json.RawMessage(`{"pane_id":"`+string(pane)+`","text":"x"}`))
				h.wantFault(err, c.kind, c.reason)
				if strings.Contains(h.world.String(), "$ x") {
					h.Error("typed all the same")
				}
			})
		})
	}
}

func TestBadInput(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := string(h.shell())
		for name, in := range map[string]app.SendKeysIn{
			"an index":        {PaneID: "0", Text: new("x")},
			"a window":        {PaneID: "@0", Text: new("x")},
			"a name":          {PaneID: "main", Text: new("x")},
			"neither":         {PaneID: pane},
			"no keys":         {PaneID: pane, Keys: []string{}},
			"both":            {PaneID: pane, Text: new("x"), Keys: []string{"x"}},
			"an unknown key":  {PaneID: pane, Keys: []string{"Ctrl-c"}},
			"an empty key":    {PaneID: pane, Keys: []string{""}},
			"too long a text": {PaneID: pane, Text: new(strings.Repeat("x", 65537))},
		} {
			_, err := h.app.SendKeys(h.Context(), in)
			h.wantFault(err, fault.InvalidInput, "")
			if got := h.world.Received(tmux.PaneID(pane)); got != "" {
				h.Fatalf("%s: typed %q", name, got)
			}
		}
		_, err := h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: "%99", Text: new("x")})
		h.wantFault(err, fault.NotFound, "")
		_, err = h.app.PasteText(h.Context(), app.PasteTextIn{PaneID: pane, Text: "a\x1b[201~rm -rf /\n"})
		h.wantFault(err, fault.InvalidInput, "")
	})
}

// Text and Enter are apart, so that a program that takes fast input for a paste submits.
func TestEnterComesApart(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := string(h.world.AddSession("main", "cat"))
		took := elapsed(func() {
			if _, err := h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: pane, Text: new("hello"), Enter: true}); err != nil {
				h.Fatal(err)
			}
		})
		if took < 100*time.Millisecond {
			h.Errorf("Enter came %v after the text", took)
		}
		if got := h.world.Received(tmux.PaneID(pane)); got != "hello\r" {
			h.Errorf("received %q", got)
		}
	})
}
