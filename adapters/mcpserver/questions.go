package mcpserver

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// answerWithin is how long after a question the repeated call may bring its answer.
const answerWithin = 2 * time.Minute

// questions keep what was asked with the client that is to repeat the call: sealed, because only what this process asked may be answered.
type questions struct {
	key []byte
}

func newQuestions() questions {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: crypto/rand
	return questions{key}
}

// A given is an answer that a person gave to a question about something.
type given struct {
	About  string       `json:"about"`
	Answer ports.Answer `json:"answer"`
}

// An openQuestion is one whose answer is still to come.
type openQuestion struct {
	Call   []byte                 `json:"call"` // digest of the call that is to be repeated
	Reason fault.Reason           `json:"reason"`
	About  string                 `json:"about"`
	Until  time.Time              `json:"until"`
	Before map[fault.Reason]given `json:"before"` // answers to questions before
}

// seal is a question for the client to keep.
func (q questions) seal(tool string, request *mcp.CallToolRequest, question ports.Question, before map[fault.Reason]given) (string, error) {
	text, err := json.Marshal(openQuestion{
		Call: digest(tool, request.Params.Arguments), Reason: question.Reason, About: question.About,
		Until: time.Now().Add(answerWithin), Before: before,
	})
	if err != nil {
		return "", err
	}
	return encoding.EncodeToString(text) + "." + encoding.EncodeToString(q.sum(text)), nil
}

// came are the answers that a repeated call brings; none if it repeats no call of which this process asked something.
func (q questions) came(tool string, request *mcp.CallToolRequest) map[fault.Reason]given {
	sealed, sum, _ := strings.Cut(request.Params.RequestState, ".")
	text, err := encoding.DecodeString(sealed)
	if err != nil {
		return nil
	}
	told, err := encoding.DecodeString(sum)
	if err != nil || !hmac.Equal(told, q.sum(text)) {
		return nil
	}
	var open openQuestion
	if json.Unmarshal(text, &open) != nil || !bytes.Equal(open.Call, digest(tool, request.Params.Arguments)) {
		return nil
	}
	came := map[fault.Reason]given{}
	maps.Copy(came, open.Before)
	result, ok := request.Params.InputResponses[theQuestion].(*mcp.ElicitResult)
	switch {
	case !ok:
		came[open.Reason] = given{open.About, ports.Unasked}
	case time.Now().After(open.Until):
		came[open.Reason] = given{open.About, ports.Unanswered}
	default:
		came[open.Reason] = given{open.About, answerOf(result)}
	}
	return came
}

var encoding = base64.RawURLEncoding

func (q questions) sum(text []byte) []byte {
	sum := hmac.New(sha256.New, q.key)
	sum.Write(text)
	return sum.Sum(nil)
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
