//go:build integration

package integration_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// memory reads what /proc says of a process's memory, in KiB: VmRSS now, VmHWM at most so far.
func memory(t *testing.T, pid int, field string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, field+":"); ok {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("%s is not in\n%s", field, status)
	return 0
}

// startMeasured starts a released server, lets it answer once, and gives what it holds then.
func startMeasured(t *testing.T, tmux string, s *realServer, args ...string) (p *pipes.Process, start int) {
	t.Helper()
	cmd := exec.Command(serverBinary(t), append([]string{"--tmux", tmux, "--socket", s.Socket}, args...)...)
	cmd.Env = bareEnvironment(t)
	p = launchCommand(t, cmd)
	initialize(t, p)
	call(t, p, "list_panes", nil)
	call(t, p, "capture_pane", fields{"pane_id": "%0", "history": 1000})
	return p, memory(t, p.PID(), "VmRSS")
}

// mustBeSmall holds a process's memory to 64 MiB above the start.
func mustBeSmall(t *testing.T, p *pipes.Process, start int) {
	t.Helper()
	grown := memory(t, p.PID(), "VmHWM") - start
	t.Logf("%d KiB at the start, %d above it at the peak", start, grown)
	if grown > 64<<10 {
		t.Errorf("the process grew by %d KiB, want at most %d", grown, 64<<10)
	}
}

// However much a pane writes, reading it and waiting in it costs little memory.
func TestFloodCostsLittleMemory(t *testing.T) {
	bound := time.Duration(often(50)) * 100 * time.Millisecond // of each flood
	long := strings.Repeat("0123456789", 100)
	eachTmux(t, func(t *testing.T, tmux string) {
		for name, program := range map[string]string{"yes": "yes", "a counter": "seq inf", "long lines": "yes " + long} {
			t.Run(name, func(t *testing.T) {
				s := startServer(t, tmux)
				p, start := startMeasured(t, tmux, s)
				pane := s.window(t, 50000, "sh", "-c", program+" | head -c 200000000; exec sleep 600")
				cursor := call(t, p, "capture_pane", fields{"pane_id": pane}).text(t, "cursor")
				waited := make(chan error, 1)
				go func() {
					_, err := p.Call(t.Context(), "wait_for_text", fields{"pane_id": pane, "patterns": []string{"never"}, "timeout": bound.Seconds()})
					waited <- err
				}()
				for calls, end := 0, time.Now().Add(bound); calls < 3 || time.Now().Before(end); calls++ {
					cursor = call(t, p, "capture_since", fields{
						"pane_id": pane, "cursor": cursor, "max_lines": 2000, "max_bytes": 262144,
					}).text(t, "cursor")
				}
				if err := <-waited; err != nil {
					t.Errorf("wait_for_text in the flood: %v", err)
				}
				mustBeSmall(t, p, start)
			})
		}
	})
}

// A wait in a pane whose history is full reads all of it for each line that comes, and keeps the line alone.
func TestWaitOnAFullHistoryCostsLittleMemory(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		p, start := startMeasured(t, tmux, s)
		full := "yes " + strings.Repeat("0123456789", 7) + " | head -n 60000; "
		pane := s.window(t, 50000, "sh", "-c", full+"n=0; while echo line $((n+=1)); do sleep 0.05; done")
		s.Screen(t, pane, "line 1")
		out := call(t, p, "wait_for_text", fields{"pane_id": pane, "patterns": []string{"line 40"}, "timeout": 30})
		out.want(t, fields{"outcome": "matched", "line": "line 40"})
		mustBeSmall(t, p, start)
	})
}
