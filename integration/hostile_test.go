//go:build integration

package integration_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// hostile are texts that tmux or a shell takes for something else, if it gets the chance. The first makes a file.
func hostile(file string) []string {
	return []string{
		"#(touch " + file + ")", "#{pid}", "%H", "#S", ";", `\;`, "a;", "-t", "--", "'", `"`, "a\nb", "a\tb", "$HOME", "~", "=", "ПРИВЕТ日本🎉",
	}
}

// literalCall is how a call keeps a text as it is: what else the tool needs, and where the text must turn up again.
type literalCall struct {
	others func() args                                             // than the argument that holds the text
	kept   map[string]func(out map[string]any, text string) string // by argument: what came of the text
}

// Every free text of every tool is literal: whatever it holds, tmux expands nothing and takes nothing for a flag, a separator or a target.
// The test walks what is listed, so that a tool that comes later has to be here if it takes a text.
func TestFreeTextIsLiteral(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		w := newTmuxWorld(t, binary)
		p := startIdle(t, binary, guard.Dash, "")
		w.realServer = p.realServer
		shell := "%0"
		recorder := w.run(porttest.Recorder, "new-window", "-d", "-t", "$0:")
		talk := converseOver(t, backend, p.realServer, p.frames)
		file := filepath.Join(t.TempDir(), "X")
		field := func(name string) func(map[string]any, string) string {
			return func(out map[string]any, _ string) string { return out[name].(string) }
		}
		windowNamed := func(out map[string]any, _ string) string {
			for _, row := range talk.must("list_windows", nil)["windows"].([]any) {
				if row.(map[string]any)["window_id"] == out["window_id"] {
					return row.(map[string]any)["name"].(string)
				}
			}
			return ""
		}
		sessionNamed := func(out map[string]any, _ string) string {
			for _, row := range talk.must("list_sessions", nil)["sessions"].([]any) {
				if row.(map[string]any)["session_id"] == out["session_id"] {
					return row.(map[string]any)["name"].(string)
				}
			}
			return ""
		}
		received := 0
		typed := func(_ map[string]any, text string) string {
			got := ""
			eventually(t, "the recorder received "+text, func() (bool, string) {
				got = w.Received(recorder)[received:]
				return len(got) >= len(text), got
			})
			received += len(got)
			return strings.ReplaceAll(got, "\r", "\n") // a paste turns LF into CR
		}
		at := func(pane tmux.PaneID) func() args {
			return func() args { return args{"pane_id": pane, "timeout": 0} }
		}
		session := func() args { return args{"session_id": "$0"} }
		generation := talk.must("get_server_info", nil)["generation"]
		exact := func(id tmux.PaneID, others args) func() args {
			return func() args {
				all := args{"target_id": id, "generation": generation}
				maps.Copy(all, others)
				return all
			}
		}
		createdIn := func(out map[string]any) string { // the window
			for _, reference := range out["created"].([]any) {
				if id := reference.(map[string]any)["id"].(string); strings.HasPrefix(id, "@") {
					return id
				}
			}
			return ""
		}
		createdNamed := func(out map[string]any, text string) string {
			return windowNamed(map[string]any{"window_id": createdIn(out)}, text)
		}
		calls := map[string]literalCall{
			"list_sessions": {}, "list_windows": {}, "list_panes": {}, "search_panes": {}, "get_run": {}, "show_hooks": {}, "show_environment": {},
			"show_options":       {others: func() args { return args{"scope": "session"} }},
			"get_tmux_variables": {others: at(recorder)},
			"capture_since":      {others: at(recorder)},
			"wait_for_text": {others: func() args {
				return args{"pane_id": recorder, "timeout": 0, "patterns": []string{"never"}}
			}},
			"signal_channel":   {kept: map[string]func(map[string]any, string) string{"channel": field("channel")}},
			"wait_for_channel": {others: at(recorder), kept: map[string]func(map[string]any, string) string{"channel": field("channel")}},
			"rename":           {others: func() args { return args{"target_id": "@1"} }, kept: map[string]func(map[string]any, string) string{"name": field("name")}},
			"select_layout":    {others: func() args { return args{"window_id": "@1"} }},
			"set_option": {
				others: func() args { return args{"name": "@x", "value": "on", "target_id": "@1"} },
				kept: map[string]func(map[string]any, string) string{"value": func(_ map[string]any, _ string) string {
					return talk.must("get_tmux_variables", args{"names": []string{"@x"}, "pane_id": recorder})["values"].(map[string]any)["@x"].(string)
				}},
			},
			"create_session":    {kept: map[string]func(map[string]any, string) string{"name": sessionNamed, "window_name": windowNamed}},
			"create_window":     {others: session, kept: map[string]func(map[string]any, string) string{"name": windowNamed}},
			"split_window":      {others: at(recorder)},
			"respawn_pane":      {others: at(recorder)},
			"run_shell_command": {others: func() args { return args{"pane_id": shell, "timeout": 5} }},
			"tmux_run":          {others: func() args { return args{"target_id": shell, "generation": generation, "script": "true"} }},
			"tmux_snapshot":     {},
			"tmux_capture":      {others: exact(recorder, nil)},
			"tmux_wait":         {others: exact(recorder, args{"condition": "screen_contains", "text": "never", "timeout": 0})},
			"tmux_create": {
				others: func() args { return args{"kind": "window", "parent_id": "$0", "generation": generation} },
				kept:   map[string]func(map[string]any, string) string{"name": createdNamed},
			},
			"tmux_send":  {others: exact(recorder, nil), kept: map[string]func(map[string]any, string) string{"text": typed, "keys": typed}},
			"tmux_close": {others: exact("%999", nil)},
			"send_keys":  {others: at(recorder), kept: map[string]func(map[string]any, string) string{"text": typed, "keys": typed}},
			"paste_text": {others: at(recorder), kept: map[string]func(map[string]any, string) string{"text": typed}},
		}
		walked, turn := 0, 0
		for _, tool := range talk.Tools {
			properties := propertiesOf(t, tool.InputSchema)
			for _, argument := range slices.Sorted(maps.Keys(properties)) {
				isText, isList := freeText(argument, properties[argument])
				if !isText {
					continue
				}
				call, known := calls[tool.Name]
				if !known {
					t.Errorf("%s takes a text, %s: say here how it is called", tool.Name, argument)
					continue
				}
				all := hostile(file)
				texts := append(few(t, turn, 4, all[1:]...), all[0])
				turn++
				for _, text := range texts {
					arguments := args{}
					if call.others != nil {
						for name, value := range call.others() {
							if properties[name] != nil {
								arguments[name] = value
							}
						}
					}
					arguments[argument] = text
					if isList {
						arguments[argument] = []string{text}
					}
					out, failure := talk.Call(t, tool.Name, arguments)
					walked++
					if failure != nil && !slices.Contains([]fault.Kind{fault.InvalidInput, fault.NotFound, fault.StaleCursor, fault.StaleTarget}, failure.Code) &&
						(tool.Name != "tmux_wait" || failure.Code != fault.Deadline) {
						t.Errorf("%s with %s %q: %s", tool.Name, argument, text, failure.Text)
					}
					if keeps := call.kept[argument]; failure == nil && keeps != nil {
						if got := keeps(out, text); got != text {
							t.Errorf("%s with %s %q: it became %q", tool.Name, argument, text, got)
						}
					}
					if id := out["session_id"]; failure == nil && tool.Name == "create_session" {
						w.Kill(id.(string)) // so many shells would slow each other down
					}
					if id := out["window_id"]; failure == nil && tool.Name == "create_window" {
						w.Kill(id.(string))
					}
					if failure == nil && tool.Name == "tmux_create" {
						_, _ = w.Try("kill-window", "-t", createdIn(out)) // a program that there is not has ended it
					}
				}
			}
		}
		t.Logf("%d calls", walked)
		if turn < 20 {
			t.Errorf("only %d arguments: the walk misses some", turn)
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("something ran what stood in #()")
		}
		if pid := w.Tmux(t, "display-message", "-p", "#{pid}"); strings.Contains(w.Tmux(t, "list-windows", "-a", "-F", "#{session_name} #{window_name} #{pane_title}"), pid) {
			t.Error("something expanded #{pid}")
		}
	})
}

// propertiesOf are the arguments in a schema.
func propertiesOf(t *testing.T, schema any) map[string]map[string]any {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Properties map[string]map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	return read.Properties
}

// freeText reports whether an argument holds a text that a caller is free to choose, or a list of them. Ids are not: each tool refuses
// what is none.
func freeText(argument string, property map[string]any) (text, list bool) {
	items, _ := property["items"].(map[string]any)
	list = items != nil
	if list {
		property = items
	}
	isID := strings.HasSuffix(argument, "_id") && argument != "run_id"
	return property["type"] == "string" && property["enum"] == nil && !isID, list
}
