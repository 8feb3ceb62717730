package app_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

func TestSettings(t *testing.T) {
	for _, c := range []struct {
		name, tool, arguments string
		want                  any // nil: InvalidInput
	}{
		{"variables", "get_tmux_variables", `{"names":["pane_id","window_name","@x"],"pane_id":"%0"}`, app.GetTmuxVariablesOut{Values: map[string]string{"pane_id": "%0", "window_name": "bash", "@x": "a\tb"}}},
		{"a variable of the server", "get_tmux_variables", `{"names":["version"]}`, app.GetTmuxVariablesOut{Values: map[string]string{"version": "3.4"}}},
		{"a pane's variable without a pane", "get_tmux_variables", `{"names":["pane_id"]}`, nil},
		{"a format", "get_tmux_variables", `{"names":["#(touch X)"],"pane_id":"%0"}`, nil},
		{"a variable of the environment", "get_tmux_variables", `{"names":["http_proxy"],"pane_id":"%0"}`, nil},
		{"no names", "get_tmux_variables", `{"names":[]}`, nil},
		{"a window's variables", "get_tmux_variables", `{"names":["window_name"],"pane_id":"@0"}`, nil},
		{"options", "show_options", `{"scope":"window","target_id":"@0"}`, app.ShowOptionsOut{Options: []app.OptionRow{
			{Name: "remain-on-exit", Value: "on"}, {Name: "mouse", Value: "on", Inherited: true},
		}, Total: 2}},
		{"one option", "show_options", `{"scope":"session","name":"mouse"}`, app.ShowOptionsOut{Options: []app.OptionRow{{Name: "mouse", Value: "on"}}, Total: 1}},
		{"no such option", "show_options", `{"scope":"session","name":"nothing"}`, app.ShowOptionsOut{Options: []app.OptionRow{}}},
		{"a flag", "show_options", `{"scope":"session","name":"-g"}`, nil},
		{"a format as an option", "show_options", `{"scope":"session","name":"#{pid}"}`, nil},
		{"a pane's options without a pane", "show_options", `{"scope":"pane"}`, nil},
		{"the server's options of a pane", "show_options", `{"scope":"server","target_id":"%0"}`, nil},
		{"a session's options of a pane", "show_options", `{"scope":"session","target_id":"%0"}`, nil},
		{"hooks", "show_hooks", `{"target_id":"%0"}`, app.ShowHooksOut{Hooks: []app.HookRow{{Name: "after-new-window", Index: 2, Command: "run-shell x", Level: "global"}}, Total: 1}},
		{"one hook", "show_hooks", `{"name":"after-new-window"}`, app.ShowHooksOut{Hooks: []app.HookRow{{Name: "after-new-window", Index: 2, Command: "run-shell x", Level: "global"}}, Total: 1}},
		{"another hook", "show_hooks", `{"name":"#(touch X)"}`, app.ShowHooksOut{Hooks: []app.HookRow{}}},
		{"the environment", "show_environment", `{}`, app.ShowEnvironmentOut{Variables: []app.VariableRow{
			{Name: "API_TOKEN", Masked: true}, {Name: "EDITOR", Value: new("vi")},
		}, Total: 2, Masked: 1}},
		{"a secret that is asked for", "show_environment", `{"name":"API_TOKEN","reveal":true}`, app.ShowEnvironmentOut{Variables: []app.VariableRow{{Name: "API_TOKEN", Value: new("t0p")}}, Total: 1}},
		{"a session's environment", "show_environment", `{"session_id":"$0"}`, app.ShowEnvironmentOut{Variables: []app.VariableRow{{Name: "LANG", Value: new("C")}}, Total: 1}},
		{"a pane's environment", "show_environment", `{"session_id":"%0"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.world.AddSession("main")
				h.world.SetOption("", "mouse", "on")
				h.world.SetOption("@0", "remain-on-exit", "on")
				h.world.SetOption("%0", "@x", "a\tb")
				h.world.SetOption("", "after-new-window[2]", "run-shell x")
				h.world.SetEnvironment("", "EDITOR", "vi")
				h.world.SetEnvironment("", "API_TOKEN", "t0p")
				h.world.SetEnvironment("$0", "LANG", "C")
				got, err := h.call(c.tool, c.arguments)
				if c.want == nil {
					h.wantFault(err, fault.InvalidInput, "")
					return
				}
				if err != nil {
					h.Fatal(err)
				}
				ignoringGeneration := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Generation" }, cmp.Ignore())
				if diff := cmp.Diff(c.want, got, ignoringGeneration); diff != "" {
					h.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestSettingsOfWhatIsNotThere(t *testing.T) {
	calls := map[string]string{
		"get_tmux_variables": `{"names":["pane_id"],"pane_id":"%0"}`, "show_options": `{"scope":"pane","target_id":"%0"}`,
		"show_hooks": `{"target_id":"%0"}`, "show_environment": `{"session_id":"$0"}`,
	}
	inHouse(t, fake.Options{}, func(h *house) {
		for tool, arguments := range lo.Assign(calls, map[string]string{"show_environment": `{}`}) {
			_, err := h.call(tool, arguments)
			h.wantFault(err, fault.ServerGone, "")
		}
		h.world.AddSession("main")
		if _, err := h.call("list_panes", `{}`); err != nil {
			h.Fatal(err)
		}
		h.world.Restart("main")
		for tool, arguments := range calls {
			_, err := h.call(tool, arguments)
			h.wantFault(err, fault.StaleTarget, "")
		}
	})
}
