package stdio_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/stdio"
)

func TestQuickCallsAreAnsweredAfterTheEnd(t *testing.T) {
	for name, streams := range map[string]streams{"memory": memory, "pipes": pipes} {
		t.Run(name, func(t *testing.T) {
			s := open(t, streams, stdio.Options{})
			want := map[string]string{}
			for id := range 20 {
				s.call(fmt.Sprint(id), "echo")
				want[fmt.Sprint(id)] = fmt.Sprintf(`{"id":%d}`, id)
			}
			if diff := cmp.Diff(want, s.rest()); diff != "" {
				t.Errorf("the answers (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatRunsAtTheEndIsCancelledAndAnswered(t *testing.T) {
	for name, end := range map[string]func(*session){
		"end of the input": func(s *session) {
			if err := s.in.Close(); err != nil {
				s.t.Error(err)
			}
		},
		"end of the context": func(s *session) { s.stop() },
		"Stop":               func(s *session) { s.transport.Stop(); s.transport.Stop() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, memory, stdio.Options{})
				began := time.Now()
				s.call("1", "gate")
				s.call("2", "wait")
				s.call("3", "gate")
				s.call("4", "wait")
				s.enter(4)
				s.call("5", "wait") // waits its turn behind four
				synctest.Wait()
				end(s)
				time.Sleep(500 * time.Millisecond)
				s.gate <- struct{}{}
				said := map[string]int{}
				for range 5 {
					said[s.reply().text()]++
				}
				// The call that passed left its turn to the fifth.
				if diff := cmp.Diff(map[string]int{"passed": 1, "cancelled": 4}, said); diff != "" {
					t.Errorf("what the calls said (-want +got):\n%s", diff)
				}
				if took := time.Since(began); took != time.Second {
					t.Errorf("the calls ended after %v, want the grace of 1s", took)
				}
			})
		})
	}
}

func TestCallThatWaitsItsTurnAtTheEndNeverBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, memory, stdio.Options{})
		for id := range 4 {
			s.call(fmt.Sprint(id), "stuck")
		}
		s.enter(4)
		s.call("5", "echo")
		s.stop()
		s.refused("5", -32000, "nothing was done")
		close(s.gate)
		want := map[string]string{"0": "freed", "1": "freed", "2": "freed", "3": "freed"}
		if diff := cmp.Diff(want, s.rest()); diff != "" {
			t.Errorf("the answers (-want +got):\n%s", diff)
		}
	})
}

func TestSessionEndsThoughACallDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, memory, stdio.Options{})
		s.call("1", "stuck")
		s.enter(1)
		began := time.Now()
		err := s.end()
		if err == nil || !strings.Contains(err.Error(), "did not end within 5s") {
			t.Errorf("the session ended with %v", err)
		}
		if took := time.Since(began); took < 5*time.Second || took > 6*time.Second {
			t.Errorf("the session took %v to end, want 5s and a little", took)
		}
		close(s.gate)
		synctest.Wait()
	})
}

func TestReadEndsThoughACallDoesNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		input := io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`))
		connection, err := stdio.New(input, &collected{}, stdio.Options{Grace: time.Second, Drain: 3 * time.Second}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		var methods []string
		for {
			message, err := connection.Read(t.Context())
			if err != nil {
				if !strings.Contains(err.Error(), "1 calls did not end within 3s") {
					t.Errorf("reading ended with %v", err)
				}
				break
			}
			methods = append(methods, message.(*jsonrpc.Request).Method)
		}
		if diff := cmp.Diff([]string{"tools/call", "notifications/cancelled"}, methods); diff != "" {
			t.Errorf("what was read (-want +got):\n%s", diff)
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("reading ended after %v, want 3s", took)
		}
		if err := connection.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestParkedListenDoesNotDelayTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, memory, stdio.Options{})
		s.send(`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
			`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"peer","version":"0"}}}}`)
		synctest.Wait()
		s.ping() // it is parked, not answered
		began := time.Now()
		if err := s.end(); err != nil {
			t.Errorf("the session ended with %v", err)
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the session took %v to end", took)
		}
		if got := s.reply(); string(got.ID) != "1" || got.Error != nil {
			t.Errorf("the listen was answered with %+v", got)
		}
	})
}

func TestStopBeforeTheSessionEndsItAtOnce(t *testing.T) {
	s := start(t, pipes, stdio.Options{})
	s.transport.Stop()
	if err := s.wait(); err != nil {
		t.Errorf("the session ended with %v", err)
	}
	s.close()
}

func TestTransportServesOneSession(t *testing.T) {
	s := open(t, memory, stdio.Options{})
	if err := s.transport.Serve(t.Context(), newServer(nil, nil)); err == nil || !strings.Contains(err.Error(), "one session") {
		t.Errorf("a second session ended with %v", err)
	}
	s.ping()
}

func TestFailedInputIsDrainedAndReported(t *testing.T) {
	s := open(t, memory, stdio.Options{})
	s.call("1", "gate")
	s.enter(1)
	broken := errors.New("the line is broken")
	if err := s.in.(*io.PipeWriter).CloseWithError(broken); err != nil {
		t.Fatal(err)
	}
	close(s.gate)
	s.says("1", "passed")
	if err := s.end(); !errors.Is(err, broken) {
		t.Errorf("the session ended with %v, want %v", err, broken)
	}
}

// The SDK cancels requests of its own behind the back of whoever made them.
func TestNotificationsAfterTheLastAnswerAreDropped(t *testing.T) {
	out := &collected{}
	connection, err := stdio.New(io.NopCloser(strings.NewReader("")), out, stdio.Options{}).Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connection.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Fatalf("the input ended with %v", err)
	}
	late := &jsonrpc.Request{Method: "notifications/cancelled"}
	if err := connection.Write(t.Context(), late); err != nil {
		t.Errorf("a notification ended with %v", err)
	}
	id, err := jsonrpc.MakeID("1")
	if err != nil {
		t.Fatal(err)
	}
	if err := connection.Write(t.Context(), &jsonrpc.Request{ID: id, Method: "elicitation/create"}); err == nil {
		t.Error("a request was taken that nobody will read")
	}
	if text := out.String(); text != "" {
		t.Errorf("wrote %q", text)
	}
}
