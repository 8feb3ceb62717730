//go:build integration

package integration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// TestMain reports what was measured, and removes what serverBinary has built.
func TestMain(m *testing.M) {
	code := m.Run()
	if err := reportBenchmarks(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	if built.dir != "" {
		_ = os.RemoveAll(built.dir) // a temporary directory: no reason to fail
	}
	os.Exit(code)
}

// built is where serverBinary builds.
var built struct {
	once sync.Once
	dir  string
	err  error
}

// serverBinary builds the server as "make build" does, once, where every user may run it. Where there is no Go, as in a
// cell of the matrix, LIBTMUX_MCP_BINARY names one that was built so.
func serverBinary(t testing.TB) string {
	t.Helper()
	if given := os.Getenv("LIBTMUX_MCP_BINARY"); given != "" {
		return given
	}
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "ltbin"); built.err != nil {
			return
		}
		if built.err = os.Chmod(built.dir, 0o755); built.err != nil {
			return
		}
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", built.dir, "../cmd/libtmux-mcp")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("building the server: %w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return filepath.Join(built.dir, "libtmux-mcp")
}

// bareEnvironment is the least that an MCP client gives to a server: PATH, and a home of the test's own.
func bareEnvironment(t testing.TB) []string {
	t.Helper()
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
}

// launch starts the built server in a bare environment. At the test's end it is closed, and stdout must have held
// nothing but JSON-RPC.
func launch(t *testing.T, args ...string) *pipes.Process {
	t.Helper()
	cmd := exec.Command(serverBinary(t), args...)
	cmd.Env = bareEnvironment(t)
	return launchCommand(t, cmd)
}

// launchCommand is launch for a command with an environment or a user of its own.
func launchCommand(t *testing.T, cmd *exec.Cmd) *pipes.Process {
	t.Helper()
	p, err := pipes.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), endBound)
		defer cancel()
		_ = p.Close(ctx) // how it ends is the tests of ending's matter
		if ctx.Err() != nil {
			t.Errorf("the server had to be killed: it did not end within %v of EOF; stderr:\n%s", endBound, p.Stderr())
		}
		if strays := p.Strays(); len(strays) > 0 {
			t.Errorf("stdout held what is no JSON-RPC: %q", strays)
		}
		if t.Failed() {
			t.Logf("stderr of %v:\n%s", cmd.Args, p.Stderr())
		}
	})
	return p
}

// hello is launch and initialize.
func hello(t *testing.T, args ...string) *pipes.Process {
	t.Helper()
	p := launch(t, args...)
	initialize(t, p)
	return p
}

func initialize(t *testing.T, p *pipes.Process) pipes.Hello {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	defer cancel()
	greeting, err := p.Initialize(ctx)
	if err != nil {
		t.Fatalf("initialize: %v", err)
	}
	return greeting
}

// fields are a tool's answer, or the object of its error.
type fields map[string]any

// call calls a tool that must answer.
func call(t *testing.T, p *pipes.Process, tool string, arguments fields) fields {
	t.Helper()
	data, isError := callAny(t, p, tool, arguments)
	if isError {
		t.Fatalf("%s %v failed: %v", tool, arguments, data)
	}
	return data
}

// callError calls a tool that must fail with that code.
func callError(t *testing.T, p *pipes.Process, tool string, arguments fields, code string) fields {
	t.Helper()
	data, isError := callAny(t, p, tool, arguments)
	if !isError || data["code"] != code {
		t.Fatalf("%s %v: error is %v, want one with code %s: %v", tool, arguments, isError, code, data)
	}
	return data
}

func callAny(t *testing.T, p *pipes.Process, tool string, arguments fields) (data fields, isError bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*hangBound)
	defer cancel()
	if arguments == nil {
		arguments = fields{}
	}
	result, err := p.Call(ctx, tool, arguments)
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	if err := json.Unmarshal(result.Data, &data); err != nil {
		t.Fatalf("%s %v answered what is no object: %v: %s", tool, arguments, err, result.Data)
	}
	return data, result.IsError
}

// text is a field that must be a string with something in it.
func (f fields) text(t *testing.T, name string) string {
	t.Helper()
	value, ok := f[name].(string)
	if !ok || value == "" {
		t.Fatalf("%s is %#v, want a text: %v", name, f[name], f)
	}
	return value
}

// want compares some fields with what they must be.
func (f fields) want(t *testing.T, want fields) {
	t.Helper()
	got := fields{}
	for name := range want {
		if value, ok := f[name]; ok {
			got[name] = value
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\nall of it: %v", diff, f)
	}
}

// newSession creates a session through the server and returns the id of its pane, once its shell is at its prompt.
func newSession(t *testing.T, p *pipes.Process, name string) string {
	t.Helper()
	pane := call(t, p, "create_session", fields{"name": name, "cwd": t.TempDir(), "width": 80, "height": 24}).text(t, "pane_id")
	eventually(t, "the shell of "+pane+" is at its prompt", func() (bool, string) {
		seen := call(t, p, "get_pane_info", fields{"pane_id": pane})
		return seen["foreground"] == "at_prompt", fmt.Sprint(seen)
	})
	return pane
}

func TestBinaryWithoutATmuxServer(t *testing.T) {
	eachBackend(t, func(t *testing.T, tmux, backend string) {
		s := newServer(t, tmux)
		p := launch(t, "--tmux", tmux, "--socket", s.Socket, "--backend", backend)
		greeting := initialize(t, p)
		if greeting.ServerInfo.Name != "libtmux-mcp" || greeting.ServerInfo.Version == "" || greeting.Instructions == "" {
			t.Errorf("initialize answers %+v, want a name, a version and instructions", greeting)
		}
		tools, err := p.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"list_panes", "capture_pane", "run_shell_command", "get_run", "send_keys"} {
			if !slices.Contains(tools, want) {
				t.Errorf("tools/list lacks %s: %v", want, tools)
			}
		}
		for tool, list := range map[string]string{"list_sessions": "sessions", "list_windows": "windows", "list_panes": "panes"} {
			call(t, p, tool, nil).want(t, fields{"total": 0.0, list: []any{}, "server": "absent"})
		}
		if _, err := os.Stat(s.Socket); !os.IsNotExist(err) {
			t.Errorf("looking started a server: the socket %s: %v", s.Socket, err)
		}
	})
}

func TestBinaryStdoutHoldsOnlyJSONRPC(t *testing.T) {
	eachBackend(t, func(t *testing.T, tmux, backend string) {
		s := startServer(t, tmux)
		p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", backend, "--log-level", "debug")
		call(t, p, "list_panes", nil)
		callError(t, p, "capture_pane", fields{"pane_id": "%99"}, "not_found")
		callError(t, p, "split_window", fields{"pane_id": "%0", "cwd": "/does/not/exist"}, "invalid_input")
		callError(t, p, "capture_pane", fields{"pane_id": "1"}, "invalid_input")
		if _, err := p.Call(t.Context(), "no_such_tool", fields{}); err == nil {
			t.Error("a tool that does not exist was called")
		}
		s.Tmux(t, "kill-server")
		callAny(t, p, "capture_pane", fields{"pane_id": "%0"})
		if p.Stderr() == "" {
			t.Error("stderr is empty: with --log-level debug this test sees no logging, so it proves nothing")
		}
		// launch asserts at the end that no line on stdout was anything else.
	})
}

func TestBinaryInAnEmptyEnvironment(t *testing.T) {
	const text = "ПРИВЕТ日本🎉"
	eachBackend(t, func(t *testing.T, tmux, backend string) {
		s := newServer(t, tmux)
		p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", backend)
		pane := newSession(t, p, text)
		sessions := call(t, p, "list_sessions", fields{"name": text})
		sessions.want(t, fields{"total": 1.0})
		call(t, p, "run_shell_command", fields{"pane_id": pane, "command": "printf '%s\\n' '" + text + "'; exit 3"}).
			want(t, fields{"outcome": "completed", "exit_status": 3.0, "lines": []any{text}, "complete": true})

		beside := call(t, p, "split_window", fields{"pane_id": pane, "cwd": "/"}).text(t, "pane_id") // in a short directory: a prompt up to the margin would go on in the next row
		eventually(t, "the shell is at its prompt: it may discard what is typed before", func() (bool, string) {
			pane := call(t, p, "get_pane_info", fields{"pane_id": beside})
			return pane["foreground"] == "at_prompt", fmt.Sprint(pane)
		})
		call(t, p, "send_keys", fields{"pane_id": beside, "text": "cat -u", "enter": true})
		eventually(t, "cat runs: what is typed before may meet the shell's terminal settings", func() (bool, string) {
			running := call(t, p, "list_panes", fields{"command": "cat"})
			return running["total"] == 1.0, fmt.Sprint(running)
		})
		call(t, p, "send_keys", fields{"pane_id": beside, "text": text, "enter": true})
		eventually(t, "capture_pane shows the text twice, as typed and as cat wrote it", func() (bool, string) {
			seen := call(t, p, "capture_pane", fields{"pane_id": beside})
			lines, _ := seen["lines"].([]any)
			n := 0
			for _, line := range lines {
				if line == text {
					n++
				}
			}
			return n == 2, fmt.Sprint(lines)
		})
	})
}
