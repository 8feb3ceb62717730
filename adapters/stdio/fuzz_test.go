package stdio_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/stdio"
)

// collected is an output that keeps what is written.
type collected struct{ bytes.Buffer }

func (*collected) Close() error { return nil }

// FuzzFrame feeds lines to a connection: each must come out as one message that is really there, or be answered with
// one error frame.
func FuzzFrame(f *testing.F) {
	for _, bad := range badFrames {
		if len(bad.line) < 4096 {
			f.Add([]byte(bad.line))
		}
	}
	f.Add([]byte(`{"jsonrpc":"2.0","id":"\u0069d","method":"tools/call","params":{"name":"x","arguments":{"a":[1,{"b":"\ud83d\ude00"}]}}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`))
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{}}`))
	f.Add([]byte(greeting))
	f.Fuzz(func(t *testing.T, input []byte) {
		output := &collected{}
		connection, err := stdio.New(io.NopCloser(bytes.NewReader(input)), output, stdio.Options{MaxFrameBytes: 512}).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		messages := 0
		for {
			message, err := connection.Read(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("reading %q: %v", input, err)
			}
			messages++
			if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
				if err := connection.Write(t.Context(), &jsonrpc.Response{ID: request.ID, Result: json.RawMessage(`{}`)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := connection.Close(); err != nil {
			t.Errorf("closing after %q: %v", input, err)
		}
		var good, calls int
		lines := bytes.Split(input, []byte("\n"))
		if len(lines[len(lines)-1]) == 0 {
			lines = lines[:len(lines)-1]
		}
		for _, line := range lines {
			var message struct{ ID *json.RawMessage }
			if len(line) <= 512 && utf8.Valid(line) && json.Unmarshal(line, &message) == nil {
				good++
			}
		}
		if messages > good {
			t.Errorf("%d messages came of %d lines that are JSON objects in %q", messages, good, input)
		}
		answers := bytes.Count(output.Bytes(), []byte("\n"))
		for answer := range bytes.SplitSeq(bytes.TrimSuffix(output.Bytes(), []byte("\n")), []byte("\n")) {
			var frame struct {
				Version string `json:"jsonrpc"`
				ID      json.RawMessage
				Result  json.RawMessage
				Error   *jsonrpc.Error
			}
			switch {
			case answers == 0:
			case json.Unmarshal(answer, &frame) != nil || frame.Version != "2.0" || frame.ID == nil:
				t.Errorf("the answer to %q is %q", input, answer)
			case frame.Error == nil:
				calls++
			}
		}
		if served, refused := messages, answers-calls; served+refused != len(lines) {
			t.Errorf("of %d lines %d were served and %d refused: %q", len(lines), served, refused, input)
		}
	})
}
