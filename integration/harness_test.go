//go:build integration

package integration_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// hangBound is how long anything may take before a test calls it hung. Nothing waits that long when it works; on a machine
// that is loaded ten times over, starts of processes have taken 10 s.
const hangBound = 30 * time.Second

// endBound is how long the product may take to end when its peer or a signal ends it.
const endBound = 10 * time.Second

// often is how many times a test does what goes wrong only now and then: fewer with -short, as in the cells of the matrix.
func often(n int) int {
	if testing.Short() {
		return n / 10
	}
	return n
}

// few are those of several combinations that a test tries: all of them, but n with -short. A cell of the matrix tries every case, every shell and
// every backend, and lets them take turns: which it takes together follows from the test's name, in which the version of tmux is, and from
// the turn, which a case of a table gives as its place there. "make matrix FULL=1" tries all in the cells as well.
func few[E any](t testing.TB, turn, n int, all ...E) []E {
	if !testing.Short() || n >= len(all) {
		return all
	}
	name := sha256.Sum256([]byte(t.Name())) // its bytes are as good as random, and always the same
	first := turn + int(binary.BigEndian.Uint16(name[:]))
	some := make([]E, n)
	for i := range some {
		some[i] = all[(first+i*len(all)/n)%len(all)]
	}
	return some
}

// eachWay runs a suite for each way to make what it is about, as subtests named for the way; with -short its cases take turns.
func eachWay[W any](t *testing.T, ways map[string]func(*testing.T) W, suite func(*testing.T, func(*testing.T) W)) {
	t.Helper()
	names := slices.Sorted(maps.Keys(ways))
	if testing.Short() {
		suite(t, func(t *testing.T) W { return ways[few(t, 0, 1, names...)[0]](t) })
		return
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { suite(t, ways[name]) })
	}
}

// eachTmux runs a test against every tmux under test, as a subtest named for its version.
func eachTmux(t *testing.T, test func(t *testing.T, binary string)) {
	t.Helper()
	names := os.Getenv("TMUX_BINARIES")
	if names == "" {
		names = "tmux"
	}
	for name := range strings.SplitSeq(names, ",") {
		binary, err := exec.LookPath(name)
		if err != nil {
			t.Fatalf("tmux under test: %v (set TMUX_BINARIES)", err)
		}
		version, err := exec.Command(binary, "-V").Output()
		if err != nil {
			t.Fatalf("%s -V: %v", binary, err)
		}
		t.Run(strings.ReplaceAll(strings.TrimSpace(string(version)), " ", "-"), func(t *testing.T) { test(t, binary) })
	}
}

// A realServer is a tmux server of a test's own, killed at the test's end.
type realServer struct {
	Binary string
	Socket string
}

// newServer names a fresh socket and starts nothing. The directory is short: socket paths are limited to about 100 bytes.
func newServer(t testing.TB, binary string) *realServer {
	t.Helper()
	_ = t.TempDir() // what is in the test's directories is removed after the server's end: its programs write there
	dir, err := os.MkdirTemp("", "lt")
	if err != nil {
		t.Fatal(err)
	}
	s := &realServer{Binary: binary, Socket: filepath.Join(dir, "s")}
	t.Cleanup(func() {
		var panes string
		if _, err := os.Stat(s.Socket); err == nil { // already gone is fine
			panes, _ = s.Try("list-panes", "-a", "-F", "#{?pane_dead,,#{pane_pid}}")
			_, _ = s.Try("kill-server")
		}
		for field := range strings.FieldsSeq(panes) { // a shell that ends still writes its history to a home that is removed next
			if pid, err := strconv.Atoi(field); err == nil {
				eventually(t, "a pane's program ends with its server", func() (bool, string) {
					now := state(pid)
					return now == "" || now == "Z", now
				})
			}
		}
		_ = os.RemoveAll(dir)
	})
	return s
}

// startServer starts a server with one session "main" (80x24) that runs argv (default: a POSIX sh), without any
// user configuration.
func startServer(t testing.TB, binary string, argv ...string) *realServer {
	t.Helper()
	s := newServer(t, binary)
	if len(argv) == 0 {
		argv = []string{"env", "PS1=$ ", "sh"}
	}
	s.Tmux(t, append([]string{"-f", "/dev/null", "new-session", "-d", "-s", "main", "-x", "80", "-y", "24", "--"}, argv...)...)
	return s
}

// Tmux runs one tmux command line against the server and returns what it printed, without the last newline.
func (s *realServer) Tmux(t testing.TB, args ...string) string {
	t.Helper()
	out, err := s.Try(args...)
	if err != nil {
		t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return out
}

// Try is Tmux for a command that may fail.
func (s *realServer) Try(args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), hangBound)
	defer cancel()
	env := harnessEnv()
	if out, err := s.speak(ctx, env, args); !errors.Is(err, errNotSpoken) {
		return strings.TrimSuffix(out, "\n"), err
	}
	cmd := exec.CommandContext(ctx, s.Binary, append([]string{"-u", "-S", s.Socket}, args...)...)
	cmd.Env = env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return strings.TrimSuffix(out.String(), "\n"), err
}

// harnessEnv is the environment of the harness's commands: they are not typed in a pane.
func harnessEnv() []string { return append(os.Environ(), "TMUX=", "TMUX_PANE=") }

// eventually waits until check answers true, and fails with what it last said.
func eventually(t testing.TB, what string, check func() (bool, string)) {
	t.Helper()
	deadline := time.Now().Add(hangBound)
	for pause := 5 * time.Millisecond; ; pause = min(2*pause, 80*time.Millisecond) { // each check is a process, as a rule
		ok, last := check()
		if ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s\nlast: %s", hangBound, what, last)
		}
		<-time.After(pause) // polls another process: there is no event to wait for
	}
}

var padding = regexp.MustCompile(`(?m) +$`)

// Screen waits until the pane's screen holds text, blanks at the end of rows aside, and returns the screen.
func (s *realServer) Screen(t testing.TB, pane, text string) string {
	t.Helper()
	var screen string
	eventually(t, fmt.Sprintf("pane %s shows %q", pane, text), func() (bool, string) {
		screen, _ = s.Try("capture-pane", "-p", "-J", "-t", pane)
		screen = padding.ReplaceAllString(screen, "") // tmux 3.2a pads what it joins
		return strings.Contains(screen, text), screen
	})
	return screen
}
