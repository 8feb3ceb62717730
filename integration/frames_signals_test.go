//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// of gives what differs between shells.
func of[T any](family guard.Shell, usual T, others map[guard.Shell]T) T {
	if other, found := others[family]; found {
		return other
	}
	return usual
}

func TestFramesFailures(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		cases := []struct {
			name, command string
			status        int
		}{
			{"unbalanced quote", "echo 'oops", of(family, 2, map[guard.Shell]int{guard.Mksh: 1, guard.Ksh: 3, guard.Zsh: 126, guard.Fish: 127})},
			{"not found", "no-such-command-here", 127},
			{"killed", "sh -c 'kill -9 $$'", of(family, 137, map[guard.Shell]int{guard.Ksh: 256 + 9})},
			{"terminated", "sh -c 'kill $$'", of(family, 143, map[guard.Shell]int{guard.Ksh: 256 + 15})},
			{"return", "return 3", 3},
		}
		for _, c := range cases {
			if status, lines := p.run(p.plan(c.command)); status != c.status {
				t.Errorf("%s: status %d, want %d; lines %q", c.name, status, c.status, lines)
			}
			p.prompt()
		}
	})
}

func TestFramesStopKeys(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		loop := of(family, "echo up-now; while :; do :; done", map[guard.Shell]string{guard.Fish: "echo up-now; while true; true; end"})
		cases := []struct {
			name, command, key string
			status             int
		}{
			{"C-c at a program", "sh -c 'echo up-now; exec sleep 30'", "C-c", of(family, 130, map[guard.Shell]int{guard.Ksh: 2})},
			{"C-\\ at a program", "sh -c 'echo up-now; exec sleep 30'", `C-\`, of(family, 131, map[guard.Shell]int{guard.Ksh: 3})},
			{"C-c at a loop", loop, "C-c", of(family, 130, map[guard.Shell]int{guard.Ksh: 2, guard.Fish: 0})},
			{"C-d at an input", "echo up-now; cat", "C-d", 0},
		}
		for _, c := range cases {
			plan := p.plan(c.command)
			staged, _ := p.begin(plan)
			p.shows("up-now")
			p.Tmux(t, "send-keys", "-t", "%0", c.key)
			end := p.ended(staged)
			if family == guard.Ksh && c.command == loop && end == (frame.End{}) {
				end.Status = c.status // of a loop of builtins alone, one ksh93 in ten says 0, typed or framed
			}
			if end != (frame.End{Status: c.status}) {
				t.Errorf("%s: %+v, want status %d\n%s", c.name, end, c.status, p.Screen(t, "%0", ""))
			}
			if err := staged.Close(); err != nil {
				t.Fatal(err)
			}
			p.prompt()
			p.Tmux(t, "send-keys", "-t", "%0", "clear", "Enter")
			p.expect("echo fine", 0, "fine")
		}
	})
}

// A program that ignores C-c goes on; some shells report its end all the same.
func TestFramesIgnoredInterrupt(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		gate := filepath.Join(p.home, "gate")
		staged, _ := p.begin(p.plan(fmt.Sprintf(`sh -c 'trap "" INT; echo up; until test -e %s || ! test -d %s; do sleep 0.05; done; exit 5'`, gate, p.home)))
		p.shows("up")
		p.Tmux(t, "send-keys", "-t", "%0", "C-c")
		impatient := family == guard.Dash || family == guard.Busybox || family == guard.Ksh
		if !impatient {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			if end, err := staged.Ended(ctx); !fault.Is(err, fault.Deadline) {
				t.Errorf("ended while the program runs: %+v %v", end, err)
			}
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if end := p.ended(staged); end.Gone {
			t.Errorf("end: %+v", end)
		} else {
			t.Logf("status %d", end.Status)
		}
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := staged.Close(); err != nil {
			t.Fatal(err)
		}
		p.expect("echo fine", 0, "fine")
	})
}

// state is the letter of a process's state; empty if it is gone.
func state(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return after[:1]
}

func TestFramesSuspend(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		gate := filepath.Join(p.home, "gate")
		wait := fmt.Sprintf("sh -c 'echo up; until test -e %s; do sleep 0.05; done; exit 6'", gate)
		suspended := func() (ports.Frame, string) {
			plan := p.plan(wait)
			staged, leader := p.begin(plan)
			p.Screen(t, "%0", plan.Token)
			eventually(t, "the command is up", func() (bool, string) {
				lines := p.lines(plan.Token)
				return len(lines) == 1 && lines[0] == "up", strings.Join(lines, "\n")
			})
			p.Tmux(t, "send-keys", "-t", "%0", "C-z")
			eventually(t, "the leader is stopped", func() (bool, string) { return state(leader) == "T", state(leader) })
			p.prompt()
			return staged, plan.RunID
		}

		attended, _ := suspended()
		p.enter("fg")
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if end := p.ended(attended); end != (frame.End{Status: 6}) {
			t.Errorf("after fg: %+v\n%s", end, p.Screen(t, "%0", ""))
		}
		if err := attended.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(gate); err != nil {
			t.Fatal(err)
		}

		p.prompt()
		left, run := suspended()
		if err := left.Close(); err != nil {
			t.Fatal(err)
		}
		if record, err := p.frames.Recall(t.Context(), run); err != nil || !record.Running {
			t.Errorf("a suspended run that was left: %+v %v", record, err)
		}
		p.expect("echo fine", 0, "fine")
		p.prompt()
		p.enter("fg")
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the run's status is recorded", func() (bool, string) {
			record, err := p.frames.Recall(t.Context(), run)
			return err == nil && record.Status != nil && *record.Status == 6, fmt.Sprintf("%+v %v", record, err)
		})
		p.prompt()
	})
}
