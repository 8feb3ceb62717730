package app_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

func TestResourcesAreUnderTheirToolsPolicy(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.panes(1)
		generation := h.snapshot(h.app, app.TmuxSnapshotIn{Entity: "pane"}).Server.Generation
		uri := "tmux://work/" + generation + "/snapshots/pane"

		withheld := h.offering(frozen(t, app.Members(), surface.Wish{Exact: app.ExactBase(), Exclude: "tmux_snapshot"}, ""))
		for _, resource := range withheld.Resources() {
			if resource.Tool == "tmux_snapshot" {
				t.Errorf("%s is on offer, and its tool is not", resource.Template)
			}
		}
		_, err := withheld.ReadResource(h.Context(), strings.Replace(uri, "work", "local", 1))
		h.wantFault(err, fault.NotFound, "")

		var entries []string
		options := app.Options{Endpoint: "work", MaxResultBytes: 64 << 10, Audit: func(e app.AuditEntry) { entries = append(entries, e.Tool+" "+e.Outcome) }}
		a := app.New(h.ports(h.world), options)
		defer a.Close()
		if content, err := a.ReadResource(h.Context(), uri); err != nil || content.MIMEType != "application/json" || content.Blob != nil {
			t.Errorf("%+v, %v", content, err)
		}
		h.world.Rename("%0", strings.Repeat("x", 64<<10))
		_, err = a.ReadResource(h.Context(), uri)
		h.wantFault(err, fault.Capacity, "")
		_, err = a.ReadResource(h.Context(), strings.Replace(uri, "work", "local", 1))
		if f := h.wantFault(err, fault.NotFound, ""); !strings.Contains(f.Message, `"local"`) || !strings.Contains(f.Recovery, "work") {
			t.Errorf("another endpoint: %v, %q", f, f.Recovery)
		}
		h.world.KillServer()
		_, err = a.ReadResource(h.Context(), uri)
		h.wantFault(err, fault.StaleTarget, "")
		if diff := cmp.Diff([]string{"tmux_snapshot ok", "tmux_snapshot capacity", "tmux_snapshot stale_target"}, entries); diff != "" {
			t.Errorf("audited (-want +got):\n%s", diff)
		}
	})
}
