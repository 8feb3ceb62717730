package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/stdio"
)

// hang is how long a test waits for what must come.
const hang = 10 * time.Second

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(serveStandardStreams())
	}
	goleak.VerifyTestMain(m)
}

// A session is a real SDK server behind a transport, and the peer's ends of its streams.
type session struct {
	t         *testing.T
	transport *stdio.Transport
	in        io.WriteCloser // what the peer writes
	out       io.ReadCloser  // what the peer reads, unless replies does
	replies   chan reply     // closed at the end of the output
	ended     chan error
	end       func() error // ends the input and waits for the session
	stop      context.CancelFunc
	gate      chan struct{} // closed, or written to, it lets tools go on
	entered   chan string   // the names of the tools that began, where they wait
}

type reply struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *jsonrpc.Error  `json:"error"`
}

// text is the first text of a tool's result.
func (r reply) text() string {
	var result struct{ Content []struct{ Text string } }
	if json.Unmarshal(r.Result, &result) != nil || len(result.Content) == 0 {
		return fmt.Sprintf("no text in %s, error %v", r.Result, r.Error)
	}
	return result.Content[0].Text
}

// streams makes the streams of a session.
type streams func(t *testing.T) (in io.ReadCloser, toIn io.WriteCloser, fromOut io.ReadCloser, out io.WriteCloser)

func memory(*testing.T) (io.ReadCloser, io.WriteCloser, io.ReadCloser, io.WriteCloser) {
	in, toIn := io.Pipe()
	fromOut, out := io.Pipe()
	return in, toIn, fromOut, out
}

func pipes(t *testing.T) (io.ReadCloser, io.WriteCloser, io.ReadCloser, io.WriteCloser) {
	in, toIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromOut, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return in, toIn, fromOut, out
}

// newServer returns a server with tools that behave in ways that matter to a transport. A tool that waits says
// its name to entered first.
func newServer(gate <-chan struct{}, entered chan<- string) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	server.AddReceivingMiddleware(stdio.Contain(slog.New(slog.DiscardHandler)), stdio.Concurrency(4))
	add := func(name string, run func(ctx context.Context, arguments json.RawMessage) (string, error)) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				text, err := run(ctx, request.Params.Arguments)
				if err != nil {
					return nil, err
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
			})
	}
	add("echo", func(_ context.Context, arguments json.RawMessage) (string, error) { return string(arguments), nil })
	add("panic", func(context.Context, json.RawMessage) (string, error) { panic("as asked") })
	add("garbled", func(context.Context, json.RawMessage) (string, error) {
		return "", &jsonrpc.Error{Code: 1, Data: json.RawMessage(`{`)}
	})
	add("big", func(context.Context, json.RawMessage) (string, error) { return strings.Repeat("x", 1<<20), nil })
	add("wait", func(ctx context.Context, _ json.RawMessage) (string, error) {
		entered <- "wait"
		<-ctx.Done()
		return "cancelled", nil
	})
	add("gate", func(ctx context.Context, _ json.RawMessage) (string, error) {
		entered <- "gate"
		select {
		case <-gate:
			return "passed", nil
		case <-ctx.Done():
			return "cancelled", nil
		}
	})
	add("stuck", func(context.Context, json.RawMessage) (string, error) {
		entered <- "stuck"
		<-gate
		return "freed", nil
	})
	return server
}

// start serves a session whose replies nobody reads yet.
func start(t *testing.T, join streams, options stdio.Options) *session {
	t.Helper()
	in, toIn, fromOut, out := join(t)
	s := &session{
		t: t, in: toIn, out: fromOut, transport: stdio.New(in, out, options),
		ended: make(chan error, 1), gate: make(chan struct{}), entered: make(chan string, 1024),
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	server := newServer(s.gate, s.entered)
	go func() {
		s.ended <- s.transport.Serve(ctx, server)
		for _, stream := range []io.Closer{in, out} { // the transport leaves files open
			if err := stream.Close(); err != nil {
				t.Errorf("closing a stream: %v", err)
			}
		}
	}()
	s.end = sync.OnceValue(func() error {
		if err := s.in.Close(); err != nil {
			t.Errorf("closing the input: %v", err)
		}
		return s.wait()
	})
	return s
}

// greeting is the first message of a session.
const greeting = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"peer","version":"0"}}}`

// open serves a session and shakes hands with it.
func open(t *testing.T, join streams, options stdio.Options) *session {
	t.Helper()
	s := start(t, join, options)
	s.listen()
	s.send(greeting)
	if got := s.reply(); string(got.ID) != `"hello"` || got.Error != nil {
		t.Fatalf("initialize was answered with %+v", got)
	}
	s.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return s
}

// listen starts to read the replies.
func (s *session) listen() {
	s.replies = make(chan reply, 4096)
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		defer close(s.replies)
		for lines := bufio.NewReader(s.out); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var next reply
			if err := json.Unmarshal(line, &next); err != nil {
				s.t.Errorf("the output holds %q: %v", line, err)
			}
			if next.Method == "" {
				s.replies <- next
			}
		}
	}()
	s.t.Cleanup(func() {
		if err := s.end(); err != nil {
			s.t.Logf("the session ended with %v", err)
		}
		<-finished
	})
}

// close closes the peer's ends of a session that ended and whose replies nobody reads.
func (s *session) close() {
	s.t.Helper()
	if err := errors.Join(s.in.Close(), s.out.Close()); err != nil {
		s.t.Error(err)
	}
}

func (s *session) send(line string) {
	s.t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.t.Fatalf("sending %.80q: %v", line, err)
	}
}

func (s *session) call(id, tool string) {
	s.t.Helper()
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":{"id":%s}}}`, id, tool, id))
}

func (s *session) cancel(id string) {
	s.t.Helper()
	s.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%s}}`, id))
}

func (s *session) reply() reply {
	s.t.Helper()
	next, err := receive(s.replies)
	if err != nil {
		s.t.Fatalf("waiting for a reply: %v", err)
	}
	return next
}

// enter waits until n more tools wait.
func (s *session) enter(n int) {
	s.t.Helper()
	for range n {
		if _, err := receive(s.entered); err != nil {
			s.t.Fatalf("waiting for a tool to begin: %v", err)
		}
	}
}

// ping proves that the session lives, and that nothing else was said before.
func (s *session) ping() {
	s.t.Helper()
	s.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	want := reply{ID: json.RawMessage(`"ping"`), Result: json.RawMessage(`{}`)}
	if diff := cmp.Diff(want, s.reply()); diff != "" {
		s.t.Fatalf("the reply to a ping (-want +got):\n%s", diff)
	}
}

// wait returns what the session ended with.
func (s *session) wait() error {
	s.t.Helper()
	ended, err := receive(s.ended)
	if err != nil {
		s.t.Fatalf("waiting for the session to end: %v", err)
	}
	return ended
}

// rest ends the input and returns the texts of the remaining replies by id.
func (s *session) rest() map[string]string {
	s.t.Helper()
	if err := s.end(); err != nil {
		s.t.Errorf("the session ended with %v", err)
	}
	texts := map[string]string{}
	for next := range s.replies {
		texts[string(next.ID)] = next.text()
	}
	return texts
}

func receive[T any](from <-chan T) (T, error) {
	select {
	case next, ok := <-from:
		if !ok {
			return next, io.ErrUnexpectedEOF
		}
		return next, nil
	case <-time.After(hang):
		var none T
		return none, os.ErrDeadlineExceeded
	}
}
