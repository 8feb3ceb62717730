package process_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// listenVariable makes the test binary a server that listens at the socket it names, with hardly a queue.
const listenVariable = "LIBTMUX_TEST_LISTEN"

func init() {
	if path := os.Getenv(listenVariable); path != "" {
		if err := listen(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// listen says when it listens, and accepts what connects once there is a line to read.
func listen(path string) error {
	socket, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(unix.Bind(socket, &unix.SockaddrUnix{Name: path}), unix.Listen(socket, 0)); err != nil {
		return err
	}
	fmt.Println("listening")
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	for {
		if _, _, err := unix.Accept(socket); err != nil {
			return err
		}
	}
}

// listener starts such a server; accept lets it accept.
func listener(t *testing.T) (server tmux.Server, accept func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), listenVariable+"="+path), os.Stderr
	input, inputErr := cmd.StdinPipe()
	output, outputErr := cmd.StdoutPipe()
	if err := errors.Join(inputErr, outputErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it never ends by itself
		_ = cmd.Wait()
	})
	if said, err := bufio.NewReader(output).ReadString('\n'); err != nil {
		t.Fatalf("the server says %q: %v", said, err)
	}
	return tmux.Server{SocketPath: path, PID: cmd.Process.Pid, StartTime: time.Unix(5, 0)}, func() {
		if _, err := io.WriteString(input, "\n"); err != nil {
			t.Error(err)
		}
	}
}

// fill connects until the server's queue is full.
func fill(t *testing.T, server tmux.Server) {
	t.Helper()
	for range 100 {
		connection, err := net.Dial("unix", server.SocketPath)
		if errors.Is(err, unix.EAGAIN) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = connection.Close() })
	}
	t.Fatal("the queue is never full")
}

// A server that is late to accept is the same server: without its confirmation the caller's own pane would be a stranger's.
func TestCallerWhileTheServersQueueIsFull(t *testing.T) {
	server, accept := listener(t)
	topology := tmux.Topology{Running: true, Server: server, Panes: []tmux.Pane{{ID: "%7", PID: os.Getpid()}}}
	want := ports.Caller{Pane: "%7", How: ports.CallerAncestor}
	known := process.New(process.Options{})
	if got := known.Caller(t.Context(), topology); got != want {
		t.Fatalf("with room in the queue: %+v, want %+v", got, want)
	}
	fill(t, server)
	if got := known.Caller(t.Context(), topology); got != want {
		t.Errorf("of a server that was confirmed before: %+v, want %+v", got, want)
	}
	if got := process.New(process.Options{}).Caller(t.Context(), topology); got.How != ports.CallerUnknown {
		t.Errorf("of a server that cannot be confirmed: %+v, want unknown", got)
	}
	another := topology
	another.Server.PID = 1
	if got := known.Caller(t.Context(), another); got.How != ports.CallerUnknown {
		t.Errorf("of another life: %+v, want unknown", got)
	}
	time.AfterFunc(20*time.Millisecond, accept)
	if got := process.New(process.Options{}).Caller(t.Context(), topology); got != want {
		t.Errorf("of a server that accepts late: %+v, want %+v", got, want)
	}
}
