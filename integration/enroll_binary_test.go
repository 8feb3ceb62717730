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
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// An enlistedBinary is a built server with one pane that is invited at launch.
type enlistedBinary struct {
	*realServer
	*pipes.Process
	t    *testing.T
	cmd  *exec.Cmd
	file string // of the setup
	zsh  int    // process of the shell
	open int    // descriptors of it before
}

// enlist launches a server for a new tmux with a zsh in %0.
func enlist(t *testing.T, tmux, binary string, environment []string, args ...string) *enlistedBinary {
	t.Helper()
	real := startServer(t, tmux, "env", "PS1=$ ", "zsh", "-f")
	real.Screen(t, "%0", "$")
	b := &enlistedBinary{realServer: real, t: t, file: filepath.Join(t.TempDir(), "setup")}
	var err error
	if b.zsh, err = strconv.Atoi(real.Tmux(t, "display-message", "-p", "-t", "%0", "#{pane_pid}")); err != nil {
		t.Fatal(err)
	}
	b.open = descriptorsOf(t, b.zsh)
	b.cmd = exec.Command(binary, append([]string{
		"--tmux", tmux, "--socket", real.Socket, "--log-level", "info", "--enable-tool", "tmux_run", "--enroll-pane", "%0=" + b.file,
	}, args...)...)
	b.cmd.Env = environment
	b.Process = launchCommand(t, b.cmd)
	initialize(t, b.Process)
	return b
}

// source enrolls the shell.
func (b *enlistedBinary) source() {
	b.t.Helper()
	b.Tmux(b.t, "send-keys", "-t", "%0", "source "+b.file, "Enter")
	b.Screen(b.t, "%0", "this shell is enrolled")
	eventually(b.t, "the file is gone", func() (bool, string) {
		_, err := os.Lstat(b.file)
		return errors.Is(err, os.ErrNotExist), fmt.Sprint(err)
	})
	// The prompt is back a moment later.
	b.Tmux(b.t, "send-keys", "-t", "%0", "print -r -- ali''ve", "Enter")
	b.Screen(b.t, "%0", "\nalive\n")
}

// run executes a script.
func (b *enlistedBinary) run(script string) fields {
	b.t.Helper()
	server := call(b.t, b.Process, "tmux_capabilities", nil)["server"].(map[string]any)
	var out fields
	eventually(b.t, "the shell is at its prompt", func() (bool, string) {
		data, failed := callAny(b.t, b.Process, "tmux_run", fields{"generation": server["generation"], "target_id": "%0", "script": script, "timeout": 20})
		out = data
		return !failed || data["reason"] != "busy" && data["reason"] != "draft", fmt.Sprint(data)
	})
	return out
}

// forgotten waits until the shell, which is at its prompt, knows nothing of its enrollment and has nothing open of it; it has shown nothing of it.
func (b *enlistedBinary) forgotten() {
	b.t.Helper()
	var screen string
	eventually(b.t, "the shell forgets", func() (bool, string) {
		b.Tmux(b.t, "send-keys", "-t", "%0", "print -r -- known: $(zle -lL | grep -c libtmux) $(zle -F -L | grep -c libtmux)", "Enter")
		screen, _ = b.Try("capture-pane", "-p", "-t", "%0")
		return strings.Contains(screen, "\nknown: 0 0\n"), screen
	})
	eventually(b.t, "the shell has closed what it had open", func() (bool, string) {
		now := descriptorsOf(b.t, b.zsh)
		return now == b.open, fmt.Sprintf("%d descriptors, and had %d", now, b.open)
	})
	if strings.Contains(screen, "_libtmux_mcp") {
		b.t.Errorf("the shell shows something of its enrollment:\n%s", screen)
	}
}

// enrollmentsLeft are the directories of enrollments where servers make them.
func enrollmentsLeft(t *testing.T) map[string]bool {
	t.Helper()
	left := map[string]bool{}
	for _, base := range []string{"/tmp", fmt.Sprintf("/run/user/%d", os.Geteuid())} {
		found, err := filepath.Glob(filepath.Join(base, fmt.Sprintf("libtmux-mcp-shell-%d-*", os.Geteuid())))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			left[path] = true
		}
	}
	return left
}

func TestBinaryRunsScripts(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, tmux string) {
		for _, backend := range []string{"cli", "control"} {
			t.Run(backend, func(t *testing.T) {
				before := enrollmentsLeft(t)
				b := enlist(t, tmux, serverBinary(t), bareEnvironment(t), "--backend", backend)
				info, err := os.Lstat(b.file)
				if err != nil || info.Mode() != 0o600 {
					t.Errorf("the setup file: %v, %v", info, err)
				}
				b.source()
				out := b.run("echo out; echo err >&2; exit 3")
				if fmt.Sprint(out["exit_status"], out["stdout"], out["stderr"]) != "3 map[data:out\n encoding:utf-8] map[data:err\n encoding:utf-8]" {
					t.Errorf("got %v", out)
				}
				ctx, cancel := boundedContext(t)
				defer cancel()
				if err := b.Close(ctx); err != nil {
					t.Error(err)
				}
				b.Tmux(t, "send-keys", "-t", "%0", "print -r -- st''ill", "Enter")
				b.Screen(t, "%0", "\nstill\n")
				for path := range enrollmentsLeft(t) {
					if !before[path] && pending(path) {
						t.Errorf("left behind: %s", path)
					}
				}
			})
		}
	})
}

// pending reports whether a directory holds the setup of a server; others may be at work now.
func pending(path string) bool {
	text, err := os.ReadFile(filepath.Join(path, "enroll"))
	return err == nil && strings.Contains(string(text), "libtmux-mcp' '__execute'")
}

// The binary alone, in a directory where nothing else is, with an empty environment.
func TestBinaryAloneRunsScripts(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, tmux string) {
		executable, err := exec.LookPath(tmux)
		if err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(serverBinary(t))
		if err != nil {
			t.Fatal(err)
		}
		alone := filepath.Join(t.TempDir(), "it's alone")
		if err := errors.Join(os.Mkdir(alone, 0o700), os.WriteFile(filepath.Join(alone, "x"), data, 0o755)); err != nil {
			t.Fatal(err)
		}
		b := enlist(t, executable, filepath.Join(alone, "x"), []string{})
		b.source()
		if out := b.run("echo alone; exit 4"); fmt.Sprint(out["exit_status"], out["stdout"]) != "4 map[data:alone\n encoding:utf-8]" {
			t.Errorf("got %v", out)
		}
	})
}

// What ends the server takes a pending invitation back, and leaves what is not its own.
func TestBinaryTakesInvitationsBack(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		b := enlist(t, binary, serverBinary(t), bareEnvironment(t))
		if err := errors.Join(os.Remove(b.file), os.WriteFile(b.file, []byte("somebody's\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := boundedContext(t)
		defer cancel()
		if err := b.Close(ctx); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(b.file); err != nil || string(text) != "somebody's\n" {
			t.Errorf("another file in its place: %q, %v", text, err)
		}
		b = enlist(t, binary, serverBinary(t), bareEnvironment(t), "--enrollment-timeout", "0.5")
		eventually(t, "the invitation expires", func() (bool, string) {
			_, err := os.Lstat(b.file)
			return errors.Is(err, os.ErrNotExist) && strings.Contains(b.Stderr(), "not enrolled"), b.Stderr()
		})
		if out := b.run("true"); out["code"] != "not_found" {
			t.Errorf("got %v", out)
		}
	})
}

// The server dies without a word: its script ends, and the shell forgets it.
func TestBinaryKilledWhileAScriptRuns(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		b := enlist(t, binary, serverBinary(t), bareEnvironment(t))
		b.source()
		mark := filepath.Join(t.TempDir(), "pid")
		go func() {
			server := call(t, b.Process, "tmux_capabilities", nil)["server"].(map[string]any)
			_, _ = b.Call(context.Background(), "tmux_run", fields{"generation": server["generation"], "target_id": "%0", "script": "echo $$ >" + mark + "; sleep 300", "timeout": 100})
		}()
		var pid int
		eventually(t, "the script runs", func() (bool, string) {
			text, _ := os.ReadFile(mark)
			pid, _ = strconv.Atoi(strings.TrimSpace(string(text)))
			return pid > 0, string(text)
		})
		if err := b.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		gone(t, pid)
		b.forgotten()
	})
}

// Launches that cannot be: each says why in a line, and leaves nothing.
func TestBinaryRefusesEnrollments(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		real := startServer(t, binary, "env", "PS1=$ ", "zsh", "-f")
		real.Screen(t, "%0", "$")
		real.Tmux(t, "split-window", "-d", "cat")
		dir := t.TempDir()
		taken := filepath.Join(dir, "taken")
		if err := errors.Join(os.WriteFile(taken, nil, 0o600), os.Symlink(taken, filepath.Join(dir, "link"))); err != nil {
			t.Fatal(err)
		}
		var nine []string
		for i := range 9 {
			nine = append(nine, "--enroll-pane", fmt.Sprintf("%%%d=%s/%d", i, dir, i))
		}
		const enabled = "--enable-tool=tmux_run"
		for _, c := range []struct {
			name   string
			args   []string
			status int
			says   string
		}{
			{"the tool alone", []string{enabled}, 2, "--enroll-pane"},
			{"an enrollment alone", []string{"--enroll-pane", "%0=" + dir + "/f"}, 2, "--enable-tool tmux_run"},
			{"too long an invitation", []string{enabled, "--enroll-pane", "%0=" + dir + "/f", "--enrollment-timeout", "301"}, 2, "at most 300"},
			{"no invitation", []string{enabled, "--enroll-pane", "%0=" + dir + "/f", "--enrollment-timeout", "0"}, 2, "out of range"},
			{"no file", []string{enabled, "--enroll-pane", "%0"}, 2, "%ID=FILE"},
			{"a relative file", []string{enabled, "--enroll-pane", "%0=f"}, 2, "absolute"},
			{"an index", []string{enabled, "--enroll-pane", "0=" + dir + "/f"}, 2, "is an index"},
			{"a pane twice", []string{enabled, "--enroll-pane", "%0=" + dir + "/f", "--enroll-pane", "%0=" + dir + "/g"}, 2, "%0 twice"},
			{"a file twice", []string{enabled, "--enroll-pane", "%0=" + dir + "/f", "--enroll-pane", "%1=" + dir + "/f"}, 2, "/f twice"},
			{"nine panes", append(nine, enabled), 2, "at most 8"},
			{"a pane that does not exist", []string{enabled, "--enroll-pane", "%77=" + dir + "/f"}, 1, "%77"},
			{"no shell", []string{enabled, "--enroll-pane", "%1=" + dir + "/f"}, 1, "not zsh"},
			{"a file that exists", []string{enabled, "--enroll-pane", "%0=" + taken}, 1, "exists already"},
			{"a symbolic link", []string{enabled, "--enroll-pane", "%0=" + dir + "/link"}, 1, "exists already"},
			{"a directory of everybody", []string{enabled, "--enroll-pane", "%0=/tmp/f"}, 1, "the directory /tmp "},
			{"no tmux", []string{enabled, "--enroll-pane", "%0=" + dir + "/f", "--socket", dir + "/s"}, 1, "no tmux server runs"},
			{"the second of two", []string{enabled, "--enroll-pane", "%0=" + dir + "/f", "--enroll-pane", "%1=" + dir + "/g"}, 1, "not zsh"},
		} {
			t.Run(c.name, func(t *testing.T) {
				args := append([]string{"--tmux", binary}, c.args...)
				if c.name != "no tmux" {
					args = append(args, "--socket", real.Socket)
				}
				refusesLaunch(t, c.status, c.says, args)
				entries, err := os.ReadDir(dir)
				if err != nil || len(entries) != 2 {
					t.Errorf("left behind: %v, %v", entries, err)
				}
			})
		}
	})
}

// refusesLaunch launches a server that has to end at once with a status and a line.
func refusesLaunch(t *testing.T, status int, says string, args []string) {
	t.Helper()
	ctx, cancel := boundedContext(t)
	defer cancel()
	cmd := exec.CommandContext(ctx, serverBinary(t), args...)
	cmd.Env = bareEnvironment(t)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != status {
		t.Errorf("ended with %v, want exit status %d", err, status)
	}
	if line := stderr.String(); strings.Count(line, "\n") != 1 || !strings.Contains(line, says) || stdout.Len() > 0 {
		t.Errorf("stderr is %q, want one line that says %q", line, says)
	}
}

// A thousand runs leave nothing behind, neither here nor in the shell.
func TestBinaryRunsAThousandScripts(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		b := enlist(t, binary, serverBinary(t), bareEnvironment(t))
		b.source()
		server := call(t, b.Process, "tmux_capabilities", nil)["server"].(map[string]any)
		run := func(i int) {
			out, failed := callAny(t, b.Process, "tmux_run", fields{"generation": server["generation"], "target_id": "%0", "script": fmt.Sprintf("exit %d", i%256), "timeout": 20})
			if failed || out["exit_status"] != float64(i%256) {
				t.Fatalf("run %d: %v", i, out)
			}
		}
		for i := range 10 {
			run(i)
		}
		ours, theirs := descriptorsOf(t, b.cmd.Process.Pid), descriptorsOf(t, b.zsh)
		start := time.Now()
		for i := range often(1000) {
			run(i)
		}
		t.Logf("%d runs took %v", often(1000), time.Since(start))
		if now := descriptorsOf(t, b.cmd.Process.Pid); now > ours+2 { // the runtime may have opened some of its own
			t.Errorf("the server has %d descriptors, and had %d", now, ours)
		}
		eventually(t, "the shell has closed what an answer needed, and has no child", func() (bool, string) {
			children, _ := exec.Command("ps", "--no-headers", "-o", "pid,stat,args", "--ppid", strconv.Itoa(b.zsh)).Output() // fails if there are none
			now := descriptorsOf(t, b.zsh)
			return now <= theirs && len(children) == 0, fmt.Sprintf("%d descriptors, and had %d; children: %s", now, theirs, children)
		})
	})
}
