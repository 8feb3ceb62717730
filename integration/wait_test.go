//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
)

// A told is how a call ended in another goroutine.
type told struct {
	out     map[string]any
	failure *mcptest.Failure
	err     error
}

// during begins a call that waits, and tells how it ended.
func (c *talk) during(ctx context.Context, tool string, arguments args) <-chan told {
	ended := make(chan told, 1)
	go func() {
		out, failure, err := c.Ask(ctx, tool, arguments)
		ended <- told{out, failure, err}
	}()
	return ended
}

// soon is how a call ended, which must be before the bound.
func soon(t *testing.T, ended <-chan told) told {
	t.Helper()
	select {
	case how := <-ended:
		return how
	case <-time.After(hangBound):
		t.Fatalf("the call has not ended within %v", hangBound)
	}
	panic("unreachable")
}

// A person's terminal keeps the size of its windows while waits are at work in and beside it.
func TestWaitsKeepThePersonsSize(t *testing.T) {
	eachBackend(t, func(t *testing.T, tmux, backend string) {
		s := startServer(t, tmux, "cat")
		s.Tmux(t, "new-session", "-d", "-s", "other", "-x", "80", "-y", "24", "cat")
		viewed(t, s, "main")
		sizes := func() string {
			return s.Tmux(t, "list-windows", "-a", "-F", "#{window_id} #{window_width}x#{window_height}")
		}
		eventually(t, "the window has the terminal's width", func() (bool, string) { return strings.Contains(sizes(), "@0 200x"), sizes() })
		before := sizes()
		c := converseOver(t, backend, s, nil)
		c.must("list_panes", nil)
		var ended []<-chan told
		for _, pane := range []string{"%0", "%1"} {
			ended = append(ended, c.during(t.Context(), "wait_for_text", args{"pane_id": pane, "patterns": []string{"hello"}, "timeout": 60}))
		}
		if backend == backendControl {
			eventually(t, "both waits have their clients", func() (bool, string) {
				clients := s.Tmux(t, "list-clients", "-F", "#{session_name} #{client_control_mode}")
				return strings.Contains(clients, "main 1") && strings.Contains(clients, "other 1"), clients
			})
		}
		if now := sizes(); now != before {
			t.Errorf("sizes were\n%s\nand are, while it waits,\n%s", before, now)
		}
		for i, pane := range []string{"%0", "%1"} {
			s.Tmux(t, "send-keys", "-t", pane, "hello", "Enter")
			if how := soon(t, ended[i]); how.err != nil || how.failure != nil || how.out["line"] != "hello" {
				t.Errorf("%s: %v, %+v, %v", pane, how.out, how.failure, how.err)
			}
		}
		if now := sizes(); now != before {
			t.Errorf("sizes were\n%s\nand are\n%s", before, now)
		}
	})
}

func TestWaitEndsWithWhatItWaitsIn(t *testing.T) {
	eachBackend(t, func(t *testing.T, tmux, backend string) {
		for _, tt := range []struct {
			name    string
			does    func(t *testing.T, s *realServer, pane string)
			outcome string
		}{
			{"the pane is killed", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "kill-pane", "-t", pane) }, "pane_gone"},
			{"its window is killed", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "kill-window", "-t", pane) }, "pane_gone"},
			{"its session is killed", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "kill-session", "-t", pane) }, "pane_gone"},
			{"the server is killed", func(t *testing.T, s *realServer, _ string) { s.Tmux(t, "kill-server") }, "server_gone"},
			{"another server comes", func(t *testing.T, s *realServer, _ string) {
				s.Tmux(t, "kill-server")
				eventually(t, "another server starts, once the first has gone", func() (bool, string) {
					said, err := s.Try("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "cat")
					return err == nil, said
				})
			}, "server_gone"},
			{"its program ends", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "send-keys", "-t", pane, "C-c") }, "pane_gone"},
			{"its program ends, and the pane remains", func(t *testing.T, s *realServer, pane string) {
				s.Tmux(t, "set-option", "-g", "remain-on-exit", "on")
				s.Tmux(t, "send-keys", "-t", pane, "C-c")
			}, "pane_died"},
			{"another program comes", func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "respawn-pane", "-k", "-t", pane, "cat") }, "pane_died"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				s := startServer(t, tmux)
				pane := s.Tmux(t, "new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "other", "-x", "80", "-y", "24", "--", "sh", "-c", "echo here; exec cat")
				s.Screen(t, pane, "here")
				c := converseOver(t, backend, s, nil)
				c.must("list_panes", nil)
				ended := c.during(t.Context(), "wait_for_text", args{"pane_id": pane, "patterns": []string{"what does not come"}, "stop": []string{"here"}, "timeout": 60})
				s.Tmux(t, "send-keys", "-t", pane, "-l", "typed") // echoed: so that there are lines to tell
				s.Screen(t, pane, "typed")
				eventually(t, "the wait hears of the pane", func() (bool, string) {
					open := strings.Join(descriptors(t), "\n")
					return strings.Contains(open, "inotify"), open
				})
				select {
				case how := <-ended:
					t.Fatalf("ended too early: %+v", how)
				case <-time.After(100 * time.Millisecond): // it may have looked or not: either must do
				}
				tt.does(t, s, pane)
				how := soon(t, ended)
				if how.err != nil || how.failure != nil || how.out["outcome"] != tt.outcome {
					t.Errorf("the wait ended with %v, %v, %v; want %s", how.out, how.failure, how.err, tt.outcome)
				}
				if _, ok := how.out["cursor"]; ok != (tt.outcome == "pane_died") {
					t.Errorf("a cursor: %v, in %v", ok, how.out)
				}
			})
		}
	})
}

// descriptors are what this process has open.
func descriptors(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	var open []string
	for _, fd := range all {
		if name, err := os.Readlink(fd); err == nil {
			open = append(open, filepath.Base(fd)+" "+name)
		}
	}
	return open
}

// A cancelled wait leaves nothing behind: neither here nor at tmux.
func TestCancelledWaitsLeaveNothing(t *testing.T) {
	eachBackend(t, func(t *testing.T, tmux, backend string) {
		s := startServer(t, tmux)
		c := converseOver(t, backend, s, nil)
		c.must("list_panes", nil)
		call := args{"pane_id": "%0", "patterns": []string{"what does not come"}, "timeout": 60}
		cycle := func(patience time.Duration) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := c.during(ctx, "wait_for_text", call)
			<-time.After(patience) // cancelled at whatever point it has come to
			cancel()
			if how := soon(t, ended); how.err == nil {
				t.Fatalf("a cancelled wait answered %v, %v", how.out, how.failure)
			}
		}
		cycle(50 * time.Millisecond)                       // what comes with the first call stays
		stay := map[string]int{backendControl: 1}[backend] // the client that commands go over, which a cancelled one may have replaced
		settled := func() (bool, string) {
			left := children(t, os.Getpid())
			return len(strings.Fields(left)) <= stay, "processes " + left
		}
		eventually(t, "the work of the wait has ended", settled)
		goroutines, before := goleak.IgnoreCurrent(), descriptors(t)
		for i := range 100 {
			cycle(time.Duration(i%25) * time.Millisecond)
		}
		eventually(t, "the work of all waits has ended", settled)
		c.detach()
		if err := goleak.Find(goroutines); err != nil {
			t.Error(err)
		}
		eventually(t, fmt.Sprintf("no more descriptors are open than the %d before", len(before)), func() (bool, string) {
			now := descriptors(t)
			return len(now) <= len(before), fmt.Sprintf("before:\n%s\nnow:\n%s", strings.Join(before, "\n"), strings.Join(now, "\n"))
		})
		eventually(t, "no client is left", noClients(s))
		c.must("capture_pane", args{"pane_id": "%0"}) // and the session lives
	})
}
