package stdio

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// lastFlush is how long the last answers may take at least, when nothing of Options.Drain is left.
const lastFlush = 100 * time.Millisecond

// A drain is the end of a session, in which Read returns nothing but cancellations of what still runs.
type drain struct {
	err      error // what Read returns in the end
	deadline time.Time
	settled  <-chan struct{}
	grace    <-chan time.Time
	bound    <-chan time.Time
	cancel   []jsonrpc.ID // to be cancelled now
}

// startDrain begins the end, for the reason that the input gave.
func (c *connection) startDrain(err error) {
	select {
	case <-c.stopping:
		err = io.EOF
	default:
		if !errors.Is(err, io.EOF) {
			err = fmt.Errorf("stdio: %w", err)
		}
	}
	c.drain = &drain{
		err:      err,
		deadline: time.Now().Add(c.options.Drain),
		settled:  c.calls.wait(),
		grace:    time.After(min(c.options.Grace, c.options.Drain)),
		bound:    time.After(c.options.Drain),
		cancel:   c.calls.open(true),
	}
	c.begin()
}

// nextOfDrain returns the next cancellation, or the end of the session once nothing is in flight any more and all
// answers are out, or the time is up.
func (c *connection) nextOfDrain() (jsonrpc.Message, error) {
	d := c.drain
	for {
		if len(d.cancel) > 0 {
			id := d.cancel[0]
			d.cancel = d.cancel[1:]
			return cancellation(id), nil
		}
		select {
		case <-c.over:
			return nil, c.cause
		case <-d.grace:
			d.cancel = c.calls.open(false)
		case <-d.settled:
			return nil, c.finishDrain()
		case <-d.bound:
			return nil, c.finishDrain()
		}
	}
}

// finishDrain sends what is queued and returns what Read ends with.
func (c *connection) finishDrain() error {
	left := len(c.calls.open(false))
	if err := c.out.close(max(time.Until(c.drain.deadline), lastFlush)); err != nil {
		return err
	}
	if left > 0 {
		return fmt.Errorf("stdio: %d calls did not end within %v of the end of the input", left, c.options.Drain)
	}
	return c.drain.err
}

// cancellation is the peer's own message for ending a call. It passes the ledger by, so the answer is sent.
func cancellation(id jsonrpc.ID) jsonrpc.Message {
	params, err := json.Marshal(map[string]any{"requestId": id.Raw(), "reason": "the input has ended"})
	if err != nil {
		panic("stdio: an id that is no JSON: " + err.Error())
	}
	return &jsonrpc.Request{Method: methodCancelled, Params: params}
}
