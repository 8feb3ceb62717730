package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
)

// waits is a dummy that waits until its context ends, and says how it ended.
func waits(started chan<- struct{}, ended chan<- error) dummy {
	return func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		close(started)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	}
}

func TestACallEndsWithItsRequest(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error, 1)
	c := talk(t, waits(started, ended), mcpserver.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if _, _, err := c.Ask(ctx, "look", nil); err == nil {
		t.Error("want the call cancelled, got an answer")
	}
	if err := <-ended; err == nil {
		t.Error("want a cause, got none")
	}
}

func TestACallEndsWithTheServer(t *testing.T) {
	started, ended := make(chan struct{}), make(chan error, 1)
	base, shutDown := context.WithCancelCause(t.Context())
	c := mcptest.Serve(t, mcpserver.New(base, waits(started, ended), mcpserver.Options{}))
	bye := errors.New("bye")
	go func() {
		<-started
		shutDown(bye)
	}()
	_, failure := c.Call(t, "touch", nil)
	const want = `{"error":{"code":"cancelled","delivery":"possibly_sent","message":"the call was cancelled: context canceled",` +
		`"recovery":"inspect the state before you retry","effects":{"state":"unknown"}}}`
	if failure == nil || failure.Text != want {
		t.Errorf("want %s, got %+v", want, failure)
	}
	if cause := <-ended; !errors.Is(cause, bye) {
		t.Errorf("cause: want %v, got %v", bye, cause)
	}
}

func TestAPanicFailsOneCall(t *testing.T) {
	c := talk(t, func(_ context.Context, name string, _ json.RawMessage) (any, error) {
		if name == "touch" {
			panic("no such index")
		}
		return struct{}{}, nil
	}, mcpserver.Options{})
	_, failure := c.Call(t, "touch", nil)
	const want = `{"error":{"code":"internal","delivery":"possibly_sent","message":"this server failed: touch panicked: no such index",` +
		`"recovery":"inspect the state before you retry","effects":{"state":"unknown"}}}`
	if failure == nil || failure.Text != want {
		t.Errorf("want %s, got %+v", want, failure)
	}
	c.Must(t, "look", nil)
}

func TestProgressOfALongCall(t *testing.T) {
	tests := map[string]struct {
		takes time.Duration
		token any
		want  []string
	}{
		"a short call":   {time.Second, "p", nil},
		"a long call":    {13 * time.Second, "p", []string{"4s", "8s", "12s"}},
		"nobody asked":   {13 * time.Second, nil, nil},
		"numeric tokens": {5 * time.Second, 7, []string{"4s"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := mcpserver.New(t.Context(), dummy(func(context.Context, string, json.RawMessage) (any, error) {
					time.Sleep(test.takes)
					return struct{}{}, nil
				}), mcpserver.Options{})
				serverEnd, clientEnd := mcp.NewInMemoryTransports()
				if _, err := server.Connect(t.Context(), serverEnd, nil); err != nil {
					t.Fatal(err)
				}
				started := time.Now()
				var got []string
				c := mcptest.Dial(t, clientEnd, &mcp.ClientOptions{
					ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
						at := time.Since(started)
						if r.Params.Progress != at.Seconds() || r.Params.Message != "look at work for "+at.String() {
							t.Errorf("after %v: got %+v", at, r.Params)
						}
						got = append(got, at.String())
					},
				}, nil)
				params := &mcp.CallToolParams{Name: "look"}
				if test.token != nil {
					params.SetProgressToken(test.token)
				}
				if _, err := c.Session.CallTool(t.Context(), params); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute) // of the bubble: nothing may come any more
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("progress (-want +got):\n%s", diff)
				}
			})
		})
	}
}
