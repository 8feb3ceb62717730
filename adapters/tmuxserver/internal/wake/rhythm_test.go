package wake_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/wake"
)

const ms = time.Millisecond

func TestRhythm(t *testing.T) {
	for name, c := range map[string]struct {
		wakes []time.Duration // since the beginning
		late  bool            // by the subscription
		finds time.Duration   // until then looks find something
		rest  time.Duration   // between looks
		costs time.Duration   // a look, and what is done because of it
		looks []time.Duration // in half a minute
	}{
		"nothing happens": {},
		"a wake-up is looked after at once, and then a few times more": {
			wakes: []time.Duration{time.Second},
			looks: []time.Duration{1000 * ms, 1001 * ms, 1005 * ms, 1021 * ms, 1085 * ms},
		},
		"a report is looked after in the next second, too": {
			wakes: []time.Duration{time.Second}, late: true,
			looks: []time.Duration{1000 * ms, 1001 * ms, 1005 * ms, 1021 * ms, 1085 * ms, 2100 * ms},
		},
		"what goes on is looked at at growing distances": {
			wakes: []time.Duration{time.Second}, finds: 1100 * ms,
			looks: []time.Duration{
				1000 * ms, 1001 * ms, 1003 * ms, 1007 * ms, 1015 * ms, 1031 * ms, 1051 * ms, 1071 * ms, 1091 * ms, 1111 * ms, 1175 * ms,
			},
		},
		"a rest ends with a look": {
			rest: 12 * time.Second, wakes: []time.Duration{time.Second},
			looks: []time.Duration{1000 * ms, 1001 * ms, 1005 * ms, 1021 * ms, 1085 * ms, 13085 * ms, 25085 * ms},
		},
		"looks that take long come to be far apart": {
			wakes: []time.Duration{1000 * ms}, finds: 1500 * ms, costs: 20 * ms,
			looks: []time.Duration{
				1000 * ms, 1021 * ms, 1043 * ms, 1067 * ms, 1095 * ms, 1131 * ms, 1183 * ms, 1267 * ms, 1367 * ms, 1467 * ms, 1567 * ms,
			},
		},
		"but not too far": {
			wakes: []time.Duration{1000 * ms}, finds: 12 * time.Second, costs: 900 * ms,
			looks: []time.Duration{
				1000 * ms, 1901 * ms, 2803 * ms, 3707 * ms, 4615 * ms, 5531 * ms, 6463 * ms, 7427 * ms, 8455 * ms, 9611 * ms, 11011 * ms, 12411 * ms,
			},
		},
		"wake-ups that come soon wait": {
			wakes: []time.Duration{1000 * ms, 1000*ms + time.Microsecond},
			looks: []time.Duration{1000 * ms, 1001 * ms, 1003 * ms, 1011 * ms, 1043 * ms, 1107 * ms},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				woke := make(chan struct{}, 1)
				for _, at := range c.wakes {
					time.AfterFunc(at, func() { woke <- struct{}{} })
				}
				r := wake.Rhythm{Rest: c.rest}
				var looks []time.Duration
				for {
					woken := r.Await(ctx, woke)
					if ctx.Err() != nil {
						break
					}
					at := time.Since(began)
					looks = append(looks, at)
					<-time.After(c.costs / 2)
					r.Looked(woken || at < c.finds, woken && c.late)
					<-time.After(c.costs / 2)
				}
				if diff := cmp.Diff(c.looks, looks); diff != "" {
					t.Errorf("looks (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestRhythmOfShortWaits sees that waits that end before anything happens do not put off the look that ends a rest.
func TestRhythmOfShortWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := wake.Rhythm{Rest: time.Second}
		for {
			ctx, cancel := context.WithTimeout(t.Context(), 300*ms)
			woken := r.Await(ctx, nil)
			over := ctx.Err() != nil
			cancel()
			if at := time.Since(began); !over && !woken && at == time.Second {
				break
			} else if !over || at > time.Second {
				t.Fatalf("at %v: over %v, woken %v; want a look at 1s", at, over, woken)
			}
		}
	})
}
