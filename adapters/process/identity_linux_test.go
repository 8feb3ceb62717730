package process_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// hangBound is how long anything may take before a test calls it hung.
const hangBound = 10 * time.Second

func bounded(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	t.Cleanup(cancel)
	return ctx
}

// hold holds the process of a pane, until the test ends.
func hold(t *testing.T, s *stage, pane tmux.PaneID) ports.Held {
	t.Helper()
	held, err := identityOf(t, s).Hold(bounded(t), s.server, pane)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(held.Close)
	return held
}

// tells reports whether this kernel tells how a process ended that is no child. Source: pidfs, PIDFD_INFO_EXIT, since Linux 6.15.
func tells(t *testing.T) bool {
	t.Helper()
	var system unix.Utsname
	if err := unix.Uname(&system); err != nil {
		t.Fatal(err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(unix.ByteSliceToString(system.Release[:]), "%d.%d", &major, &minor); err != nil {
		t.Fatal(err)
	}
	return major > 6 || major == 6 && minor >= 15
}

func TestHowAProcessEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		does func(s *stage, pid int) error
		want ports.Exit
	}{
		{"status 0", func(s *stage, pid int) error { s.order("%d 0", pid); return nil }, ports.Exit{}},
		{"status 3", func(s *stage, pid int) error { s.order("%d 3", pid); return nil }, ports.Exit{Status: 3}},
		{"status 255", func(s *stage, pid int) error { s.order("%d 255", pid); return nil }, ports.Exit{Status: 255}},
		{"killed", func(_ *stage, pid int) error { return unix.Kill(pid, unix.SIGKILL) }, ports.Exit{Signal: 9}},
		{"ended by a signal", func(_ *stage, pid int) error { return unix.Kill(pid, unix.SIGTERM) }, ports.Exit{Signal: 15}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			pid := s.start("%0", "start")
			held := hold(t, s, "%0")
			if err := c.does(s, pid); err != nil {
				t.Fatal(err)
			}
			got, err := held.Wait(bounded(t))
			if err != nil {
				t.Fatal(err)
			}
			want := ports.Exit{At: got.At}
			if tells(t) {
				want = c.want
				want.At, want.Observed = got.At, true
			}
			if diff := cmp.Diff(want, got); diff != "" || got.At.IsZero() {
				t.Errorf("exit at %v (-want +got):\n%s", got.At, diff)
			}
		})
	}
}

// Where the parent never learns that its child ended, the kernel tells it all the same to who may look into the process.
func TestAProcessThatNobodyReaps(t *testing.T) {
	s := newStage(t)
	pid := s.start("%0", "neglect")
	held := hold(t, s, "%0")
	s.order("%d 3", pid)
	got, err := held.Wait(bounded(t))
	want := ports.Exit{At: got.At, Observed: true, Status: 3}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// A server that is at work is not waited for, unless the process may have ended because the server does.
func TestAnEndWhileTheServerIsAtWork(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		ends   bool // the server, without an answer
		want   fault.Kind
		waits  bool // for the answer
	}{
		{"by itself", 3, false, "", false},
		{"as a hangup would end it", 129, false, "", true},
		{"as a hangup would end it, and it is one", 129, true, fault.ServerGone, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			pid := s.start("%0", "start")
			held := hold(t, s, "%0")
			answer := make(chan struct{})
			s.ask(func(ctx context.Context, _ int) {
				select {
				case <-answer:
				case <-ctx.Done():
				}
			})
			type told struct {
				exit ports.Exit
				err  error
			}
			ended := make(chan told, 1)
			s.order("%d %d", pid, c.status)
			go func() {
				exit, err := held.Wait(bounded(t))
				ended <- told{exit, err}
			}()
			if c.waits {
				select {
				case how := <-ended:
					t.Errorf("told %+v, %v without an answer", how.exit, how.err)
				case <-time.After(200 * time.Millisecond): // longer than a server may be at work
				}
				if c.ends {
					s.kill()
				}
				close(answer)
			}
			select {
			case how := <-ended:
				if fault.KindOf(how.err) != c.want || how.err == nil && how.exit.Status != c.status {
					t.Errorf("told %+v, %v; want status %d, or %s", how.exit, how.err, c.status, c.want)
				}
			case <-time.After(hangBound):
				t.Errorf("nothing is told within %v", hangBound)
			}
			if !c.waits {
				close(answer)
			}
		})
	}
}

func TestWhatCannotBeHeld(t *testing.T) {
	for _, c := range []struct {
		name string
		pane tmux.PaneID
		sets func(s *stage)
		kind fault.Kind
		says string
	}{
		{"a pane that does not exist", "%9", func(*stage) {}, fault.NotFound, ""},
		{"a dead pane", "%0", func(s *stage) { s.give("%0", 0) }, fault.Refused, "%0 has ended"},
		{"a process of which tmux does not know that it ended", "%0", func(s *stage) { s.give("%0", 1<<30) }, fault.Refused, "%0 has ended"},
		{"a process that is none of the server's", "%0", func(s *stage) { s.give("%0", os.Getpid()) }, fault.TransportError, "is a child of process"},
		{"a pid that is none", "%0", func(s *stage) { s.give("%0", -1) }, fault.DecodeError, "-1"},
		{"tmux 3.2a", "%0", func(s *stage) { s.server.Version = "3.2a" }, fault.Unsupported, "3.2a"},
		{"a server that calls itself otherwise", "%0", func(s *stage) { s.server.PID++ }, fault.Unsupported, "PID namespace"},
		{"a server that has ended", "%0", func(s *stage) { s.kill() }, fault.ServerGone, ""},
		{"a socket that is not the server's", "%0", func(s *stage) { s.server.SocketPath += "x" }, fault.TransportError, "cannot be held"},
		{"a server that ends between the looks", "%0", func(s *stage) {
			s.ask(func(_ context.Context, n int) {
				if n == 2 {
					s.kill()
				}
			})
		}, fault.ServerGone, ""},
		{"a server that ends after the looks", "%0", func(s *stage) {
			s.ask(func(_ context.Context, n int) {
				if n == 2 {
					s.kill()
					s.mu.Lock()
					s.gone = nil // what it had answered just before
					s.mu.Unlock()
				}
			})
		}, fault.ServerGone, "has ended"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t)
			s.start("%0", "start")
			before := descriptors(t)
			c.sets(s)
			held, err := identityOf(t, s).Hold(bounded(t), s.server, c.pane)
			if err == nil {
				held.Close()
				t.Fatalf("held %s", held.Generation())
			}
			if !fault.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v (%s), want %s that says %q", err, fault.KindOf(err), c.kind, c.says)
			}
			if after := descriptors(t); after > before {
				t.Errorf("%d descriptors are open, before it were %d", after, before)
			}
		})
	}
}

// A pane that is respawned while it is looked at is held as it is then.
func TestHoldWhileThePaneIsRespawned(t *testing.T) {
	s := newStage(t)
	first := s.start("%0", "start")
	old := hold(t, s, "%0")
	s.ask(func(_ context.Context, n int) {
		if n == 2 {
			s.start("%0", "start")
		}
	})
	now, again := hold(t, s, "%0"), hold(t, s, "%0")
	if now.Generation() != again.Generation() || now.Generation() == old.Generation() {
		t.Errorf("held %s and %s, and before %s", now.Generation(), again.Generation(), old.Generation())
	}
	s.order("%d 0", first)
	if _, err := old.Wait(bounded(t)); err != nil {
		t.Errorf("the first: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if exit, err := now.Wait(ctx); !fault.Is(err, fault.Deadline) {
		t.Errorf("the second is told %+v, %v by the end of the first", exit, err)
	}
}

// Whether the server lives is asked once for all who wait for the answer; that the one who asks goes away harms nobody else.
func TestWhoAsksMayGo(t *testing.T) {
	s := newStage(t)
	pid := s.start("%0", "start")
	identity := identityOf(t, s)
	var all []ports.Held
	for range 3 {
		held, err := identity.Hold(bounded(t), s.server, "%0")
		if err != nil {
			t.Fatal(err)
		}
		defer held.Close()
		all = append(all, held)
	}
	asks, asked := make(chan struct{}), make(chan struct{})
	s.ask(func(context.Context, int) {
		asks <- struct{}{}
		<-asked
	})
	s.order("%d 129", pid) // as a hangup would end it: then the answer counts
	impatient, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := all[0].Wait(impatient)
		failed <- err
	}()
	<-asks
	for _, held := range all[1:] {
		go func() {
			_, err := held.Wait(bounded(t))
			failed <- err
		}()
	}
	cancel()
	asked <- struct{}{}
	if err := <-failed; !fault.Is(err, fault.Cancelled) {
		t.Errorf("the one who went: %v, want cancelled", err)
	}
	for range all[1:] {
		select {
		case <-asks:
			asked <- struct{}{}
		case err := <-failed:
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// trackVariable makes the test binary start a stage of its own and say whether its processes can be held.
const trackVariable = "LIBTMUX_TEST_TRACK"

func TestTrackingInAnotherNamespace(t *testing.T) {
	if os.Getenv(trackVariable) != "" {
		s := newStage(t)
		tracking, err := identityOf(t, s).Tracking(t.Context(), s.server)
		fmt.Printf("tracking %q %v\n", tracking.Lack, err)
		return
	}
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	for _, c := range []struct {
		name  string
		flags []string
		want  []ports.Lack
	}{
		{"all of it inside", []string{"--pid", "--fork", "--mount-proc"}, []ports.Lack{""}},
		{"/proc of outside", []string{"--pid", "--fork"}, []ports.Lack{ports.LackProc, ports.LackNamespace}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), "unshare", append(c.flags, os.Args[0], "-test.run", "^TestTrackingInAnotherNamespace$")...)
			cmd.Env = append(os.Environ(), trackVariable+"=1")
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, lack := range c.want {
				if strings.Contains(string(out), fmt.Sprintf("tracking %q <nil>", lack)) {
					return
				}
			}
			t.Errorf("got %s, want one of %q", out, c.want)
		})
	}
}
