package snapshot

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// Limits bound what is retained. Fields that are 0 have their defaults.
type Limits struct {
	Captures int           // 16
	Bytes    int           // of all together; 8 MiB
	Age      time.Duration // of each; 30 s
}

// orDefaults fills in the defaults.
func (l Limits) orDefaults() Limits {
	if l.Captures == 0 {
		l.Captures = 16
	}
	if l.Bytes == 0 {
		l.Bytes = 8 << 20
	}
	if l.Age == 0 {
		l.Age = 30 * time.Second
	}
	return l
}

// An Entry is a capture to retain.
type Entry struct {
	Value   any    // never changed again
	Bytes   int    // for which it counts
	Release func() // called once, when it is not retained any more; may be nil
}

// A Retention keeps captures for a while, for whoever has a cursor into one: at most so many, so many bytes, and each so long. The
// oldest make room. It is safe for concurrent use; the caller says what time it is, which never goes back.
type Retention struct {
	limits Limits
	key    []byte

	mu     sync.Mutex
	closed bool
	last   uint64
	kept   []*retained // the oldest first
	bytes  int
}

type retained struct {
	Entry
	number  uint64
	expires time.Time
}

// NewRetention makes a retention. The key is a secret of one application, by which it knows its own cursors.
func NewRetention(limits Limits, key []byte) *Retention {
	return &Retention{limits: limits.orDefaults(), key: key}
}

// Limits are those in force.
func (r *Retention) Limits() Limits { return r.limits }

// A Capture names one capture, whether it is retained or not.
type Capture struct{ number uint64 }

// New names a new capture.
func (r *Retention) New() Capture {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return Capture{r.last}
}

// Keep retains a capture, once; the oldest make room for it. One that is larger than all may be is Capacity, and is released at once, as
// everything is after Close.
func (r *Retention) Keep(now time.Time, capture Capture, entry Entry) error {
	var gone []*retained
	defer func() { release(gone) }()
	r.mu.Lock()
	defer r.mu.Unlock()
	added := &retained{Entry: entry, number: capture.number, expires: now.Add(r.limits.Age)}
	if r.closed {
		gone = []*retained{added}
		return nil
	}
	if entry.Bytes > r.limits.Bytes {
		gone = []*retained{added}
		return &fault.Error{
			Kind: fault.Capacity, Message: fmt.Sprintf("the capture has %d bytes, more than the %d that are retained", entry.Bytes, r.limits.Bytes),
			Recovery: "ask for less: narrower criteria, or fewer lines",
		}
	}
	gone = r.expire(now)
	for len(r.kept) >= r.limits.Captures || r.bytes+entry.Bytes > r.limits.Bytes {
		gone = append(gone, r.drop(1)...)
	}
	r.kept = append(r.kept, added)
	r.bytes += entry.Bytes
	return nil
}

// find is the entry of a cursor that was opened, unless it is not retained any more.
func (r *Retention) find(now time.Time, number uint64) (any, bool) {
	var gone []*retained
	defer func() { release(gone) }()
	r.mu.Lock()
	defer r.mu.Unlock()
	gone = r.expire(now)
	for _, entry := range r.kept {
		if entry.number == number {
			return entry.Value, true
		}
	}
	return nil, false
}

// Expire releases what is too old, and tells when the next one will be; the zero time if nothing is retained.
func (r *Retention) Expire(now time.Time) (next time.Time) {
	var gone []*retained
	defer func() { release(gone) }()
	r.mu.Lock()
	defer r.mu.Unlock()
	gone = r.expire(now)
	if len(r.kept) > 0 {
		next = r.kept[0].expires
	}
	return next
}

// Bytes is for how much all that is retained counts.
func (r *Retention) Bytes() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// Close releases everything, and retains nothing any more.
func (r *Retention) Close() {
	var gone []*retained
	defer func() { release(gone) }()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	gone = r.drop(len(r.kept))
}

// expire takes away what is too old. They expire in the order in which they came.
func (r *Retention) expire(now time.Time) []*retained {
	n := 0
	for n < len(r.kept) && !now.Before(r.kept[n].expires) {
		n++
	}
	return r.drop(n)
}

func (r *Retention) drop(n int) []*retained {
	gone := slices.Clone(r.kept[:n])
	r.kept = slices.Delete(r.kept, 0, n)
	for _, entry := range gone {
		r.bytes -= entry.Bytes
	}
	return gone
}

// release calls what waits for the end of entries, outside the lock.
func release(gone []*retained) {
	for _, entry := range gone {
		if entry.Release != nil {
			entry.Release()
		}
	}
}
