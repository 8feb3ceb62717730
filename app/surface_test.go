package app_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// frozen is a selection that can be made.
func frozen(t *testing.T, catalogue []surface.Member, wish surface.Wish, created tmux.Generation) *surface.Selection {
	t.Helper()
	choice, err := surface.Choose(catalogue, wish)
	if err != nil {
		t.Fatal(err)
	}
	return new(choice.Freeze(created))
}

// offering is an application over the house's tmux that offers a selection alone.
func (h *house) offering(selection *surface.Selection) *app.App {
	h.Helper()
	a := app.New(h.ports(h.world), app.Options{SocketPath: "/fake/s", Surface: selection})
	h.Cleanup(a.Close)
	return a
}

func TestWhatIsNotSelectedDoesNotExist(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		a := h.offering(frozen(t, app.Members(), surface.Wish{Toolsets: new("inspect"), Tools: "paste_text", Exclude: "get_run"}, ""))
		names := lo.Map(a.Tools(), func(t app.Tool, _ int) string { return t.Name })
		want := lo.FilterMap(app.Members(), func(m surface.Member, _ int) (string, bool) {
			return m.Name, m.Toolset == surface.Inspect && m.Name != "get_run" || m.Name == "paste_text"
		})
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
		if _, err := a.Call(h.Context(), "list_panes", nil); err != nil {
			t.Errorf("a tool that is on offer: %v", err)
		}
		for _, m := range app.Members() {
			if lo.Contains(want, m.Name) {
				continue
			}
			_, err := a.Call(h.Context(), m.Name, json.RawMessage(`{}`))
			f := h.wantFault(err, fault.InvalidInput, "")
			if !strings.Contains(f.Message, fmt.Sprintf("there is no tool %q", m.Name)) || lo.Contains(strings.FieldsFunc(f.Recovery, func(r rune) bool {
				return r == ' ' || r == ','
			}), m.Name) {
				t.Errorf("%s: %v, recovery %q", m.Name, f, f.Recovery)
			}
		}
		if got := h.world.Received(pane); got != "" {
			t.Errorf("typed %q", got)
		}
	})
}

// What a description advises can be done where it is read.
func TestDescriptionsNameWhatIsOnOffer(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		named := 0
		for _, tool := range h.app.Tools() {
			alone := h.offering(frozen(t, app.Members(), surface.Wish{Toolsets: new(""), Tools: tool.Name}, "")).Tools()[0]
			for _, m := range app.Members() {
				word := regexp.MustCompile(`\b` + m.Name + `\b`)
				if m.Name == tool.Name || !strings.Contains(m.Name, "_") || !word.MatchString(tool.Description) {
					continue
				}
				named++
				if word.MatchString(alone.Description) {
					t.Errorf("%s alone names %s: %s", tool.Name, m.Name, alone.Description)
				}
				both := h.offering(frozen(t, app.Members(), surface.Wish{Toolsets: new(""), Tools: tool.Name + "," + m.Name}, "")).Tools()
				if !lo.ContainsBy(both, func(t app.Tool) bool { return t.Name == tool.Name && word.MatchString(t.Description) }) {
					t.Errorf("%s does not name %s, which is on offer", tool.Name, m.Name)
				}
			}
			if last := alone.Description[len(alone.Description)-1]; last != '.' {
				t.Errorf("%s: %q", tool.Name, alone.Description)
			}
		}
		if named < 3 {
			t.Errorf("descriptions name %d other tools", named)
		}
	})
}

func TestNothingSelected(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		a := h.offering(frozen(t, app.Members(), surface.Wish{Toolsets: new("")}, ""))
		if tools := a.Tools(); len(tools) > 0 {
			t.Errorf("on offer: %v", tools)
		}
		_, err := a.Call(h.Context(), "list_panes", nil)
		if !fault.Is(err, fault.InvalidInput) {
			t.Errorf("list_panes: %v", err)
		}
	})
}

func TestABoundToolActsOnTheCreatedServerAlone(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		before, err := h.app.ListPanes(h.Context(), app.ListPanesIn{})
		if err != nil {
			t.Fatal(err)
		}
		// Whatever the tool does: what binds it is that the default alone gives it, as a teardown.
		catalogue := []surface.Member{{Name: "list_panes", Toolset: surface.Inspect}, {Name: "paste_text", Toolset: surface.Teardown}}
		a := h.offering(frozen(t, catalogue, surface.Wish{}, tmux.Generation(before.Generation)))
		asked := h.offering(frozen(t, catalogue, surface.Wish{Tools: "paste_text"}, tmux.Generation(before.Generation)))
		paste := func(a *app.App, pane tmux.PaneID) error {
			_, err := a.Call(h.Context(), "paste_text", json.RawMessage(fmt.Sprintf(`{"pane_id":%q,"text":"x"}`, pane)))
			return err
		}
		if err := paste(a, pane); err != nil {
			t.Fatalf("on the created server: %v", err)
		}
		again := h.world.Restart("main")
		for range 2 { // before and after the panes of the new server were listed
			f := h.wantFault(paste(a, again), fault.StaleTarget, "")
			if !strings.Contains(f.Message, "restarted by somebody else") {
				t.Errorf("got %v", f)
			}
			for _, a := range []*app.App{a, asked} {
				if _, err := a.Call(h.Context(), "list_panes", nil); err != nil {
					t.Fatalf("list_panes: %v", err)
				}
			}
		}
		if got := h.world.Received(again); got != "" {
			t.Errorf("pasted %q into a server that somebody else started", got)
		}
		if err := paste(asked, again); err != nil {
			t.Errorf("asked for by name: %v", err)
		}
	})
}

// Every teardown that there is, or will be, keeps to the server that was created if the default alone gives it.
func TestEveryTeardownIsBound(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.shell()
		before, err := h.app.ListPanes(h.Context(), app.ListPanesIn{})
		if err != nil {
			t.Fatal(err)
		}
		a := h.offering(frozen(t, app.Members(), surface.Wish{}, tmux.Generation(before.Generation)))
		pane := h.world.Restart("main")
		if _, err := a.Call(h.Context(), "list_panes", nil); err != nil {
			t.Fatal(err)
		}
		ids := map[string]string{
			"pane_id": string(pane), "window_id": string(h.world.WindowOf(pane)), "session_id": string(h.world.SessionOf(pane)),
		}
		tried := 0
		for _, tool := range a.Tools() {
			if tool.Toolset != surface.Teardown {
				continue
			}
			tried++
			arguments, err := json.Marshal(lo.PickByKeys(ids, tool.Input.Required))
			if err != nil {
				t.Fatal(err)
			}
			_, err = a.Call(h.Context(), tool.Name, arguments)
			if f := h.wantFault(err, fault.StaleTarget, ""); !strings.Contains(f.Message, tool.Name) {
				t.Errorf("%s: %v", tool.Name, f)
			}
		}
		if tried == 0 {
			t.Error("there is no teardown")
		}
		if all, err := h.world.Topology(h.Context(), tmux.DetailBrief); err != nil || len(all.Panes) != 1 {
			t.Errorf("panes that are left: %v, %v", all.Panes, err)
		}
	})
}
