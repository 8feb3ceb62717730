package porttest

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Inspector runs the contract of [ports.Inspector].
func Inspector(t *testing.T, newWorld func(t *testing.T) World) {
	t.Run("Variables", func(t *testing.T) { variables(t, newWorld) })
	t.Run("Options", func(t *testing.T) { optionsOf(t, newWorld) })
	t.Run("Hooks", func(t *testing.T) { hooksOf(t, newWorld) })
	t.Run("Environment", func(t *testing.T) { environmentOf(t, newWorld) })
	runCases(t, newWorld, []testCase{{"what does not exist, another life, no time, no server", func(t *testing.T, w World) {
		w.Session("main", Recorder)
		old := topology(t, w).Server
		calls := map[string]func(ctx context.Context, server tmux.Server, suffix string) error{
			"Variables": func(ctx context.Context, server tmux.Server, suffix string) error {
				_, err := w.Ports().Variables(ctx, server, tmux.PaneID("%0"+suffix), []string{"pane_id"})
				return err
			},
			"Options": func(ctx context.Context, server tmux.Server, suffix string) error {
				_, err := w.Ports().Options(ctx, server, ports.Options{Scope: ports.WindowOptions, Target: "@0" + suffix})
				return err
			},
			"Hooks": func(ctx context.Context, server tmux.Server, suffix string) error {
				_, err := w.Ports().Hooks(ctx, server, "%0"+suffix)
				return err
			},
			"Environment": func(ctx context.Context, server tmux.Server, suffix string) error {
				_, err := w.Ports().Environment(ctx, server, tmux.SessionID("$0"+suffix))
				return err
			},
		}
		all := func(kind fault.Kind, suffix string) {
			t.Helper()
			for name, call := range calls {
				t.Log(name)
				wants(t, w, kind, call(bounded(t), old, suffix))
			}
		}
		all(fault.NotFound, "9")
		for _, call := range calls {
			endsWithContext(t, w, func(ctx context.Context) error { return call(ctx, old, "") })
		}
		newLife(t, w, Recorder)
		all(fault.StaleTarget, "")
		w.Kill("")
		all(fault.ServerGone, "")
	}}})
}

func variables(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"of a pane, exactly", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			window := string(pane(t, w, id).Window)
			w.Rename(string(id), literal)
			w.Rename(window, `a\b $HOME`)
			w.SetOption(string(id), "@mine", "tab\tquote'\"\\$x #{pid} 日本")
			read := topology(t, w)
			got, err := w.Ports().Variables(bounded(t), read.Server, id, []string{"pane_id", "pane_title", "window_id", "window_name", "session_name", "@mine", "pane_pb_state", "@none"})
			succeeds(t, w, err)
			want := map[string]string{
				"pane_id": string(id), "pane_title": literal, "window_id": window, "window_name": `a\b $HOME`, "session_name": "main",
				"@mine": "tab\tquote'\"\\$x #{pid} 日本", "pane_pb_state": got["pane_pb_state"], "@none": "",
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}},
		{"of the server", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			server := topology(t, w).Server
			got, err := w.Ports().Variables(bounded(t), server, "", []string{"pid", "version"})
			succeeds(t, w, err)
			if diff := cmp.Diff(map[string]string{"pid": strconv.Itoa(server.PID), "version": string(server.Version)}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}},
	})
}

func optionsOf(t *testing.T, newWorld func(t *testing.T) World) {
	get := func(t *testing.T, w World, request ports.Options) []ports.Option {
		t.Helper()
		found, err := w.Ports().Options(bounded(t), topology(t, w).Server, request)
		succeeds(t, w, err)
		return found
	}
	runCases(t, newWorld, []testCase{
		{"at their levels", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.SetOption("", "history-limit", "4000")
			w.SetOption("$0", "@mine", "a b")
			w.SetOption("@0", "remain-on-exit", "on")
			for _, c := range []struct {
				request ports.Options
				want    []ports.Option
			}{
				{ports.Options{Scope: ports.SessionOptions, Name: "history-limit"}, []ports.Option{{Name: "history-limit", Value: "4000"}}},
				{ports.Options{Scope: ports.SessionOptions, Name: "history-limit", Target: "$0"}, []ports.Option{{Name: "history-limit", Value: "4000", Inherited: true}}},
				{ports.Options{Scope: ports.SessionOptions, Name: "@mine", Target: "$0"}, []ports.Option{{Name: "@mine", Value: `"a b"`}}},
				{ports.Options{Scope: ports.WindowOptions, Name: "remain-on-exit", Target: "@0"}, []ports.Option{{Name: "remain-on-exit", Value: "on"}}},
				{ports.Options{Scope: ports.PaneOptions, Name: "remain-on-exit", Target: string(id)}, []ports.Option{{Name: "remain-on-exit", Value: "on", Inherited: true}}},
				{ports.Options{Scope: ports.SessionOptions, Name: "@none", Target: "$0"}, nil},
				{ports.Options{Scope: ports.SessionOptions, Name: "no-such-option"}, nil},
			} {
				got := get(t, w, c.request)
				if diff := cmp.Diff(c.want, slices.Clip(append([]ports.Option(nil), got...))); diff != "" {
					t.Errorf("%+v (-want +got):\n%s", c.request, diff)
				}
				all := get(t, w, ports.Options{Scope: c.request.Scope, Target: c.request.Target})
				for _, option := range c.want {
					if !slices.Contains(all, option) {
						t.Errorf("%+v: %+v is not among all", c.request, option)
					}
				}
			}
			get(t, w, ports.Options{Scope: ports.ServerOptions}) // which has none that can be set here
		}},
	})
}

func hooksOf(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"at their levels", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			w.SetOption("", "after-new-window", "display-message hi")
			w.SetOption("$0", "after-new-session[3]", "display-message there")
			want := map[string][]ports.Hook{
				"": {{Name: "after-new-window", Command: "display-message hi", Level: ports.GlobalHook}},
				"$0": {
					{Name: "after-new-session", Index: 3, Command: "display-message there", Level: ports.SessionHook},
					{Name: "after-new-window", Command: "display-message hi", Level: ports.GlobalHook},
				},
			}
			want["@0"], want["%0"] = want["$0"], want["$0"]
			for target, want := range want {
				got, err := w.Ports().Hooks(bounded(t), topology(t, w).Server, target)
				succeeds(t, w, err)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%q (-want +got):\n%s", target, diff)
				}
			}
		}},
	})
}

func environmentOf(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"values are exact", func(t *testing.T, w World) {
			w.Session("main", Recorder)
			values := map[string]string{
				"PLAIN": "x", "EMPTY": "", "LITERAL": literal, "LINES": "one\ntwo\"; export LINES;\nthree", "QUOTES": "'\"`$x \\$x \\\\", "TAB": "a\tb", "UTF8": "日本",
				"ESCAPES": "\x1b[31m\\033\a",
			}
			for name, value := range values {
				w.SetEnvironment("$0", name, value)
			}
			w.SetEnvironment("", "GLOBAL", "g")
			for session, want := range map[tmux.SessionID]map[string]string{"$0": values, "": {"GLOBAL": "g"}} {
				found, err := w.Ports().Environment(bounded(t), topology(t, w).Server, session)
				succeeds(t, w, err)
				got := map[string]string{}
				for _, variable := range found {
					if _, wanted := want[variable.Name]; wanted {
						got[variable.Name] = variable.Value
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%q (-want +got):\n%s", session, diff)
				}
			}
		}},
	})
}
