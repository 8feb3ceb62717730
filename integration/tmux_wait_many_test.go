//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// Two hundred processes end at once, and each of the waits for them is answered soon after.
func TestManyProcessExits(t *testing.T) {
	many := often(200)
	const (
		all    = 2 * time.Second
		rounds = 3 // of which the best counts: a machine that is at work elsewhere makes any of them slow
	)
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		c := converseExactly(t, s, "cli")
		if !c.tracked {
			c.failed(fault.Unsupported, "tmux_wait", c.waits("%0", ""))
			return
		}
		goroutines, before := goleak.IgnoreCurrent(), descriptors(t)
		for round := 1; ; round++ {
			took, last := manyExits(t, s, c, many)
			t.Logf("round %d: answered after the end of a process: median %v, p95 %v, last %v; all %v after the first end", round, took[many/2], took[many*95/100], took[many-1], last)
			if last < all {
				break
			}
			if round == rounds {
				t.Errorf("all within %v, want less than %v", last, all)
				break
			}
		}
		c.identity.Close()
		if err := goleak.Find(goroutines); err != nil {
			t.Error(err)
		}
		if after := descriptors(t); len(after) > len(before) {
			t.Errorf("descriptors before:\n%s\nnow:\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
		}
	})
}

// manyExits lets so many processes end at once, and gives how long after each its wait was answered, sorted, and how long after the first
// the last.
func manyExits(t *testing.T, s *realServer, c *exactTalk, many int) (took []time.Duration, last time.Duration) {
	t.Helper()
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	if err := syscall.Mkfifo(gate, 0o600); err != nil {
		t.Fatal(err)
	}
	var commands strings.Builder
	for i := range many {
		script := fmt.Sprintf(`read _ <%s; printf %%s $EPOCHREALTIME >%s/%d; exit 3`, gate, dir, i)
		fmt.Fprintf(&commands, "new-window -d -n n%d bash -c '%s'\n", i, script)
	}
	file := filepath.Join(dir, "commands")
	if err := os.WriteFile(file, []byte(commands.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Tmux(t, "source-file", file)
	panes := strings.Fields(s.Tmux(t, "list-panes", "-a", "-f", "#{m:n*,#{window_name}}", "-F", "#{pane_id}")) // in the order of the windows
	if len(panes) != many {
		t.Fatalf("%d panes, want %d", len(panes), many)
	}
	type answer struct {
		pane int
		at   time.Time
		told
	}
	answers := make(chan answer, many)
	begun := func() {
		t.Helper()
		select {
		case <-c.waiting:
		case a := <-answers:
			t.Fatalf("pane %s: ended before it began: %v, %+v, %v", panes[a.pane], a.out, a.failure, a.err)
		case <-time.After(hangBound):
			t.Fatalf("another wait has not begun within %v", hangBound)
		}
	}
	const entering = 10 // waits at once: each asks tmux thrice before it waits, by processes that have to end in time
	for i, pane := range panes {
		go func() {
			out, failure, err := c.Ask(context.Background(), "tmux_wait", c.waits(pane, ""))
			answers <- answer{i, time.Now(), told{out, failure, err}}
		}()
		if i >= entering {
			begun()
		}
	}
	for range entering {
		begun()
	}
	if err := os.WriteFile(gate, nil, 0); err != nil { // who opens it to read goes on when somebody opened it to write
		t.Fatal(err)
	}
	first, end := time.Now(), time.Time{}
	for range many {
		a := <-answers
		if a.err != nil || a.failure != nil || a.out["exit_status"] != "3" && a.out["exit_status"] != "unobserved" {
			t.Fatalf("got %v, %+v, %v", a.out, a.failure, a.err)
		}
		text, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(a.pane)))
		if err != nil {
			t.Fatal(err)
		}
		seconds, err := strconv.ParseFloat(strings.ReplaceAll(string(text), ",", "."), 64) // in some locales
		if err != nil {
			t.Fatal(err)
		}
		ended := time.UnixMicro(int64(seconds * 1e6))
		took = append(took, a.at.Sub(ended))
		if ended.Before(first) {
			first = ended
		}
		if a.at.After(end) {
			end = a.at
		}
	}
	slices.Sort(took)
	return took, end.Sub(first)
}

// A cancelled wait leaves nothing behind, at whatever point it has come to.
func TestCancelledExactWaitsLeaveNothing(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		c := converseExactly(t, s, "cli")
		for _, text := range []string{"what does not come", ""} {
			if text == "" && !c.tracked {
				c.failed(fault.Unsupported, "tmux_wait", c.waits("%0", ""))
				return
			}
			cycle := func(patience time.Duration) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := c.during(ctx, "tmux_wait", c.waits("%0", text))
				<-time.After(patience) // cancelled at whatever point it has come to
				cancel()
				if how := soon(t, ended); how.err == nil {
					t.Fatalf("a cancelled wait answered %v, %v", how.out, how.failure)
				}
			}
			settled := func() (bool, string) {
				left := children(t, os.Getpid())
				return left == "", "processes " + left
			}
			cycle(50 * time.Millisecond) // what comes with the first call stays
			eventually(t, "the work of the wait has ended", settled)
			goroutines, before := goleak.IgnoreCurrent(), descriptors(t)
			for i := range 50 {
				cycle(time.Duration(i%25) * time.Millisecond)
			}
			eventually(t, "the work of all waits has ended", settled)
			c.identity.Close()
			if err := goleak.Find(goroutines); err != nil {
				t.Error(err)
			}
			eventually(t, fmt.Sprintf("no more descriptors are open than the %d before", len(before)), func() (bool, string) {
				now := descriptors(t)
				return len(now) <= len(before), fmt.Sprintf("before:\n%s\nnow:\n%s", strings.Join(before, "\n"), strings.Join(now, "\n"))
			})
		}
		c.must("tmux_wait", c.waits("%0", "$")) // and the shell lives
	})
}
