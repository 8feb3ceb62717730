//go:build integration

package integration_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Environment of a test binary that is a server process to be killed.
const (
	attendDir  = "FRAMES_ATTEND_DIR"
	attendPlan = "FRAMES_ATTEND_PLAN"
)

// The steps of an attendance, as its process says them.
const (
	stepStaged   = "staged"
	stepStarted  = "started"
	stepReleased = "released"
	stepEnded    = "ended"
)

// init makes this binary a process that attends one run, says each step, and waits to be killed.
func init() {
	if os.Getenv(attendDir) == "" {
		return
	}
	if err := attend(); err != nil {
		fmt.Println(err) // the test reads it instead of the step it waits for
	}
	os.Exit(1)
}

func attend() error {
	ctx := context.Background()
	var plan ports.Plan
	if err := json.Unmarshal([]byte(os.Getenv(attendPlan)), &plan); err != nil {
		return err
	}
	frames, err := shell.Open(shell.Options{Dir: os.Getenv(attendDir)})
	if err != nil {
		return err
	}
	staged, err := frames.Stage(ctx, plan)
	if err != nil {
		return err
	}
	fmt.Println(stepStaged)
	if _, err := staged.Started(ctx); err != nil {
		return err
	}
	fmt.Println(stepStarted)
	// A line of input lets it go on.
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	if err := staged.Release(); err != nil {
		return err
	}
	fmt.Println(stepReleased)
	if _, err := staged.Ended(ctx); err != nil {
		return err
	}
	fmt.Println(stepEnded)
	_, err = io.Copy(io.Discard, os.Stdin) // until it is killed
	return err
}

// An attendant is a server process of a test's own.
type attendant struct {
	*exec.Cmd
	t     *testing.T
	in    io.Writer
	steps *bufio.Scanner
}

func startAttendant(p *framedPane, plan ports.Plan) *attendant {
	p.t.Helper()
	text, err := json.Marshal(plan)
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), attendDir+"="+p.dir, attendPlan+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	a := &attendant{Cmd: cmd, t: p.t, in: in, steps: bufio.NewScanner(out)}
	p.t.Cleanup(a.kill)
	return a
}

// await waits for the process to say a step.
func (a *attendant) await(step string) {
	a.t.Helper()
	if !a.steps.Scan() || a.steps.Text() != step {
		a.t.Fatalf("the attending process says %q, want %q", a.steps.Text(), step)
	}
}

// proceed lets the process release its command.
func (a *attendant) proceed() {
	a.t.Helper()
	if _, err := fmt.Fprintln(a.in); err != nil {
		a.t.Fatal(err)
	}
}

// kill ends the process as kill -9 does.
func (a *attendant) kill() {
	_ = a.Process.Kill() // it may be dead already
	_ = a.Wait()         // says that it was killed
}

// usable waits until the pane's shell runs what is typed, and says how long that took.
func (p *framedPane) usable() {
	p.t.Helper()
	began := time.Now()
	p.enter("echo us'a'ble")
	p.Screen(p.t, "%0", "usable")
	p.t.Logf("the shell is usable after %v", time.Since(began).Round(time.Millisecond))
}

// recalled waits until another process tells of a run what is wanted, and compares it.
func (p *framedPane) recalled(run string, want frame.Record) {
	p.t.Helper()
	frames, err := shell.Open(shell.Options{Dir: p.dir})
	if err != nil {
		p.t.Fatal(err)
	}
	ignored := cmpopts.IgnoreFields(frame.Record{}, "Leader", "StartedAt", "EndedAt")
	eventually(p.t, "the record is right (-want +got)", func() (bool, string) {
		got, err := frames.Recall(p.t.Context(), run)
		diff := cmp.Diff(want, got, ignored)
		return err == nil && diff == "", fmt.Sprint(err, diff)
	})
}

// A server process is killed at each step of a run.
func TestFramesServerKilled(t *testing.T) {
	record := func(run string, pid int) frame.Record {
		return frame.Record{RunID: run, Pane: "%0", Generation: "g1", PID: pid, Outcome: frame.TimedOut}
	}
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		marker, gate := filepath.Join(p.home, "marker"), filepath.Join(p.home, "gate")
		plan := func() ports.Plan {
			return p.plan(fmt.Sprintf("sh -c 'echo out; echo err >&2; until test -e %s; do sleep 0.05; done; touch %s; exit 9'", gate, marker))
		}
		touch := func(path string) {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		neverRan := func(run string) {
			t.Helper()
			want := record(run, p.pid)
			want.Unattended, want.Reason = true, frame.Unattended
			p.recalled(run, want)
			if _, err := os.Stat(marker); err == nil {
				t.Error("the command ran")
			}
		}

		touch(gate) // what should not run would run at once
		staged := plan()
		a := startAttendant(p, staged)
		a.await(stepStaged)
		a.kill()
		p.enter(line(p.dir, staged))
		p.usable()
		neverRan(staged.RunID)

		started := plan()
		a = startAttendant(p, started)
		a.await(stepStaged)
		p.enter(line(p.dir, started))
		a.await(stepStarted)
		a.kill()
		p.usable()
		neverRan(started.RunID)

		for _, streams := range []bool{false, true} {
			for _, path := range []string{gate, marker} {
				_ = os.Remove(path) // not made yet at first
			}
			running := plan()
			running.Streams = streams
			a = startAttendant(p, running)
			a.await(stepStaged)
			p.enter(line(p.dir, running))
			a.await(stepStarted)
			a.proceed()
			a.await(stepReleased)
			want := record(running.RunID, p.pid)
			want.Running, want.Started, want.Streamed = true, true, streams
			p.recalled(running.RunID, want)
			if _, err := p.frames.Stage(t.Context(), p.plan("true")); fault.KindOf(err) != fault.Refused {
				t.Errorf("another process holds the pane, and Stage says %v", err)
			}
			a.kill()
			want.Unattended, want.Reason = true, frame.Unattended
			if streams {
				want.Stdout, want.Stderr = frame.Stream{Data: []byte("out\n"), Total: 4}, frame.Stream{Data: []byte("err\n"), Total: 4}
			}
			p.recalled(running.RunID, want)
			touch(gate)
			p.usable()
			status := 9
			want.Running, want.Outcome, want.Status = false, frame.Completed, &status
			if streams {
				want.Complete, want.Reason = true, ""
			}
			p.recalled(running.RunID, want)
			p.recalled(running.RunID, want)
		}

		ended := plan()
		a = startAttendant(p, ended)
		a.await(stepStaged)
		p.enter(line(p.dir, ended))
		a.await(stepStarted)
		a.proceed()
		a.await(stepReleased)
		a.await(stepEnded)
		a.kill()
		p.usable()
		status := 9
		want := record(ended.RunID, p.pid)
		want.Started, want.Unattended, want.Reason, want.Outcome, want.Status = true, true, frame.Unattended, frame.Completed, &status
		p.recalled(ended.RunID, want)
		p.expect("echo fine", 0, "fine")
	})
}

// line is what is typed for a plan that another process staged.
func line(dir string, plan ports.Plan) string {
	if plan.Shell == guard.Fish {
		return " /bin/sh " + dir + "/" + plan.RunID + "/w"
	}
	return ` \. ` + dir + "/" + plan.RunID + "/go"
}
