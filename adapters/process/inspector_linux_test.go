package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// start runs a program on a terminal of its own, as tmux does, and kills it at the test's end.
func start(t *testing.T, argv ...string) (tmux.Pane, *os.Process) {
	t.Helper()
	master, terminal, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = terminal, terminal, terminal
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()
		_ = master.Close()
		_ = terminal.Close()
	})
	return tmux.Pane{ID: "%1", PID: cmd.Process.Pid, TTY: terminal.Name()}, cmd.Process
}

// await polls another process: there is no event to wait for.
func await(t *testing.T, what string, check func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !check(); <-time.After(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}

// named copies a program to a file of that name.
func named(t *testing.T, program, name string) string {
	t.Helper()
	from, err := exec.LookPath(program)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSampleSeesTheLeader(t *testing.T) {
	const name = "a) R 1 (b\nc" // what breaks a parser of /proc/PID/stat
	program := named(t, "cat", name)
	pane, started := start(t, program, "-u")
	inspector := process.New(process.Options{})
	var got guard.Sample
	await(t, "the program reads its terminal", func() bool {
		got = inspector.Sample(t.Context(), pane)
		return got.State == 'S' && (got.WaitChannel == "wait_woken" || got.WaitChannel == "n_tty_read")
	})
	if got.Leader != started.Pid || got.Executable != name || got.Command != name || !got.SameUser {
		t.Errorf("want %q (%d) asleep, got %+v", name, started.Pid, got)
	}
	if len(got.Argv) != 2 || got.Argv[0] != program || got.Argv[1] != "-u" {
		t.Errorf("want %q -u, got %q", program, got.Argv)
	}
	if !got.Canonical || !got.Echo || got.ReadCount <= 0 {
		t.Errorf("want a canonical terminal, with echo, that is being read, got %+v", got)
	}
	if got.Age < 0 || got.Age > time.Minute {
		t.Errorf("want an age of some milliseconds, got %v", got.Age)
	}
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	if got := inspector.Sample(t.Context(), pane); got.Executable != name {
		t.Errorf("want %q after its file is gone, got %q", name, got.Executable)
	}
}

func TestSampleWithoutEvidence(t *testing.T) {
	pane, _ := start(t, "cat")
	other, _ := start(t, "cat")
	cases := map[string]struct {
		pane tmux.Pane
		want string
	}{
		"no such process":     {tmux.Pane{ID: "%1", PID: 1 << 30, TTY: pane.TTY}, "no such file"},
		"another terminal":    {tmux.Pane{ID: "%1", PID: pane.PID, TTY: other.TTY}, "not the terminal"},
		"no terminal":         {tmux.Pane{ID: "%1", PID: pane.PID, TTY: "/dev/null"}, "not the terminal"},
		"terminal is missing": {tmux.Pane{ID: "%1", PID: pane.PID, TTY: "/dev/pts/none"}, "no such file"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := process.New(process.Options{}).Sample(t.Context(), c.pane)
			if !fault.Is(got.Err, fault.Unsupported) || !strings.Contains(got.Err.Error(), c.want) {
				t.Errorf("want a fault that says %q, got %+v", c.want, got)
			}
			if state := guard.Classify(got).State; state != guard.ForegroundUnknown {
				t.Errorf("want unknown, got %s", state)
			}
		})
	}
}

func TestStopped(t *testing.T) {
	inspector := process.New(process.Options{})
	_, started := start(t, "cat")
	stopped := func(pid int) [2]bool {
		stopped, exists := inspector.Stopped(t.Context(), pid)
		return [2]bool{stopped, exists}
	}
	if got := stopped(started.Pid); got != [2]bool{false, true} {
		t.Errorf("running: stopped, exists = %v", got)
	}
	if err := started.Signal(unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	await(t, "it is stopped", func() bool { return stopped(started.Pid) == [2]bool{true, true} })
	if err := started.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	await(t, "it goes on", func() bool { return stopped(started.Pid) == [2]bool{false, true} })
	if err := started.Kill(); err != nil {
		t.Fatal(err)
	}
	await(t, "it has ended", func() bool { return stopped(started.Pid) == [2]bool{false, false} })
	for _, pid := range []int{0, -1, 1 << 30} {
		if got := stopped(pid); got != [2]bool{} {
			t.Errorf("pid %d: stopped, exists = %v", pid, got)
		}
	}
}

// TestCallerByEnvironment cannot reach a server, so that only the environment speaks.
func TestCallerByEnvironment(t *testing.T) {
	topology := tmux.Topology{
		Running: true, Server: tmux.Server{SocketPath: "/nonexistent/s", PID: 42},
		Panes: []tmux.Pane{{ID: "%3", PID: os.Getpid()}},
	}
	found := ports.Caller{Pane: "%3", How: ports.CallerEnvironment}
	unknown := ports.Caller{How: ports.CallerUnknown}
	cases := map[string]struct {
		options process.Options
		want    ports.Caller
	}{
		"matches":               {process.Options{TMUX: "/tmp/s,42,0", TMUXPane: "%3"}, found},
		"commas in the path":    {process.Options{TMUX: "/tmp/a,7,1,42,0", TMUXPane: "%3"}, found},
		"another server":        {process.Options{TMUX: "/tmp/s,43,0", TMUXPane: "%3"}, unknown},
		"a pane that is gone":   {process.Options{TMUX: "/tmp/s,42,0", TMUXPane: "%4"}, unknown},
		"no pane":               {process.Options{TMUX: "/tmp/s,42,0"}, unknown},
		"no server":             {process.Options{TMUXPane: "%3"}, unknown},
		"not what tmux writes":  {process.Options{TMUX: "42", TMUXPane: "%3"}, unknown},
		"not what tmux writes,": {process.Options{TMUX: ",", TMUXPane: "%3"}, unknown},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := process.New(c.options).Caller(t.Context(), topology); got != c.want {
				t.Errorf("%+v: want %+v, got %+v", c.options, c.want, got)
			}
		})
	}
	if got := process.New(cases["matches"].options).Caller(t.Context(), tmux.Topology{}); got != unknown {
		t.Errorf("no server: want unknown, got %+v", got)
	}
}
