package stdio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options bound a session. The zero value of each field stands for its default.
type Options struct {
	MaxFrameBytes  int           // bytes of a received line without its line feed; 1 MiB
	MaxRequests    int           // calls in flight, at work or waiting their turn; 256
	MaxOutputBytes int           // bytes queued to a slow peer, though one frame always fits; 4 MiB
	WriteTimeout   time.Duration // how long a peer may take to read 4 KiB of what waits for it; 5 s
	Grace          time.Duration // how long calls go on undisturbed after the end of the input; 1 s
	Drain          time.Duration // how long a session may last after the end of the input, grace included; 5 s
	Logger         *slog.Logger  // nil: nothing is logged
}

func (o Options) withDefaults() Options {
	return Options{
		MaxFrameBytes:  cmp.Or(o.MaxFrameBytes, 1<<20),
		MaxRequests:    cmp.Or(o.MaxRequests, 256),
		MaxOutputBytes: cmp.Or(o.MaxOutputBytes, 4<<20),
		WriteTimeout:   cmp.Or(o.WriteTimeout, 5*time.Second),
		Grace:          cmp.Or(o.Grace, time.Second),
		Drain:          cmp.Or(o.Drain, 5*time.Second),
		Logger:         cmp.Or(o.Logger, slog.New(slog.DiscardHandler)),
	}
}

// A Transport serves one session over a pair of streams.
type Transport struct {
	in      io.ReadCloser
	out     io.WriteCloser
	options Options
	ending  chan struct{} // closed when the session begins to end

	mu        sync.Mutex
	stopped   bool
	connected *connection
}

var _ mcp.Transport = (*Transport)(nil)

// New returns a transport that reads messages from in and writes them to out, both of which are its own from
// now on. An *os.File is polled and stays open; Close of anything else must end a Read or Write that blocks.
func New(in io.ReadCloser, out io.WriteCloser, options Options) *Transport {
	return &Transport{in: in, out: out, options: options.withDefaults(), ending: make(chan struct{})}
}

// Connect starts the session. The SDK calls it, once.
func (t *Transport) Connect(context.Context) (mcp.Connection, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.connected != nil {
		return nil, errors.New("stdio: a transport serves one session")
	}
	in, out, err := t.in, t.out, error(nil)
	if file, ok := in.(*os.File); ok {
		if in, err = newDescriptor(file); err != nil {
			return nil, fmt.Errorf("stdio: input: %w", err)
		}
	}
	if file, ok := out.(*os.File); ok {
		if out, err = newDescriptor(file); err != nil {
			return nil, errors.Join(fmt.Errorf("stdio: output: %w", err), in.Close())
		}
	}
	t.connected = newConnection(in, out, t.options, t.ending)
	if t.stopped {
		t.connected.stop()
	}
	return t.connected, nil
}

// Stop ends the input now, as if the peer had: what was received is drained, what comes is not read. It returns
// at once, may be called at any time and more than once.
func (t *Transport) Stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	if t.connected != nil {
		t.connected.stop()
	}
}

// Serve runs server over t until the peer ends the input or ctx is done, which both drain. It returns nil then, and
// otherwise what ended the session: an output that nobody reads, an input that failed. Where Server.Run waits
// for every handler, Serve leaves those behind that ignore their cancelled context for longer than
// Options.Drain, and says so in its error. Handlers see the values of ctx, not its end.
func (t *Transport) Serve(ctx context.Context, server *mcp.Server) error {
	defer context.AfterFunc(ctx, t.Stop)()
	ended := make(chan error, 1)
	go func() { ended <- server.Run(context.WithoutCancel(ctx), t) }()
	select {
	case err := <-ended:
		return err
	case <-t.ending:
	}
	select {
	case err := <-ended:
		return err
	case <-time.After(t.options.Drain + lastFlush + lastFlush):
		return fmt.Errorf("stdio: the session did not end within %v of its input or output", t.options.Drain)
	}
}
