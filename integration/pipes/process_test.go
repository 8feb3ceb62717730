package pipes_test

import (
	"errors"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// A test that says "stdout held nothing but JSON-RPC" is worth what this reader notices.
func TestProcessKeepsStrays(t *testing.T) {
	p, err := pipes.Start(exec.Command("sh", "-c", `
		read -r line
		echo 'a log line'
		echo '{"jsonrpc":"2.0","method":"notifications/message"}'
		echo '{"jsonrpc":"2.0","id":1,"result":{"ok":true}}'
		echo '{"jsonrpc":"2.0","id":1,"result":{"again":true}}'
		echo '{"id":2,"result":{}}'
		printf '{"jsonrpc":"2.0","id":2,"result":{}}'
		echo 'to stderr' >&2
		exit 3`))
	if err != nil {
		t.Fatal(err)
	}
	result, err := p.Request(t.Context(), "ping", nil)
	if err != nil || string(result) != `{"ok":true}` {
		t.Errorf("the answer is %s, %v", result, err)
	}
	ended := p.Close(t.Context())
	if exit, ok := errors.AsType[*exec.ExitError](ended); !ok || exit.ExitCode() != 3 {
		t.Errorf("ended with %v, want exit status 3", ended)
	}
	want := []string{
		"a log line\n",
		`{"jsonrpc":"2.0","id":1,"result":{"again":true}}` + "\n",
		`{"id":2,"result":{}}` + "\n",
		`{"jsonrpc":"2.0","id":2,"result":{}}`,
	}
	if diff := cmp.Diff(want, p.Strays()); diff != "" {
		t.Errorf("strays (-want +got):\n%s", diff)
	}
	if n := len(p.Notifications()); n != 1 {
		t.Errorf("%d notifications, want 1", n)
	}
	if p.Stderr() != "to stderr\n" {
		t.Errorf("stderr is %q", p.Stderr())
	}
}

func TestRequestOfAnEndedProcess(t *testing.T) {
	p, err := pipes.Start(exec.Command("sh", "-c", "read -r line; exit 0"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Request(t.Context(), "ping", nil); !errors.Is(err, pipes.ErrEnded) {
		t.Errorf("the request ended with %v, want %v", err, pipes.ErrEnded)
	}
	if err := p.Wait(t.Context()); err != nil {
		t.Errorf("ended with %v, want exit status 0", err)
	}
}
