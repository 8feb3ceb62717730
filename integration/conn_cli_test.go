//go:build integration

package integration_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/conntest"
)

// connHarness starts a server and leaves the Conn to it to the caller.
func connHarness(t *testing.T, binary string) (*realServer, conntest.Harness) {
	t.Helper()
	server := startServer(t, binary, "cat")
	return server, conntest.Harness{
		Buffer: func(t *testing.T, name string) []byte {
			t.Helper()
			var stdout, stderr bytes.Buffer
			cmd := exec.Command(binary, "-u", "-S", server.Socket, "show-buffer", "-b", name)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil {
				if bytes.HasPrefix(stderr.Bytes(), []byte("no buffer")) {
					return nil
				}
				t.Fatalf("show-buffer %s: %v: %s", name, err, stderr.Bytes())
			}
			return stdout.Bytes()
		},
		Kill: func(t *testing.T) {
			t.Helper()
			server.Tmux(t, "kill-server")
			eventually(t, "nobody listens", func() (bool, string) {
				out, err := server.Try("list-sessions")
				return err != nil && strings.HasPrefix(out, "no server running"), out
			})
		},
	}
}

func TestConnCLI(t *testing.T) {
	environments := map[string][]string{
		"own environment": nil,
		"bare":            {"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")},
		"C locale inside a pane": {
			"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C", "TMUX=/nowhere,1,0", "TMUX_PANE=%7",
		},
	}
	eachTmux(t, func(t *testing.T, binary string) {
		for name, env := range environments {
			t.Run(name, func(t *testing.T) {
				conntest.Test(t, func(t *testing.T) conntest.Harness {
					server, harness := connHarness(t, binary)
					conn, err := cli.New(cli.Options{Tmux: binary, SocketPath: server.Socket, Env: env})
					if err != nil {
						t.Fatal(err)
					}
					harness.Conn = conn
					return harness
				})
			})
		}
	})
}
