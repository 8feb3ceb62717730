package wake

import (
	"context"
	"time"
)

// After a wake-up a watch looks at once, if it was quiet; while things go on it looks at greater and greater distances, so that
// a flood costs little; and then a few times more, because a wake-up may come before tmux has read what was written. After that it
// looks once in each Rest.
const (
	quickestLook = time.Millisecond
	slowestLook  = 20 * time.Millisecond
	lastLook     = 64 * time.Millisecond   // between the last two
	nextSecond   = 1100 * time.Millisecond // after a report of the subscription, which tells only of the first thing in each second
)

// tmux does nothing else while it answers. So that looks, and what is done because of them, keep a pane that is written to without pause
// from being read for a part of the time only, their distances grow until they are share times as long as they take, up to farthest.
const (
	share    = 4
	farthest = 500 * time.Millisecond
)

// A Rhythm says when to look. The zero value looks only when it is woken, and soon after that.
type Rhythm struct {
	Rest time.Duration // between looks while nothing happens; 0: there are none

	woke  time.Time     // when it was time for the last look; zero: there was none, or what came of it counts already
	at    time.Time     // of the last look
	gap   time.Duration // from it until the next one, if something wakes
	again time.Duration // from it until the next one, if nothing does; 0: there is none
	apart time.Duration // that looks should be if they go on, for what the last one took
	late  time.Time     // of a look because of the subscription; zero: there is none
}

// Await waits until it is time to look, or ctx is done, and reports whether something woke.
func (r *Rhythm) Await(ctx context.Context, wake <-chan struct{}) (woken bool) {
	now := time.Now()
	if r.at.IsZero() {
		r.at = now
	}
	if !r.woke.IsZero() { // what the look told was acted on since: that counts, too
		r.at, r.apart, r.woke = now, min(share*now.Sub(r.woke), farthest), time.Time{}
	}
	var due <-chan time.Time // nil: never
	if at := r.due(); !at.IsZero() {
		due = time.After(time.Until(at))
	}
	select {
	case <-ctx.Done():
		return false
	case <-due:
	case <-wake:
		woken = true
	}
	if soon := time.Until(r.at.Add(r.gap)); woken && soon > 0 {
		select {
		case <-time.After(soon):
		case <-ctx.Done():
		}
	}
	r.woke = time.Now()
	return woken
}

// due is when to look if nothing wakes; zero: never.
func (r *Rhythm) due() time.Time {
	due := r.late
	for _, distance := range []time.Duration{r.again, r.Rest} {
		if at := r.at.Add(distance); distance > 0 && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}
	return due
}

// Follows reports whether a look that nothing woke only follows soon on one that something did, and others will follow on it.
func (r *Rhythm) Follows() bool { return 0 < r.again && r.again < lastLook }

// Looked notes a look: whether there was a reason for one, or none was found, and whether the subscription was it.
func (r *Rhythm) Looked(reason, late bool) {
	r.at = time.Now()
	if !r.late.IsZero() && !r.at.Before(r.late) {
		r.late, late = time.Time{}, late || reason
	}
	if late {
		r.late = r.at.Add(nextSecond)
	}
	switch {
	case reason:
		r.gap = min(max(2*r.gap, quickestLook), max(slowestLook, r.apart))
		r.again = r.gap
	case r.again >= lastLook || r.again == 0:
		r.gap, r.again = 0, 0
	default:
		r.gap, r.again = quickestLook, min(4*r.again, lastLook)
	}
}
