package cli_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// stub writes an executable shell script and gives its path.
func stub(t *testing.T, name, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// answering is a tmux of some version that answers every command with what a script prints.
func answering(t *testing.T, version, script string) string {
	t.Helper()
	return stub(t, "tmux", fmt.Sprintf("if test \"$1\" = -V; then echo %s; exit; fi\n%s", version, script))
}

func newConn(t *testing.T, options cli.Options) *cli.Conn {
	t.Helper()
	if options.SocketPath == "" {
		options.SocketPath = filepath.Join(t.TempDir(), "s")
	}
	conn, err := cli.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func run(t *testing.T, conn *cli.Conn) error {
	t.Helper()
	_, err := conn.Run(t.Context(), tmuxserver.List{Commands: []tmuxserver.Command{{"list-sessions"}}})
	return err
}

// wants checks the kind of a fault and that its message names something.
func wants(t *testing.T, err error, kind fault.Kind, delivery fault.Delivery, named ...string) {
	t.Helper()
	e, ok := err.(*fault.Error) //nolint:errorlint // the contract says *fault.Error
	if !ok || e.Kind != kind || (e.Delivery != delivery && (e.Delivery != "" || delivery != fault.NotSent)) {
		t.Fatalf("got %#v, want %s, %s", err, kind, delivery)
	}
	for _, name := range named {
		if !strings.Contains(e.Message, name) {
			t.Errorf("message %q does not name %q", e.Message, name)
		}
	}
}

func TestExecutableIsFoundByPathNameAndVersion(t *testing.T) {
	found := stub(t, "tmux", "echo tmux 3.4")
	named := stub(t, "other", "echo other next-3.9")
	t.Setenv("PATH", filepath.Dir(found)+":/usr/bin:/bin")
	for _, c := range []struct {
		name, tmux string
		want       cli.Executable
	}{
		{"from PATH", "", cli.Executable{Path: found, Version: "3.4"}},
		{"by name", "tmux", cli.Executable{Path: found, Version: "3.4"}},
		{"by path", named, cli.Executable{Path: named, Version: "next-3.9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := newConn(t, cli.Options{Tmux: c.tmux}).Executable(t.Context())
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v, want %+v", got, err, c.want)
			}
		})
	}
}

func TestExecutableThatCannotBeUsed(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin")
	old, silent := stub(t, "tmux", "echo tmux 3.1c"), stub(t, "tmux", "echo nothing of the kind")
	failing, plain := stub(t, "tmux", "exit 3"), filepath.Join(t.TempDir(), "tmux")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, tmux string
		kind       fault.Kind
		named      []string
	}{
		{"no such path", "/nowhere/tmux", fault.TransportError, []string{"/nowhere/tmux"}},
		{"no such name", "no-such-tmux", fault.TransportError, []string{"no-such-tmux", "/usr/bin:/bin", "/opt/homebrew/bin"}},
		{"not executable", plain, fault.TransportError, []string{plain}},
		{"too old", old, fault.Unsupported, []string{"3.1c", old}},
		{"not tmux", silent, fault.TransportError, []string{silent, "nothing of the kind"}},
		{"failing", failing, fault.TransportError, []string{failing}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wants(t, run(t, newConn(t, cli.Options{Tmux: c.tmux})), c.kind, fault.NotSent, c.named...)
		})
	}
}

func TestWhatTmuxSaysOfItsServer(t *testing.T) {
	for _, c := range []struct {
		name, script string
		kind         fault.Kind
		delivery     fault.Delivery
		named        []string
	}{
		{"no server", `echo "no server running on $3" >&2; exit 1`, fault.ServerGone, fault.NotSent, []string{"/s"}},
		{"no socket", `echo "error connecting to $3 (No such file or directory)" >&2; exit 1`, fault.ServerGone, fault.NotSent, []string{"/s"}},
		{"no permission", `echo "error connecting to $3 (Permission denied)" >&2; exit 1`, fault.TransportError, fault.NotSent, []string{"permission", "/s"}},
		{"another user's server", `echo "access not allowed"`, fault.TransportError, fault.NotSent, []string{"permission"}},
		{"another trouble", `echo "error connecting to $3 (Too many open files)" >&2; exit 1`, fault.TransportError, fault.NotSent, []string{"Too many"}},
		{"ended while it was spoken to", `echo "server exited unexpectedly" >&2; exit 1`, fault.ServerGone, fault.PossiblySent, nil},
		{"lost in the middle", `for m; do case $m in *-0-) echo "$m";; esac; done; echo "lost server" >&2; exit 1`, fault.ServerGone, fault.PossiblySent, nil},
		{"no answer at all", `exit 0`, fault.TransportError, fault.NotSent, []string{"status 0"}},
		{"without the last mark", `for m; do case $m in *-0-) echo "$m";; esac; done`, fault.DecodeError, fault.Observed, nil},
		{"without the first mark", `for m; do case $m in *-0-) echo;; *-1-) echo "$m";; esac; done`, fault.DecodeError, fault.Observed, nil},
		{"failed without the first mark", `for m; do case $m in *-0-) echo;; *-1-) echo "$m";; esac; done; exit 1`, fault.TransportError, fault.PossiblySent, nil},
		{"too much", `yes`, fault.Capacity, fault.PossiblySent, []string{"1000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := newConn(t, cli.Options{Tmux: answering(t, "tmux 3.4", c.script), MaxOutput: 1000})
			wants(t, run(t, conn), c.kind, c.delivery, c.named...)
		})
	}
}

// From 3.7 on tmux gives up a guard, or printing a mark, if it does not get to run for 100 ms.
func TestWhatTmuxGivesUp(t *testing.T) {
	guard := &tmuxserver.Guard{Want: "1"}
	two := []tmuxserver.Command{{"first"}, {"second"}}
	marks := func(which string) string { return `for m; do case $m in ` + which + `) echo "$m";; esac; done; ` }
	for _, c := range []struct {
		name, script string
		commands     []tmuxserver.Command
		givenUp      bool
		kind         fault.Kind // of the fault; empty: none
		delivery     fault.Delivery
	}{
		{"the guard", `echo "ambiguous option: " >&2; exit 1`, two, true, "", ""},
		{"the guard of nothing", `echo "ambiguous option: " >&2; exit 1`, nil, true, "", ""},
		{"the mark behind the guard", `echo escape-time 10; echo; ` + marks("*-1-|*-2-"), two, false, fault.DecodeError, fault.Observed},
		{"the mark behind the guard of nothing", `echo escape-time 10; echo`, nil, false, fault.DecodeError, fault.Observed},
		{"that mark, and then a command fails", `echo escape-time 10; echo; echo "ambiguous option: " >&2; exit 1`, two, false, fault.TransportError, fault.PossiblySent},
		{"the mark between the commands", marks("*-0-|*-2-"), two, false, fault.DecodeError, fault.Observed},
		{"that mark, and then tmux fails", marks("*-0-|*-2-") + `echo no >&2; exit 1`, two, false, fault.TransportError, fault.PossiblySent},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := newConn(t, cli.Options{Tmux: answering(t, "tmux 3.7c", c.script)})
			result, err := conn.Run(t.Context(), tmuxserver.List{Guard: guard, Commands: c.commands})
			if c.kind != "" {
				wants(t, err, c.kind, c.delivery)
				return
			}
			if err != nil || result.GivenUp != c.givenUp || result.Passed {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}

func TestProcessesEndWithTheContext(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	conn := newConn(t, cli.Options{Tmux: answering(t, "tmux 3.4", "trap '' TERM; echo $$ >"+pidFile+"; while :; do sleep 0.01; done")})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		_, err := conn.Run(ctx, tmuxserver.List{})
		failed <- err
	}()
	var pid int
	for deadline := time.Now().Add(10 * time.Second); pid == 0; <-time.After(time.Millisecond) {
		if data, err := os.ReadFile(pidFile); err == nil && strings.HasSuffix(string(data), "\n") {
			pid, _ = strconv.Atoi(strings.TrimSpace(string(data)))
		}
		if time.Now().After(deadline) {
			t.Fatal("tmux was never run")
		}
	}
	cancel()
	wants(t, <-failed, fault.Cancelled, fault.PossiblySent)
	if err := syscall.Kill(pid, 0); err == nil {
		t.Error("a process that ignores TERM is still there")
	}
}

// A lateContext is over, but does not say so when it is asked the first time: it ends while a process is made ready.
type lateContext struct {
	context.Context
	asked *int
}

func (c lateContext) Err() error {
	if *c.asked++; *c.asked == 1 {
		return nil
	}
	return c.Context.Err()
}

func TestContextsThatEndJustBeforeAProcess(t *testing.T) {
	over := func(end error) context.Context {
		if end == context.Canceled { //nolint:errorlint // just this
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx
		}
		ctx, cancel := context.WithDeadline(t.Context(), time.Unix(1, 0))
		t.Cleanup(cancel)
		return ctx
	}
	conn := newConn(t, cli.Options{Tmux: answering(t, "tmux 3.4", "exit 1")})
	if _, err := conn.Executable(t.Context()); err != nil { // is known now, and not asked for again
		t.Fatal(err)
	}
	for end, kind := range map[error]fault.Kind{context.Canceled: fault.Cancelled, context.DeadlineExceeded: fault.Deadline} {
		_, err := conn.Run(lateContext{over(end), new(int)}, tmuxserver.List{Commands: []tmuxserver.Command{{"list-sessions"}}})
		wants(t, err, kind, fault.NotSent)
	}
}

func TestServerOfAnotherVersionIsNamed(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	for _, words := range []string{"server exited unexpectedly", "protocol version mismatch (client 8, server 9)"} {
		tmux := answering(t, "tmux 3.5a", fmt.Sprintf("echo %q >&2; exit 1", words))
		wants(t, run(t, newConn(t, cli.Options{Tmux: tmux, SocketPath: socket})), fault.TransportError, fault.NotSent, "tmux 3.5a", tmux, socket, words)
	}
}

func TestEnvironmentAndFlags(t *testing.T) {
	record := filepath.Join(t.TempDir(), "record")
	conn := newConn(t, cli.Options{
		Tmux: answering(t, "tmux 3.4", fmt.Sprintf(`printf '%%s ' "$1" "$2" "$4" "<$TMUX$TMUX_PANE$KEPT>" >%s`, record)),
		Env:  []string{"PATH=/usr/bin:/bin", "TMUX=/x,1,0", "TMUX_PANE=%1", "KEPT=yes"},
	})
	_ = run(t, conn) // the stub answers nothing
	data, err := os.ReadFile(record)
	if want := "-u -S -N <yes> "; err != nil || string(data) != want {
		t.Errorf("got %q, %v, want %q", data, err, want)
	}
}

func TestOldest(t *testing.T) {
	if !tmux.Version("3.2a").AtLeast(cli.Oldest) || tmux.Version("3.2").AtLeast(cli.Oldest) {
		t.Errorf("the oldest is %s", cli.Oldest)
	}
}
