//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// eachWatched runs a test on every tmux, over a server with one pane that writes back what is typed.
func eachWatched(t *testing.T, test func(t *testing.T, s *realServer, events *control.Events, server *tmuxserver.Server, all tmux.Topology)) {
	t.Helper()
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary, "cat")
		events, server, _ := controlEvents(t, s)
		test(t, s, events, server, topology(t, server))
	})
}

// TestControlPolls sees where no client is attached for a watch, and that the watch works nevertheless.
func TestControlPolls(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		for _, fleeting := range []bool{false, true} {
			s := startServer(t, binary, "cat")
			viewed(t, s, "main")
			if fleeting {
				s.Tmux(t, "set-option", "-t", "main", "destroy-unattached", "on")
			}
			events, server, _ := controlEvents(t, s)
			all := topology(t, server)
			watch := watching(t, events, all.Server, "%0")
			want := map[bool]int{true: 1}[!fleeting]
			attached := strings.Count(s.Tmux(t, "list-clients", "-F", "#{client_control_mode}"), "1")
			if why := events.Polling(); attached != want || (why == "") != (want == 1) {
				t.Errorf("destroy-unattached %v: %d control clients, want %d; polling because %q", fleeting, attached, want, why)
			}
			s.Tmux(t, "send-keys", "-t", "%0", "x", "Enter")
			until(t, watch, wrote)
		}
	})
}

// watching watches a pane until the test's end.
func watching(t *testing.T, events ports.Events, server tmux.Server, pane tmux.PaneID) ports.Watch {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	defer cancel()
	watch, err := events.Watch(ctx, server, pane)
	if err != nil {
		t.Fatalf("watch %s: %v", pane, err)
	}
	t.Cleanup(watch.Close)
	return watch
}

// until reads events until one is as wanted.
func until(t *testing.T, watch ports.Watch, wanted func(ports.Event) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	defer cancel()
	for {
		event, err := watch.Next(ctx)
		if err != nil {
			t.Errorf("next: %v", err)
			return
		}
		if wanted(event) {
			return
		}
		if event.Gone || event.ServerGone { // for ever
			t.Errorf("next: %+v", event)
			return
		}
	}
}

func wrote(e ports.Event) bool { return e.Output }

func TestControlWatchesManyPanes(t *testing.T) {
	eachWatched(t, func(t *testing.T, s *realServer, events *control.Events, server *tmuxserver.Server, _ tmux.Topology) {
		for i := range 10 {
			if i > 0 {
				s.Tmux(t, "new-session", "-d", "-s", fmt.Sprint("s", i), "-x", "80", "-y", "24", "cat")
			}
			for range 4 {
				s.Tmux(t, "split-window", "-d", "-l", "3", "-t", map[bool]string{true: "main:", false: fmt.Sprintf("s%d:", i)}[i == 0], "cat")
			}
		}
		viewed(t, s, "main")
		sizes := func() string {
			return s.Tmux(t, "list-windows", "-a", "-F", "#{window_id} #{window_width}x#{window_height}")
		}
		before := sizes()
		all := topology(t, server)
		var watches []ports.Watch
		for _, pane := range all.Panes {
			watches = append(watches, watching(t, events, all.Server, pane.ID))
		}
		const want = 10
		if clients := s.Tmux(t, "list-clients", "-F", "#{client_control_mode}"); len(all.Panes) != 50 || strings.Count(clients, "1") != want {
			t.Errorf("%d panes, clients %q, want 50 and %d control clients", len(all.Panes), clients, want)
		}
		if now := topology(t, server); len(now.Clients) != 1 || now.Windows[0].Viewers != all.Windows[0].Viewers {
			t.Errorf("clients %+v, viewers %q, want only the terminal", now.Clients, now.Windows[0].Viewers)
		}
		var wg sync.WaitGroup
		for i, watch := range watches {
			wg.Go(func() { until(t, watch, wrote) })
			s.Tmux(t, "send-keys", "-t", string(all.Panes[i].ID), "x", "Enter")
		}
		wg.Wait()
		for _, watch := range watches {
			watch.Close()
		}
		eventually(t, "the terminal is the only client", func() (bool, string) {
			clients := s.Tmux(t, "list-clients", "-F", "#{client_control_mode}")
			return clients == "0", clients
		})
		if now := sizes(); now != before {
			t.Errorf("sizes were\n%s\nand are\n%s", before, now)
		}
	})
}

// TestControlClientKilled kills the client under a watch, which hears on through another, and then the other, after which it polls.
func TestControlClientKilled(t *testing.T) {
	eachWatched(t, func(t *testing.T, s *realServer, events *control.Events, _ *tmuxserver.Server, all tmux.Topology) {
		watch := watching(t, events, all.Server, "%0")
		for _, polls := range []bool{false, true} {
			s.Tmux(t, "detach-client", "-s", "main")
			until(t, watch, func(e ports.Event) bool { return e.Gap })
			s.Tmux(t, "send-keys", "-t", "%0", "x", "Enter")
			until(t, watch, wrote)
			if why := events.Polling(); (why != "") != polls {
				t.Errorf("polling because %q, want %v", why, polls)
			}
		}
	})
}

// TestControlRejoinInterrupted moves a watched pane to another session, and ends a Next before a client is attached there: the following one
// goes on.
func TestControlRejoinInterrupted(t *testing.T) {
	eachWatched(t, func(t *testing.T, s *realServer, _ *control.Events, _ *tmuxserver.Server, all tmux.Topology) {
		conn := cliConn(t, s, cli.Options{Env: plainEnv(t)})
		var dials atomic.Int32
		second := make(chan struct{})
		clients := control.NewClients(func(ctx context.Context, attach []string) (control.Stream, error) {
			if dials.Add(1) == 2 {
				close(second)
				<-ctx.Done()
			}
			return conn.Attach(ctx, attach)
		}, conn.Socket())
		watch := watching(t, heard(t, clients, tmuxserver.New(conn, tmuxserver.Options{Own: clients.Own})), all.Server, "%0")
		s.Tmux(t, "split-window", "-d", "-t", "%0", "cat")
		s.Tmux(t, "new-session", "-d", "-s", "other", "-x", "80", "-y", "24", "cat")
		s.Tmux(t, "join-pane", "-d", "-s", "%0", "-t", "other:")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() {
			<-second
			cancel()
		}()
		_, err := watch.Next(ctx)
		for err == nil {
			_, err = watch.Next(ctx)
		}
		if !fault.Is(err, fault.Cancelled) {
			t.Errorf("next: %v", err)
		}
		until(t, watch, func(e ports.Event) bool { return e.Gap })
		s.Tmux(t, "send-keys", "-t", "%0", "x", "Enter")
		until(t, watch, wrote)
	})
}

// TestControlSameSecond waits for what is told neither by the kernel, as it is written to /dev/tty, nor by the pane's state, as it is written in
// the second in which the watch begins, where the cursor stays.
func TestControlSameSecond(t *testing.T) {
	eachWatched(t, func(t *testing.T, s *realServer, events *control.Events, _ *tmuxserver.Server, all tmux.Topology) {
		fifo := filepath.Join(t.TempDir(), "fifo")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			t.Fatal(err)
		}
		pane := s.Tmux(t, "new-window", "-d", "-P", "-F", "#{pane_id}", "sh", "-c", `while read -r x; do printf '\r%s\r' "$x" > /dev/tty; done <> "$0"`, fifo)
		say := func(text string) {
			if err := os.WriteFile(fifo, []byte(text+"\n"), 0); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Until(time.Now().Truncate(time.Second).Add(time.Second))) // so that what follows is in one second, as a rule
		say("busy")
		s.Screen(t, pane, "busy")
		watch := watching(t, events, all.Server, tmux.PaneID(pane))
		say("done")
		until(t, watch, wrote)
	})
}

// A countedStream counts what is sent.
type countedStream struct {
	control.Stream
	writes *atomic.Int32
}

func (c countedStream) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Stream.Write(p)
}

// TestControlIdleWatch sees that a watch in which nothing happens asks tmux nothing, once its first second is over.
func TestControlIdleWatch(t *testing.T) {
	eachWatched(t, func(t *testing.T, s *realServer, _ *control.Events, _ *tmuxserver.Server, all tmux.Topology) {
		conn := cliConn(t, s, cli.Options{Env: plainEnv(t)})
		counting := &countingConn{Conn: conn}
		var writes atomic.Int32
		clients := control.NewClients(func(ctx context.Context, attach []string) (control.Stream, error) {
			stream, err := conn.Attach(ctx, attach)
			return countedStream{stream, &writes}, err
		}, conn.Socket())
		server := tmuxserver.New(counting, tmuxserver.Options{Own: clients.Own})
		watch := watching(t, heard(t, clients, server), all.Server, "%0")
		over := all.Server.Version.AtLeast("3.6") // before, captures go another way
		runs, sent := counting.runs.Load(), writes.Load()+map[bool]int32{true: 1}[over]
		most := runs + map[bool]int32{false: 2}[over]                  // for one look
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second) // three reports of the subscription
		defer cancel()
		if event, err := watch.Next(ctx); err == nil {
			t.Errorf("told %+v", event)
		}
		if counting.runs.Load() > most || writes.Load() != sent {
			t.Errorf("%d lists and %d writes, were %d and %d", counting.runs.Load(), writes.Load(), runs, sent)
		}
	})
}

func TestControlWatchCycles(t *testing.T) {
	eachWatched(t, func(t *testing.T, s *realServer, events *control.Events, _ *tmuxserver.Server, all tmux.Topology) {
		none := leftovers(t)
		for range 200 { // one descriptor that is left shows
			watch, err := events.Watch(t.Context(), all.Server, "%0")
			if err != nil {
				t.Fatal(err)
			}
			watch.Close()
		}
		none()
		eventually(t, "no client is left", noClients(s))
	})
}
