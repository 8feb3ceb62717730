package helper_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll/helper"
)

// hangBound is how long anything may take before a test calls it hung.
const hangBound = 30 * time.Second

// start starts a helper: this test binary, which becomes one before any test runs. It has connected when start returns.
func start(t *testing.T, digest string) (*exec.Cmd, *net.UnixConn) {
	t.Helper()
	dir, err := os.MkdirTemp("", "he") //nolint:usetesting // short: a socket is made in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "s"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(executable, helper.Subcommand, filepath.Join(dir, "s"), digest)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, if the test passed
	if err := listener.SetDeadline(time.Now().Add(hangBound)); err != nil {
		t.Fatal(err)
	}
	conn, err := listener.AcceptUnix()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // a test may have closed it
	if err := conn.SetDeadline(time.Now().Add(hangBound)); err != nil {
		t.Fatal(err)
	}
	return cmd, conn
}

// status waits for a helper's exit status.
func status(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	timer := time.AfterFunc(hangBound, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait() // its status is what is looked at
	return cmd.ProcessState.ExitCode()
}

// report is what a helper says to the end.
func report(t *testing.T, conn *net.UnixConn, grant helper.Grant) (helper.Report, error) {
	t.Helper()
	script, rest, err := helper.ReadStart(conn)
	if err != nil {
		return helper.Report{}, err
	}
	got, err := helper.ReadReport(rest, grant)
	if (script != nil) != (got.Kind != helper.NotStarted && runtime.GOOS == "linux") {
		t.Errorf("with %+v came the process %v", got, script)
	}
	if script != nil {
		err = errors.Join(err, script.Close())
	}
	return got, err
}

func TestHelperExecutesItsScript(t *testing.T) {
	grant := helper.Grant{StdoutLimit: 10, StderrLimit: 10, Script: "echo out; echo err >&2; exit 3"}
	cmd, conn := start(t, grant.Digest())
	if err := helper.WriteGrant(conn, grant); err != nil {
		t.Fatal(err)
	}
	got, err := report(t, conn, grant)
	want := helper.Report{Kind: helper.Exited, Code: 3, Stdout: []byte("out\n"), Stderr: []byte("err\n")}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got := status(t, cmd); got != 0 {
		t.Errorf("the helper ended with %d", got)
	}
}

// What is not the script of its order, or no grant at all, is not executed, and the helper ends.
func TestHelperRefuses(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "executed")
	grant := helper.Grant{StdoutLimit: 10, StderrLimit: 10, Script: "echo >" + mark}
	var right bytes.Buffer
	if err := helper.WriteGrant(&right, grant); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, digest string
		wire         []byte
		says         string
	}{
		{"another script", strings.Repeat("0", 64), right.Bytes(), "not the one that was authorized"},
		{"half a grant", grant.Digest(), right.Bytes()[:20], "EOF"},
		{"no grant", grant.Digest(), nil, "EOF"},
		{"what is no grant", grant.Digest(), bytes.Repeat([]byte("x"), 100), "malformed"},
		{"a grant that is too long", grant.Digest(), append([]byte("LTG1\x00\x00\x00\x01\x00\x00\x00\x01\x7f\xff\xff\xff"), 1), "malformed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd, conn := start(t, c.digest)
			_, err := conn.Write(c.wire)
			if err == nil {
				err = conn.CloseWrite()
			}
			if err != nil {
				t.Fatal(err)
			}
			report, err := report(t, conn, grant)
			if err != nil || report.Kind != helper.NotStarted || !strings.Contains(string(report.Stdout), c.says) {
				t.Errorf("got %+v %q, %v; want that it was not started: %s", report, report.Stdout, err, c.says)
			}
			if got := status(t, cmd); got != 3 {
				t.Errorf("the helper ended with %d, want 3", got)
			}
		})
	}
	if _, err := os.Stat(mark); !os.IsNotExist(err) {
		t.Errorf("something was executed: %v", err)
	}
}

// A helper without a script goes when it is told, and when there is nobody to give it one.
func TestHelperGoesBeforeItsScript(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT} {
		cmd, conn := start(t, "")
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if report, err := report(t, conn, helper.Grant{}); err != nil || report.Kind != helper.NotStarted {
			t.Errorf("%v: %+v, %v", signal, report, err)
		}
		if got := status(t, cmd); got != 3 {
			t.Errorf("%v: it ended with %d, want 3", signal, got)
		}
	}
	cmd, conn := start(t, "")
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if got := status(t, cmd); got != 3 {
		t.Errorf("alone, it ended with %d, want 3", got)
	}
	late := exec.Command(cmd.Path, helper.Subcommand, "/absent/socket", "")
	if err := late.Start(); err != nil {
		t.Fatal(err)
	}
	if got := status(t, late); got != 3 {
		t.Errorf("without a socket it ended with %d, want 3", got)
	}
}

// Alive is a FIFO that every process of a script holds open.
type alive struct {
	*testing.T
	pipe *os.File
}

// ends waits for the end of every process that holds it.
func (a alive) ends() {
	a.Helper()
	if rest, err := io.ReadAll(a.pipe); err != nil || len(rest) > 0 {
		a.Errorf("%q, %v", rest, err)
	}
}

// startScript has a helper start a script, which has written to descriptor 9 when it returns.
func startScript(t *testing.T, script string) (*exec.Cmd, *net.UnixConn, alive) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "alive")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	grant := helper.Grant{StdoutLimit: 10, StderrLimit: 10, Script: "exec 9>" + path + "; " + script}
	cmd, conn := start(t, grant.Digest())
	if err := helper.WriteGrant(conn, grant); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.Open(path) // until the script has opened it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = pipe.Close() }) // read to its end
	if err := pipe.SetReadDeadline(time.Now().Add(hangBound)); err != nil {
		t.Fatal(err)
	}
	if _, err := pipe.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return cmd, conn, alive{t, pipe}
}

// The script ends with who asked for it.
func TestHelperEndsItsScript(t *testing.T) {
	for name, end := range map[string]func(*exec.Cmd, *net.UnixConn) error{
		"the connection is closed": func(_ *exec.Cmd, conn *net.UnixConn) error { return conn.Close() },
		"the terminal is gone":     func(cmd *exec.Cmd, _ *net.UnixConn) error { return cmd.Process.Signal(syscall.SIGHUP) },
	} {
		t.Run(name, func(t *testing.T) {
			cmd, conn, alive := startScript(t, "trap '' TERM HUP; sleep 300 & echo >&9; wait; wait")
			if err := end(cmd, conn); err != nil {
				t.Fatal(err)
			}
			alive.ends()
			if got := status(t, cmd); got != 4 {
				t.Errorf("the helper ended with %d, want 4", got)
			}
		})
	}
}
