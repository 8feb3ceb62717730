//go:build integration

package integration_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// 200 panes with 2000 lines each: the search ends within its five seconds and says what ended it, if anything did.
func TestSearchOfManyPanes(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := startServer(t, binary, "cat")
		server.Tmux(t, "set-option", "-g", "history-limit", "3000")
		script := "seq 1 2000; echo needle $TMUX_PANE; exec cat"
		for range 10 {
			var list []string
			for range 20 {
				list = append(list, "new-window", "-d", "-t", "main:", "sh", "-c", script, ";")
			}
			server.Tmux(t, list[:len(list)-1]...)
		}
		eventually(t, "all panes have written", func() (bool, string) {
			sizes := server.Tmux(t, "list-panes", "-a", "-F", "#{history_size}")
			full := 0
			for size := range strings.FieldsSeq(sizes) {
				if number(t, size) >= 1900 {
					full++
				}
			}
			return full == 200, fmt.Sprint(full)
		})
		for _, backend := range []string{backendCLI, backendControl} {
			t.Run(backend, func(t *testing.T) {
				talk := converseOver(t, backend, server, nil)
				began := time.Now()
				out := talk.must("search_panes", args{"pattern": "needle %", "history": 3000, "max_matches": 1000})
				took := time.Since(began)
				stopped, matches, searched := out["stopped_by"].([]any), out["matches"].([]any), out["panes_searched"].(float64)
				t.Logf("%v: %v panes, %d matches, stopped by %v", took, searched, len(matches), stopped)
				if took > 6*time.Second {
					t.Errorf("it took %v", took)
				}
				if len(stopped) == 0 || searched < 10 || len(matches) < int(searched)-1 {
					t.Errorf("%v panes, %d matches, stopped by %v: 201 panes with 400000 lines are beyond the limits", searched, len(matches), stopped)
				}
				out = talk.must("search_panes", args{"pattern": "needle %", "max_matches": 1000})
				if stopped := out["stopped_by"].([]any); !slices.Equal(stopped, []any{"panes"}) || out["panes_searched"] != 200.0 {
					t.Errorf("%v screens, stopped by %v: only their number is beyond the limits", out["panes_searched"], stopped)
				}
			})
		}
	})
}

// Many panes are read in few command lists.
func TestLinesTakeFewLists(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := startServer(t, binary, "cat")
		for range 59 {
			server.Tmux(t, "new-window", "-d", "-t", "main:", "cat")
		}
		conn := &countingConn{Conn: cliConn(t, server, cli.Options{Config: "/dev/null", Env: plainEnv(t)})}
		typed := tmuxserver.New(conn, tmuxserver.Options{})
		all := topology(t, typed)
		request := ports.LinesRequest{Server: all.Server}
		for _, pane := range all.Panes {
			request.Panes = append(request.Panes, pane.ID)
		}
		conn.runs.Store(0)
		read := 0
		for lines := range typed.Lines(t.Context(), request) {
			if lines.Err != nil {
				t.Error(lines.Err)
			}
			read++
		}
		if runs := conn.runs.Load(); read != 60 || runs > 5 {
			t.Errorf("%d panes in %d lists", read, runs)
		}
	})
}

func TestInspectingARealServer(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := startServer(t, binary, "cat")
		server.Tmux(t, "set-option", "-p", "-t", "%0", "@x", "a b")
		server.Tmux(t, "set-hook", "-g", "after-new-window", "display-message hi")
		server.Tmux(t, "set-environment", "-t", "main", "API_TOKEN", "t0p secret")
		talk := converse(t, server, nil)
		values := talk.must("get_tmux_variables", args{"names": []string{"pane_id", "@x", "history_limit"}, "pane_id": "%0"})["values"].(map[string]any)
		if values["pane_id"] != "%0" || values["@x"] != "a b" || values["history_limit"] != "2000" {
			t.Errorf("variables %v", values)
		}
		talk.failed(fault.InvalidInput, "get_tmux_variables", args{"names": []string{"#(touch X)"}, "pane_id": "%0"})
		for _, scope := range []string{"server", "session", "window", "pane"} {
			target := map[string]string{"session": "$0", "window": "@0", "pane": "%0"}[scope]
			arguments := args{"scope": scope}
			if target != "" {
				arguments["target_id"] = target
			}
			if total := talk.must("show_options", arguments)["total"].(float64); total < 5 {
				t.Errorf("%s: %v options", scope, total)
			}
		}
		hooks := talk.must("show_hooks", nil)["hooks"].([]any)
		if len(hooks) != 1 || hooks[0].(map[string]any)["level"] != "global" {
			t.Errorf("hooks %v", hooks)
		}
		out := talk.must("show_environment", args{"session_id": "$0", "name": "API_TOKEN"})
		if variable := out["variables"].([]any)[0].(map[string]any); variable["masked"] != true || variable["value"] != nil {
			t.Errorf("a secret: %v", variable)
		}
		out = talk.must("show_environment", args{"session_id": "$0", "name": "API_TOKEN", "reveal": true})
		if variable := out["variables"].([]any)[0].(map[string]any); variable["value"] != "t0p secret" {
			t.Errorf("revealed: %v", variable)
		}
		for name := range map[string]bool{"pid": true, "version": true, "socket_path": true} {
			if !tmux.IsServerVariable(name) {
				t.Errorf("%s is no variable of the server", name)
			}
			if got := talk.must("get_tmux_variables", args{"names": []string{name}})["values"].(map[string]any)[name]; got == "" {
				t.Errorf("%s is empty", name)
			}
		}
	})
}

// What does not exist is refused without a question that ends tmux before 3.3: for the time of a window, session or client that there is not.
func TestReadingWhatIsGoneEndsNoServer(t *testing.T) {
	times := []string{"window_activity", "session_activity", "session_created", "session_last_attached"}
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary, "cat")
		for name, server := range map[string]*tmuxserver.Server{backendCLI: cliServer(t, s), backendControl: controlServer(t, s)} {
			all := topology(t, server)
			if values, err := server.Variables(t.Context(), all.Server, "%0", times); err != nil || len(values) != len(times) {
				t.Errorf("%s: of a pane: %v, %v", name, values, err)
			}
			const gone = "%99"
			_, err := server.Variables(t.Context(), all.Server, gone, times)
			_, noCapture := server.Capture(t.Context(), ports.CaptureRequest{Server: all.Server, Pane: gone})
			_, noWatch := server.Watch(t.Context(), all.Server, gone)
			for what, err := range map[string]error{"variables": err, "capture": noCapture, "watch": noWatch} {
				if !fault.Is(err, fault.NotFound) {
					t.Errorf("%s: %s: %v, want not found", name, what, err)
				}
			}
			for _, kind := range []tmux.Kind{tmux.KindSession, tmux.KindWindow, tmux.KindWindowLink, tmux.KindPane, tmux.KindClient} {
				if _, err := server.Snapshot(t.Context(), kind); err != nil {
					t.Errorf("%s: %s: %v", name, kind, err)
				}
			}
			if now := topology(t, server); now.Server.Generation != all.Server.Generation {
				t.Errorf("%s: the server was %+v and is %+v", name, all.Server, now.Server)
			}
		}
	})
}
