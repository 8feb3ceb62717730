package app_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
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
			if _, knows := got.Criteria.Fields[tmux.KindPane]["pane_dead_signal"]; knows != version.AtLeast("3.3") || got.Criteria.MaxDepth != 8 || got.Limits.RetainedCaptures != 16 {
				t.Errorf("tmux %s: criteria %+v, limits %+v", version, got.Criteria, got.Limits)
			}
			if got.Endpoint != "local" || got.OwnsDaemon || got.ResourceSubscriptions {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestProcessTracking(t *testing.T) {
	for _, c := range []struct {
		name    string
		options fake.Options
		want    string
		problem string
	}{
		{"supported", fake.Options{}, "supported", ""},
		{"tmux is too old", fake.Options{Version: "3.2a"}, "tmux_version", "3.2a"},
		{"another namespace", fake.Options{Untracked: ports.LackNamespace}, "pid_namespace", "lacks"},
		{"an old kernel", fake.Options{Untracked: ports.LackKernel}, "kernel", "lacks"},
		{"no proc", fake.Options{Untracked: ports.LackProc}, "proc", "lacks"},
		{"another system", fake.Options{Untracked: ports.LackSystem}, "operating_system", "lacks"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, c.options, func(h *house) {
				h.shell()
				out, err := h.app.Call(h.Context(), "tmux_capabilities", nil)
				if err != nil {
					t.Fatal(err)
				}
				got := out.(app.TmuxCapabilitiesOut)
				if got.ProcessTracking != c.want || (got.TrackingProblem != "") != (c.problem != "") || !strings.Contains(got.TrackingProblem, c.problem) {
					t.Errorf("got %q: %q, want %q: %q", got.ProcessTracking, got.TrackingProblem, c.want, c.problem)
				}
			})
		})
	}
	inHouse(t, fake.Options{}, func(h *house) {
		h.shell()
		faulty := porttest.NewFaulty(porttest.Ports{Identity: h.world})
		faulty.Inject("Tracking", porttest.Fault{Err: fault.Invalidf("", "the socket broke")})
		outside := h.ports(h.world)
		outside.Identity = faulty
		out, err := app.New(outside, app.Options{}).Call(h.Context(), "tmux_capabilities", nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := out.(app.TmuxCapabilitiesOut); got.ProcessTracking != "" || !strings.Contains(got.TrackingProblem, "the socket broke") {
			t.Errorf("got %q: %q, want neither, and why", got.ProcessTracking, got.TrackingProblem)
		}
	})
}
