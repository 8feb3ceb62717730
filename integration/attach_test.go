//go:build integration

package integration_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// attaching attaches a client to the first session of a server.
var attaching = []string{"attach-session", "-E", "-f", "ignore-size,no-output", "-t", "$0"}

// TestConnAttachesWhileThingsHappen attaches control clients while tmux has something to tell each such client, all the time: before 3.7 it
// ends if that falls between the messages by which one says who it is, as it does within 100 attaches by tmux's own client.
func TestConnAttachesWhileThingsHappen(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux, "cat")
		pid := s.Tmux(t, "display-message", "-p", "#{pid}")
		open := func() int { return descriptorsOf(t, number(t, pid)) }
		before := open()
		conn := cliConn(t, s, cli.Options{Env: plainEnv(t)})
		ctx, cancel := context.WithCancel(t.Context())
		var happening sync.WaitGroup
		defer happening.Wait()
		defer cancel()
		for range 3 {
			happening.Go(func() {
				for ctx.Err() == nil {
					said, err := s.speak(t.Context(), nil, []string{"rename-session", "-t", "$0", "a", ";", "rename-session", "-t", "$0", "b"})
					if err != nil {
						t.Errorf("rename: %q, %v", said, err)
						return
					}
				}
			})
		}
		for i := range 2000 {
			client, err := conn.Attach(t.Context(), attaching)
			if err != nil {
				t.Fatalf("attach %d: %v", i, err)
			}
			said := make([]byte, 1<<10)
			n, err := io.ReadAtLeast(client, said, 6)
			if text := string(said[:n]); err != nil || !strings.HasPrefix(text, "%begin") && !strings.HasPrefix(text, "%sessi") { // whichever is told first
				t.Fatalf("client %d reads %q, %v", i, text, err)
			}
			happening.Go(func() { _, _ = io.Copy(io.Discard, client) })
			if err := client.Close(); err != nil {
				t.Fatalf("close %d: %v", i, err)
			}
		}
		cancel()
		happening.Wait()
		if now := s.Tmux(t, "display-message", "-p", "#{pid}"); now != pid {
			t.Fatalf("the server is %s, was %s", now, pid)
		}
		eventually(t, "tmux has no descriptors left", func() (bool, string) { return open() <= before, fmt.Sprintf("%d, were %d", open(), before) })
		eventually(t, "no client is left", noClients(s))
	})
}

// leftovers holds what this process has now against what it has when the returned function is called.
func leftovers(t *testing.T) (none func()) {
	t.Helper()
	descriptors := func() int { return descriptorsOf(t, os.Getpid()) }
	files, routines := descriptors(), runtime.NumGoroutine()
	return func() {
		t.Helper()
		eventually(t, "nothing is left", func() (bool, string) {
			now, running := descriptors(), runtime.NumGoroutine()
			return now <= files && running <= routines, fmt.Sprintf("%d descriptors, were %d; %d goroutines, were %d", now, files, running, routines)
		})
	}
}

// TestConnAttachedEnds sees what a client reads when it ends in each way, and that nothing of it is left.
func TestConnAttachedEnds(t *testing.T) {
	const lost = "%exit server exited unexpectedly"
	signal := func(signals ...syscall.Signal) func(t *testing.T, s *realServer, pid int) {
		return func(t *testing.T, _ *realServer, pid int) {
			for _, one := range signals {
				if err := syscall.Kill(pid, one); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	runs := func(args ...string) func(t *testing.T, s *realServer, pid int) {
		return func(t *testing.T, s *realServer, _ int) { s.Tmux(t, args...) }
	}
	for name, c := range map[string]struct {
		argv  []string
		ends  func(t *testing.T, s *realServer, pid int)
		reads string // at last, on a line of its own; empty: nothing before it is closed
	}{
		"it is closed":               {argv: attaching},
		"it is closed as it waits":   {argv: []string{"wait-for", "x"}},
		"it is detached":             {attaching, runs("detach-client", "-s", "$0"), "%exit"},
		"and its parent told to end": {attaching, runs("detach-client", "-P", "-s", "$0"), "%exit"},
		"and told to run something":  {attaching, runs("detach-client", "-s", "$0", "-E", "exit 3"), "%exit"},
		"its session ends":           {attaching, runs("new-session", "-d", "cat", ";", "kill-session", "-t", "$0"), "%exit"},
		"the server ends":            {attaching, runs("kill-server"), "%exit"},
		"as it waits":                {[]string{"wait-for", "x"}, runs("kill-server"), "%exit"},
		"the server is killed":       {attaching, signal(syscall.SIGKILL), lost},
		"the server is stopped":      {attaching, signal(syscall.SIGSTOP), ""},
		"it does not attach":         {[]string{"display-message", "-p", "hello"}, nil, "%exit"},
		"it fails":                   {[]string{"attach-session", "-t", "none"}, nil, "%exit"},
		"it is suspended":            {attaching, runs("suspend-client", "-t", fmt.Sprint("client-", os.Getpid())), ""},
	} {
		t.Run(name, func(t *testing.T) {
			eachTmux(t, func(t *testing.T, tmux string) {
				s := startServer(t, tmux, "cat")
				pid := number(t, s.Tmux(t, "display-message", "-p", "#{pid}"))
				t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) }) // it may have ended
				conn := cliConn(t, s, cli.Options{Env: plainEnv(t)})
				none := leftovers(t)
				client, err := conn.Attach(t.Context(), c.argv)
				if err != nil {
					t.Fatal(err)
				}
				if client.PID() != os.Getpid() {
					t.Errorf("pid %d", client.PID())
				}
				if strings.HasPrefix(c.argv[0], "attach") && name != "it fails" {
					eventually(t, "it is attached", func() (bool, string) {
						clients := s.Tmux(t, "list-clients", "-F", "#{client_name} #{client_pid} #{client_flags}")
						return strings.HasPrefix(clients, fmt.Sprintf("client-%d %[1]d attached", os.Getpid())) && strings.Contains(clients, "UTF-8"), clients
					})
				}
				if c.ends != nil {
					c.ends(t, s, pid)
				}
				if c.reads != "" {
					said, err := readAll(client)
					lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
					if last := lines[len(lines)-1]; err != nil || last != c.reads {
						t.Errorf("it reads %q, %v, want %q at last", said, err, c.reads)
					}
				}
				begun := time.Now()
				for range 2 {
					if err := client.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				}
				if took := time.Since(begun); took > hangBound/2 {
					t.Errorf("closing took %v", took)
				}
				if _, err := client.Write([]byte("x")); err == nil {
					t.Error("a closed client takes what is written")
				}
				none()
				_ = syscall.Kill(pid, syscall.SIGCONT) // it may have ended
				if c.ends == nil {
					eventually(t, "no client is left", noClients(s))
				}
			})
		})
	}
}

// readAll reads to the end, if that comes soon enough.
func readAll(from io.Reader) (string, error) {
	var all bytes.Buffer
	ended := make(chan error, 1)
	go func() {
		_, err := all.ReadFrom(from)
		ended <- err
	}()
	select {
	case err := <-ended:
		return all.String(), err
	case <-time.After(hangBound):
		return "", context.DeadlineExceeded
	}
}

// TestConnAttachesToTmuxAlone attaches to what is none, or cannot be understood.
func TestConnAttachesToTmuxAlone(t *testing.T) {
	says := func(kind, length, version uint32) []byte {
		var out []byte
		for _, n := range []uint32{kind, length, version, 1} {
			out = binary.NativeEndian.AppendUint32(out, n)
		}
		return out
	}
	// told is what a tmux of a version answers that gives up what it is to print first.
	told := func(version string) func(string) []byte {
		return func(asked string) []byte {
			text, _, _ := strings.Cut(asked, "#{version}")
			nonce := text[strings.LastIndexByte(text, 0)+1:]
			printed := "\x01\x00\x00\x00\n" + strings.Repeat(nonce+version+nonce+"\n", strings.Count(asked, "#{version}")-1)
			return slices.Concat(says(msgWrite, uint32(16+len(printed)), 8), []byte(printed), says(msgExit, 16, 8))
		}
	}
	always := func(answer []byte) func(string) []byte { return func(string) []byte { return answer } }
	for name, c := range map[string]struct {
		answer func(asked string) []byte // nil: none, and the connection stays; empty: it ends
		kind   fault.Kind
		says   string
	}{
		"nobody answers":        {nil, fault.Deadline, "in time"},
		"it hangs up":           {always(nil), fault.TransportError, "ended the connection"},
		"another protocol":      {always(says(msgExit, 16, 9)), fault.TransportError, "does not speak version 8"},
		"it refuses version 8":  {always(says(12, 16, 8)), fault.TransportError, "does not speak version 8"},
		"a message of no bytes": {always(says(msgExit, 0, 8)), fault.TransportError, "does not speak version 8"},
		"something else":        {always([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")), fault.TransportError, "does not speak version 8"},
		"it exits and says why": {always(append(says(msgExit, 16+4+20, 8), "\x01\x00\x00\x00access not allowed\x00\x00"...)), fault.TransportError, "no permission"},
		"half a message":        {always(append(says(msgExit, 40, 8), 1)), fault.TransportError, "ended the connection"},
		"an old tmux":           {told("3.1c"), fault.Unsupported, "tmux 3.1c, which is too old"},
	} {
		t.Run(name, func(t *testing.T) {
			socket := filepath.Join(t.TempDir(), "s")
			listener, err := net.Listen("unix", socket)
			if err != nil {
				t.Fatal(err)
			}
			defer listener.Close()
			conn, err := cli.New(cli.Options{SocketPath: socket, Env: plainEnv(t)})
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			none := leftovers(t)
			go func() {
				defer close(ended)
				to, err := listener.Accept()
				if err != nil {
					t.Error(err)
					return
				}
				defer to.Close()
				if c.answer != nil {
					asked := make([]byte, 4<<10)
					n, _ := to.Read(asked) // one write, and so one read
					_, _ = to.Write(c.answer(string(asked[:n])))
					return
				}
				_, _ = io.Copy(io.Discard, to)
			}()
			ctx, cancel := context.WithTimeout(t.Context(), map[bool]time.Duration{true: 200 * time.Millisecond, false: hangBound}[c.answer == nil])
			defer cancel()
			client, err := conn.Attach(ctx, attaching)
			if client != nil || !fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("attached %v: %v, want %v with %q", client, err, c.kind, c.says)
			}
			<-ended
			none()
		})
	}
}
