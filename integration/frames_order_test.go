//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// slowStart is a configuration after which a shell comes to its prompt only when the gate is there.
func slowStart(family guard.Shell, gate string) string {
	if family == guard.Fish {
		return "while not test -e " + gate + "; sleep 0.05; end\n"
	}
	return "until test -e " + gate + "; do sleep 0.05; done\n"
}

func TestFramesShellStillStarting(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		dir := t.TempDir()
		gate, marker := filepath.Join(dir, "gate"), filepath.Join(dir, "marker")
		open := func() {
			if err := os.WriteFile(gate, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		command := "echo ran >>" + marker

		t.Run("runs once", func(t *testing.T) {
			p := startPane(t, binary, family, slowStart(family, gate))
			staged := p.stage(p.plan(command))
			started := make(chan error, 1)
			go func() {
				_, err := staged.Started(t.Context())
				started <- err
			}()
			open()
			if err := <-started; err != nil {
				t.Fatal(err)
			}
			if err := staged.Release(); err != nil {
				t.Fatal(err)
			}
			if end := p.ended(staged); end != (frame.End{}) {
				t.Errorf("end: %+v", end)
			}
			if err := staged.Close(); err != nil {
				t.Fatal(err)
			}
			p.expect("echo fine", 0, "fine")
			if text, err := os.ReadFile(marker); err != nil || string(text) != "ran\n" {
				t.Errorf("it ran not once: %q %v", text, err)
			}
		})
		for name, leave := range map[string]func(ports.Frame) error{
			"revoked by its deadline": func(ports.Frame) error { return nil },
			"revoked and closed":      ports.Frame.Close,
		} {
			t.Run(name, func(t *testing.T) {
				for _, path := range []string{gate, marker} {
					_ = os.Remove(path) // not made yet at first
				}
				p := startPane(t, binary, family, slowStart(family, gate))
				staged := p.stage(p.plan(command))
				ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer cancel()
				if _, err := staged.Started(ctx); !fault.Is(err, fault.Deadline) {
					t.Fatalf("Started in a shell that is not there: %v", err)
				}
				if err := staged.Release(); err == nil {
					t.Error("Release of a revoked frame says nothing")
				}
				if err := leave(staged); err != nil {
					t.Fatal(err)
				}
				open()
				p.usable()
				if err := staged.Close(); err != nil {
					t.Fatal(err)
				}
				p.expect("echo fine", 0, "fine")
				if text, err := os.ReadFile(marker); err == nil {
					t.Errorf("a run that did not start ran: %q", text)
				}
			})
		}
	})
}

// The shell waits for nobody who does not come back: not between start and release, nor at the end.
func TestFramesClosedEarly(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		marker := filepath.Join(p.home, "marker")
		staged := p.stage(p.plan("echo ran >" + marker))
		if _, err := staged.Started(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := staged.Close(); err != nil {
			t.Fatal(err)
		}
		p.usable()
		if _, err := os.Stat(marker); err == nil {
			t.Error("a frame that was closed before its release ran")
		}

		gate := filepath.Join(p.home, "gate")
		running := p.plan(fmt.Sprintf("until test -e %s; do sleep 0.05; done; exit 5", gate))
		if family == guard.Fish {
			running.Command = fmt.Sprintf("while not test -e %s; sleep 0.05; end; exit 5", gate)
		}
		staged, _ = p.begin(running)
		if err := staged.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(gate, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		p.usable()
		status := 5
		p.recalled(running.RunID, frame.Record{
			RunID: running.RunID, Pane: "%0", Generation: "g1", PID: p.pid, Started: true, Unattended: true,
			Outcome: frame.Completed, Status: &status, Reason: frame.Unattended,
		})
	})
}

// The shell dies with its command.
func TestFramesShellGone(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		p.Tmux(t, "set-option", "-g", "remain-on-exit", "on")
		plan := p.plan("echo up-now; sleep 30")
		staged, _ := p.begin(plan)
		p.shows("up-now")
		p.Tmux(t, "respawn-pane", "-k", "-t", "%0", "cat")
		if end := p.ended(staged); !end.Gone {
			t.Errorf("end: %+v, want gone", end)
		}
		if err := staged.Close(); err != nil {
			t.Fatal(err)
		}
		p.recalled(plan.RunID, frame.Record{
			RunID: plan.RunID, Pane: "%0", Generation: "g1", PID: p.pid, Started: true, Unattended: true,
			Outcome: frame.PaneDied, Reason: frame.ShellGone,
		})
	})
}

func TestFramesBackToBack(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		for i := range often(30) {
			status, lines := p.run(p.plan(fmt.Sprintf("sh -c 'echo %d; exit %d'", i, i)))
			if diff := cmp.Diff([]any{i, []string{fmt.Sprint(i)}}, []any{status, lines}); diff != "" {
				t.Errorf("run %d (-want +got):\n%s", i, diff)
			}
		}
	})
}

// The time of a run of "true", from the staging to the end, with an exec of tmux that types the line.
func TestFramesLatency(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		for _, family := range families {
			p := startIdle(t, binary, family, "")
			var took []time.Duration
			for range 15 {
				plan, began := p.plan("true"), time.Now()
				staged, _ := p.begin(plan)
				end := p.ended(staged)
				took = append(took, time.Since(began))
				if err := staged.Close(); err != nil || end != (frame.End{}) {
					t.Errorf("%s: %+v %v", family, end, err)
				}
			}
			slices.Sort(took)
			t.Logf("%s: median %v, of %d", family, took[len(took)/2].Round(100*time.Microsecond), len(took))
		}
	})
}
