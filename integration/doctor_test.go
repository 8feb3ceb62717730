//go:build integration

package integration_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// doctor runs the doctor and returns what it said and its exit status.
func doctor(t *testing.T, args ...string) (said string, status int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), serverBinary(t), append([]string{"doctor"}, args...)...)
	cmd.Env = bareEnvironment(t)
	out, err := cmd.CombinedOutput()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), ended.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

// says checks what the doctor said by regular expressions of lines.
func says(t *testing.T, said string, patterns ...string) {
	t.Helper()
	for _, pattern := range patterns {
		if !regexp.MustCompile("(?m)" + pattern).MatchString(said) {
			t.Errorf("want %q in what the doctor said:\n%s", pattern, said)
		}
	}
}

func TestDoctorOnARealTmux(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		w := newTmuxWorld(t, binary)
		args := []string{"--tmux", binary, "--socket", w.Socket}
		seen := w.Session("main", porttest.Recorder)
		said, status := doctor(t, args...)
		if status != 0 {
			t.Errorf("exit status %d", status)
		}
		says(t, said, `^ok +tmux executable: `+regexp.QuoteMeta(binary), `^ok +tmux server: version .*; its socket may be used$`,
			`^ok +attached people: none$`, `^warning +shells: none of 1 panes has a shell at its prompt`)

		pane := w.Tmux(t, "new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "env", "PS1=$ ", "bash", "--norc")
		w.Screen(t, pane, "$")
		w.Attach("$0", porttest.Terminal)
		eventually(t, "the shell is idle", func() (bool, string) {
			said, status = doctor(t, args...)
			return strings.Contains(said, "bash at its prompt in "+pane), said
		})
		says(t, said, `^ok +attached people: at /dev/`, fmt.Sprintf(`^ok +seen panes: %s: input`, seen))
		if status != 0 {
			t.Errorf("exit status %d", status)
		}
	})
}

func TestDoctorNamesServersThatCannotBeUsed(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		said, status := doctor(t, "--tmux", agedServer(t, s, "3.2b"), "--socket", s.Socket)
		if status != 0 {
			t.Errorf("another version: exit status %d", status)
		}
		says(t, said, `^warning +tmux server: version 3\.2b, .* not the version `, `^ +-> .*--tmux`)

		pid := number(t, s.Tmux(t, "display-message", "-p", "#{pid}"))
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }() // so that it can be killed
		said, status = doctor(t, "--tmux", binary, "--socket", s.Socket)
		if status != 1 {
			t.Errorf("a stopped server: exit status %d", status)
		}
		says(t, said, `^failure +tmux server: no answer within`, `^ +-> see whether`)
		// The server holds what it was handed, which must not hold up the answer. Once in time is enough on a loaded machine.
		var took []time.Duration
		for range 5 {
			began := time.Now()
			doctor(t, "--tmux", binary, "--socket", s.Socket)
			if took = append(took, time.Since(began)); took[len(took)-1] < 2*time.Second {
				return
			}
		}
		t.Errorf("it took %v, never less than 2 s", took)
	})
}

func TestDoctorWithoutPermission(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		if err := os.Chmod(s.Socket, 0); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), serverBinary(t), "doctor", "--tmux", binary, "--socket", s.Socket)
		cmd.Env = bareEnvironment(t)
		if os.Getuid() == 0 {
			if err := os.Chmod(s.Socket[:strings.LastIndex(s.Socket, "/")], 0o755); err != nil {
				t.Fatal(err)
			}
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		out, err := cmd.CombinedOutput()
		if ended, ok := errors.AsType[*exec.ExitError](err); !ok || ended.ExitCode() != 1 {
			t.Errorf("ended with %v, want exit status 1", err)
		}
		says(t, string(out), `^failure +tmux server: .*permission`, `^ +-> `)
	})
}
