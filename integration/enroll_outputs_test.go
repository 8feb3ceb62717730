//go:build integration

package integration_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// decoded is an output's bytes.
func decoded(t *testing.T, out app.OutputOut) []byte {
	t.Helper()
	if out.Encoding != "base64" {
		return []byte(out.Data)
	}
	data, err := base64.StdEncoding.DecodeString(out.Data)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEnrolledOutputs(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := enrolled(t, binary)
		z.runs("true", "", 0)
		z.runs("exit 255", "", 255)
		z.runs("printf 'ПРИВЕТ日本🎉\\n'", "ПРИВЕТ日本🎉\n", 0)
		var every bytes.Buffer
		var script strings.Builder
		for b := range 256 {
			every.WriteByte(byte(b))
			fmt.Fprintf(&script, "\\%03o", b)
		}
		out := z.runs("printf '"+script.String()+"'", base64.StdEncoding.EncodeToString(every.Bytes()), 0)
		if out.Stdout.Encoding != "base64" {
			t.Errorf("every byte came as %s", out.Stdout.Encoding)
		}
		if out := z.runs("if", "", 2); !strings.Contains(out.Stderr.Data, "yntax") {
			t.Errorf("a syntax error: %s", describe(out))
		}
		if out := z.runs("cat; echo $?", "1\n", 0); out.Stderr.Data == "" {
			t.Errorf("standard input is not closed: %s", describe(out))
		}
		out, err := z.script("kill -9 $$")
		if err != nil || out.Signal != "SIGKILL" || out.ExitStatus != nil {
			t.Errorf("a signal: %s, %v", describe(out), err)
		}
		z.runs("trap 'echo caught; exit 3' INT; kill -INT $$", "caught\n", 3)
		if out, err := z.script("kill -INT $$"); err != nil || out.Signal != "SIGINT" {
			t.Errorf("an interrupt, which the shell itself ignores while it waits: %s, %v", describe(out), err)
		}
		z.runs("ps -o tty= -p $$; test -t 1 || echo none", "?\nnone\n", 0)
		z.runs(strings.Repeat(" ", 65530)+"exit 6", "", 6)
	})
}

func TestEnrolledOutputsAtTheirLimits(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := enrolled(t, binary)
		run := func(stdout, stderr, stdoutLimit, stderrLimit int) (app.TmuxRunOut, error) {
			return z.app.TmuxRun(t.Context(), app.TmuxRunIn{
				Reference: z.ref, StdoutLimit: &stdoutLimit, StderrLimit: &stderrLimit, Timeout: new(hangBound.Seconds()),
				Script: fmt.Sprintf("head -c %d /dev/urandom | tee /dev/fd/3 3>&1 >/dev/null; head -c %d /dev/zero >&2; exit 7", stdout, stderr),
			})
		}
		for _, c := range []struct{ stdout, stderr, stdoutLimit, stderrLimit int }{
			{0, 0, 0, 0}, {1, 0, 1, 0}, {65536, 65536, 65536, 65536}, {262144, 262144, 262144, 262144},
		} {
			out, err := run(c.stdout, c.stderr, c.stdoutLimit, c.stderrLimit)
			if err != nil || *out.ExitStatus != 7 {
				t.Errorf("%+v: %v", c, err)
				continue
			}
			if a, b := len(decoded(t, out.Stdout)), len(decoded(t, out.Stderr)); a != c.stdout || b != c.stderr {
				t.Errorf("%+v: got %d and %d bytes", c, a, b)
			}
		}
		for _, c := range []struct{ stdout, stderr, stdoutLimit, stderrLimit int }{
			{1, 0, 0, 0}, {0, 1, 0, 0}, {65537, 0, 65536, 0}, {262145, 0, 262144, 262144}, {0, 262145, 262144, 262144},
		} {
			_, err := run(c.stdout, c.stderr, c.stdoutLimit, c.stderrLimit)
			f := wantFailure(t, err, fault.Capacity, "")
			if receipt, ok := f.Receipt.(app.RunReceipt); !ok || receipt.Completion != "unobserved" || f.Delivery != fault.Observed {
				t.Errorf("%+v: %+v", c, f)
			}
		}
		// What writes without end is ended at once.
		start := time.Now()
		_, err := z.script("yes")
		_ = wantFailure(t, err, fault.Capacity, "")
		if took := time.Since(start); took > hangBound/2 {
			t.Errorf("it took %v", took)
		}
		z.runs("echo after", "after\n", 0)
	})
}

func TestEnrolledOutputIsExact(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := enrolled(t, binary)
		data := bytes.Repeat([]byte("a\x00\r\n\xff\x1b[2J"), 20000)
		file := t.TempDir() + "/data"
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := z.app.TmuxRun(t.Context(), app.TmuxRunIn{Reference: z.ref, Script: "cat " + file, StdoutLimit: new(262144), Timeout: new(hangBound.Seconds())})
		if err != nil || sha256.Sum256(decoded(t, out.Stdout)) != sha256.Sum256(data) {
			t.Errorf("%d bytes of %d, %v", len(decoded(t, out.Stdout)), len(data), err)
		}
	})
}

// gone waits until no process has that id.
func gone(t *testing.T, pid int) {
	t.Helper()
	eventually(t, fmt.Sprintf("process %d is gone", pid), func() (bool, string) {
		out, err := exec.Command("ps", "-o", "pid,stat,args", "-p", strconv.Itoa(pid)).Output()
		return err != nil || strings.Contains(string(out), " Z"), string(out)
	})
}

// A process that a script leaves behind delays its answer a little if it holds an output, and that is said; it goes on.
func TestEnrolledScriptsThatLeaveProcesses(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := enrolled(t, binary)
		for _, c := range []struct {
			name, script string
			open         bool
		}{
			{"a daemon", "setsid sleep 300 </dev/null >/dev/null 2>&1 & echo $!", false},
			{"a child with the outputs", "sleep 300 & echo $!", true},
			{"a child with one output", "sleep 300 >/dev/null & echo $!", true},
		} {
			start := time.Now()
			out, err := z.script(c.script)
			if err != nil || *out.ExitStatus != 0 || out.OutputsOpen != c.open {
				t.Errorf("%s: %s, %v", c.name, describe(out), err)
			}
			if took := time.Since(start); took > hangBound/2 {
				t.Errorf("%s took %v", c.name, took)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(out.Stdout.Data))
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			child, err := os.FindProcess(pid)
			if err == nil {
				err = child.Kill() // fails if it is gone
			}
			if err != nil {
				t.Errorf("%s: what was left behind is gone: %v", c.name, err)
			}
		}
	})
}

// What runs when the call ends is told to end, and then killed.
func TestEnrolledScriptsThatAreEnded(t *testing.T) {
	t.Parallel() // most of it is waiting
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := enrolled(t, binary)
		dir := t.TempDir()
		for _, c := range []struct{ name, script string }{
			{"one that ends when told", "sleep 300 & echo $! >%[1]s/child; echo $$ >%[1]s/self; wait"},
			{"one that does not", "trap '' TERM HUP INT; echo $$ >%[1]s/child; echo $$ >%[1]s/self; while :; do sleep 1; done"},
		} {
			_, err := z.app.TmuxRun(t.Context(), app.TmuxRunIn{Reference: z.ref, Script: fmt.Sprintf(c.script, dir), Timeout: new(1.5)})
			f := wantFailure(t, err, fault.Deadline, "")
			if receipt, ok := f.Receipt.(app.RunReceipt); !ok || receipt.Completion != "unobserved" || f.Delivery != fault.PossiblySent {
				t.Errorf("%s: %+v", c.name, f)
			}
			for _, name := range []string{"self", "child"} {
				text, err := os.ReadFile(dir + "/" + name)
				if err != nil {
					t.Fatalf("%s: %v (it did not come to run in time?)", c.name, err)
				}
				pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
				if err != nil {
					t.Fatal(err)
				}
				gone(t, pid)
			}
			z.alive()
		}
		// C-c by the person ends the script, and is no accident of the shell.
		answers := make(chan string, 1)
		go func() {
			out, err := z.script("echo $$ >" + dir + "/waits; sleep 300")
			answers <- fmt.Sprintf("%s %v", out.Signal, err)
		}()
		eventually(t, "the script runs", func() (bool, string) {
			_, err := os.Stat(dir + "/waits")
			return err == nil, fmt.Sprint(err)
		})
		eventually(t, "C-c ends it", func() (bool, string) { // dash misses one that comes while it starts a program
			z.keys("C-c")
			select {
			case got := <-answers:
				return got == "SIGINT <nil>", got
			case <-time.After(100 * time.Millisecond):
				return false, "it runs"
			}
		})
		z.alive()
		z.runs("echo after", "after\n", 0)
	})
}
