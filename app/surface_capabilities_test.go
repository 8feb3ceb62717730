package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestCapabilitiesTellWhoseServerItIs(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		capabilities := func(launch app.Launch) app.ServerFacts {
			a := app.New(app.Ports{Reader: h.world}, app.Options{SocketPath: "/fake/s", Launch: launch})
			defer a.Close()
			return a.Capabilities(h.Context()).Server
		}
		if diff := cmp.Diff(app.ServerFacts{State: "absent", Configuration: "unknown"}, capabilities(app.Launch{})); diff != "" {
			t.Errorf("no server (-want +got):\n%s", diff)
		}
		h.shell()
		all, err := h.world.Topology(h.Context(), tmux.DetailBrief)
		if err != nil {
			t.Fatal(err)
		}
		generation := all.Server.Generation
		for _, c := range []struct {
			name                 string
			launch               app.Launch
			state, configuration string
		}{
			{"somebody's", app.Launch{}, "existing", "unknown"},
			{"somebody's, with a configuration for what is started here", app.Launch{Configured: true}, "existing", "unknown"},
			{"created", app.Launch{Created: generation}, "created", "minimal"},
			{"created with a configuration", app.Launch{Created: generation, Configured: true}, "created", "user-configured"},
			{"created and restarted by somebody", app.Launch{Created: "g0"}, "existing", "unknown"},
		} {
			want := app.ServerFacts{
				State: c.state, Configuration: c.configuration, Version: string(all.Server.Version), Generation: string(generation),
			}
			if diff := cmp.Diff(want, capabilities(c.launch)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	})
}

// An unreachable tmux answers nothing.
type unreachable struct{ ports.Reader }

func (unreachable) Topology(context.Context, tmux.Detail) (tmux.Topology, error) {
	return tmux.Topology{}, &fault.Error{Kind: fault.TransportError, Message: "no permission", Recovery: "ask root"}
}

func TestCapabilitiesTellWhatIsWrong(t *testing.T) {
	a := app.New(app.Ports{Reader: unreachable{}}, app.Options{Launch: app.Launch{
		Executable: func(context.Context) (string, tmux.Version, error) {
			return "", "", &fault.Error{Kind: fault.TransportError, Message: "no tmux", Recovery: "install it"}
		},
	}})
	defer a.Close()
	got := a.Capabilities(t.Context())
	if diff := cmp.Diff(app.ServerFacts{Configuration: "unknown", Problem: "no permission: ask root"}, got.Server); diff != "" {
		t.Errorf("server (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(app.TmuxFacts{Problem: "no tmux: install it"}, got.Tmux); diff != "" {
		t.Errorf("tmux (-want +got):\n%s", diff)
	}
	if len(got.Tools) != len(app.Members()) || !strings.Contains(got.Notice, "not a sandbox") {
		t.Errorf("tools and notice: %+v", got)
	}
}

func TestCapabilitiesTellTheSelection(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		catalogue := []surface.Member{
			{Name: "list_panes", Toolset: surface.Inspect},
			{Name: "capture_pane", Toolset: surface.Inspect},
			{Name: "run_shell_command", Toolset: surface.Execute},
			{Name: "send_keys", Toolset: surface.Teardown},
		}
		a := h.offering(frozen(t, catalogue, surface.Wish{Exclude: "run_shell_command,list_panes"}, "g1"))
		got := a.Capabilities(h.Context())
		if len(got.Tools) != 2 {
			t.Fatalf("tools: %+v", got.Tools)
		}
		if diff := cmp.Diff(app.ToolFacts{
			Name: "capture_pane", Toolset: surface.Inspect, Effects: surface.Observe, Reach: surface.ReachNone,
			Holds: []surface.Content{surface.TerminalText, surface.Metadata},
			Limits: app.ToolLimits{Seconds: 5, Arguments: map[string]app.ArgumentLimit{
				"history":   {Minimum: new(0.0), Maximum: new(1e6)},
				"max_lines": {Minimum: new(1.0), Maximum: new(2000.0)},
				"max_bytes": {Minimum: new(1.0), Maximum: new(262144.0)},
			}},
		}, got.Tools[0]); diff != "" {
			t.Errorf("capture_pane (-want +got):\n%s", diff)
		}
		if typing := got.Tools[1]; typing.Name != "send_keys" || !typing.Amplifies || !typing.CreatedServerOnly || *typing.Limits.Arguments["keys"].MaxItems != 256 {
			t.Errorf("send_keys: %+v", typing)
		}
		text, err := json.Marshal(map[string]any{"selection": got.Selection, "withheld": got.Withheld})
		if err != nil {
			t.Fatal(err)
		}
		const want = `{"selection":{` +
			`"base":{"by":"default","toolsets":["inspect","manage","execute","teardown"],"tools":["list_panes","capture_pane","run_shell_command","send_keys"]},` +
			`"added":{"by":"LIBTMUX_TOOLS","tools":[]},` +
			`"excluded":{"by":"LIBTMUX_EXCLUDE_TOOLS","tools":["list_panes","run_shell_command"]}},` +
			`"withheld":[{"name":"list_panes","toolset":"inspect","enable":"remove list_panes from LIBTMUX_EXCLUDE_TOOLS"},` +
			`{"name":"run_shell_command","toolset":"execute","enable":"remove run_shell_command from LIBTMUX_EXCLUDE_TOOLS"}]}`
		if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestCapabilitiesHaveNoNulls(t *testing.T) {
	a := app.New(app.Ports{Reader: unreachable{}}, app.Options{Surface: frozen(t, app.Members(), surface.Wish{Toolsets: new("")}, "")})
	defer a.Close()
	for _, a := range []*app.App{a, app.New(app.Ports{Reader: unreachable{}}, app.Options{})} {
		text, err := json.Marshal(a.Capabilities(t.Context()))
		if err != nil || strings.Contains(string(text), "null") || !strings.Contains(string(text), `"tools":[`) {
			t.Errorf("%s, %v", text, err)
		}
	}
}
