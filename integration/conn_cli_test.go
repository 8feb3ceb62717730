//go:build integration

package integration_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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
		Buffer: func(t *testing.T, names ...string) []byte {
			t.Helper()
			path := filepath.Join(t.TempDir(), "buffers") // tmux shows one alone
			argv := []string{"-u", "-S", server.Socket}
			for _, name := range names {
				argv = append(argv, "save-buffer", "-a", "-b", name, path, ";")
			}
			out, err := exec.Command(binary, argv...).CombinedOutput()
			if bytes.HasPrefix(out, []byte("no buffer")) {
				return nil
			}
			if err != nil {
				t.Fatalf("%q: %v: %s", argv, err, out)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return data
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
		ways := map[string]func(*testing.T) conntest.Harness{}
		for name, env := range environments {
			ways[name] = func(t *testing.T) conntest.Harness {
				server, harness := connHarness(t, binary)
				conn, err := cli.New(cli.Options{Tmux: binary, SocketPath: server.Socket, Env: env})
				if err != nil {
					t.Fatal(err)
				}
				harness.Conn = conn
				return harness
			}
		}
		eachWay(t, ways, conntest.Test)
	})
}
