package process_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// descriptors is how many this process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func threads(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// Two hundred processes are waited for at once: by no thread, with one descriptor each and one for their server, and with hardly more
// questions to tmux than one wait would cost. Then nothing is left.
func TestManyAtOnce(t *testing.T) {
	const many = 200
	s := newStage(t)
	var pids []int
	for i := range many {
		pids = append(pids, s.start(tmux.PaneID(fmt.Sprintf("%%%d", i)), "start"))
	}
	goroutines, before, beforeThreads := goleak.IgnoreCurrent(), descriptors(t), threads(t)
	identity := identityOf(t, s)
	var all []ports.Held
	for i := range many {
		held, err := identity.Hold(bounded(t), s.server, tmux.PaneID(fmt.Sprintf("%%%d", i)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, held)
	}
	ended := make(chan time.Duration, many) // after it was noticed
	failed := make(chan error, many)
	for _, held := range all {
		go func() {
			exit, err := held.Wait(bounded(t))
			failed <- err
			ended <- time.Since(exit.At)
		}()
	}
	if open := descriptors(t) - before; open != many+1 {
		t.Errorf("%d descriptors are open, want %d", open, many+1)
	}
	if more := threads(t) - beforeThreads; more > 20 {
		t.Errorf("%d threads more than before wait", more)
	}
	over := make(chan struct{})
	s.ask(func(context.Context, int) {
		<-over
		<-time.After(20 * time.Millisecond) // as long as tmux takes
	})
	for _, pid := range pids {
		s.order("%d 0", pid)
	}
	await(t, "all have ended", func() bool {
		return !slices.ContainsFunc(pids, func(pid int) bool { return unix.Kill(pid, 0) == nil })
	})
	close(over)
	var took []time.Duration
	for range many {
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
		took = append(took, <-ended)
	}
	slices.Sort(took)
	asked := s.questions()
	t.Logf("told after it was noticed: median %v, p95 %v, last %v; %d questions", took[many/2], took[many*95/100], took[many-1], asked)
	if asked > many/4 {
		t.Errorf("%d questions to tmux for %d waits that ended together", asked, many)
	}
	for _, held := range all {
		held.Close()
	}
	if err := goleak.Find(goroutines); err != nil {
		t.Error(err)
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors are open, before it were %d", after, before)
	}
}

// Who lets go while others wait ends their waits and leaves nothing.
func TestLettingGoOfMany(t *testing.T) {
	const many = 200
	s := newStage(t)
	s.start("%0", "start")
	goroutines, before := goleak.IgnoreCurrent(), descriptors(t)
	identity := identityOf(t, s)
	done := make(chan error, many)
	var all []ports.Held
	for range many {
		held, err := identity.Hold(bounded(t), s.server, "%0")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, held)
		go func() {
			_, err := held.Wait(bounded(t))
			done <- err
		}()
	}
	for _, held := range all {
		held.Close()
	}
	for range many {
		if err := <-done; err == nil {
			t.Error("told the end of a process that lives")
		}
	}
	if err := goleak.Find(goroutines); err != nil {
		t.Error(err)
	}
	if after := descriptors(t); after != before {
		t.Errorf("%d descriptors are open, before it were %d", after, before)
	}
}
