//go:build integration

package integration_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// The command lines of a guide to this server, as a person copies them.
const (
	serveLine = `libtmux-mcp \
    --socket "$TMUX_SOCKET" \
    --endpoint local`
	watchLine = `libtmux-mcp \
    --socket "$TMUX_SOCKET" \
    --enable-tool tmux_capture \
    --enable-tool tmux_wait`
	changeLine = `libtmux-mcp \
    --socket "$TMUX_SOCKET" \
    --enable-tool tmux_wait \
    --enable-tool tmux_create \
    --enable-tool tmux_send \
    --enable-tool tmux_close`
	runLine = `libtmux-mcp \
    --socket "$TMUX_SOCKET" \
    --enable-tool tmux_run \
    --enroll-pane %0="$SETUP"`
)

// installed is an environment in which the tmux under test and a program are on PATH by their names.
func installed(t *testing.T, tmux, program string) []string {
	t.Helper()
	bin := t.TempDir()
	for name, to := range map[string]string{"tmux": tmux, filepath.Base(program): program} {
		if err := os.Symlink(to, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir()}
}

// typed is what a person's shell makes of a command line.
func typed(t *testing.T, s *realServer, line string, variables ...string) *pipes.Process {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Env = append(append(installed(t, s.Binary, serverBinary(t)), "TMUX_SOCKET="+s.Socket), variables...)
	p := launchCommand(t, cmd)
	initialize(t, p)
	return p
}

// The recipe: what a person who denies by default does with this server, from the first line to the end of input, through pipes.
func TestTheRecipe(t *testing.T) {
	t.Parallel() // most of it is waiting
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux, "env", "PS1=$ ", "zsh", "-f")
		s.Screen(t, "%0", "$")
		before := s.Tmux(t, "list-panes", "-a", "-F", "#{session_id} #{pane_id} #{pane_pid}")
		unknown := func(p *pipes.Process, tools ...string) {
			t.Helper()
			for _, tool := range tools {
				if _, err := p.Call(t.Context(), tool, fields{}); err == nil || !strings.Contains(err.Error(), "JSON-RPC error -32602") {
					t.Errorf("%s, which nobody enabled: %v, want an unknown tool", tool, err)
				}
			}
		}
		offers := func(p *pipes.Process, enabled ...string) {
			t.Helper()
			tools, err := p.Tools(t.Context())
			if want := append(app.ExactBase(), enabled...); err != nil || !sameNames(tools, want) {
				t.Errorf("tools %v, %v; want %v", tools, err, want)
			}
		}
		leave := func(p *pipes.Process) {
			t.Helper()
			if err := p.CloseInput(); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), endBound)
			defer cancel()
			if err := p.Wait(ctx); err != nil {
				t.Errorf("the end of its input ended it with %v; stderr:\n%s", err, p.Stderr())
			}
			if clients := s.Tmux(t, "list-clients"); clients != "" {
				t.Errorf("clients are left: %s", clients)
			}
			if after := s.Tmux(t, "list-panes", "-a", "-F", "#{session_id} #{pane_id} #{pane_pid}"); after != before {
				t.Errorf("the borrowed server has panes %q, want %q", after, before)
			}
		}

		// Start it: a server that only looks.
		p := typed(t, s, serveLine)
		offers(p)
		unknown(p, "tmux_capture", "tmux_wait", "tmux_create", "tmux_send", "tmux_close", "tmux_run", "list_panes", "send_keys")
		found := call(t, p, "tmux_capabilities", nil)
		found.want(t, fields{"endpoint": "local", "owns_daemon": false})
		server := found["server"].(map[string]any)
		if server["state"] != "running" || server["generation"] == "" {
			t.Errorf("capabilities %v", found)
		}
		leave(p)

		// Let it look at screens, and wait.
		p = typed(t, s, watchLine)
		offers(p, "tmux_capture", "tmux_wait")
		unknown(p, "tmux_create", "tmux_send", "tmux_close", "tmux_run")
		shell := fields{"generation": server["generation"], "target_id": "%0"}
		call(t, p, "tmux_capture", shell).want(t, fields{"mode": "snapshot", "encoding": "utf-8"})
		call(t, p, "tmux_wait", fields{"generation": server["generation"], "target_id": "%0", "condition": "screen_contains", "text": "$", "timeout": 20})
		leave(p)

		// Let it change things.
		p = typed(t, s, changeLine)
		offers(p, "tmux_wait", "tmux_create", "tmux_send", "tmux_close")
		unknown(p, "tmux_run", "kill_pane", "send_keys")
		session := theOnly(t, p, "session", fields{"field": "session_name", "op": "eq", "value": "main"})
		generation := session["generation"]
		if generation != server["generation"] || session["id"] != "$0" {
			t.Errorf("session %v, want $0 of %v: tmux did not restart", session, server["generation"])
		}
		window := call(t, p, "tmux_create", fields{"kind": "window", "generation": generation, "parent_id": session["id"], "argv": []string{"cat"}})
		window.want(t, fields{"entity": "window", "delivery": "observed", "client_exit_status": 0.0, "program_completion": "unobserved"})
		created := window["created"].([]any)
		pane := created[1].(map[string]any)
		if found := theOnly(t, p, "pane", fields{"field": "pane_current_command", "op": "eq", "value": "cat"}); fmt.Sprint(found) != fmt.Sprint(pane) {
			t.Errorf("a snapshot refers to it as %v, its creation as %v", found, pane)
		}
		target := fields{"generation": pane["generation"], "target_id": pane["id"]}
		with := func(more fields) fields {
			maps.Copy(more, target)
			return more
		}
		call(t, p, "tmux_send", with(fields{"text": "hello $(exit)"})).want(t, fields{"delivery": "observed", "client_exit_status": 0.0, "completion": "dispatch_only"})
		call(t, p, "tmux_send", with(fields{"keys": []string{"Enter"}}))
		s.Screen(t, pane["id"].(string), "hello $(exit)\nhello $(exit)")
		callError(t, p, "tmux_send", fields{"generation": "g0123456789abcdef", "target_id": pane["id"], "text": "x"}, "stale_target").
			want(t, fields{"delivery": "not_sent", "effects": map[string]any{"state": "none"}})

		// Cancel: the wait gets no answer, what it waited for goes on, and the server answers others.
		pid := s.Tmux(t, "display-message", "-p", "-t", pane["id"].(string), "#{pane_pid}")
		cancelled(t, p, "tmux_wait", with(fields{"condition": "screen_contains", "text": "never", "timeout": 60}))
		if got := s.Tmux(t, "display-message", "-p", "-t", pane["id"].(string), "#{pane_pid} #{pane_dead}"); got != pid+" 0" {
			t.Errorf("after the wait was cancelled its pane has %q, want %q", got, pid+" 0")
		}

		// Close, exactly.
		closed := call(t, p, "tmux_close", fields{"generation": generation, "target_id": created[0].(map[string]any)["id"]})
		if fmt.Sprint(closed["closed"]) != fmt.Sprint(created) {
			t.Errorf("closed %v, want %v", closed["closed"], created)
		}
		leave(p)

		// Run a script for a shell whose person enrolls it, where its process can be told from any other.
		if found["process_tracking"] != "supported" {
			return
		}
		setup := filepath.Join(t.TempDir(), "setup")
		p = typed(t, s, runLine, "SETUP="+setup)
		offers(p, "tmux_run")
		s.Tmux(t, "send-keys", "-t", "%0", "source "+setup, "Enter")
		eventually(t, "the shell is enrolled, and at its prompt", func() (bool, string) {
			data, failed := callAny(t, p, "tmux_run", fields{"generation": generation, "target_id": "%0", "script": "echo out; exit 3", "timeout": 20})
			return !failed && data["exit_status"] == 3.0 && data["stdout"].(map[string]any)["data"] == "out\n", fmt.Sprint(data)
		})
		leave(p)
		if _, err := os.Lstat(setup); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", setup, err)
		}
	})
}

// theOnly is the reference to the one entity of a kind that meets criteria.
func theOnly(t *testing.T, p *pipes.Process, entity string, criteria fields) (ref map[string]any) {
	t.Helper()
	eventually(t, fmt.Sprintf("there is one %s with %v", entity, criteria), func() (bool, string) {
		page := call(t, p, "tmux_snapshot", fields{"entity": entity, "criteria": criteria})
		items := page["items"].([]any)
		if len(items) == 1 {
			ref = items[0].(map[string]any)["ref"].(map[string]any)
		}
		return len(items) == 1, fmt.Sprint(page)
	})
	return ref
}

// cancelled begins a call, and cancels it once it is at work: it must get no answer.
func cancelled(t *testing.T, p *pipes.Process, tool string, arguments fields) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := p.Request(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments, "_meta": map[string]any{"progressToken": "waiting"}})
		ended <- err
	}()
	eventually(t, "the call is at work, and says so", func() (bool, string) { return len(p.Notifications()) > 0, p.Stderr() })
	if err := p.Notify("notifications/cancelled", map[string]any{"requestId": p.Last()}); err != nil {
		t.Fatal(err)
	}
	call(t, p, "tmux_capabilities", nil) // is answered after what came before it
	select {
	case err := <-ended:
		t.Errorf("a cancelled call was answered: %v", err)
	default:
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled call was answered: %v", err)
		}
	}
}
