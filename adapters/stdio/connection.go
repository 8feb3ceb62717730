package stdio

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errEnded is what a message meets that comes after the last answer.
var errEnded = errors.New("stdio: the session has ended")

// A connection is one session, as the SDK sees it.
type connection struct {
	options Options
	lines   *lines
	hangUp  func() // ends a blocked read of the input, and every later one
	calls   *ledger
	out     *outbox
	drain   *drain // what Read is at, once the input ended; touched by Read alone
	ending  chan struct{}
	begin   func() // closes ending

	stopping chan struct{} // closed when the input is to end here
	stop     func()
	over     chan struct{} // closed when nothing is worth waiting for any more
	end      func(error)
	cause    error // why, before over is closed
}

var _ mcp.Connection = (*connection)(nil)

func newConnection(in io.ReadCloser, out io.WriteCloser, options Options, ending chan struct{}) *connection {
	c := &connection{
		options: options, lines: newLines(in, options.MaxFrameBytes), calls: newLedger(options.MaxRequests),
		ending: ending, stopping: make(chan struct{}), over: make(chan struct{}),
	}
	c.hangUp = c.once("input", in)
	c.begin = sync.OnceFunc(func() { close(ending) })
	c.stop = sync.OnceFunc(func() {
		close(c.stopping)
		c.hangUp()
	})
	var ended sync.Once
	c.end = func(cause error) {
		ended.Do(func() {
			c.cause = cause
			close(c.over)
			c.begin()
			c.hangUp()
		})
	}
	c.out = newOutbox(out, c.once("output", out), options, c.end)
	return c
}

// once returns a function that closes a stream once.
func (c *connection) once(name string, stream io.Closer) func() {
	return sync.OnceFunc(func() {
		if err := stream.Close(); err != nil {
			c.options.Logger.Warn("closing a stream of the session failed", "stream", name, "error", err)
		}
	})
}

// Read returns the next message that is fit for the SDK, having answered those that are not. It heeds Close and
// not its context, which the SDK never ends.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	for c.drain == nil && !c.isOver() {
		line, err := c.lines.next()
		if long, ok := errors.AsType[*longLine](err); ok {
			c.refuse(long.id, refusal(jsonrpc.CodeInvalidRequest, "invalid request: %v; send less in one call", long))
			continue
		}
		if err != nil {
			c.startDrain(err)
		} else if message := c.accept(line); message != nil {
			return message, nil
		}
	}
	if c.isOver() {
		return nil, c.cause
	}
	return c.nextOfDrain()
}

func (c *connection) isOver() bool {
	select {
	case <-c.over:
		return true
	default:
		return false
	}
}

// accept returns the message on a line, or answers it and returns nil.
func (c *connection) accept(line []byte) jsonrpc.Message {
	message, refused := decode(line)
	if refused != nil {
		var found salvage
		found.feed(line)
		c.refuse(found.id(), refused)
		return nil
	}
	if request, ok := message.(*jsonrpc.Request); ok {
		if refused = c.calls.admit(request); refused != nil {
			c.refuse(request.ID, refused)
			return nil
		}
	}
	return message
}

func (c *connection) refuse(id jsonrpc.ID, refused *jsonrpc.Error) {
	c.options.Logger.Debug("refused a message", "id", id.Raw(), "code", refused.Code, "reason", refused.Message)
	if err := c.out.send(encodeRefusal(c.calls.free(id), refused)); err != nil {
		c.end(err)
	}
}

// Write queues a message, unless it answers a call that the peer cancelled. It returns before the peer has it;
// what goes wrong later ends the session. A notification after the last answer is dropped.
func (c *connection) Write(_ context.Context, message jsonrpc.Message) error {
	answer, answers := message.(*jsonrpc.Response)
	frame, err := jsonrpc.EncodeMessage(message)
	switch {
	case err == nil:
		frame = append(frame, '\n')
	case answers: // an error here would end the session, and a call without an answer would never end
		c.options.Logger.Error("an answer cannot be encoded", "id", answer.ID.Raw(), "error", err)
		frame = encodeRefusal(answer.ID, refusal(jsonrpc.CodeInternalError, "internal error: the answer cannot be encoded"))
	default:
		return err
	}
	if answers {
		return c.calls.finish(answer.ID, func() error { return c.out.send(frame) })
	}
	err = c.out.send(frame)
	if request, ok := message.(*jsonrpc.Request); ok && !request.IsCall() && errors.Is(err, errEnded) {
		return nil // the SDK withdraws a question of its own in the background, perhaps after the last answer
	}
	return err
}

// Close ends the session, having written what is queued if the peer reads it in time.
func (c *connection) Close() error {
	c.end(io.EOF)
	return c.out.close(c.options.WriteTimeout)
}

// SessionID returns the empty string: there is one session.
func (c *connection) SessionID() string { return "" }
