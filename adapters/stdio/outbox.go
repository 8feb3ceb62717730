package stdio

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
)

// pageBytes is how much is written at once: what a pipe that is ready takes without blocking.
const pageBytes = 4096

// An outbox queues frames to a peer and writes them in one goroutine of its own. It fails for good when the
// queue overflows, when the peer takes longer than the timeout to read a page, and when a write fails.
type outbox struct {
	to      io.Writer
	hangUp  func() // ends a blocked write, and every later one
	limit   int    // bytes
	timeout time.Duration
	onFail  func(error) // told once, of the error that each later send returns too
	ended   chan struct{}

	mu      sync.Mutex
	changed *sync.Cond
	queue   []byte // what the writer has not taken yet
	size    int    // bytes of the queue and of what the writer holds
	closing bool
	err     error
}

// newOutbox starts the writer; close ends it.
func newOutbox(to io.Writer, hangUp func(), options Options, onFail func(error)) *outbox {
	o := &outbox{
		to: to, hangUp: hangUp, limit: options.MaxOutputBytes, timeout: options.WriteTimeout, onFail: onFail,
		ended: make(chan struct{}),
	}
	o.changed = sync.NewCond(&o.mu)
	go o.write()
	return o
}

// send queues a frame and never blocks.
func (o *outbox) send(frame []byte) error {
	o.mu.Lock()
	err, full := o.err, false
	switch {
	case err != nil:
	case o.closing:
		err = errEnded
	case o.size > 0 && o.size+len(frame) > o.limit:
		full = true
		err = fmt.Errorf("stdio: the peer left more than %d bytes unread", o.limit)
	default:
		o.queue = append(o.queue, frame...)
		o.size += len(frame)
		o.changed.Signal()
	}
	o.mu.Unlock()
	if full {
		o.fail(err)
	}
	return err
}

// write is the writer.
func (o *outbox) write() {
	defer close(o.ended)
	defer o.hangUp()
	for pages := o.take(); pages != nil; pages = o.take() {
		for page := range slices.Chunk(pages, pageBytes) {
			if err := o.writePage(page); err != nil {
				o.fail(fmt.Errorf("stdio: %w", err))
				return
			}
			o.mu.Lock()
			o.size -= len(page)
			o.mu.Unlock()
		}
	}
}

func (o *outbox) writePage(page []byte) error {
	stall := time.AfterFunc(o.timeout, func() {
		o.fail(fmt.Errorf("stdio: the peer did not read %d bytes within %v", len(page), o.timeout))
	})
	defer stall.Stop()
	_, err := o.to.Write(page)
	return err
}

// take waits for something to write, and returns nil when nothing will come.
func (o *outbox) take() []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.queue) == 0 && !o.closing && o.err == nil {
		o.changed.Wait()
	}
	if o.err != nil {
		return nil
	}
	pages := o.queue
	o.queue = nil
	return pages
}

// fail ends the output. The first error stands.
func (o *outbox) fail(err error) {
	o.mu.Lock()
	first := o.err == nil
	if first {
		o.err = err
	}
	o.changed.Signal()
	o.mu.Unlock()
	if first {
		o.onFail(err)
		o.hangUp()
	}
}

// close writes what is queued, for as long as within, waits for the writer to end and returns what failed, if
// anything did.
func (o *outbox) close(within time.Duration) error {
	o.mu.Lock()
	o.closing = true
	o.changed.Signal()
	o.mu.Unlock()
	late := time.AfterFunc(within, func() {
		o.fail(errors.New("stdio: output was left unread at the end of the session"))
	})
	<-o.ended
	late.Stop()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
