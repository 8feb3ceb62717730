package app_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestExactCapabilities(t *testing.T) {
	for version, stable := range map[tmux.Version]bool{"3.2a": true, "3.4": true, "3.5a": false, "3.8": false} {
		inHouse(t, fake.Options{Version: version}, func(h *house) {
			a := h.offering(frozen(t, app.Members(), surface.Wish{Exact: app.ExactBase(), Enable: []string{"get_run"}}, ""))
			ask := func() app.TmuxCapabilitiesOut {
				out, err := a.Call(h.Context(), "tmux_capabilities", nil)
				if err != nil {
					t.Fatal(err)
				}
				return out.(app.TmuxCapabilitiesOut)
			}
			absent := ask()
			if absent.Server != (app.ExactServer{State: "absent"}) || absent.CaptureHooksStable != nil {
				t.Errorf("without a server: %+v", absent)
			}
			h.shell()
			all, err := h.world.Topology(h.Context(), tmux.DetailBrief)
			if err != nil {
				t.Fatal(err)
			}
			got := ask()
			want := app.ExactServer{
				State: "running", Generation: string(all.Server.Generation), PID: all.Server.PID, StartTime: all.Server.StartTime.Unix(), Version: string(version),
			}
			if diff := cmp.Diff(want, got.Server); diff != "" {
				t.Errorf("server (-want +got):\n%s", diff)
			}
			if got.CaptureHooksStable == nil || *got.CaptureHooksStable != stable {
				t.Errorf("tmux %s: capture hooks must be stable: %v, want %v", version, got.CaptureHooksStable, stable)
			}
			if diff := cmp.Diff(append([]string{"get_run"}, app.ExactBase()...), got.EnabledTools); diff != "" {
				t.Errorf("enabled (-want +got):\n%s", diff)
			}
			if got.Endpoint != "local" || got.OwnsDaemon || got.ResourceSubscriptions || got.ProcessTracking == "" {
				t.Errorf("got %+v", got)
			}
		})
	}
}
