//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// ends are the ways in which a server process can be made to end, and what it must answer to them.
var ends = []struct {
	name string
	end  func(p *pipes.Process) error
}{
	{"EOF", func(p *pipes.Process) error { return p.CloseInput() }},
	{"SIGTERM", func(p *pipes.Process) error { return syscall.Kill(p.PID(), syscall.SIGTERM) }},
	{"SIGINT", func(p *pipes.Process) error { return syscall.Kill(p.PID(), syscall.SIGINT) }},
}

// endWithin ends a server process and waits until it has ended in good order.
func endWithin(t *testing.T, p *pipes.Process, end func(*pipes.Process) error) {
	t.Helper()
	if err := end(p); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	defer cancel()
	if err := p.Wait(ctx); err != nil {
		t.Fatalf("the server did not end in good order: %v; stderr:\n%s", err, p.Stderr())
	}
}

// startRun starts a command whose wait ends before it does, and returns the run's id. The command waits for a file
// that only the returned function makes.
func startRun(t *testing.T, p *pipes.Process, pane string, status int) (runID string, finish func()) {
	t.Helper()
	gate := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	run := call(t, p, "run_shell_command", fields{
		"pane_id": pane, "timeout": 2,
		"command": fmt.Sprintf("echo waiting; cat %s; exit %d", gate, status),
	})
	run.want(t, fields{"outcome": "timed_out", "started": true})
	return run.text(t, "run_id"), func() {
		t.Helper()
		opened := make(chan error, 1)
		go func() {
			f, err := os.OpenFile(gate, os.O_WRONLY, 0)
			if err == nil {
				err = f.Close()
			}
			opened <- err
		}()
		select {
		case err := <-opened:
			if err != nil {
				t.Fatal(err)
			}
		case <-time.After(hangBound):
			t.Fatal("the command does not wait at its gate any more: it did not survive")
		}
	}
}

// mustBeUsable types into a pane as a person would, and waits for the shell's answer.
func (s *realServer) mustBeUsable(t *testing.T, pane string) {
	t.Helper()
	s.Tmux(t, "send-keys", "-t", pane, "-l", "--", `echo still-$((40+2))-alive`)
	s.Tmux(t, "send-keys", "-t", pane, "Enter")
	s.Screen(t, pane, "still-42-alive")
}

func TestBinaryEnds(t *testing.T) {
	t.Parallel() // most of it is waiting
	eachTmux(t, func(t *testing.T, tmux string) {
		for _, tt := range ends {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				s := newServer(t, tmux)
				p := hello(t, "--tmux", tmux, "--socket", s.Socket)
				pane := newSession(t, p, "work")
				endWithin(t, p, tt.end)
				s.mustBeUsable(t, pane) // the daemon runs on, also the one that this process had started
			})
			t.Run(tt.name+" during a run", func(t *testing.T) {
				t.Parallel()
				s := newServer(t, tmux)
				p := hello(t, "--tmux", tmux, "--socket", s.Socket)
				pane := newSession(t, p, "work")
				runID, finish := startRun(t, p, pane, 7)
				endWithin(t, p, tt.end)
				finish()
				s.mustBeUsable(t, pane)
				mustRecall(t, tmux, s, runID, 7)
			})
			t.Run(tt.name+" while a call waits", func(t *testing.T) {
				t.Parallel()
				s := newServer(t, tmux)
				p := hello(t, "--tmux", tmux, "--socket", s.Socket)
				pane := newSession(t, p, "work")
				waiting := make(chan struct{})
				go func() { // its answer, if one comes, is of no interest here
					defer close(waiting)
					_, _ = p.Call(t.Context(), "run_shell_command", fields{"pane_id": pane, "command": "echo begun; sleep 600", "timeout": 100})
				}()
				s.Screen(t, pane, "begun")
				endWithin(t, p, tt.end)
				<-waiting
				s.Tmux(t, "send-keys", "-t", pane, "C-c")
				s.mustBeUsable(t, pane)
			})
		}
	})
}

func TestBinaryKilledDuringARun(t *testing.T) {
	t.Parallel() // most of it is waiting
	eachTmux(t, func(t *testing.T, tmux string) {
		s := newServer(t, tmux)
		p := hello(t, "--tmux", tmux, "--socket", s.Socket)
		pane := newSession(t, p, "work")
		runID, finish := startRun(t, p, pane, 9)
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		finish()
		s.mustBeUsable(t, pane)
		mustRecall(t, tmux, s, runID, 9)
	})
}

// mustRecall collects a run, twice, through another server process: its status is exact, and its lines are said to be
// incomplete, because nobody attended its end.
func mustRecall(t *testing.T, tmux string, s *realServer, runID string, status float64) {
	t.Helper()
	p := hello(t, "--tmux", tmux, "--socket", s.Socket)
	for range 2 {
		call(t, p, "get_run", fields{"run_id": runID, "timeout": 5}).want(t, fields{
			"outcome": "completed", "exit_status": status, "run_id": runID, "complete": false, "reason": "unattended",
		})
	}
}
