package fake_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// Faulty fails a call before it, loses its answer after it, and delays it.
func TestFaulty(t *testing.T) {
	broken := errors.New("broken")
	tests := map[string]struct {
		fault    porttest.Fault
		is       func(error) bool
		received string
		took     time.Duration
	}{
		"failed":                {porttest.Fault{Err: broken}, func(err error) bool { return errors.Is(err, broken) }, "x", 0},
		"lost":                  {porttest.Fault{Lost: true}, possiblySent, "xx", 0},
		"lost, as it says":      {porttest.Fault{Lost: true, Err: broken}, func(err error) bool { return errors.Is(err, broken) }, "xx", 0},
		"delayed":               {porttest.Fault{Delay: time.Second}, func(err error) bool { return err == nil }, "xx", time.Second},
		"delayed past the time": {porttest.Fault{Delay: time.Hour}, func(err error) bool { return fault.Is(err, fault.Deadline) }, "x", time.Minute},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := fake.New(fake.Options{})
				defer w.Close()
				pane := w.AddSession("main", "record")
				synctest.Wait()
				faulty := porttest.NewFaulty(porttest.Ports{Reader: w, Input: w, Creator: w, Processes: w, Frames: w})
				test.fault.Times = 1
				faulty.Inject("SendText", test.fault)
				at := topology(t, w).Panes[0]
				pre := guard.Precondition{
					Server: topology(t, w).Server, Pane: pane, Cohort: true, Recipients: []guard.Recipient{{Pane: pane, PID: at.PID}},
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				began := time.Now()
				if err := faulty.SendText(ctx, pre, "x", false); !test.is(err) {
					t.Errorf("the first: %v", err)
				}
				if took := time.Since(began); took != test.took {
					t.Errorf("it took %v, want %v", took, test.took)
				}
				if err := faulty.SendText(t.Context(), pre, "x", false); err != nil {
					t.Errorf("the second: %v", err)
				}
				if got := w.Received(pane); got != test.received {
					t.Errorf("received %q, want %q", got, test.received)
				}
			})
		})
	}
}

func possiblySent(err error) bool {
	found, ok := errors.AsType[*fault.Error](err)
	return ok && found.Delivery == fault.PossiblySent
}
