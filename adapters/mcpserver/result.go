package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// MaxTextBytes is how long a result's text may be; structuredContent holds what is left out of it.
const MaxTextBytes = 64 << 10

// success is a tool's Out value as structuredContent, and the same JSON as text for clients that show only text.
func (h handler) success(out any) (*mcp.CallToolResult, error) {
	structured, err := encode(out)
	if err != nil {
		return nil, fmt.Errorf("encode the result of %s: %w", h.tool.Name, err)
	}
	if len(structured) > h.options.MaxResultBytes {
		return nil, h.tooLarge(len(structured))
	}
	text, err := withoutBulk(structured)
	if err != nil {
		return nil, fmt.Errorf("shorten the result of %s: %w", h.tool.Name, err)
	}
	return &mcp.CallToolResult{
		StructuredContent: json.RawMessage(structured),
		Content:           []mcp.Content{&mcp.TextContent{Text: string(text)}},
	}, nil
}

func (h handler) tooLarge(size int) error {
	f := &fault.Error{
		Kind: fault.Capacity, Op: h.tool.Name,
		Message: fmt.Sprintf("the result of %s has %d bytes, more than the %d that one answer may have",
			h.tool.Name, size, h.options.MaxResultBytes),
		Recovery: "ask for less: smaller max_lines or max_bytes, or narrower filters",
	}
	if h.changes() {
		f.Delivery = fault.Observed
		f.Recovery = "it was done: do not repeat it, inspect the state in smaller pieces"
	}
	return f
}

// encode is the JSON of v, with <, > and & as they are: this is no web page.
func encode(v any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// withoutBulk replaces the largest members of an object by a note about each, until the whole is within
// MaxTextBytes.
func withoutBulk(object []byte) ([]byte, error) {
	if len(object) <= MaxTextBytes {
		return object, nil
	}
	members, err := membersOf(object)
	if err != nil {
		return nil, err
	}
	size := len(object)
	for size > MaxTextBytes {
		bulk := &members[0]
		for i := range members {
			if len(members[i].value) > len(bulk.value) {
				bulk = &members[i]
			}
		}
		note := fmt.Appendf(nil, `"left out of this text (%d bytes): see structuredContent, or ask for less"`, len(bulk.value))
		if len(note) >= len(bulk.value) {
			return nil, fmt.Errorf("%d bytes in members that are all small", size)
		}
		size -= len(bulk.value) - len(note)
		bulk.value = note
	}
	out := make([]byte, 0, size)
	for i, m := range members {
		out = append(append(append(append(out, "{,"[min(i, 1)]), m.key...), ':'), m.value...)
	}
	return append(out, '}'), nil
}

// A member is one of a JSON object's, both parts as JSON.
type member struct{ key, value []byte }

// membersOf splits a JSON object, in order.
func membersOf(object []byte) ([]member, error) {
	in := json.NewDecoder(bytes.NewReader(object))
	if opening, err := in.Token(); err != nil || opening != json.Delim('{') {
		return nil, fmt.Errorf("no object: %v, %w", opening, err)
	}
	var members []member
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, err
		}
		var m member
		var value json.RawMessage
		if err := in.Decode(&value); err != nil {
			return nil, err
		}
		if m.key, err = encode(key); err != nil {
			return nil, err
		}
		m.value = value
		members = append(members, m)
	}
	return members, nil
}
