package app

import (
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
)

// A retention keeps captures for whoever has a cursor, snapshots and screens alike, and lets each go in time, also if nobody asks any
// more: what an entry holds must not outlive it.
type retention struct {
	*snapshot.Retention

	mu    sync.Mutex
	timer *time.Timer // nil: nothing is retained
}

func newRetention(limits snapshot.Limits, key []byte) *retention {
	return &retention{Retention: snapshot.NewRetention(limits, key)}
}

// Keep retains an entry from now on.
func (r *retention) Keep(capture snapshot.Capture, entry snapshot.Entry) error {
	err := r.Retention.Keep(time.Now(), capture, entry)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer == nil {
		r.timer = time.AfterFunc(r.Limits().Age, r.sweep)
	}
	return err
}

// sweep lets go what is too old, and comes again when something else is.
func (r *retention) sweep() {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := r.Expire(time.Now())
	if next.IsZero() {
		r.timer = nil
		return
	}
	r.timer.Reset(time.Until(next))
}

// Close lets everything go.
func (r *retention) Close() {
	r.Retention.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
	}
}
