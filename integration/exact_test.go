//go:build integration

package integration_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// wordy would mean something else to a shell, to tmux's formats and to tmux's command lists.
const wordy = "a b;$(touch ran)`touch ran`#{pane_id}#(touch ran)'\"%H~*\\;"

// telling is a program of that name that writes its arguments, its directory and a variable to files, and goes on as cat.
const telling = `#!/bin/sh
for argument in "$0" "$@"; do printf '%s\0' "$argument" >>"$LT_FILE"; done
printf '%s\0' "$PWD" "$LT_WORDY" >>"$LT_FILE"
mv "$LT_FILE" "$LT_FILE.done"
exec cat
`

func TestCreatingExactly(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		s := startServer(t, binary)
		c := converseOver(t, backend, s, nil)
		generation := c.must("tmux_capabilities", nil)["server"].(map[string]any)["generation"]
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		cwd, program := filepath.Join(dir, "#{pane_id}"), filepath.Join(dir, wordy)
		if err := os.Mkdir(cwd, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(program, []byte(telling), 0o700); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "told")
		for _, argv := range [][]string{{program}, {program, "", wordy, "-t", "{", "}", ";", "a;", "é\tx\ny"}} {
			for _, kind := range []args{
				{"kind": "session", "name": wordyName(argv), "width": 100, "height": 30},
				{"kind": "window", "parent_id": "$0", "name": wordyName(argv)},
				{"kind": "pane", "parent_id": "%0", "direction": "left", "size": "20"},
			} {
				in := args{"generation": generation, "argv": argv, "cwd": cwd, "environment": args{"LT_FILE": file, "LT_WORDY": wordy}}
				maps.Copy(in, kind)
				out := c.must("tmux_create", in)
				eventually(t, "the program has told what it got", func() (bool, string) {
					_, err := os.Stat(file + ".done")
					return err == nil, s.Tmux(t, "list-panes", "-a", "-F", "#{pane_id} #{pane_start_command}")
				})
				text, err := os.ReadFile(file + ".done")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.Join(append(argv, cwd, wordy, ""), "\x00"), string(text)); diff != "" {
					t.Errorf("%v: the program got (-want +got):\n%s", in, diff)
				}
				if err := os.Remove(file + ".done"); err != nil {
					t.Fatal(err)
				}
				created := out["created"].([]any)
				kinds := map[any]int{"session": 3, "window": 2, "pane": 1}
				if out["entity"] != kind["kind"] || len(created) != kinds[kind["kind"]] || out["program_completion"] != "unobserved" {
					t.Errorf("%v: %v", in, out)
				}
				dispatched(t, backend, out)
				first := created[0].(map[string]any)
				if name := kind["name"]; name != nil {
					format := map[any]string{"session": "#{session_name}", "window": "#{window_name}"}[kind["kind"]]
					if got := s.Tmux(t, "display-message", "-p", "-t", first["id"].(string), format); !strings.Contains(got, "#{pane_id}") {
						t.Errorf("%s is named %q, want %q", first["id"], got, name)
					}
				}
				closed := c.must("tmux_close", args{"generation": first["generation"], "target_id": first["id"]})
				dispatched(t, backend, closed)
				if diff := cmp.Diff(created, closed["closed"]); diff != "" {
					t.Errorf("closing %v (-created +closed):\n%s", first, diff)
				}
				c.failed(fault.NotFound, "tmux_close", args{"generation": first["generation"], "target_id": first["id"]})
			}
		}
		if ran, err := filepath.Glob(filepath.Join(cwd, "ran")); err != nil || len(ran) != 0 {
			t.Errorf("a shell read what was no command: %v, %v", ran, err)
		}
		if got := s.Tmux(t, "list-panes", "-a", "-F", "#{pane_id}"); got != "%0" {
			t.Errorf("panes %q are left, want %%0", got)
		}
	})
}

// wordyName is a name that tmux keeps as it is, and another for each program.
func wordyName(argv []string) string { return "#{pane_id} $(x) " + strings.Repeat("x", len(argv)) }

// dispatched checks what a change says of how it got to tmux. A client that stays has no exit status, unless it was busy and another
// one helped out.
func dispatched(t *testing.T, backend string, out map[string]any) {
	t.Helper()
	status, known := out["client_exit_status"]
	if out["delivery"] != "observed" || known && status != 0.0 || !known && backend == backendCLI {
		t.Errorf("over %s: %v", backend, out)
	}
}

func TestSendingExactly(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		file := filepath.Join(t.TempDir(), "read")
		s := startServer(t, binary, "sh", "-c", "stty raw -echo; echo ready; exec cat >"+file)
		s.Screen(t, "%0", "ready")
		c := converseOver(t, backend, s, nil)
		ref := args{"generation": c.must("tmux_capabilities", nil)["server"].(map[string]any)["generation"], "target_id": "%0"}
		text := strings.Repeat(wordy+"\r", 1000)
		for _, input := range []args{{"text": text}, {"keys": []string{"C-c", "Enter", ";", "Up"}}, {"text": "-x;"}} {
			maps.Copy(input, ref)
			out := c.must("tmux_send", input)
			dispatched(t, backend, out)
			if out["completion"] != "dispatch_only" {
				t.Errorf("%v", out)
			}
		}
		want := text + "\x03\r;\x1b[A-x;"
		eventually(t, "everything arrived", func() (bool, string) {
			got, _ := os.ReadFile(file)
			return len(got) >= len(want), string(got[max(0, len(got)-100):])
		})
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%d bytes arrived that are not the %d that were sent: %v", len(got), len(want), err)
		}
		s.Tmux(t, "copy-mode", "-t", "%0")
		if failure := c.refused(fault.InMode, "tmux_send", args{"generation": ref["generation"], "target_id": "%0", "text": "x"}); failure.Effects == nil || failure.Effects.State != "none" {
			t.Errorf("effects %+v", failure)
		}
		s.Tmux(t, "kill-server")
		if failure := c.failed(fault.ServerGone, "tmux_send", args{"generation": ref["generation"], "target_id": "%0", "text": "x"}); failure.Effects == nil || failure.Effects.State != "none" {
			text, _ := json.Marshal(failure)
			t.Errorf("after the server ended: %s", text)
		}
	})
}
