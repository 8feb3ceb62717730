package app_test

import (
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestAReferenceIsExact(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		generation := func() string {
			t.Helper()
			out, err := h.app.TmuxCapabilities(h.Context(), app.TmuxCapabilitiesIn{})
			if err != nil {
				t.Fatal(err)
			}
			return out.Server.Generation
		}
		first := generation()
		resolve := func(generation, id string, kinds ...tmux.Kind) (tmux.Topology, error) {
			return app.Exact(h.app, h.Context(), tmux.DetailBrief, "parent_id", app.Reference{Generation: generation, TargetID: id}, kinds...)
		}
		for _, c := range []struct {
			name, generation, id string
			kind                 fault.Kind
			says                 string
		}{
			{"as it was listed", first, string(pane), "", ""},
			{"no generation", "", string(pane), fault.InvalidInput, "generation is empty"},
			{"no id", first, "", fault.InvalidInput, "parent_id is empty"},
			{"an index", first, "0", fault.InvalidInput, `parent_id "0" is an index`},
			{"another kind", first, "@0", fault.InvalidInput, "parent_id"},
			{"what does not exist", first, "%9", fault.NotFound, "%9"},
			{"another life", "g0123456789abcdef", string(pane), fault.StaleTarget, "another life"},
			{"what does not exist, in another life", "g0123456789abcdef", "%9", fault.StaleTarget, "another life"},
		} {
			got, err := resolve(c.generation, c.id, tmux.KindPane)
			if c.kind == "" {
				if err != nil || got.Server.Generation != tmux.Generation(first) {
					t.Errorf("%s: %v, %v", c.name, got.Server, err)
				}
				continue
			}
			f := h.wantFault(err, c.kind, "")
			if !strings.Contains(f.Message, c.says) || !strings.Contains(f.Recovery, "tmux_snapshot") || strings.Contains(f.Recovery, "list_") {
				t.Errorf("%s: %v, recovery %q", c.name, f, f.Recovery)
			}
		}
		if _, err := resolve(first, "@0", tmux.KindPane, tmux.KindWindow); err != nil {
			t.Errorf("one of two kinds: %v", err)
		}

		again := h.world.Restart("main")
		h.wantFault(func() error { _, err := resolve(first, string(again), tmux.KindPane); return err }(), fault.StaleTarget, "")
		// A listing of the new life does not bring references of the old one back to life.
		if _, err := h.app.ListPanes(h.Context(), app.ListPanesIn{}); err != nil {
			t.Fatal(err)
		}
		h.wantFault(func() error { _, err := resolve(first, string(again), tmux.KindPane); return err }(), fault.StaleTarget, "")
		if _, err := resolve(generation(), string(again), tmux.KindPane); err != nil {
			t.Errorf("a reference to the new life: %v", err)
		}
		h.world.KillServer()
		f := h.wantFault(func() error { _, err := resolve(first, string(pane), tmux.KindPane); return err }(), fault.ServerGone, "")
		if !strings.Contains(f.Recovery, "tmux_snapshot") {
			t.Errorf("without a server: recovery %q", f.Recovery)
		}
	})
}

func TestEndpoints(t *testing.T) {
	for name, valid := range map[string]bool{
		"local": true, "A-b_c.9": true, strings.Repeat("x", 128): true,
		"": false, strings.Repeat("x", 129): false, "capabilities": false, "a/b": false, "é": false, "a b": false, "a\n": false, "%41": false,
	} {
		if err := app.CheckEndpoint(name); (err == nil) != valid {
			t.Errorf("%q: %v", name, err)
		}
	}
}
