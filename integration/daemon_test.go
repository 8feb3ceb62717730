//go:build integration

package integration_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestDaemonIsMinimalAndLivesWithoutSessions(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := newServer(t, binary)
		conn := cliConn(t, server, cli.Options{})
		created, err := conn.Daemon(t.Context())
		if err != nil || created == "" {
			t.Fatalf("created %q, %v", created, err)
		}
		for option, want := range map[string]string{"-s exit-empty": "off", "-g status": "off"} {
			if got := server.Tmux(t, append([]string{"show-options", "-v"}, strings.Fields(option)...)...); got != want {
				t.Errorf("%s is %q, want %q", option, got, want)
			}
		}
		if owner := server.Tmux(t, "show-options", "-s", "-v", "@libtmux_mcp_owner"); len(owner) < 20 {
			t.Errorf("owner nonce %q", owner)
		}
		if created, err := conn.Daemon(t.Context()); err != nil || created != "" {
			t.Errorf("a second time: created %q, %v", created, err)
		}
		all := topology(t, tmuxserver.New(conn, tmuxserver.Options{}))
		if !all.Running || len(all.Sessions) != 0 || len(all.Panes) != 0 || all.Server.Generation != created {
			t.Errorf("a server without sessions, of generation %s: %+v", created, all)
		}
	})
}

func TestDaemonReadsTheConfigurationOfItsUser(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := newServer(t, binary)
		config := filepath.Join(t.TempDir(), "my conf # ${x}.conf")
		if err := os.WriteFile(config, []byte("set -g @mine yes\nset -s exit-empty on\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		conn := cliConn(t, server, cli.Options{Config: config})
		if created, err := conn.Daemon(t.Context()); err != nil || created == "" {
			t.Fatalf("created %q, %v", created, err)
		}
		for option, want := range map[string]string{"-g @mine": "yes", "-s exit-empty": "off", "-g status": "on"} {
			if got := server.Tmux(t, append([]string{"show-options", "-v"}, strings.Fields(option)...)...); got != want {
				t.Errorf("%s is %q, want %q", option, got, want)
			}
		}
	})
	server := newServer(t, "tmux")
	conn := cliConn(t, server, cli.Options{Config: "/nowhere/tmux.conf"})
	if created, err := conn.Daemon(t.Context()); created != "" || !fault.Is(err, fault.InvalidInput) {
		t.Errorf("a configuration that does not exist: created %q, %v", created, err)
	}
}

func TestDaemonIsNotOursIfItRuns(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := startServer(t, binary)
		if created, err := cliConn(t, server, cli.Options{}).Daemon(t.Context()); err != nil || created != "" {
			t.Errorf("created %q, %v", created, err)
		}
		if got := server.Tmux(t, "show-options", "-s", "-v", "exit-empty"); got != "on" {
			t.Errorf("exit-empty of a server that is not ours is %q", got)
		}
	})
}

func TestDaemonStartedTenTimesAtOnceIsOne(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := newServer(t, binary)
		var mu sync.Mutex
		var wg sync.WaitGroup
		creators, pids := 0, map[int]bool{}
		for range 10 {
			wg.Go(func() {
				conn, err := cli.New(cli.Options{Tmux: server.Binary, SocketPath: server.Socket})
				if err != nil {
					t.Error(err)
					return
				}
				created, err := conn.Daemon(t.Context())
				if err != nil {
					t.Error(err)
				}
				all, err := tmuxserver.New(conn, tmuxserver.Options{}).Topology(t.Context(), tmux.DetailBrief)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				pids[all.Server.PID] = true
				if created != "" {
					creators++
				}
			})
		}
		wg.Wait()
		if creators != 1 || len(pids) != 1 {
			t.Errorf("%d of them created it, servers %v", creators, pids)
		}
	})
}

// TestDaemonHelper is the process that the next test starts: it makes the daemon and ends.
func TestDaemonHelper(t *testing.T) {
	socket := os.Getenv("DAEMON_HELPER_SOCKET")
	if socket == "" {
		return // not that process
	}
	conn, err := cli.New(cli.Options{Tmux: os.Getenv("DAEMON_HELPER_TMUX"), SocketPath: socket})
	if err != nil {
		t.Fatal(err)
	}
	if created, err := conn.Daemon(t.Context()); err != nil || created == "" {
		t.Fatalf("created %q, %v", created, err)
	}
}

func TestDaemonOutlivesItsCreatorAndHoldsNothingOfIt(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := newServer(t, binary)
		executable, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), executable, "-test.run=^TestDaemonHelper$")
		cmd.Env = append(plainEnv(t), "DAEMON_HELPER_SOCKET="+server.Socket, "DAEMON_HELPER_TMUX="+binary)
		// What the process has open, its standard output and what it inherited without knowing it, is closed when it ends.
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = writer, writer, []*os.File{writer}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		_ = writer.Close()
		ended := make(chan []byte, 1)
		go func() {
			out, _ := io.ReadAll(reader)
			ended <- out
		}()
		var out []byte
		select {
		case out = <-ended:
		case <-time.After(hangBound):
			t.Fatal("something holds what the ended process had open")
		}
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		all := topology(t, cliServer(t, server))
		if !all.Running {
			t.Fatal("the daemon ended with its creator")
		}
		if group, err := syscall.Getpgid(all.Server.PID); err != nil || group == syscall.Getpgrp() {
			t.Errorf("process group of the daemon: %d, %v", group, err)
		}
		created, err := cliServer(t, server).NewSession(t.Context(), ports.NewSession{})
		if err != nil || created.ServerStarted {
			t.Fatalf("%+v, %v", created, err)
		}
		server.Tmux(t, "send-keys", "-l", "-t", string(created.Pane), `echo "<$LANG$DAEMON_HELPER_SOCKET>"`)
		server.Tmux(t, "send-keys", "-t", string(created.Pane), "Enter")
		server.Screen(t, string(created.Pane), "<C.UTF-8"+server.Socket+">")
	})
}
