package control_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A waiter is what the client of a wait reads: what tmux tells it comes together with the marks that are put behind it.
type waiter struct {
	begins, wakes string
	said          int // how many of both tmux is to print
	out           *io.PipeWriter
	in            *io.PipeReader
	number        int
	told          string // by tmux, and read with a mark
	at            int    // that mark counts down
}

func newWaiter(argv []string) *waiter {
	w := &waiter{number: 1}
	w.in, w.out = io.Pipe()
	for _, word := range argv {
		if strings.HasSuffix(word, "-begins-") {
			w.begins = word
			w.said++
		}
		if nonce, _, ok := strings.Cut(word, "-wakes-"); ok {
			w.wakes = nonce + "-wakes-"
			w.said++
		}
	}
	return w
}

// block is a command's, so many numbers after the last one.
func (w *waiter) block(after int, output string) string {
	w.number += after
	return fmt.Sprintf("%%begin 1 %d 1\n%s%%end 1 %d 1\n", w.number, output, w.number)
}

func (w *waiter) write(text string) { _, _ = io.WriteString(w.out, text) } // a reader that has ended is no matter

func (w *waiter) Read(p []byte) (int, error)        { return w.in.Read(p) }
func (w *waiter) Write(p []byte) (n int, err error) { return len(p), nil }
func (w *waiter) Close() error                      { return w.in.Close() }
func (w *waiter) PID() int                          { return 1 }

func (w *waiter) Mark(line string) error {
	text := line + "\n"
	if w.at--; w.at == 0 {
		text = w.told + text
	}
	go w.write(text)
	return nil
}

// A slow server answers everybody, each time a second later.
type slow struct{ tmuxserver.Conn }

func (slow) Run(context.Context, tmuxserver.List) (tmuxserver.Result, error) {
	time.Sleep(time.Second)
	return tmuxserver.Result{Passed: true}, nil
}

// What tmux had told before a wait asked is known to that wait, however late the client reads it.
func TestASignalThatWasKeptIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		after  int           // commands that tmux ran between the wait and what follows it
		at     int           // the mark with which the client reads that the wait ended; 0: at once
		before bool          // another wait ended before
		within time.Duration // of the wait
	}{
		"by a wait that does not wait":              {1, 1, false, 0},
		"by one that waits":                         {1, 0, false, time.Minute},
		"sent after a wait that ended, by the next": {5, 2, true, 0},
		"and by the next that waits":                {5, 2, true, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var client *waiter
				dial := func(_ context.Context, argv []string) (control.Markable, error) {
					client = newWaiter(argv)
					text := client.block(1, "") + client.block(1, client.begins+"\n") + client.block(1, "")
					woken := client.block(c.after, client.wakes+"1 x\n")
					if c.at == 0 {
						text += woken
					} else {
						client.told, client.at = woken, c.at
					}
					go client.write(text)
					return client, nil
				}
				server := tmuxserver.New(slow{}, tmuxserver.Options{})
				channels := control.NewChannels(dial, server, server)
				defer channels.Close()
				if c.before {
					if came, err := channels.Wait(t.Context(), tmux.Server{}, "done", 0); err != nil || came.Came {
						t.Fatalf("nothing was signalled: %+v, %v", came, err)
					}
				}
				came, err := channels.Wait(t.Context(), tmux.Server{}, "done", c.within)
				if diff := cmp.Diff(ports.Signal{Came: true, Early: true}, came); diff != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
			})
		})
	}
}

// A client that ends while it waits, as when a person detaches it, ends the wait: the next signal would be sent to it.
func TestAClientThatEndsEndsItsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := func(_ context.Context, argv []string) (control.Markable, error) {
			client := newWaiter(argv)
			go func() {
				client.write(client.block(1, "") + client.block(1, client.begins+"\n") + client.block(1, "") + "%exit\n")
				_ = client.out.Close() // a pipe's never fails
			}()
			return client, nil
		}
		server := tmuxserver.New(slow{}, tmuxserver.Options{})
		channels := control.NewChannels(dial, server, server)
		defer channels.Close()
		came, err := channels.Wait(t.Context(), tmux.Server{}, "done", time.Minute)
		if !fault.Is(err, fault.TransportError) || !strings.Contains(err.Error(), "a signal that came since is lost") || came.Came {
			t.Errorf("%+v, %v", came, err)
		}
	})
}

// Of what tmux gives up because it does not get to run for 100 ms nothing is taken for a signal, and no signal is missed for it.
func TestAWaitWhoseMarksAreGivenUp(t *testing.T) {
	const none = "\n"
	for name, c := range map[string]struct {
		begins, wakes [2]bool // which of the two are printed
		after         int     // commands that tmux ran between the wait and what follows it
		want          ports.Signal
	}{
		"the first before":                            {[2]bool{false, true}, [2]bool{true, true}, 5, ports.Signal{Came: true}},
		"the second before":                           {[2]bool{true, false}, [2]bool{true, true}, 5, ports.Signal{Came: true}},
		"the first behind":                            {[2]bool{true, true}, [2]bool{false, true}, 5, ports.Signal{Came: true}},
		"the second behind":                           {[2]bool{true, true}, [2]bool{true, false}, 5, ports.Signal{Came: true}},
		"the first behind, of a signal that was kept": {[2]bool{true, true}, [2]bool{false, true}, 1, ports.Signal{Came: true, Early: true}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dial := func(_ context.Context, argv []string) (control.Markable, error) {
					client := newWaiter(argv)
					if client.said != len(c.begins)+len(c.wakes) {
						t.Errorf("tmux is to print %d words", client.said)
					}
					printed := func(after int, text string, is bool) string {
						if !is {
							text = none
						}
						return client.block(after, text)
					}
					text := client.block(1, "escape-time 10\n")
					for _, is := range c.begins {
						text += printed(1, client.begins+"\n", is)
					}
					text += client.block(1, "")
					go func() {
						client.write(text)
						time.Sleep(time.Second)
						client.write(printed(c.after, client.wakes+"1 x\n", c.wakes[0]) + printed(1, client.wakes+"1 x\n", c.wakes[1]))
					}()
					return client, nil
				}
				server := tmuxserver.New(slow{}, tmuxserver.Options{})
				channels := control.NewChannels(dial, server, server)
				defer channels.Close()
				came, err := channels.Wait(t.Context(), tmux.Server{}, "done", time.Minute)
				if diff := cmp.Diff(c.want, came); diff != "" || err != nil {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
			})
		})
	}
}

// A wait has begun when tmux says so, not when something else is printed: what was kept is told with its beginning.
func TestAWaitThatHasNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := func(_ context.Context, argv []string) (control.Markable, error) {
			client := newWaiter(argv)
			begun := client.block(1, "escape-time 10\n") + client.block(1, client.begins+"\n") + client.block(1, "\n")
			kept := client.block(1, "") + client.block(1, client.wakes+"1 x\n")
			go func() {
				client.write(begun)
				time.Sleep(3 * time.Second) // a slow server has answered by then
				client.write(kept)
			}()
			return client, nil
		}
		server := tmuxserver.New(slow{}, tmuxserver.Options{})
		channels := control.NewChannels(dial, server, server)
		defer channels.Close()
		came, err := channels.Wait(t.Context(), tmux.Server{}, "done", 0)
		if diff := cmp.Diff(ports.Signal{Came: true, Early: true}, came); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// A hook may print an empty line wherever it likes: that is no signal.
func TestAnEmptyLineIsNoSignal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial := func(_ context.Context, argv []string) (control.Markable, error) {
			client := newWaiter(argv)
			text := client.block(1, "escape-time 10\n") + client.block(1, "\n")
			for range 2 {
				text += client.block(1, client.begins+"\n") + client.block(1, "\n")
			}
			go client.write(text + client.block(1, "") + client.block(5, "\n"))
			return client, nil
		}
		server := tmuxserver.New(slow{}, tmuxserver.Options{})
		channels := control.NewChannels(dial, server, server)
		defer channels.Close()
		if came, err := channels.Wait(t.Context(), tmux.Server{}, "done", time.Minute); err != nil || came.Came {
			t.Errorf("%+v, %v", came, err)
		}
	})
}

// A client whose guard tmux gave up has not waited: there is another one, and at last an error.
func TestAWaitWhoseGuardIsGivenUp(t *testing.T) {
	for _, times := range []int{2, 3} {
		synctest.Test(t, func(t *testing.T) {
			dialled := 0
			dial := func(_ context.Context, argv []string) (control.Markable, error) {
				client := newWaiter(argv)
				if dialled++; dialled <= times {
					go client.write("%begin 1 2 1\nambiguous option: \n%error 1 2 1\n")
				} else {
					go client.write(client.block(1, "escape-time 10\n") + client.block(1, client.begins+"\n") + client.block(1, "") + client.block(5, client.wakes+"1 x\n"))
				}
				return client, nil
			}
			server := tmuxserver.New(slow{}, tmuxserver.Options{})
			channels := control.NewChannels(dial, server, server)
			defer channels.Close()
			came, err := channels.Wait(t.Context(), tmux.Server{}, "done", time.Minute)
			if came.Came != (times < 3) || fault.Is(err, fault.CommandFailed) != (times == 3) || dialled != 3 {
				t.Errorf("given up %d times: %+v, %v, %d clients", times, came, err, dialled)
			}
		})
	}
}
