//go:build integration

package integration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

func TestBinaryRefusesABadConfiguration(t *testing.T) {
	tests := []struct {
		name string
		args []string
		env  []string
		says string // in the one line
	}{
		{"unknown flag", []string{"--sockt", "/tmp/x"}, nil, "--sockt"},
		{"unknown command", []string{"sevre"}, nil, "sevre"},
		{"both selectors as flags", []string{"--socket", "/tmp/x", "--socket-name", "x"}, nil, "--socket-name"},
		{"both selectors in the environment", nil, []string{"LIBTMUX_SOCKET=x", "LIBTMUX_SOCKET_PATH=/tmp/x"}, "LIBTMUX_SOCKET_PATH"},
		{"empty socket", []string{"--socket", ""}, nil, "socket"},
		{"a socket path that no system takes", []string{"--socket", "/tmp/" + strings.Repeat("x", 200)}, nil, "socket"},
		{"empty socket name", []string{"--socket-name="}, nil, "name"},
		{"unknown toolset, and the known ones", nil, []string{"LIBTMUX_TOOLSETS=inspect,destroy"}, "inspect, manage, execute, teardown"},
		{"empty toolset", nil, []string{"LIBTMUX_TOOLSETS=inspect,,execute"}, "empty element"},
		{"unknown tool, and the known ones", nil, []string{"LIBTMUX_TOOLS=send_key"}, "send_keys"},
		{"empty tool", nil, []string{"LIBTMUX_TOOLS=send_keys,"}, "LIBTMUX_TOOLS"},
		{"unknown excluded tool", nil, []string{"LIBTMUX_EXCLUDE_TOOLS=send_key"}, "LIBTMUX_EXCLUDE_TOOLS"},
		{"relative socket", []string{"--socket", "tmp/x"}, nil, "tmp/x"},
		{"relative socket in the environment", nil, []string{"LIBTMUX_SOCKET_PATH=tmp/x"}, "LIBTMUX_SOCKET_PATH"},
		{"a path as a name", []string{"--socket-name", "a/b"}, nil, "a/b"},
		{"control character in a name", []string{"--socket-name", "a\x1bb"}, nil, "socket-name"},
		{"relative tmux configuration", nil, []string{"LIBTMUX_TMUX_CONFIG=tmux.conf"}, "LIBTMUX_TMUX_CONFIG"},
		{"empty tmux configuration", nil, []string{"LIBTMUX_TMUX_CONFIG="}, "LIBTMUX_TMUX_CONFIG"},
		{"unknown backend, and the known ones", []string{"--backend", "native"}, nil, "cli"},
		{"unknown log level", []string{"--log-level", "loud"}, nil, "loud"},
		{"timeout out of range", []string{"--timeout", "0"}, nil, "timeout"},
		{"timeout that is no number", []string{"--timeout", "soon"}, nil, "soon"},
		{"concurrency out of range", []string{"--concurrency", "-1"}, nil, "concurrency"},
	}
	binary := serverBinary(t) // built outside of the bound
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			touched := filepath.Join(t.TempDir(), "touched")
			ctx, cancel := context.WithTimeout(t.Context(), hangBound)
			defer cancel()
			cmd := exec.CommandContext(ctx, binary, append(tt.args, "--tmux", script(t, "echo touched >"+touched))...)
			cmd.Env = append(bareEnvironment(t), tt.env...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			exit, ok := errors.AsType[*exec.ExitError](err)
			if !ok || exit.ExitCode() != 2 {
				t.Errorf("ended with %v, want exit status 2", err)
			}
			if line := stderr.String(); strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") || !strings.Contains(line, tt.says) {
				t.Errorf("stderr is %q, want one line that says %q", line, tt.says)
			}
			if stdout.Len() > 0 {
				t.Errorf("stdout is %q, want nothing", stdout.String())
			}
			if _, err := os.Stat(touched); !os.IsNotExist(err) {
				t.Errorf("tmux was touched before the configuration was complete (%v)", err)
			}
		})
	}
}

// script writes an executable shell script.
func script(t *testing.T, body string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tmux")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestBinariesStartedAtOnceShareOneDaemon(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		dir := filepath.Dir(newServer(t, tmux).Socket) // short: it becomes part of a socket's path
		socket := filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()), "libtmux-mcp")
		t.Cleanup(func() { _ = exec.Command(tmux, "-S", socket, "kill-server").Run() }) // already gone is fine
		const processes = 10
		pids, servers := make([]any, processes), make([]*pipes.Process, processes)
		var wg sync.WaitGroup
		for i := range processes {
			cmd := exec.Command(serverBinary(t), "--tmux", tmux, "--log-level", "info")
			cmd.Env = append(bareEnvironment(t), "TMUX_TMPDIR="+dir)
			p := launchCommand(t, cmd)
			servers[i] = p
			wg.Go(func() {
				if _, err := p.Initialize(t.Context()); err != nil {
					t.Errorf("process %d: %v", i, err)
					return
				}
				info := call(t, p, "get_server_info", nil)
				if info["socket_path"] != socket {
					t.Errorf("process %d speaks to %v, want %s", i, info["socket_path"], socket)
				}
				pids[i] = info["pid"]
			})
		}
		wg.Wait()
		creators := 0
		for _, p := range servers {
			creators += strings.Count(p.Stderr(), "created=true")
		}
		if creators != 1 {
			t.Errorf("%d processes say that they created the daemon, want 1", creators)
		}
		for i, pid := range pids {
			if _, ok := pid.(float64); !ok || pid != pids[0] {
				t.Errorf("process %d found the tmux with pid %v, process 0 found %v", i, pid, pids[0])
			}
		}
	})
}
