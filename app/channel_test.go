package app_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestWaitForChannel(t *testing.T) {
	for _, c := range []struct {
		name    string
		timeout float64
		before  []string // channels that are signalled before the wait
		during  string   // and 20 s after it began
		want    app.WaitForChannelOut
		took    time.Duration
	}{
		{"a signal while it waits", 60, nil, "done", app.WaitForChannelOut{Outcome: "signalled", Latched: new(false), EffectiveTimeout: 60}, 20 * time.Second},
		{"a signal before", 60, []string{"done"}, "", app.WaitForChannelOut{Outcome: "signalled", Latched: new(true), EffectiveTimeout: 60}, 0},
		{"a signal before, no time", 0, []string{"done"}, "", app.WaitForChannelOut{Outcome: "signalled", Latched: new(true)}, 0},
		{"two before", 60, []string{"done", "done"}, "", app.WaitForChannelOut{Outcome: "timed_out", EffectiveTimeout: 60}, time.Minute},
		{"no signal", 10, nil, "done", app.WaitForChannelOut{Outcome: "timed_out", EffectiveTimeout: 10}, 10 * time.Second},
		{"on another channel", 60, []string{"don"}, "done2", app.WaitForChannelOut{Outcome: "timed_out", EffectiveTimeout: 60}, time.Minute},
		{"a longer time than there is", 1e6, nil, "", app.WaitForChannelOut{Outcome: "timed_out", EffectiveTimeout: 120, TimeoutClamped: true}, 2 * time.Minute},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.world.AddSession("main")
				for _, channel := range c.before {
					if _, err := h.app.SignalChannel(h.Context(), app.SignalChannelIn{Channel: channel}); err != nil {
						h.Fatal(err)
					}
				}
				if c.during != "" {
					time.AfterFunc(20*time.Second, func() {
						if _, err := h.app.SignalChannel(h.Context(), app.SignalChannelIn{Channel: c.during}); err != nil {
							h.Error(err)
						}
					})
				}
				start := time.Now()
				got, err := h.app.WaitForChannel(h.Context(), app.WaitForChannelIn{Channel: "done", Timeout: &c.timeout})
				if err != nil {
					h.Fatal(err)
				}
				if took := time.Since(start); took != c.took {
					h.Errorf("it took %v, want %v", took, c.took)
				}
				if got.Generation == "" || got.Channel != "done" {
					h.Errorf("it was %+v", got)
				}
				got.Generation, got.Channel = "", ""
				if diff := cmp.Diff(c.want, got); diff != "" {
					h.Errorf("(-want +got):\n%s", diff)
				}
				<-time.After(20 * time.Second) // the signal comes before the world ends
			})
		})
	}
}

// A wait that is cancelled ends at once and takes no signal with it.
func TestACancelledWaitForAChannel(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.AddSession("main")
		ctx, cancel := context.WithCancel(h.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		_, err := h.app.WaitForChannel(ctx, app.WaitForChannelIn{Channel: "done"})
		h.wantFault(err, fault.Cancelled, "")
		if took := time.Since(start); took != time.Second {
			h.Errorf("it took %v, want 1 s", took)
		}
		if _, err := h.app.SignalChannel(h.Context(), app.SignalChannelIn{Channel: "done"}); err != nil {
			h.Fatal(err)
		}
		out, err := h.app.WaitForChannel(h.Context(), app.WaitForChannelIn{Channel: "done"})
		if err != nil || out.Outcome != "signalled" || out.Latched == nil || !*out.Latched {
			h.Errorf("the next wait: %+v, %v", out, err)
		}
	})
}

func TestWaitForChannelEndsWithTheServer(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.AddSession("main")
		time.AfterFunc(time.Second, func() { h.world.KillServer() })
		out, err := h.app.WaitForChannel(h.Context(), app.WaitForChannelIn{Channel: "done"})
		if err != nil || out.Outcome != "server_gone" {
			h.Errorf("%+v, %v", out, err)
		}
		for _, tool := range []string{"wait_for_channel", "signal_channel"} {
			_, err := h.call(tool, `{"channel":"done"}`)
			h.wantFault(err, fault.ServerGone, "")
		}
	})
}

func TestChannelsHaveNames(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.AddSession("main")
		for channel, says := range map[string]string{`""`: "empty", `"a\nb"`: "control character", `"` + strings.Repeat("x", 129) + `"`: "129 bytes"} {
			for _, tool := range []string{"wait_for_channel", "signal_channel"} {
				_, err := h.call(tool, `{"channel":`+channel+`}`)
				h.wantFault(err, fault.InvalidInput, "")
				if f, _ := errors.AsType[*fault.Error](err); !strings.Contains(f.Message, says) || f.Recovery == "" {
					h.Errorf("%s of %s: %+v, want that it says %q", tool, channel, f, says)
				}
			}
		}
	})
}

// A wait asks tmux for nothing while it waits.
func TestAWaitForAChannelIsIdle(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.AddSession("main")
		counted := &counting{Reader: h.world}
		a := app.New(app.Ports{Reader: counted, Processes: h.world, Channels: h.world}, app.Options{})
		defer a.Close()
		ended := make(chan error)
		go func() {
			_, err := a.WaitForChannel(h.Context(), app.WaitForChannelIn{Channel: "done"})
			ended <- err
		}()
		synctest.Wait()
		before := counted.reads
		if err := <-ended; err != nil || counted.reads != before || before != 1 {
			h.Errorf("%v after %d reads, of which %d when it began; want 1", err, counted.reads, before)
		}
	})
}

// counting counts reads.
type counting struct {
	ports.Reader
	reads int
}

func (c *counting) Topology(ctx context.Context, detail tmux.Detail) (tmux.Topology, error) {
	c.reads++
	return c.Reader.Topology(ctx, detail)
}
