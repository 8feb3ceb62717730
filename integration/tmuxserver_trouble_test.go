//go:build integration

package integration_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestTmuxServerOfAnotherVersionIsNamed(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		real := startServer(t, binary)
		version := topology(t, cliServer(t, real)).Server.Version
		stub := filepath.Join(t.TempDir(), "tmux")
		script := "#!/bin/sh\ntest \"$1\" != -V || { echo tmux 3.9; exit; }\necho server exited unexpectedly >&2; exit 1\n"
		if err := os.WriteFile(stub, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		server := serverOver(t, backend, &realServer{Binary: stub, Socket: real.Socket})
		_, err := server.Topology(t.Context(), tmux.DetailBrief)
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Kind != fault.TransportError || !strings.Contains(e.Message, "tmux 3.9 ("+stub) || !strings.Contains(e.Message, "tmux "+string(version)+" (") {
			t.Errorf("%#v", err)
		}
	})
}

// TestTmuxServerForeignHelper is the process of another user that the next test starts.
func TestTmuxServerForeignHelper(t *testing.T) {
	socket := os.Getenv("FOREIGN_HELPER_SOCKET")
	if socket == "" {
		return // not that process
	}
	conn, err := cli.New(cli.Options{Tmux: os.Getenv("FOREIGN_HELPER_TMUX"), SocketPath: socket})
	if err != nil {
		t.Fatal(err)
	}
	server := tmuxserver.New(conn, tmuxserver.Options{})
	_, err = server.Topology(t.Context(), tmux.DetailBrief)
	_, errNew := server.NewSession(t.Context(), ports.NewSession{})
	for _, err := range []error{err, errNew} {
		e, ok := errors.AsType[*fault.Error](err)
		if !ok || e.Kind != fault.TransportError || !strings.Contains(e.Message, "permission") {
			t.Errorf("%#v", err)
		}
	}
}

func TestTmuxServerOfAnotherUserSaysPermission(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become another user")
	}
	eachTmux(t, func(t *testing.T, binary string) {
		dir, err := os.MkdirTemp("", "lt")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		helper := filepath.Join(dir, "helper")
		copyExecutable(t, helper)
		for name, modes := range map[string][2]os.FileMode{"a closed directory": {0o700, 0o700}, "a closed socket": {0o755, 0o700}} {
			t.Run(name, func(t *testing.T) {
				real := startServer(t, binary)
				if err := os.Chmod(filepath.Dir(real.Socket), modes[0]); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(real.Socket, modes[1]); err != nil {
					t.Fatal(err)
				}
				cmd := exec.CommandContext(t.Context(), helper, "-test.run=^TestTmuxServerForeignHelper$", "-test.count=1")
				cmd.Dir = "/"
				cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/", "FOREIGN_HELPER_SOCKET=" + real.Socket, "FOREIGN_HELPER_TMUX=" + binary}
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
				if all := topology(t, cliServer(t, real)); len(all.Sessions) != 1 {
					t.Errorf("sessions afterwards: %+v", all.Sessions)
				}
			})
		}
	})
}

// copyExecutable copies this test binary to where others may run it.
func copyExecutable(t *testing.T, to string) {
	t.Helper()
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	file, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, from); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestTmuxServerLeavesOutItsOwnClients(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		w := newTmuxWorld(t, binary)
		pane := w.Session("main", "recorder")
		everybody := topology(t, w.Ports())
		detach := w.Attach(everybody.Sessions[0].ID, "terminal")
		defer detach()
		theirs := topology(t, w.Ports())
		if len(theirs.Clients) != 1 || theirs.Sessions[0].Attached != 1 {
			t.Fatalf("clients of pane %s: %+v", pane, theirs)
		}
		own := func(pid int) bool { return pid == theirs.Clients[0].PID }
		server := tmuxserver.New(cliConn(t, w.realServer, cli.Options{}), tmuxserver.Options{Own: own})
		if ours := topology(t, server); len(ours.Clients) != 0 || ours.Sessions[0].Attached != 0 {
			t.Errorf("our own client is listed: %+v", ours)
		}
	})
}

func TestTmuxServerStartsWithTheConfigurationItIsGiven(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		real := newServer(t, binary)
		config := filepath.Join(t.TempDir(), "tmux.conf")
		if err := os.WriteFile(config, []byte("set -g @mine yes\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		server := tmuxserver.New(cliConn(t, real, cli.Options{Config: config, Env: plainEnv(t)}), tmuxserver.Options{})
		started := make(chan ports.Created, 4)
		for i := range 4 {
			go func() {
				created, err := server.NewSession(t.Context(), ports.NewSession{Name: fmt.Sprint("s", i)})
				if err != nil {
					t.Error(err)
				}
				started <- created
			}()
		}
		starters := 0
		for range 4 {
			if created := <-started; created.ServerStarted {
				starters++
			}
		}
		if starters != 1 {
			t.Errorf("%d of four creations say that they started the server", starters)
		}
		if got := real.Tmux(t, "show-options", "-g", "-v", "@mine"); got != "yes" {
			t.Errorf("the configuration was not read: %q", got)
		}
		for _, args := range [][]string{{"-g"}, {"-t", "s0"}} {
			if got := real.Tmux(t, append([]string{"show-environment"}, args...)...); strings.Contains(got, "LIBTMUX") {
				t.Errorf("environment of what was started: %s", got)
			}
		}
	})
}
