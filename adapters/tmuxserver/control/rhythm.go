package control

import (
	"context"
	"time"
)

// After a wake-up a watch looks at once, if it was quiet; while things go on it looks at greater and greater distances, so that
// a flood costs little; and then a few times more, because a wake-up may come before tmux has read what was written. After that it
// does not look, however long it stays quiet.
const (
	quickestLook = time.Millisecond
	slowestLook  = 20 * time.Millisecond
	lastLook     = 64 * time.Millisecond   // between the last two
	nextSecond   = 1100 * time.Millisecond // after a report of the subscription, which tells only of the first thing in each second
)

// A rhythm says when to look.
type rhythm struct {
	at    time.Time     // of the last look
	gap   time.Duration // from it until the next one, if something wakes
	again time.Duration // from it until the next one, if nothing does; 0: there is none
	late  time.Time     // of a look because of the subscription; zero: there is none
}

// await waits until it is time to look, or ctx is done, and reports whether something woke.
func (r *rhythm) await(ctx context.Context, wake <-chan struct{}) (woken bool) {
	var due <-chan time.Time // nil: never
	if at := r.due(); !at.IsZero() {
		due = time.After(time.Until(at))
	}
	select {
	case <-due:
		return false
	case <-ctx.Done():
		return false
	case <-wake:
	}
	select {
	case <-time.After(time.Until(r.at.Add(r.gap))):
	case <-ctx.Done():
	}
	return true
}

// due is when to look if nothing wakes; zero: never.
func (r *rhythm) due() time.Time {
	due := r.late
	if again := r.at.Add(r.again); r.again > 0 && (due.IsZero() || again.Before(due)) {
		due = again
	}
	return due
}

// looked notes a look: whether there was a reason for one, or none was found, and whether the subscription was it.
func (r *rhythm) looked(reason, late bool) {
	r.at = time.Now()
	if !r.late.IsZero() && !r.at.Before(r.late) {
		r.late, late = time.Time{}, late || reason
	}
	if late {
		r.late = r.at.Add(nextSecond)
	}
	switch {
	case reason:
		r.gap = min(max(2*r.gap, quickestLook), slowestLook)
		r.again = r.gap
	case r.again >= lastLook || r.again == 0:
		r.gap, r.again = 0, 0
	default:
		r.gap, r.again = quickestLook, min(4*r.again, lastLook)
	}
}
