package shell_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hangBound is how long anything may take before a test calls it hung.
const hangBound = 10 * time.Second

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	t.Cleanup(cancel)
	return ctx
}

// place names a directory that Open makes.
func place(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "frames")
}

func open(t *testing.T, dir string) *shell.Frames {
	t.Helper()
	frames, err := shell.Open(shell.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return frames
}

// planOf is a plan for the system's sh.
func planOf(run, command string) ports.Plan {
	return ports.Plan{
		RunID: run, Token: "TOKEN", Server: tmux.Server{Generation: "g1"}, Pane: "%1", PID: 4711, Shell: guard.Dash,
		Command: command, Shown: "[TOKEN] $ it's", Started: 1000,
	}
}

func stage(t *testing.T, frames ports.Frames, plan ports.Plan) ports.Frame {
	t.Helper()
	staged, err := frames.Stage(bounded(t), plan)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = staged.Close() }) // for a test that failed; closing twice does nothing
	return staged
}

// dirOf is the directory of a frame.
func dirOf(staged ports.Frame) string { return filepath.Dir(strings.Fields(staged.Line())[1]) }

// A typist is a shell without a terminal that reads a frame's line.
type typist struct {
	*exec.Cmd
	output bytes.Buffer
}

// enter types a frame's line into a shell.
func enter(t *testing.T, staged ports.Frame) *typist {
	t.Helper()
	shell := &typist{Cmd: exec.Command("/bin/sh", "-c", staged.Line()+"\necho status $?")}
	shell.Stdout, shell.Stderr = &shell.output, &shell.output
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shell.Process.Kill() }) // gone, if the test passed
	return shell
}

// says waits for the shell to end and gives all that it printed.
func (s *typist) says(t *testing.T) string {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("the shell ended with %v", err)
		}
	case <-bounded(t).Done():
		t.Fatal("the shell hangs")
	}
	return s.output.String()
}

// begin brings a frame beyond its release and answers its process.
func begin(t *testing.T, staged ports.Frame) (*typist, int) {
	t.Helper()
	shell := enter(t, staged)
	pid, err := staged.Started(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := staged.Release(); err != nil {
		t.Fatal(err)
	}
	return shell, pid
}

func ended(t *testing.T, staged ports.Frame) frame.End {
	t.Helper()
	end, err := staged.Ended(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func closes(t *testing.T, staged ports.Frame) {
	t.Helper()
	if err := staged.Close(); err != nil {
		t.Fatal(err)
	}
}

// names is what a directory holds but its lock for tidying.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, entry := range entries {
		if entry.Name() != ".tidy" {
			names = append(names, entry.Name())
		}
	}
	return fmt.Sprint(names)
}

// A gate holds a command until it is opened: a FIFO, both of whose ends are here.
type gate struct{ *os.File }

func newGate(t *testing.T) gate {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gate")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return gate{file}
}

func (g gate) command() string { return "read x <'" + g.Name() + "'" }

// open lets the command go on, now or when it comes to the gate.
func (g gate) open(t *testing.T) {
	t.Helper()
	if _, err := g.WriteString("\n"); err != nil {
		t.Fatal(err)
	}
}
