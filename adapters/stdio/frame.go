package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// codeOverloaded is the error code of a call beyond MaxRequests, the first of those that JSON-RPC leaves to servers.
const codeOverloaded = -32000

// space is the white space of JSON, which is less than Unicode's.
const space = " \t\r\n"

func refusal(code int64, format string, arguments ...any) *jsonrpc.Error {
	return &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, arguments...)}
}

// decode returns the message that a line is, or what is wrong with it.
func decode(line []byte) (jsonrpc.Message, *jsonrpc.Error) {
	text := bytes.Trim(line, space)
	switch {
	case bytes.HasPrefix(text, []byte("\ufeff")):
		return nil, refusal(jsonrpc.CodeParseError, "parse error: a byte order mark; send plain UTF-8")
	case len(text) == 0:
		return nil, refusal(jsonrpc.CodeParseError, "parse error: a blank line; send one message a line")
	case !utf8.Valid(text):
		return nil, refusal(jsonrpc.CodeParseError, "parse error: invalid UTF-8")
	}
	if err := json.Unmarshal(text, new(json.RawMessage)); err != nil {
		return nil, refusal(jsonrpc.CodeParseError, "parse error: %v", err)
	}
	switch text[0] {
	case '{':
	case '[':
		return nil, refusal(jsonrpc.CodeInvalidRequest, "invalid request: batches are not supported; send one message a line")
	default:
		return nil, refusal(jsonrpc.CodeInvalidRequest, "invalid request: a message is an object")
	}
	members, err := (&scan{text: text}).members()
	if err == nil {
		err = checkEnvelope(members)
	}
	if err != nil {
		return nil, refusal(jsonrpc.CodeInvalidRequest, "invalid request: %v", err)
	}
	message, err := jsonrpc.DecodeMessage(text)
	if err != nil {
		return nil, refusal(jsonrpc.CodeInvalidRequest, "invalid request: %v", err)
	}
	return message, nil
}

// checkEnvelope checks what the SDK's decoder would take for something else or end the session over.
func checkEnvelope(members map[string]json.RawMessage) error {
	if version := members["jsonrpc"]; string(version) != `"2.0"` {
		return errors.New(`jsonrpc must be "2.0"`)
	}
	id, identified := members["id"]
	if identified {
		if _, err := parseID(id); err != nil {
			return err
		}
	}
	if method, ok := members["method"]; ok {
		if method[0] != '"' {
			return errors.New("method must be a string")
		}
		return nil
	}
	_, result := members["result"]
	_, failed := members["error"]
	if !identified || result == failed {
		return errors.New("a message has a method, or an id and one of result and error")
	}
	return nil
}

// parseID reads an id that this session can give back as it came: a string, or an integer that every peer's
// numbers hold exactly.
func parseID(text []byte) (jsonrpc.ID, error) {
	var name string
	switch {
	case !json.Valid(text):
		return jsonrpc.ID{}, errors.New("the id is not JSON")
	case text[0] == '"':
		if err := json.Unmarshal(text, &name); err != nil {
			return jsonrpc.ID{}, err
		}
		return jsonrpc.MakeID(name)
	}
	const exact = 1 << 53 // the largest magnitude up to which a float64 holds all integers
	number, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || number > exact || number < -exact {
		return jsonrpc.ID{}, errors.New("the id must be a string, or an integer of at most 2^53")
	}
	return jsonrpc.MakeID(float64(number))
}

// encodeRefusal returns the error frame, with its line feed, for a message whose id may be unknown. JSON-RPC wants
// a null id then; the SDK's encoder would leave it out.
func encodeRefusal(id jsonrpc.ID, refused *jsonrpc.Error) []byte {
	frame, err := json.Marshal(struct {
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", id.Raw(), refused})
	if err != nil {
		panic("stdio: an id or an error that is no JSON: " + err.Error())
	}
	return append(frame, '\n')
}
