package stdio_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/stdio"
)

// refused fails unless a reply is an error with an id, a code and a part of its message.
func (s *session) refused(id string, code int64, message string) {
	s.t.Helper()
	got := s.reply()
	if got.Error == nil || string(got.ID) != id || got.Error.Code != code || !strings.Contains(got.Error.Message, message) {
		s.t.Errorf("want id %s, code %d and a message with %q, got id %s and %+v", id, code, message, got.ID, got.Error)
	}
}

// says fails unless a reply is a tool's text.
func (s *session) says(id, text string) {
	s.t.Helper()
	if got := s.reply(); string(got.ID) != id || got.text() != text {
		s.t.Errorf("want id %s and the text %q, got id %s and %q", id, text, got.ID, got.text())
	}
}

func TestIDInUseIsRefused(t *testing.T) {
	s := open(t, memory, stdio.Options{})
	s.call("1", "gate")
	s.enter(1)
	s.call("1", "echo")
	s.refused("null", jsonrpc.CodeInvalidRequest, "id 1 is in use")
	s.send(`{"jsonrpc":"2.0","id":1,"method":"ping",}`) // an error for id 1 would pass for the answer of the call
	s.refused("null", jsonrpc.CodeParseError, "invalid character")
	s.call(`"1"`, "echo")
	s.says(`"1"`, `{"id":"1"}`)
	close(s.gate)
	s.says("1", "passed")
	s.call("1", "echo")
	s.says("1", `{"id":1}`)
}

func TestCallsBeyondTheLimitAreRefused(t *testing.T) {
	s := open(t, memory, stdio.Options{MaxRequests: 2})
	s.call("1", "gate")
	s.call("2", "gate")
	s.enter(2)
	s.call("3", "echo")
	s.refused("3", -32000, "2 calls are in flight")
	s.send(`{"jsonrpc":"2.0","id":"x","method":"ping"}`)
	s.refused(`"x"`, -32000, "2 calls are in flight")
	s.gate <- struct{}{}
	if got := s.reply().text(); got != "passed" {
		t.Errorf("the call that was let go says %q", got)
	}
	s.call("3", "echo")
	s.says("3", `{"id":3}`)
	close(s.gate)
}

func TestCallsWaitTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, memory, stdio.Options{})
		for _, id := range []string{"1", "2", "3", "4"} {
			s.call(id, "gate")
		}
		s.enter(4)
		s.call("5", "gate")
		s.call("6", "echo")
		s.call("7", "gate")
		synctest.Wait()
		s.ping()
		s.cancel("7")
		synctest.Wait()
		if began := len(s.entered); began != 0 {
			t.Errorf("%d calls began beyond the limit of 4", began)
		}
		close(s.gate)
		want := map[string]string{"1": "passed", "2": "passed", "3": "passed", "4": "passed", "5": "passed", "6": `{"id":6}`}
		if diff := cmp.Diff(want, s.rest()); diff != "" {
			t.Errorf("the answers (-want +got):\n%s", diff)
		}
	})
}

func TestCancelledCallIsNotAnswered(t *testing.T) {
	for _, id := range []string{"1", `"one"`, "9007199254740992"} {
		t.Run(id, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := open(t, memory, stdio.Options{})
				s.call(id, "wait")
				s.enter(1)
				s.cancel(id)
				synctest.Wait()
				s.ping()
				s.call(id, "echo") // its id is free again
				s.says(id, `{"id":`+id+`}`)
			})
		})
	}
}

func TestCancelledCallThatGoesOnKeepsItsID(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, memory, stdio.Options{})
		s.call("1", "stuck")
		s.enter(1)
		s.cancel("1")
		s.call("1", "echo")
		s.refused("null", jsonrpc.CodeInvalidRequest, "id 1 is in use")
		close(s.gate)
		synctest.Wait()
		s.call("1", "echo")
		s.says("1", `{"id":1}`)
	})
}

func TestOddCancellationsAreHarmless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, memory, stdio.Options{})
		s.call("1", "gate")
		s.enter(1)
		for _, odd := range []string{
			`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"1"}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestID":1}}`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`,
		} {
			s.send(odd)
			s.ping()
		}
		synctest.Wait()
		close(s.gate)
		s.says("1", "passed")
	})
}

func TestPanicIsAnErrorOfItsCall(t *testing.T) {
	s := open(t, memory, stdio.Options{})
	s.call("1", "panic")
	s.refused("1", jsonrpc.CodeInternalError, "internal error in tools/call")
	s.ping()
}

func TestAnswerThatIsNoJSONIsAnError(t *testing.T) {
	s := open(t, memory, stdio.Options{})
	s.call("1", "garbled")
	s.refused("1", jsonrpc.CodeInternalError, "cannot be encoded")
	s.ping()
}
