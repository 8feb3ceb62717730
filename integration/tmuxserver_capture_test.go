//go:build integration

package integration_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// capture captures a pane that can be.
func capture(t *testing.T, server ports.Reader, request ports.CaptureRequest) screen.Capture {
	t.Helper()
	got, err := server.Capture(t.Context(), request)
	if err != nil {
		t.Fatalf("capture %+v: %v", request, err)
	}
	return got
}

func TestTmuxServerCaptureHookIsNamedByLevel(t *testing.T) {
	levels := []struct {
		level, hook string
		args        []string
	}{
		{"global", "after-capture-pane", []string{"-g"}},
		{"global", "after-capture-pane[7]", []string{"-g"}},
		{"session", "after-capture-pane", []string{"-t", "main:"}},
		{"session", "after-capture-pane", []string{"-w", "-t", "%0"}}, // tmux knows no window or pane level of it
		{"session", "after-capture-pane[42]", []string{"-p", "-t", "%0"}},
	}
	eachTmux(t, func(t *testing.T, binary string) {
		for _, level := range levels {
			t.Run(strings.Join(level.args, " ")+" "+level.hook, func(t *testing.T) {
				real := startServer(t, binary, "cat")
				server := cliServer(t, real)
				real.Tmux(t, append(append([]string{"set-hook"}, level.args...), level.hook, "set-option -s @ran yes")...)
				all := topology(t, server)
				for _, request := range []ports.CaptureRequest{{Pane: "%0"}, {Pane: "%0", Server: all.Server}} {
					_, err := server.Capture(t.Context(), request)
					e, ok := errors.AsType[*fault.Error](err)
					if !ok || e.Kind != fault.Refused || e.Reason != fault.Hooked || !strings.Contains(e.Message, level.level+" level") {
						t.Errorf("%#v", err)
					}
				}
				if ran := real.Tmux(t, "show-options", "-s", "-q", "-v", "@ran"); ran != "" {
					t.Errorf("the hook ran: %q", ran)
				}
				real.Tmux(t, append(append([]string{"set-hook", "-u"}, level.args...), "after-capture-pane")...)
				capture(t, server, ports.CaptureRequest{Pane: "%0", Server: all.Server})
			})
		}
	})
}

func TestTmuxServerIsNotMisledByHooksThatPrint(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		real := startServer(t, binary, "cat")
		server := cliServer(t, real)
		eventually(t, "the program runs", func() (bool, string) {
			p := topology(t, server).Panes[0]
			return p.Command == "cat" && p.Path != "", fmt.Sprintf("%+v", p)
		})
		before := topology(t, server)
		for _, hook := range []string{"after-list-sessions", "after-list-windows", "after-list-panes", "after-list-clients", "after-new-window", "after-split-window", "after-send-keys", "after-show-options"} {
			real.Tmux(t, "set-hook", "-g", hook, "display-message -p 'noise of a hook'")
		}
		if diff := cmp.Diff(before, topology(t, server)); diff != "" {
			t.Errorf("the topology (-before +with hooks):\n%s", diff)
		}
		capture(t, server, ports.CaptureRequest{Pane: "%0", Join: true})
		if _, err := server.NewWindow(t.Context(), before.Server, ports.NewWindow{Session: before.Sessions[0].ID}); err != nil {
			t.Error(err)
		}
		if err := server.SendText(t.Context(), pre(t, server, "%0", true), "typed", true); err != nil {
			t.Error(err)
		}
		real.Screen(t, "%0", "typed")
		real.Tmux(t, "set-hook", "-g", "after-display-message", "display-message -p 'noise of a hook'")
		topology(t, server)
		if _, err := server.Capture(t.Context(), ports.CaptureRequest{Pane: "%0"}); err == nil || fault.KindOf(err) != fault.Refused {
			t.Errorf("a capture into which a hook prints: %v", err)
		}
	})
}

// TestTmuxServerCapturesFromARowWhileThePaneScrolls asks for a row that its program wrote once, while it writes on.
func TestTmuxServerCapturesFromARowWhileThePaneScrolls(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		real := newServer(t, binary)
		real.Tmux(t, "-f", "/dev/null", "new-session", "-d", "-s", "main", "-x", "40", "-y", "10", "cat", ";", "set-option", "-g", "history-limit", "500000")
		script := fmt.Sprintf("i=0; while test $i -lt 100; do i=$((i+1)); echo line $i %s; done; while :; do echo more; sleep 0.002; done", strings.Repeat("x", 50))
		pane := tmux.PaneID(real.Tmux(t, "new-window", "-d", "-P", "-F", "#{pane_id}", "sh", "-c", script))
		server := cliServer(t, real)
		eventually(t, "the flood has begun", func() (bool, string) {
			size := real.Tmux(t, "display-message", "-p", "-t", string(pane), "#{history_size}")
			n, _ := strconv.Atoi(size)
			return n > 300, size
		})
		for from := range 7 {
			got := capture(t, server, ports.CaptureRequest{Pane: pane, FromRow: &from, Join: true, Starts: true})
			want := []string{fmt.Sprintf("line %d %s", from/2+1, strings.Repeat("x", 50)), fmt.Sprintf("line %d %s", from/2+2, strings.Repeat("x", 50))}
			if from%2 == 1 {
				want[0] = want[0][40:]
			}
			if got.First != from || !cmp.Equal(got.Rows[:2], want) || !cmp.Equal(got.Starts[:2], []int{from, from - from%2 + 2}) {
				t.Errorf("from row %d: first %d, rows %q, starts %v", from, got.First, got.Rows[:2], got.Starts[:2])
			}
			plain := capture(t, server, ports.CaptureRequest{Pane: pane, FromRow: &from})
			if wide := fmt.Sprintf("line %d %s", from/2+1, strings.Repeat("x", 50)); plain.First != from || (plain.Rows[0] != wide[:40] && plain.Rows[0] != wide[40:]) {
				t.Errorf("from row %d: first %d, rows %q", from, plain.First, plain.Rows[:2])
			}
		}
	})
}
