//go:build integration

package integration_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// descriptorsOf is how many descriptors a process has open.
func descriptorsOf(t *testing.T, pid int) int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// A server that dies in the middle of the handshake, and a person who interrupts it: the shell says why it is not enrolled or nothing at all, goes on,
// and has nothing open of it.
func TestEnrollmentHandshakesThatBreak(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := inviteZsh(t, binary)
		socket := z.dir + "/invite"
		if err := os.Remove(socket); err != nil { // the test is the server
			t.Fatal(err)
		}
		listener, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		z.alive()
		before := descriptorsOf(t, z.invitation.Subject.PID)
		version, err := exec.Command("zsh", "-fc", "print -rn -- $ZSH_VERSION").Output()
		if err != nil {
			t.Fatal(err)
		}
		hello := fmt.Sprintf("hello TOKEN %s\n", version)
		for _, c := range []struct {
			name   string
			opens  bool // the FIFO, before it says ok
			says   string
			hears  string // waited for then
			closes bool   // it dies; otherwise the person presses C-c
			shows  string
		}{
			{name: "it dies after the greeting", closes: true, shows: "not enrolled: nobody answered"},
			{name: "it dies after its answer", says: "ok\n", closes: true, shows: "not enrolled: the server is gone"},
			{name: "it dies after the FIFOs are open", opens: true, says: "ok\n", hears: "opened\n", closes: true, shows: "not enrolled: nobody answered"},
			{name: "C-c after the greeting"},
			{name: "C-c after the FIFOs are open", opens: true, says: "ok\n", hears: "opened\n"},
		} {
			t.Run(c.name, func(t *testing.T) {
				z.t = t
				z.source()
				conn, err := listener.Accept()
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				heard := bufio.NewReader(conn)
				if line, err := heard.ReadString('\n'); err != nil || line != hello {
					t.Fatalf("it said %q, %v, want %q", line, err, hello)
				}
				if c.opens {
					up, err := os.OpenFile(z.dir+"/up", os.O_RDONLY|syscall.O_NONBLOCK, 0)
					if err != nil {
						t.Fatal(err)
					}
					defer up.Close()
				}
				if _, err := conn.Write([]byte(c.says)); err != nil {
					t.Fatal(err)
				}
				if c.hears != "" {
					if line, err := heard.ReadString('\n'); err != nil || line != c.hears {
						t.Fatalf("it said %q, %v", line, err)
					}
				}
				if c.closes {
					_ = conn.Close()
					z.Screen(t, z.pane, c.shows)
				} else {
					z.keys("C-c")
				}
				z.leave(nil)
				z.alive()
				if now := descriptorsOf(t, z.invitation.Subject.PID); now != before {
					t.Errorf("the shell has %d descriptors, and had %d", now, before)
				}
			})
		}
	})
}

// The zsh that is known may enroll, in its corrections too; others are told why not.
func TestEnrollmentVersions(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		for version, enrolls := range map[string]bool{"5.9": true, "5.9.2": true, "5.8": false, "5.8.1": false, "5.10": false} {
			t.Run(version, func(t *testing.T) {
				z := inviteZsh(t, binary)
				z.enter("ZSH_VERSION=" + version)
				ctx, cancel := context.WithCancel(t.Context())
				answered := make(chan error, 1)
				go func() {
					_, shell, err := z.invited.Accept(ctx)
					if err == nil {
						err = shell.Close()
					}
					answered <- err
				}()
				z.source()
				if enrolls {
					z.Screen(t, z.pane, "this shell is enrolled")
				} else {
					z.Screen(t, z.pane, "not enrolled: "+enroll.WrongShell.Says())
					cancel()
				}
				err := <-answered
				cancel()
				if enrolls && err != nil || !enrolls && !strings.Contains(fmt.Sprint(err), enroll.WrongShell.Says()) {
					t.Errorf("it was answered: %v", err)
				}
				z.alive()
			})
		}
	})
}

// A job in the background is a child of the enrolled shell as the helper is. It was there before the order, and gets no script.
func TestEnrolledJobsGetNoScript(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := inviteZsh(t, binary)
		dir := t.TempDir()
		thief := fmt.Sprintf(`zmodload zsh/net/socket zsh/system
exec 9>%[2]s/held
while [[ ! -e %[2]s/stop ]]; do
	for s in %[1]s/*(N=); do
		zsocket $s 2>/dev/null || continue
		fd=$REPLY
		print >%[2]s/connected
		sysread -t 5 -i $fd -s 4 data && print -r -- $data >>%[2]s/stolen
		exec {fd}>&-
	done
done
`, z.dir, dir)
		if err := os.WriteFile(dir+"/thief", []byte(thief), 0o600); err != nil {
			t.Fatal(err)
		}
		shell := z.enrolls()
		held := holdable(t, dir+"/held")
		z.enter("zsh -f " + dir + "/thief &!")
		there := time.Now()
		eventually(t, "the job is older than what comes, by the clock of processes, whose tick is 10 ms", func() (bool, string) {
			return time.Since(there) > 20*time.Millisecond, ""
		})
		defer func() {
			if err := os.WriteFile(dir+"/stop", nil, 0o600); err != nil {
				t.Error(err)
			}
			released(t, held)
		}()
		for i := range 10 {
			completion, err := runScript(t, shell, fmt.Sprintf("exit %d", i))
			if err != nil || completion.Status != i {
				t.Errorf("run %d: %+v, %v", i, completion, err)
			}
		}
		if _, err := os.Stat(dir + "/connected"); err != nil {
			t.Errorf("the thief never came to connect: %v", err)
		}
		if stolen, err := os.ReadFile(dir + "/stolen"); err == nil {
			t.Errorf("a job got %q", stolen)
		}
	})
}

// Calls while the shell reads are refused as busy, however many there are, and the shell takes none of them afterwards.
func TestEnrolledShellsThatNeverAnswer(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := inviteZsh(t, binary)
		z.source()
		shell, err := z.accept()
		if err != nil {
			t.Fatal(err)
		}
		z.alive()
		z.text("print re''ads; read y")
		z.keys("Enter")
		z.Screen(t, z.pane, "reads")
		narrow(t, z.invitation.Subject.PID, "/down (deleted)")
		for range os.Getpagesize()/82 + 1 { // bytes of the FIFO and of a request
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, err := shell.Prepare(ctx, orderFor(t, "true"))
			cancel()
			if err == nil {
				t.Fatal("a helper is prepared")
			}
		}
		if _, err := prepareScript(t, shell, orderFor(t, "true")); !refusedFor(err, fault.Busy) {
			t.Errorf("got %v, want refused: busy", err)
		}
		z.keys("Enter")
		z.alive()
		if got, err := runScript(t, shell, "exit 5"); err != nil || got.Status != 5 {
			t.Errorf("afterwards: %+v, %v", got, err)
		}
	})
}

// narrow makes what a process has open of a FIFO as small as the system lets it be.
func narrow(t *testing.T, pid int, fifo string) {
	t.Helper()
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range open {
		if name, err := os.Readlink(path); err != nil || !strings.HasSuffix(name, fifo) {
			continue
		}
		file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if size, err := unix.FcntlInt(file.Fd(), unix.F_SETPIPE_SZ, 1); err != nil || size > os.Getpagesize() {
			t.Fatalf("%s: %d bytes, %v", path, size, err)
		}
		return
	}
	t.Fatalf("process %d has no %s open", pid, fifo)
}

// A pane that is resized, and one that is typed in, while a script runs: the terminal is as it should be then, and what was typed is there.
func TestEnrolledTerminalsThatChange(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := enrolled(t, binary)
		dir := t.TempDir()
		if err := syscall.Mkfifo(dir+"/go", 0o600); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			out, err := z.script("echo >" + dir + "/runs; read x <" + dir + "/go; exit 3")
			if err == nil && (out.ExitStatus == nil || *out.ExitStatus != 3) {
				err = fmt.Errorf("got %s", describe(out))
			}
			done <- err
		}()
		eventually(t, "the script runs", func() (bool, string) {
			_, err := os.Stat(dir + "/runs")
			return err == nil, fmt.Sprint(err)
		})
		z.Tmux(t, "resize-window", "-t", z.pane, "-x", "43", "-y", "9")
		z.text("print $COLUMNS")
		if err := os.WriteFile(dir+"/go", []byte("\n"), 0); err != nil { // opened when the script reads
			t.Fatal(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		z.Screen(t, z.pane, "$ print $COLUMNS")
		z.keys("Enter")
		z.Screen(t, z.pane, "\n43\n")
		z.alive()
		z.runs("echo after", "after\n", 0)
	})
}

// A server that was killed while a shell was invited leaves a setup that says why it is of no use.
func TestBinaryKilledWhileAShellIsInvited(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		b := enlist(t, binary, serverBinary(t), bareEnvironment(t))
		if err := b.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := b.Wait(t.Context()); err == nil {
			t.Error("it ended with status 0")
		}
		text, err := os.ReadFile(b.file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(strings.Split(string(text), "'")[3])) }) // the next server would
		b.Tmux(t, "send-keys", "-t", "%0", "source "+b.file, "Enter")
		b.Screen(t, "%0", "not enrolled: the invitation has expired")
		b.Tmux(t, "send-keys", "-t", "%0", "print -r -- ali''ve", "Enter")
		b.Screen(t, "%0", "\nalive\n")
		refusesLaunch(t, 1, "or remove this one if a server that was killed left it", []string{
			"--tmux", binary, "--socket", b.Socket, "--enable-tool", "tmux_run", "--enroll-pane", "%0=" + b.file,
		})
		if now, err := os.ReadFile(b.file); err != nil || !bytes.Equal(now, text) {
			t.Errorf("what was left became %q, %v", now, err)
		}
	})
}

// A server that is killed while an enrolled shell has nothing to do: the shell forgets it.
func TestBinaryKilledWhileAShellIsEnrolled(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		b := enlist(t, binary, serverBinary(t), bareEnvironment(t))
		b.source()
		if err := b.Kill(); err != nil {
			t.Fatal(err)
		}
		b.forgotten()
	})
}

// A server that is killed when a helper waits and tmux is asked: nothing is executed, the helper ends, and the shell forgets all of it.
func TestBinaryKilledWhileAScriptIsPrepared(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		path, err := exec.LookPath(binary)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		script := "echo >" + dir + "/executed"
		// A tmux that does not answer the question for this script while the server lives.
		wrapper := fmt.Sprintf(`#!/bin/sh
case "$*" in *%s*)
	echo >%s/asked
	while kill -0 $PPID 2>/dev/null; do sleep 0.1; done
	exit 1
esac
exec %s "$@"
`, enroll.Digest(script), dir, path)
		if err := os.WriteFile(dir+"/tmux", []byte(wrapper), 0o700); err != nil {
			t.Fatal(err)
		}
		b := enlist(t, path, serverBinary(t), bareEnvironment(t), "--backend", "cli", "--tmux", dir+"/tmux")
		b.source()
		go func() {
			server := call(t, b.Process, "tmux_capabilities", nil)["server"].(map[string]any)
			_, _ = b.Call(context.Background(), "tmux_run", fields{"generation": server["generation"], "target_id": "%0", "script": script, "timeout": 100})
		}()
		eventually(t, "tmux is asked", func() (bool, string) {
			_, err := os.Stat(dir + "/asked")
			return err == nil, fmt.Sprint(err) + b.Stderr()
		})
		if err := b.Kill(); err != nil {
			t.Fatal(err)
		}
		b.forgotten()
		if _, err := os.Stat(dir + "/executed"); err == nil {
			t.Error("the script was executed")
		}
	})
}
