//go:build integration

package integration_test

import (
	"context"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// channels are those of a server, signalled over whatever its commands go.
func channels(t *testing.T, s *realServer, server *tmuxserver.Server) *control.Channels {
	t.Helper()
	conn := cliConn(t, s, cli.Options{Env: plainEnv(t)})
	waits := func(ctx context.Context, argv []string) (control.Markable, error) { return conn.Attach(ctx, argv) }
	made := control.NewChannels(waits, server, tmuxserver.New(conn, tmuxserver.Options{}))
	t.Cleanup(made.Close)
	return made
}

func TestBinaryChannels(t *testing.T) {
	const channel = `-S a;`
	for _, backend := range []string{"cli", "control"} {
		t.Run(backend, func(t *testing.T) {
			eachTmux(t, func(t *testing.T, tmux string) {
				s := startServer(t, tmux)
				p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", backend)
				wait := func(timeout float64) fields {
					t.Helper()
					return call(t, p, "wait_for_channel", fields{"channel": channel, "timeout": timeout})
				}
				wait(0).want(t, fields{"outcome": "timed_out", "effective_timeout": 0.0})

				// A script signals, before, and while one waits.
				escaped := strings.TrimSuffix(channel, ";") + `\;`
				s.Tmux(t, "wait-for", "-S", "--", escaped)
				wait(60).want(t, fields{"outcome": "signalled", "latched": true})
				wait(0).want(t, fields{"outcome": "timed_out"})
				attached := map[string]string{"control": strconv.Itoa(p.PID())}[backend] // for commands
				if clients := s.Tmux(t, "list-clients", "-F", "#{client_pid}"); clients != attached {
					t.Errorf("clients of %s, want %q: the one that keeps the place is not shown", clients, attached)
				}
				time.AfterFunc(100*time.Millisecond, func() { _, _ = s.Try("wait-for", "-S", "--", escaped) })
				wait(60).want(t, fields{"outcome": "signalled"})

				// A script waits.
				script := exec.Command(s.Binary, "-S", s.Socket, "wait-for", "--", escaped)
				script.Env = plainEnv(t)
				if err := script.Start(); err != nil {
					t.Fatal(err)
				}
				call(t, p, "signal_channel", fields{"channel": channel}).want(t, fields{"channel": channel})
				if err := script.Wait(); err != nil {
					t.Errorf("the script's wait: %v", err)
				}

				wait(0)
				call(t, p, "list_panes", nil).want(t, fields{"total": 1.0})
				endWithin(t, p, (*pipes.Process).CloseInput)
				eventually(t, "no client of ours is left", noClients(s))
			})
		})
	}
}

func TestBinaryChannelWaitsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		does    func(t *testing.T, s *realServer, p *pipes.Process)
		outcome string
	}{
		"the server is killed": {func(t *testing.T, s *realServer, _ *pipes.Process) { s.Tmux(t, "kill-server") }, "server_gone"},
		"it dies": {func(t *testing.T, s *realServer, _ *pipes.Process) {
			pid, err := strconv.Atoi(s.Tmux(t, "display-message", "-p", "#{pid}"))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}, "server_gone"},
		"it is told to end": {func(t *testing.T, s *realServer, _ *pipes.Process) {
			pid, err := strconv.Atoi(s.Tmux(t, "display-message", "-p", "#{pid}"))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}, "server_gone"},
		"another one comes": {func(t *testing.T, s *realServer, _ *pipes.Process) {
			s.Tmux(t, "kill-server")
			eventually(t, "another server starts, once the first has gone", func() (bool, string) {
				said, err := s.Try("-f", "/dev/null", "new-session", "-d", "cat")
				return err == nil, said
			})
		}, "server_gone"},
		"its last session is killed": {func(t *testing.T, s *realServer, _ *pipes.Process) { s.Tmux(t, "kill-session", "-t", "main") }, "server_gone"},
	} {
		t.Run(name, func(t *testing.T) {
			eachTmux(t, func(t *testing.T, tmux string) {
				s := startServer(t, tmux)
				p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", "control")
				call(t, p, "list_panes", nil)
				ended := make(chan pipes.Result, 1)
				go func() {
					result, err := p.Call(t.Context(), "wait_for_channel", fields{"channel": "done", "timeout": 60})
					if err != nil {
						t.Errorf("the wait: %v", err)
					}
					ended <- result
				}()
				call(t, p, "wait_for_channel", fields{"channel": "done", "timeout": 0}) // by the client of the other wait, or before it: then there is one now
				c.does(t, s, p)
				select {
				case how := <-ended:
					said := string(how.Data)
					if how.IsError || !strings.Contains(said, c.outcome) {
						t.Errorf("the wait ended with %s, want %q", said, c.outcome)
					}
				case <-time.After(hangBound):
					t.Fatalf("the wait has not ended within %v", hangBound)
				}
			})
		})
	}
}

// A server that has no session serves channels too.
func TestChannelsWithoutASession(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		s.Tmux(t, "set-option", "-s", "exit-empty", "off")
		s.Tmux(t, "kill-session", "-t", "main")
		talk := converse(t, s, nil)
		talk.must("signal_channel", args{"channel": "done"})
		if out := talk.must("wait_for_channel", args{"channel": "done", "timeout": 0}); out["outcome"] != "signalled" || out["latched"] != true {
			t.Errorf("%v", out)
		}
	})
}
