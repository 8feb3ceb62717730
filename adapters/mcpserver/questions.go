package mcpserver

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

const (
	answerWithin  = 2 * time.Minute // how long after a question the repeated call may bring its answer
	greatestAsked = 256             // questions whose answers may be to come; beyond, the oldest is forgotten
)

// questions are those whose answers are to come with repeated calls. The client knows them by what nobody can guess, and an answer
// counts once. It is safe for concurrent use.
type questions struct {
	mu   sync.Mutex
	open map[string]openQuestion
}

// A given is an answer that a person gave to a question about something.
type given struct {
	about  string
	answer ports.Answer
}

// An openQuestion is one whose answer is still to come.
type openQuestion struct {
	call   []byte // digest of the call that is to be repeated
	reason fault.Reason
	about  string
	until  time.Time
	before map[fault.Reason]given // answers to questions before
}

// ask keeps a question, and gives the state with which the client is to repeat the call.
func (q *questions) ask(tool string, request *mcp.CallToolRequest, question ports.Question, before map[fault.Reason]given) (state string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.open) >= greatestAsked {
		oldest := ""
		for one, open := range q.open {
			if oldest == "" || open.until.Before(q.open[oldest].until) {
				oldest = one
			}
		}
		delete(q.open, oldest)
	}
	if q.open == nil {
		q.open = map[string]openQuestion{}
	}
	state = rand.Text()
	q.open[state] = openQuestion{
		call: digest(tool, request.Params.Arguments), reason: question.Reason, about: question.About,
		until: time.Now().Add(answerWithin), before: before,
	}
	return state
}

// came are the answers that a repeated call brings; none if it repeats no call of which something is still asked.
func (q *questions) came(tool string, request *mcp.CallToolRequest) map[fault.Reason]given {
	open, ok := q.take(request.Params.RequestState, digest(tool, request.Params.Arguments))
	if !ok {
		return nil
	}
	came := map[fault.Reason]given{}
	maps.Copy(came, open.before)
	result, ok := request.Params.InputResponses[theQuestion].(*mcp.ElicitResult)
	switch {
	case !ok:
		came[open.reason] = given{open.about, ports.Unasked}
	case time.Now().After(open.until):
		came[open.reason] = given{open.about, ports.Unanswered}
	default:
		came[open.reason] = given{open.about, answerOf(result)}
	}
	return came
}

// take finds the question that a call is to be repeated for, and forgets it.
func (q *questions) take(state string, call []byte) (openQuestion, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	open, ok := q.open[state]
	if !ok || !bytes.Equal(open.call, call) {
		return openQuestion{}, false
	}
	delete(q.open, state)
	return open, true
}

// digest tells calls apart, however a client writes the JSON of their arguments.
func digest(tool string, arguments json.RawMessage) []byte {
	in := json.NewDecoder(bytes.NewReader(arguments))
	in.UseNumber()
	var values any
	if in.Decode(&values) == nil {
		if canonical, err := json.Marshal(values); err == nil {
			arguments = canonical
		}
	}
	sum := sha256.Sum256(append([]byte(tool+"\n"), arguments...))
	return sum[:]
}
