package stdio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/stdio"
)

// childVariable makes the test binary a server on its standard streams, as a command would be one.
const childVariable = "STDIO_TEST_CHILD"

func serveStandardStreams() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	transport := stdio.New(os.Stdin, os.Stdout, stdio.Options{
		WriteTimeout: 200 * time.Millisecond, Grace: 100 * time.Millisecond,
	})
	if err := transport.Serve(ctx, newServer(nil, make(chan string, 8))); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	return 0
}

// child prepares a server process, which is killed if it hangs.
func child(t *testing.T) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, os.Args[0])
	command.Env = append(os.Environ(), childVariable+"=1")
	command.Stderr = &bytes.Buffer{}
	return command
}

// exit waits for a child and fails unless it ended by itself with a status and this on stderr.
func exit(t *testing.T, command *exec.Cmd, status int, stderr string) {
	t.Helper()
	err := command.Wait()
	if failed, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Errorf("waiting for the server: %v", err)
	} else if ok && failed.ExitCode() < 0 {
		t.Errorf("the server was killed: %v", failed)
	}
	if got := command.ProcessState.ExitCode(); got != status {
		t.Errorf("the server exited with %d, want %d", got, status)
	}
	if got := command.Stderr.(*bytes.Buffer).String(); !strings.Contains(got, stderr) {
		t.Errorf("the server said %q, want %q", got, stderr)
	}
}

// script is a whole conversation, and conversation what must be said in it.
const script = greeting + "\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
	`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `nonsense` + "\n" +
	`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}` + "\n"

func checkConversation(t *testing.T, output string) {
	t.Helper()
	for _, want := range []string{
		`"id":"hello"`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `"code":-32700`, `"text":"cancelled"`,
	} {
		if !strings.Contains(output, want) {
			t.Errorf("%s is not in the output:\n%s", want, output)
		}
	}
}

func TestProcessServesFiles(t *testing.T) {
	input := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(input, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(input)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(input + ".out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	command := child(t)
	command.Stdin, command.Stdout = in, out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	exit(t, command, 0, "")
	output, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	checkConversation(t, string(output))
}

// Some clients give a child one socket, or two, where others give it pipes.
func TestProcessServesASocket(t *testing.T) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "ours"), os.NewFile(uintptr(pair[1]), "theirs")
	defer ours.Close()
	command := child(t)
	command.Stdin, command.Stdout = theirs, theirs
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if err := theirs.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(ours, script); err != nil {
		t.Fatal(err)
	}
	if err := unix.Shutdown(pair[0], unix.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	output, err := io.ReadAll(ours)
	if err != nil {
		t.Error(err)
	}
	exit(t, command, 0, "")
	checkConversation(t, string(output))
}

func TestProcessEndsOnASignalWhileItsInputStaysOpen(t *testing.T) {
	command := child(t)
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, script); err != nil {
		t.Fatal(err)
	}
	var output strings.Builder
	for page := make([]byte, 4096); !strings.Contains(output.String(), "-32700"); {
		n, err := out.Read(page)
		if err != nil {
			t.Fatalf("reading after %q: %v", output.String(), err)
		}
		output.Write(page[:n])
	}
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(&output, out); err != nil {
		t.Error(err)
	}
	exit(t, command, 0, "")
	checkConversation(t, output.String())
}

func TestProcessOutlivesClosedAndUnreadOutputOrderly(t *testing.T) {
	for _, test := range []struct {
		name   string
		closed bool
		stderr string
	}{
		{"closed", true, "broken pipe"},
		{"unread", false, "bytes within 200ms"},
	} {
		t.Run(test.name, func(t *testing.T) {
			fromOut, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			command := child(t)
			command.Stdout = out
			in, err := command.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := command.Start(); err != nil {
				t.Fatal(err)
			}
			if err := out.Close(); err != nil {
				t.Fatal(err)
			}
			if test.closed {
				if err := fromOut.Close(); err != nil {
					t.Fatal(err)
				}
			} else {
				defer fromOut.Close()
			}
			if _, err := io.WriteString(in, greeting+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"big"}}`+"\n"); err != nil {
				t.Fatal(err)
			}
			exit(t, command, 3, test.stderr) // its input stays open
		})
	}
}
