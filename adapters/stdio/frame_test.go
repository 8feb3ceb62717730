package stdio_test

import (
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/stdio"
)

// badFrames are lines that are answered and not served, by the name of what is wrong with them.
var badFrames = []struct {
	name, line string
	id         string // of the answer
	code       int64
	message    string // a part of the answer's
}{
	{"blank", ``, `null`, jsonrpc.CodeParseError, "blank"},
	{"white space", " \t\r", `null`, jsonrpc.CodeParseError, "blank"},
	{"no JSON", `hello`, `null`, jsonrpc.CodeParseError, "invalid character 'h'"},
	{"cut short", `{"jsonrpc":"2.0","id":1,"method":"pi`, `1`, jsonrpc.CodeParseError, "unexpected end"},
	{"cut short in its id", `{"jsonrpc":"2.0","id":1`, `null`, jsonrpc.CodeParseError, "unexpected end"},
	{"array with a name", `["id":1,2]`, `null`, jsonrpc.CodeParseError, "invalid character ':'"},
	{"id out of sight", `{"id":` + strings.Repeat(" ", 506) + `12345,"jsonrpc":"1.0","method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "jsonrpc"},
	{"trailing comma", `{"jsonrpc":"2.0","id":1,"method":"ping",}`, `1`, jsonrpc.CodeParseError, "invalid character '}'"},
	{"trailing data", `{"jsonrpc":"2.0","id":1,"method":"ping"} x`, `1`, jsonrpc.CodeParseError, "after top-level value"},
	{"two objects", `{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}`, `null`, jsonrpc.CodeParseError, "after top-level value"},
	{"byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `1`, jsonrpc.CodeParseError, "byte order mark"},
	{"invalid UTF-8", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + "\xff" + `"}}`, `1`, jsonrpc.CodeParseError, "UTF-8"},
	{"overlong UTF-8", `{"jsonrpc":"2.0","id":1,"method":"p` + "\xc0\xaf" + `"}`, `1`, jsonrpc.CodeParseError, "UTF-8"},
	{"lone surrogate", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\ud83d"}}`, `1`, jsonrpc.CodeInvalidRequest, `\ud83d`},
	{"lone low surrogate", `{"jsonrpc":"2.0","id":1,"method":"\udead"}`, `1`, jsonrpc.CodeInvalidRequest, `\udead`},
	{"two high surrogates", `{"jsonrpc":"2.0","id":1,"method":"\ud83d\ud83d"}`, `1`, jsonrpc.CodeInvalidRequest, `\ud83d`},
	{"a space that JSON does not know", "\u00a0\f" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `1`, jsonrpc.CodeParseError, "invalid character"},
	{"NUL", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\x00\"}", `1`, jsonrpc.CodeParseError, "invalid character"},
	{"number", `7`, `null`, jsonrpc.CodeInvalidRequest, "object"},
	{"string", `"ping"`, `null`, jsonrpc.CodeInvalidRequest, "object"},
	{"null", `null`, `null`, jsonrpc.CodeInvalidRequest, "object"},
	{"empty batch", `[]`, `null`, jsonrpc.CodeInvalidRequest, "batches"},
	{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `null`, jsonrpc.CodeInvalidRequest, "batches"},
	{"empty object", `{}`, `null`, jsonrpc.CodeInvalidRequest, "jsonrpc"},
	{"no version", `{"id":1,"method":"ping"}`, `1`, jsonrpc.CodeInvalidRequest, "jsonrpc"},
	{"wrong version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `1`, jsonrpc.CodeInvalidRequest, "jsonrpc"},
	{"version as a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, `1`, jsonrpc.CodeInvalidRequest, "jsonrpc"},
	{"version in another case", `{"JSONRPC":"2.0","id":1,"method":"ping"}`, `1`, jsonrpc.CodeInvalidRequest, "jsonrpc"},
	{"method as a number", `{"jsonrpc":"2.0","id":1,"method":7}`, `1`, jsonrpc.CodeInvalidRequest, "method"},
	{"method null", `{"jsonrpc":"2.0","id":1,"method":null}`, `1`, jsonrpc.CodeInvalidRequest, "method"},
	{"no method", `{"jsonrpc":"2.0","id":1}`, `1`, jsonrpc.CodeInvalidRequest, "method"},
	{"result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, `1`, jsonrpc.CodeInvalidRequest, "one of result and error"},
	{"result without an id", `{"jsonrpc":"2.0","result":{}}`, `null`, jsonrpc.CodeInvalidRequest, "an id"},
	{"error as a string", `{"jsonrpc":"2.0","id":1,"error":"x"}`, `1`, jsonrpc.CodeInvalidRequest, "invalid request"},
	{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "id must be"},
	{"id object", `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "id must be"},
	{"id array", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "id must be"},
	{"id bool", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "id must be"},
	{"id fractional", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "id must be"},
	{"id with an exponent", `{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "id must be"},
	{"id too large", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "2^53"},
	{"id too small", `{"jsonrpc":"2.0","id":-9007199254740993,"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "2^53"},
	{"id beyond 64 bits", `{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, "2^53"},
	{"name twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/list"}`, `1`, jsonrpc.CodeInvalidRequest, `"method" is given twice`},
	{"id twice", `{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`, `null`, jsonrpc.CodeInvalidRequest, `"id" is given twice`},
	{"name twice, within", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[{"a":1,"b":2,"a":3}]}}`, `1`, jsonrpc.CodeInvalidRequest, `"a" is given twice`},
	{"name twice, escaped", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"\u0061":2}}`, `1`, jsonrpc.CodeInvalidRequest, `"a" is given twice`},
	{"too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + nested(64) + `}`, `1`, jsonrpc.CodeInvalidRequest, "deeper than 64"},
	{"far too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + nested(20000) + `}`, `1`, jsonrpc.CodeParseError, "depth"},
	{"too many values", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":[0` + strings.Repeat(",0", 65536) + `]}}`, `1`, jsonrpc.CodeInvalidRequest, "65536 values"},
	{"too long, id first", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`, `1`, jsonrpc.CodeInvalidRequest, "1048576 bytes"},
	{"too long, id last", `{"method":"ping","params":{"id":2,"x":"` + strings.Repeat(`\",}{`, 1<<19) + `"},"jsonrpc":"2.0","id":"last"}`, `"last"`, jsonrpc.CodeInvalidRequest, "1048576 bytes"},
	{"too long, no JSON", strings.Repeat("x", 3<<20), `null`, jsonrpc.CodeInvalidRequest, "1048576 bytes"},
}

func nested(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }

func TestBadFrameIsAnsweredAndTheSessionLives(t *testing.T) {
	for name, streams := range map[string]streams{"memory": memory, "pipes": pipes} {
		t.Run(name, func(t *testing.T) {
			s := open(t, streams, stdio.Options{})
			for _, bad := range badFrames {
				t.Run(bad.name, func(t *testing.T) {
					s.t = t
					s.send(bad.line)
					got := s.reply()
					if got.Error == nil || string(got.ID) != bad.id || got.Error.Code != bad.code || !strings.Contains(got.Error.Message, bad.message) {
						t.Errorf("want id %s, code %d and a message with %q, got id %s and %+v", bad.id, bad.code, bad.message, got.ID, got.Error)
					}
					s.ping()
				})
			}
			s.t = t
			if err := s.end(); err != nil {
				t.Errorf("the session ended with %v", err)
			}
		})
	}
}

func TestGoodFrameIsServed(t *testing.T) {
	s := open(t, memory, stdio.Options{})
	for _, good := range []struct{ name, line, id string }{
		{"white space around", " \t{ \"jsonrpc\" : \"2.0\" , \"id\" : 1 , \"method\" : \"ping\" } \r", `1`},
		{"zero", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, `0`},
		{"negative", `{"jsonrpc":"2.0","id":-5,"method":"ping"}`, `-5`},
		{"largest id", `{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`, `9007199254740992`},
		{"smallest id", `{"jsonrpc":"2.0","id":-9007199254740992,"method":"ping"}`, `-9007199254740992`},
		{"large odd id", `{"jsonrpc":"2.0","id":9007199254740991,"method":"ping"}`, `9007199254740991`},
		{"empty id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, `""`},
		{"id in letters", `{"jsonrpc":"2.0","id":"ж1","method":"ping"}`, `"ж1"`},
		{"whole surrogates", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"\ud83d\ude00 \\ud83d"}}`, `1`},
		{"names that differ in case", `{"jsonrpc":"2.0","id":1,"ID":null,"method":"ping","params":{"a":1,"A":2}}`, `1`},
		{"empty names and containers", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"":{},"x":[],"y":[{},{}]}}`, `1`},
		{"as deep as may be", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + nested(62) + `}}`, `1`},
		{"as long as may be", pad(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, 1<<20), `1`},
	} {
		t.Run(good.name, func(t *testing.T) {
			s.t = t
			s.send(good.line)
			if got := s.reply(); string(got.ID) != good.id || string(got.Result) != "{}" {
				t.Errorf("want id %s and an empty result, got %+v", good.id, got)
			}
		})
	}
	s.t = t
}

func pad(line string, length int) string { return line + strings.Repeat(" ", length-len(line)) }

func TestArgumentsArriveAsSent(t *testing.T) {
	s := open(t, pipes, stdio.Options{})
	s.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":123456789012345678901234567890,"s":"é\u00e9<&>"}}}`)
	want := `{"n":123456789012345678901234567890,"s":"é\u00e9<&>"}`
	if diff := cmp.Diff(want, s.reply().text()); diff != "" {
		t.Errorf("the arguments that the tool saw (-want +got):\n%s", diff)
	}
}

func TestLastLineNeedsNoLineFeed(t *testing.T) {
	for _, last := range []struct {
		name, line string
		want       reply
	}{
		{"whole", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, reply{ID: json.RawMessage(`1`), Result: json.RawMessage(`{}`)}},
		{"cut short", `{"jsonrpc":"2.0","id":1,"method":"pi`, reply{
			ID:    json.RawMessage(`1`),
			Error: &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "parse error: unexpected end of JSON input"},
		}},
	} {
		t.Run(last.name, func(t *testing.T) {
			s := open(t, memory, stdio.Options{})
			if _, err := io.WriteString(s.in, last.line); err != nil {
				t.Fatal(err)
			}
			if err := s.end(); err != nil {
				t.Errorf("the session ended with %v", err)
			}
			if diff := cmp.Diff(last.want, s.reply()); diff != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEndlessLineNeedsLittleMemory(t *testing.T) {
	const megabyte = 1 << 20
	s := open(t, pipes, stdio.Options{})
	part := []byte(strings.Repeat(`x`, megabyte))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := io.WriteString(s.in, `{"params":{"text":"`); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if _, err := s.in.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	s.send(`"},"jsonrpc":"2.0","method":"ping","id":50}`)
	got := s.reply()
	runtime.ReadMemStats(&after)
	if string(got.ID) != "50" || got.Error == nil || !strings.Contains(got.Error.Message, "1048576 bytes") {
		t.Errorf("the answer is %+v", got)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 8*megabyte {
		t.Errorf("a line of 50 MiB allocated %d bytes in all", grown)
	}
	s.ping()
}
