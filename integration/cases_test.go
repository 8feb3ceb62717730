//go:build integration

package integration_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

// These are reports of people about tools of this kind, as conversations with a real tmux.

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// file waits until a file holds at least n bytes and gives what it holds.
func file(t *testing.T, path string, n int) string {
	t.Helper()
	var data []byte
	eventually(t, fmt.Sprintf("%s holds %d bytes", path, n), func() (bool, string) {
		data, _ = os.ReadFile(path)
		return len(data) >= n, fmt.Sprintf("%d bytes", len(data))
	})
	return string(data)
}

func TestCaseACommandForPython(t *testing.T) {
	t.Parallel() // most of it is waiting
	anyBackend(t, func(t *testing.T, binary, backend string) {
		server := startServer(t, binary, "python3", "-i")
		server.Screen(t, "%0", ">>>")
		talk := converseOver(t, backend, server, nil)
		before := server.Tmux(t, "capture-pane", "-p", "-t", "%0")
		failure := talk.refused(fault.NotAShell, "run_shell_command", args{"pane_id": "%0", "command": "1+1"})
		if !strings.Contains(failure.Message, "python3") {
			t.Errorf("the refusal does not name python3: %s", failure.Text)
		}
		if after := server.Tmux(t, "capture-pane", "-p", "-t", "%0"); after != before {
			t.Errorf("typed:\n%s", after)
		}
	})
}

func TestCaseStopKeysAreKeys(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		talk := converseOver(t, backend, p.realServer, p.frames)
		talk.must("send_keys", args{"pane_id": "%0", "text": "sleep 99", "enter": true})
		eventually(t, "sleep runs", func() (bool, string) {
			command := p.Tmux(t, "display-message", "-p", "-t", "%0", "#{pane_current_command}")
			return command == "sleep", command
		})
		talk.must("send_keys", args{"pane_id": "%0", "keys": []string{"C-c"}})
		p.prompt()
		if screen := p.Tmux(t, "capture-pane", "-p", "-t", "%0"); strings.Contains(screen, "C-c") {
			t.Errorf("the keys were typed as text:\n%s", screen)
		}
	})
}

func TestCaseAKeyInAPager(t *testing.T) {
	if _, err := exec.LookPath("less"); err != nil {
		t.Fatal(err)
	}
	anyBackend(t, func(t *testing.T, binary, backend string) {
		path := filepath.Join(t.TempDir(), "lines")
		var text strings.Builder
		for n := range 200 {
			fmt.Fprintf(&text, "line %d\n", n+1)
		}
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		server := startServer(t, binary, "less", path)
		server.Screen(t, "%0", "line 1\n")
		converseOver(t, backend, server, nil).must("send_keys", args{"pane_id": "%0", "keys": []string{"j"}})
		eventually(t, "one line down, the pager still open", func() (bool, string) {
			screen := server.Tmux(t, "capture-pane", "-p", "-t", "%0")
			return strings.HasPrefix(screen, "line 2\n"), screen
		})
	})
}

func TestCaseExactCommands(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		talk := converseOver(t, backend, p.realServer, p.frames)
		talk.run("%0", "printf '%s\\n' \"it's\" '\"double\"' '`back`' '$HOME' '😀 漢字'", "completed", 0, `it's`, `"double"`, "`back`", "$HOME", "😀 漢字")
		talk.run("%0", "sleep 0.2; exit 3", "completed", 3)
		out := talk.must("run_shell_command", args{"pane_id": "%0", "command": "printf 'a\tb\\n'", "streams": true})
		if stdout, _ := out["stdout"].(map[string]any); stdout["data"] != "a\tb\n" {
			t.Errorf("a tab: %v", out)
		}
		if pid := p.Tmux(t, "display-message", "-p", "-t", "%0", "#{pane_pid}"); pid != strconv.Itoa(p.pid) {
			t.Errorf("the person's shell was %d and is %s", p.pid, pid)
		}
	})
}

func TestCaseExactTexts(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		path := filepath.Join(t.TempDir(), "received")
		server := startServer(t, binary, "sh", "-c", "stty raw -echo; echo up; exec cat >"+path)
		server.Screen(t, "%0", "up")
		talk := converseOver(t, backend, server, nil)
		want := ""
		for _, text := range []string{"a;", ";;", `\;`, "-x", "", "ПРИВЕТ日本🎉", "#{pid} #(touch x) %H", "'\"$`"} {
			talk.must("send_keys", args{"pane_id": "%0", "text": text})
			want += text
		}
		if got := file(t, path, len(want)); got != want {
			t.Errorf("received %q, want %q", got, want)
		}
	})
}

func TestCaseALargePaste(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		path := filepath.Join(t.TempDir(), "received")
		server := startServer(t, binary, "sh", "-c", "stty raw -echo; echo up; exec cat >"+path)
		server.Screen(t, "%0", "up")
		text := strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz;#{}", 5000)
		out := converseOver(t, backend, server, nil).must("paste_text", args{"pane_id": "%0", "text": text})
		got := file(t, path, len(text))
		if sha256.Sum256([]byte(got)) != sha256.Sum256([]byte(text)) || out["bytes"] != float64(len(text)) {
			t.Errorf("%d bytes came of %d, or others; answered %v", len(got), len(text), out)
		}
	})
}

// A program that takes what comes within 50 ms for one paste, in which an Enter does not submit.
const pasteSensitive = `
import os, select, sys, tty
tty.setraw(0)
sys.stdout.write("up"); sys.stdout.flush()
submits = 0
while True:
    data = os.read(0, 65536)
    while select.select([0], [], [], 0.05)[0]:
        data += os.read(0, 65536)
    if data == b"\r":
        submits += 1
        open(sys.argv[1], "a").write(".")
`

func TestCaseASubmitIsNoPaste(t *testing.T) {
	t.Parallel() // most of it is waiting
	anyBackend(t, func(t *testing.T, binary, backend string) {
		path := filepath.Join(t.TempDir(), "submits")
		server := startServer(t, binary, "python3", "-c", pasteSensitive, path)
		server.Screen(t, "%0", "up")
		talk := converseOver(t, backend, server, nil)
		for n := range often(100) {
			talk.must("send_keys", args{"pane_id": "%0", "text": fmt.Sprint("message ", n), "enter": true})
			file(t, path, n+1)
		}
	})
}

func TestCaseCopyMode(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		talk := converseOver(t, backend, p.realServer, p.frames)
		p.Tmux(t, "copy-mode", "-t", "%0")
		for tool, arguments := range map[string]args{
			"send_keys": {"pane_id": "%0", "text": "x"}, "paste_text": {"pane_id": "%0", "text": "x"},
			"run_shell_command": {"pane_id": "%0", "command": "true"},
		} {
			if failure := talk.refused(fault.InMode, tool, arguments); !strings.Contains(failure.Message, "copy-mode") {
				t.Errorf("%s does not name the mode: %s", tool, failure.Text)
			}
		}
		if mode := p.Tmux(t, "display-message", "-p", "-t", "%0", "#{pane_mode}"); mode != "copy-mode" {
			t.Errorf("the person's mode is %q now", mode)
		}
	})
}

func TestCaseSynchronizedPanes(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		received := filepath.Join(t.TempDir(), "received")
		p.Tmux(t, "split-window", "-d", "-t", "%0", "stty raw -echo; echo up; exec cat >"+received)
		p.Screen(t, "%1", "up")
		p.Tmux(t, "set-option", "-w", "-t", "@0", "synchronize-panes", "on")
		talk := converseOver(t, backend, p.realServer, p.frames)
		talk.refused(fault.Synchronized, "run_shell_command", args{"pane_id": "%0", "command": "true"})
		talk.must("paste_text", args{"pane_id": "%0", "text": "echo pasted", "enter": true})
		p.Screen(t, "%0", "\npasted")
		if data, _ := os.ReadFile(received); len(data) > 0 {
			t.Errorf("the sibling received %q", data)
		}
		p.prompt()
		out := talk.must("send_keys", args{"pane_id": "%0", "text": "y"})
		if recipients, _ := out["recipients"].([]any); !slices.Equal(recipients, []any{"%0", "%1"}) {
			t.Errorf("recipients %v", recipients)
		}
		if got := file(t, received, 1); got != "y" {
			t.Errorf("the sibling received %q", got)
		}
	})
}

func TestCaseRestart(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		server := startServer(t, binary)
		talk := converseOver(t, backend, server, nil)
		talk.must("list_panes", args{})
		server.Tmux(t, "kill-server")
		received := filepath.Join(t.TempDir(), "received")
		eventually(t, "a new server", func() (bool, string) { // the old socket can be in the way for a moment
			out, err := server.Try("-f", "/dev/null", "new-session", "-d", "-s", "main", "stty raw -echo; echo up; exec cat >"+received)
			return err == nil, out
		})
		server.Screen(t, "%0", "up")
		for tool, arguments := range map[string]args{
			"send_keys": {"pane_id": "%0", "text": "x"}, "paste_text": {"pane_id": "%0", "text": "x"},
			"run_shell_command": {"pane_id": "%0", "command": "true"}, "capture_pane": {"pane_id": "%0"},
			"split_window": {"pane_id": "%0"}, "create_window": {"session_id": "$0"},
		} {
			talk.failed(fault.StaleTarget, tool, arguments)
		}
		talk.must("list_panes", args{})
		talk.must("send_keys", args{"pane_id": "%0", "text": "y"})
		if got := file(t, received, 1); got != "y" {
			t.Errorf("the new server received %q, want only what came after listing", got)
		}
	})
}

func TestCaseALongLineIsOneLine(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		p.Tmux(t, "resize-window", "-t", "@0", "-x", "40", "-y", "24")
		talk := converseOver(t, backend, p.realServer, p.frames)
		long := strings.Repeat("x", 149) + "y"
		talk.run("%0", "echo "+long, "completed", 0, long)
		out := talk.must("capture_pane", args{"pane_id": "%0"})
		if lines, _ := out["lines"].([]any); !slices.Contains(lines, any(long)) {
			t.Errorf("captured %q", lines)
		}
	})
}

func TestCaseAManyLinesCaptureIsBounded(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		talk := converseOver(t, backend, p.realServer, p.frames)
		talk.must("run_shell_command", args{"pane_id": "%0", "command": "seq 1 9999"})
		out := talk.must("capture_pane", args{"pane_id": "%0", "history": 100000})
		lines, _ := out["lines"].([]any)
		if len(lines) != 200 || out["truncated"] != true || out["dropped_lines"].(float64) < 1000 {
			t.Errorf("%d lines, truncated %v, dropped %v", len(lines), out["truncated"], out["dropped_lines"])
		}
	})
}

func TestCaseCommandsThatEndOddly(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		talk := converseOver(t, backend, p.realServer, p.frames)
		talk.run("%0", "echo a # note", "completed", 0, "a")
		talk.run("%0", "true #", "completed", 0)
		talk.run("%0", "cat <<E\nin it\nE", "completed", 0, "in it")
		out := talk.must("run_shell_command", args{"pane_id": "%0", "command": "echo 'oops"})
		if out["outcome"] != "completed" || out["exit_status"] != 2.0 {
			t.Errorf("unbalanced: %v, want the shell's own status", out)
		}
		var numbers []string
		for n := range 400 {
			numbers = append(numbers, fmt.Sprint(n+1))
		}
		talk.runWith(args{"pane_id": "%0", "command": "seq 1 400", "max_lines": 2000}, "completed", 0, numbers...)
		p.prompt()

		p = startIdle(t, binary, guard.Zsh, "")
		converseOver(t, backend, p.realServer, p.frames).run("%0", "printf abc", "completed", 0, "abc")
	})
}

func TestCaseADraft(t *testing.T) {
	t.Parallel() // most of it is waiting
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		talk := converseOver(t, backend, p.realServer, p.frames)
		talk.must("list_panes", nil)
		p.Tmux(t, "send-keys", "-t", "%0", "-l", "half typed")
		before := p.Screen(t, "%0", framesPrompt+"half typed")
		talk.refused(fault.Draft, "run_shell_command", args{"pane_id": "%0", "command": "echo ran"})
		if after := p.Screen(t, "%0", "half typed"); after != before {
			t.Errorf("the draft was touched:\n%s", after)
		}
		out := talk.runWith(args{"pane_id": "%0", "command": "echo ran", "draft": "clear"}, "completed", 0, "ran")
		if cleared, ok := out["cleared_draft"].(string); !ok || cleared != "" && cleared != "half typed" { // what stood there cannot always be told
			t.Errorf("cleared %v", out["cleared_draft"])
		}
	})
}

// A program that types right after a run types at a prompt that is about to be learned.
func TestCaseADraftAfterARun(t *testing.T) {
	t.Parallel() // most of it is waiting
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		talk := converseOver(t, backend, p.realServer, p.frames)
		talk.must("list_panes", nil)
		talk.runWith(args{"pane_id": "%0", "command": "echo ran"}, "completed", 0, "ran")
		p.Tmux(t, "send-keys", "-t", "%0", "-l", "half typed")
		p.Screen(t, "%0", framesPrompt+"half typed")
		for range 3 {
			talk.refused(fault.Draft, "run_shell_command", args{"pane_id": "%0", "command": "echo again"})
		}
	})
}

func TestCaseTextsInListings(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		server := startServer(t, binary, "cat")
		talk := converseOver(t, backend, server, nil)
		for _, text := range []string{"a|b", "#{pid}", `"it's"`, "ПРИВЕТ日本🎉", "$HOME ~ %H"} {
			created := talk.must("create_session", args{"name": text})
			if out := talk.must("list_sessions", args{"name": text}); out["total"] != 1.0 {
				t.Errorf("session %q: %v", text, out)
			}
			talk.must("rename", args{"target_id": created["pane_id"], "name": text})
			directory := filepath.Join(t.TempDir(), "in\n\t"+text+"\x1f")
			if err := os.Mkdir(directory, 0o700); err != nil {
				t.Fatal(err)
			}
			window := talk.must("create_window", args{"session_id": created["session_id"], "cwd": directory})
			eventually(t, "the pane is in "+directory, func() (bool, string) {
				pane := talk.must("get_pane_info", args{"pane_id": window["pane_id"]})
				return pane["path"] == directory, fmt.Sprintf("%q", pane["path"])
			})
			if pane := talk.must("get_pane_info", args{"pane_id": created["pane_id"]}); pane["title"] != text {
				t.Errorf("title %q, want %q", pane["title"], text)
			}
			server.Tmux(t, "kill-session", "-t", created["session_id"].(string))
		}
	})
}

func TestCaseAClientThatGivesUp(t *testing.T) {
	t.Parallel() // most of it is waiting
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		talk := converseOver(t, backend, p.realServer, p.frames)
		out := talk.must("run_shell_command", args{"pane_id": "%0", "command": "echo begun; sleep 2; echo done; exit 5", "timeout": 0.3})
		if out["outcome"] != "timed_out" || out["started"] != true {
			t.Fatalf("%v", out)
		}
		var first map[string]any
		for n := range 2 {
			got := talk.must("get_run", args{"run_id": out["run_id"], "timeout": 20})
			if got["outcome"] != "completed" || got["exit_status"] != 5.0 || fmt.Sprint(got["lines"]) != "[begun done]" || got["complete"] != true {
				t.Errorf("get_run %d: %v", n+1, got)
			}
			if first == nil {
				first = got
			} else if fmt.Sprint(first["lines"], first["duration_ms"]) != fmt.Sprint(got["lines"], got["duration_ms"]) {
				t.Errorf("the second answer is another: %v, %v", first, got)
			}
		}
	})
}
