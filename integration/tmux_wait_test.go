//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A starter tells of every process that is held and every pane that is watched, so that a test knows when a wait has begun.
type starter struct {
	ports.Identity
	ports.Events
	begun chan struct{}
}

func (s starter) Hold(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Held, error) {
	held, err := s.Identity.Hold(ctx, server, pane)
	if err == nil {
		s.begun <- struct{}{}
	}
	return held, err
}

func (s starter) Watch(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Watch, error) {
	watch, err := s.Events.Watch(ctx, server, pane)
	if err == nil {
		s.begun <- struct{}{}
	}
	return watch, err
}

// An exactTalk is a conversation with the exact tools.
type exactTalk struct {
	*talk
	identity   *process.Identity
	waiting    chan struct{} // one for each wait that has begun
	generation string
	tracked    bool // this tmux is one whose processes can be held
}

// converseExactly begins a conversation with the exact tools over a backend.
func converseExactly(t *testing.T, s *realServer, backend string) *exactTalk {
	t.Helper()
	typed := cliServer(t, s)
	if backend == "control" {
		typed = controlServer(t, s)
	}
	identity := process.NewIdentity(typed)
	t.Cleanup(identity.Close)
	starter := starter{identity, typed, make(chan struct{}, 1000)}
	application := app.New(app.Ports{
		Reader: typed, Events: starter, Inspector: typed, Processes: process.New(process.Options{}), Identity: starter,
	}, app.Options{SocketPath: s.Socket, Backend: backend})
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(application.Close)
	t.Cleanup(cancel)
	c := &exactTalk{talk: &talk{Conversation: mcptest.Serve(t, mcpserver.New(ctx, application, mcpserver.Options{})), t: t, server: s}, identity: identity, waiting: starter.begun}
	c.refresh()
	return c
}

// refresh learns which server there is.
func (c *exactTalk) refresh() {
	c.t.Helper()
	told := c.must("tmux_capabilities", nil)
	server := told["server"].(map[string]any)
	c.generation, _ = server["generation"].(string)
	version, _ := server["version"].(string)
	c.tracked = tmux.Version(version).AtLeast("3.3")
	if want := map[bool]string{true: "supported", false: "tmux_version"}[c.tracked]; told["process_tracking"] != want {
		c.t.Fatalf("tmux %s: process tracking is %v, %v; want %s", version, told["process_tracking"], told["tracking_problem"], want)
	}
}

// waits are the arguments of a wait for the screen, or for the end of the process if there is no text.
func (c *exactTalk) waits(pane, text string) args {
	if text == "" {
		return args{"generation": c.generation, "target_id": pane, "condition": "process_exit", "timeout": 60}
	}
	return args{"generation": c.generation, "target_id": pane, "condition": "screen_contains", "text": text, "timeout": 60}
}

// begun waits until a wait has begun.
func (c *exactTalk) begun(ended <-chan told) {
	c.t.Helper()
	select {
	case <-c.waiting:
	case how := <-ended:
		c.t.Fatalf("it ended before it began: %v, %+v, %v", how.out, how.failure, how.err)
	case <-time.After(hangBound):
		c.t.Fatalf("it has not begun within %v", hangBound)
	}
}

func TestTmuxWait(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		for _, backend := range []string{"cli", "control"} {
			t.Run(backend, func(t *testing.T) { tmuxWait(t, binary, backend) })
		}
	})
}

// killed kills the server as a crash does.
func killed(t *testing.T, s *realServer) {
	t.Helper()
	if out, err := exec.Command("kill", "-9", s.Tmux(t, "display-message", "-p", "#{pid}")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func tmuxWait(t *testing.T, binary, backend string) {
	restarted := func(t *testing.T, s *realServer, _ string) {
		s.Tmux(t, "kill-server")
		eventually(t, "another server starts, once the first has gone", func() (bool, string) {
			said, err := s.Try("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "cat")
			return err == nil, said
		})
	}
	for _, tt := range []struct {
		name   string
		text   string // empty: for the end of the process
		does   func(t *testing.T, s *realServer, pane string)
		code   fault.Kind // of the error; empty: none
		status string     // of the process, if the kernel tells it
	}{
		{"it stands there", "here", func(*testing.T, *realServer, string) {}, "", ""},
		{"it is written", "typed", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "send-keys", "-t", pane, "-l", "typed") }, "", ""},
		{"it is written across rows", "0typed1", func(t *testing.T, s *realServer, pane string) {
			s.Tmux(t, "send-keys", "-t", pane, "-l", strings.Repeat("0", 77)+"typed1")
		}, "", ""},
		{"the screen's pane is killed", "what does not come", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "kill-pane", "-t", pane) }, fault.NotFound, ""},
		{"the screen's program ends", "what does not come", func(t *testing.T, s *realServer, pane string) {
			s.Tmux(t, "set-option", "-g", "remain-on-exit", "on")
			s.Tmux(t, "send-keys", "-t", pane, "C-c")
		}, fault.Refused, ""},
		{"the screen's server is killed", "what does not come", func(t *testing.T, s *realServer, _ string) { s.Tmux(t, "kill-server") }, fault.ServerGone, ""},
		{"the screen's server crashes", "what does not come", func(t *testing.T, s *realServer, _ string) { killed(t, s) }, fault.ServerGone, ""},
		{"the screen's server is restarted", "what does not come", restarted, fault.ServerGone, ""},

		{"the process ends", "", func(t *testing.T, s *realServer, pane string) {
			s.Tmux(t, "set-option", "-g", "remain-on-exit", "on")
			s.Tmux(t, "send-keys", "-t", pane, "C-d")
		}, "", "7"},
		{"the process ends, and its pane", "", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "send-keys", "-t", pane, "C-d") }, "", "7"},
		{"the process's pane is killed", "", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "kill-pane", "-t", pane) }, "", "129"},
		{"another process comes", "", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "respawn-pane", "-k", "-t", pane, "cat") }, "", "129"},
		{"the process's server is killed", "", func(t *testing.T, s *realServer, _ string) { s.Tmux(t, "kill-server") }, fault.ServerGone, ""},
		{"the process's server crashes", "", func(t *testing.T, s *realServer, _ string) { killed(t, s) }, fault.ServerGone, ""},
		{"the process's server is restarted", "", restarted, fault.ServerGone, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := startServer(t, binary)
			pane := s.Tmux(t, "new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "other", "-x", "80", "-y", "24", "--", "sh", "-c", "echo here; cat; exit 7")
			s.Screen(t, pane, "here")
			c := converseExactly(t, s, backend)
			ended := c.during(t.Context(), "tmux_wait", c.waits(pane, tt.text))
			if tt.text == "" && !c.tracked {
				if how := soon(t, ended); how.failure == nil || how.failure.Code != fault.Unsupported || !strings.Contains(how.failure.Message, "3.2a") {
					t.Errorf("got %v, %+v, want that this tmux is not supported", how.out, how.failure)
				}
				return
			}
			c.begun(ended)
			tt.does(t, s, pane)
			how := soon(t, ended)
			switch {
			case how.err != nil:
				t.Error(how.err)
			case tt.code != "":
				if how.failure == nil || how.failure.Code != tt.code || how.failure.Effects == nil || how.failure.Effects.State != "none" {
					t.Errorf("got %v, %+v, want %s without effects", how.out, how.failure, tt.code)
				}
			case how.failure != nil:
				t.Errorf("got %+v", how.failure)
			case tt.text != "":
				if rows := fmt.Sprint(how.out["capture"]); !strings.Contains(rows, tt.text) {
					t.Errorf("the capture %v does not contain %q", rows, tt.text)
				}
			case how.out["exit_status"] != tt.status && how.out["exit_status"] != "unobserved" || how.out["process_generation"] == nil:
				t.Errorf("got %v, want status %s", how.out, tt.status)
			}
		})
	}
}

// Another process of a pane is another: what was waited for is the end of the first, and the second goes on.
func TestTmuxWaitIsForOneProcess(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		pane := s.Tmux(t, "new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "other", "cat")
		c := converseExactly(t, s, "cli")
		if !c.tracked {
			c.failed(fault.Unsupported, "tmux_wait", c.waits(pane, ""))
			return
		}
		first := c.during(t.Context(), "tmux_wait", c.waits(pane, ""))
		c.begun(first)
		s.Tmux(t, "respawn-pane", "-k", "-t", pane, "cat")
		one := soon(t, first)
		second := c.during(t.Context(), "tmux_wait", c.waits(pane, ""))
		c.begun(second)
		select {
		case how := <-second:
			t.Fatalf("the second has ended: %+v", how)
		case <-time.After(50 * time.Millisecond): // the end of the first is past
		}
		s.Tmux(t, "kill-pane", "-t", pane)
		two := soon(t, second)
		if one.failure != nil || two.failure != nil || one.out["process_generation"] == two.out["process_generation"] {
			t.Errorf("got %v, %v and %v, %v, want the ends of two processes", one.out, one.failure, two.out, two.failure)
		}
	})
}
