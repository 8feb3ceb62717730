package stdio

import (
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The methods of MCP that the transport itself has to know.
const (
	methodCancelled = "notifications/cancelled"
	methodListen    = "subscriptions/listen" // parks until it is cancelled
)

// A ledger knows the calls in flight: received, and neither answered nor, if cancelled, ended.
type ledger struct {
	max int

	mu       sync.Mutex
	inFlight map[jsonrpc.ID]*entry
	settled  chan struct{} // made by whoever waits, closed when nothing is in flight
}

type entry struct {
	parked    bool // does no work and ends only when it is cancelled
	cancelled bool // by the peer, who wants no answer any more
}

func newLedger(limit int) *ledger {
	return &ledger{max: limit, inFlight: map[jsonrpc.ID]*entry{}}
}

// admit takes note of a request from the peer, or refuses it.
func (l *ledger) admit(request *jsonrpc.Request) *jsonrpc.Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if request.Method == methodCancelled {
		l.cancel(request.Params)
	}
	if !request.IsCall() {
		return nil
	}
	if l.inFlight[request.ID] != nil {
		return refusal(jsonrpc.CodeInvalidRequest, "invalid request: the id %#v is in use by a call in flight", request.ID.Raw())
	}
	if len(l.inFlight) >= l.max {
		return refusal(codeOverloaded, "overloaded: %d calls are in flight; retry when one of them was answered", l.max)
	}
	l.inFlight[request.ID] = &entry{parked: request.Method == methodListen}
	return nil
}

// cancel marks the call that a cancellation names. One that names none is left to the SDK.
func (l *ledger) cancel(params json.RawMessage) {
	var named map[string]json.RawMessage
	if json.Unmarshal(params, &named) != nil {
		return
	}
	id, err := parseID(named["requestId"])
	if err != nil {
		return
	}
	if call := l.inFlight[id]; call != nil {
		call.cancelled = true
	}
}

// finish ends a call and sends its answer, unless the peer cancelled it. The id is free before the peer can see
// the answer, and nothing is settled before the answer is sent: both happen under the ledger's lock.
func (l *ledger) finish(id jsonrpc.ID, send func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	call := l.inFlight[id]
	delete(l.inFlight, id)
	var err error
	if call == nil || !call.cancelled {
		err = send()
	}
	if l.settled != nil && len(l.inFlight) == 0 {
		close(l.settled)
		l.settled = nil
	}
	return err
}

// free returns id if an error may bear it: a call in flight would take the error for its answer.
func (l *ledger) free(id jsonrpc.ID) jsonrpc.ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inFlight[id] != nil {
		return jsonrpc.ID{}
	}
	return id
}

// wait returns a channel that is closed when nothing is in flight. One may wait at a time, and nothing may be
// admitted meanwhile.
func (l *ledger) wait() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	settled := make(chan struct{})
	if len(l.inFlight) == 0 {
		close(settled)
	} else {
		l.settled = settled
	}
	return settled
}

// open returns the ids in flight, of the parked calls alone if parked is set.
func (l *ledger) open(parked bool) []jsonrpc.ID {
	l.mu.Lock()
	defer l.mu.Unlock()
	var ids []jsonrpc.ID
	for id, call := range l.inFlight {
		if call.parked || !parked {
			ids = append(ids, id)
		}
	}
	return ids
}
