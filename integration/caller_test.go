//go:build integration

package integration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The test binary also runs inside panes, to answer there which pane it is in. What it needs comes by environment, because
// that is what survives every way to start it.
const (
	callerTopology = "LIBTMUX_TEST_TOPOLOGY" // file with the topology
	callerAnswer   = "LIBTMUX_TEST_ANSWER"   // file for the answer
	callerParent   = "LIBTMUX_TEST_PARENT"   // pid of a parent whose end is awaited first
)

func init() {
	path := os.Getenv(callerTopology)
	if path == "" {
		return
	}
	if err := answerCaller(path, os.Getenv(callerAnswer)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func answerCaller(topologyFile, answerFile string) error {
	for parent := os.Getenv(callerParent); parent == strconv.Itoa(os.Getppid()); {
		// no event tells that a parent ended
	}
	data, err := os.ReadFile(topologyFile)
	if err != nil {
		return err
	}
	var topology tmux.Topology
	if err := json.Unmarshal(data, &topology); err != nil {
		return err
	}
	inspector := process.New(process.Options{TMUX: os.Getenv("TMUX"), TMUXPane: os.Getenv("TMUX_PANE")})
	answer, err := json.Marshal(inspector.Caller(context.Background(), topology))
	if err != nil {
		return err
	}
	if err := os.WriteFile(answerFile+"~", answer, 0o600); err != nil {
		return err
	}
	return os.Rename(answerFile+"~", answerFile)
}

// callerView reads what Caller needs of a server's topology.
func callerView(t *testing.T, s *realServer) tmux.Topology {
	t.Helper()
	topology := tmux.Topology{Running: true, Server: tmux.Server{SocketPath: s.Socket}}
	for line := range strings.SplitSeq(s.Tmux(t, "list-panes", "-a", "-F", "#{pid} #{pane_id} #{pane_pid} #{pane_tty}"), "\n") {
		var pane tmux.Pane
		if _, err := fmt.Sscan(line, &topology.Server.PID, &pane.ID, &pane.PID, &pane.TTY); err != nil {
			t.Fatalf("list-panes printed %q: %v", line, err)
		}
		topology.Panes = append(topology.Panes, pane)
	}
	return topology
}

func TestCaller(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		for range 2 { // panes that it is not
			s.Tmux(t, "new-window", "-d", "--", "sleep", "1000")
		}
		pane := s.Tmux(t, "display-message", "-p", "-t", "main:0", "#{pane_id}")
		here := func(how ports.CallerSource) ports.Caller {
			return ports.Caller{Pane: tmux.PaneID(pane), How: how}
		}
		unknown := ports.Caller{How: ports.CallerUnknown}
		topology := callerView(t, s)
		// CALLER stands for the helper, BARE for it without TMUX and TMUX_PANE, INNER for the socket of a nested server.
		cases := []struct {
			name, line string
			want       ports.Caller
		}{
			{"child of the shell", `CALLER`, here(ports.CallerAncestor)},
			{"without the environment", `BARE`, here(ports.CallerAncestor)},
			{"in place of a shell", `sh -c 'exec BARE'`, here(ports.CallerAncestor)},
			{"below other programs", `sh -c 'sh -c "BARE; :"; :'`, here(ports.CallerAncestor)},
			{"in a pipeline", `: | BARE | cat`, here(ports.CallerAncestor)},
			{"in the background", `BARE &`, here(ports.CallerAncestor)},
			{"setsid", `setsid -w sh -c 'BARE; :'`, here(ports.CallerAncestor)},
			{"nohup", `nohup BARE >/dev/null`, here(ports.CallerAncestor)},
			{"another terminal", `script -qc 'BARE' /dev/null`, here(ports.CallerAncestor)},
			{"orphaned", `sh -c 'PARENT=$$ BARE &'`, here(ports.CallerTerminal)},
			{"orphaned, without a terminal", `setsid sh -c 'PARENT=$$ BARE &'`, unknown},
			{"orphaned, with the environment", `setsid sh -c 'PARENT=$$ CALLER &'`, here(ports.CallerEnvironment)},
			{"environment of a server that is gone", `TMUX=/nowhere,1,0 CALLER`, here(ports.CallerAncestor)},
			{"orphaned, environment of another server", `TMUX=/nowhere,1,0 setsid sh -c 'PARENT=$$ CALLER &'`, unknown},
			{"in a nested server", `TMUX= tmux -S INNER -f /dev/null new-session -d "BARE"`, unknown},
			{"in a nested server, with its environment", `TMUX= tmux -S INNER -f /dev/null new-session -d "CALLER"`, unknown},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				awaitForeground(t, s, pane, guard.AtPrompt, "") // some programs discard what is typed when they end
				got := askCaller(t, topology, func(helper string) {
					s.Tmux(t, "send-keys", "-t", pane, "-l", callerLine(t, s, c.line, helper))
					s.Tmux(t, "send-keys", "-t", pane, "Enter")
				})
				if got != c.want {
					t.Errorf("%s\nwant %+v, got %+v", c.line, c.want, got)
				}
			})
		}
		t.Run("outside of tmux", func(t *testing.T) {
			got := askCaller(t, topology, func(helper string) {
				line := callerLine(t, s, "BARE", helper)
				if out, err := exec.Command("setsid", "-w", "sh", "-c", line).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", line, err, out)
				}
			})
			if got != unknown {
				t.Errorf("want unknown, got %+v", got)
			}
		})
		t.Run("another namespace", func(t *testing.T) {
			if os.Getuid() != 0 {
				t.Skip("needs root")
			}
			for _, c := range []struct {
				line string
				want ports.Caller
			}{
				{"unshare --pid --fork --mount-proc BARE", unknown},
				{"unshare --pid --fork --mount-proc CALLER", here(ports.CallerEnvironment)},
			} {
				awaitForeground(t, s, pane, guard.AtPrompt, "")
				got := askCaller(t, topology, func(helper string) {
					s.Tmux(t, "send-keys", "-t", pane, callerLine(t, s, c.line, helper), "Enter")
				})
				if got != c.want {
					t.Errorf("%s\nwant %+v, got %+v", c.line, c.want, got)
				}
			}
		})
	})
}

// TestBinaryFindsItsPane has an agent's client that strips the environment: the pane is found by the processes above.
func TestBinaryFindsItsPane(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		s := startServer(t, binary)
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
		for _, path := range []string{in, out} {
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		line := fmt.Sprintf("env -i LIBTMUX_TOOLSETS=inspect,execute,teardown %s HOME=%s %s --tmux %s --socket %s --backend %s <%s >%s; :",
			"PATH=$PATH", dir, serverBinary(t), binary, s.Socket, backend, in, out)
		pane := s.Tmux(t, "new-session", "-d", "-s", "agent", "-P", "-F", "#{pane_id}", "sh", "-c", line)
		p := launchCommand(t, exec.Command("sh", "-c", `cat <"$1" & cat >"$0"; wait`, in, out))
		initialize(t, p)
		call(t, p, "get_server_info", nil).want(t, fields{"caller_pane_id": pane, "caller_found": "ancestor"})
		call(t, p, "list_panes", nil)
		callError(t, p, "send_keys", fields{"pane_id": pane, "text": "x"}, "refused").want(t, fields{"reason": "caller_pane"})
		callError(t, p, "kill_session", fields{"session_id": s.Tmux(t, "display-message", "-p", "-t", pane, "#{session_id}")}, "refused").
			want(t, fields{"reason": "holds_caller"})
	})
}

// askCaller runs the helper by way of start and waits for its answer.
func askCaller(t *testing.T, topology tmux.Topology, start func(helper string)) ports.Caller {
	t.Helper()
	dir := t.TempDir()
	data, err := json.Marshal(topology)
	if err != nil {
		t.Fatal(err)
	}
	view, answer := filepath.Join(dir, "topology"), filepath.Join(dir, "answer")
	if err := os.WriteFile(view, data, 0o600); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "caller") // one word, whatever quotes stand around it
	text := fmt.Sprintf("#!/bin/sh\n%s='%s' %s='%s' %s=$PARENT exec '%s'\n", callerTopology, view, callerAnswer, answer, callerParent, self)
	if err := os.WriteFile(script, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	start(script)
	var caller ports.Caller
	eventually(t, "the helper answers", func() (bool, string) {
		data, err := os.ReadFile(answer)
		if err != nil {
			return false, err.Error()
		}
		return json.Unmarshal(data, &caller) == nil, string(data)
	})
	return caller
}

// callerLine fills in the words of a case.
func callerLine(t *testing.T, s *realServer, line, helper string) string {
	t.Helper()
	inner := &realServer{Binary: s.Binary, Socket: filepath.Join(t.TempDir(), "s")}
	if strings.Contains(line, "INNER") {
		t.Cleanup(func() { _, _ = inner.Try("kill-server") }) // it ends with its only program
	}
	return strings.NewReplacer(
		"tmux -S", s.Binary+" -S", "INNER", inner.Socket,
		"PARENT=$$ BARE", "env -i PATH=$PATH PARENT=$$ "+helper, "BARE", "env -i PATH=$PATH "+helper,
		"CALLER", helper,
	).Replace(line)
}
