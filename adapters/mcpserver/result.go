package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// MaxTextBytes is how long a result's text may be; structuredContent holds what is left out of it.
const MaxTextBytes = 64 << 10

// success is what a tool answered as structuredContent, and the same JSON as text for clients that show only text.
func (h handler) success(structured json.RawMessage) (*mcp.CallToolResult, error) {
	text, err := withoutBulk(structured)
	if err != nil {
		return nil, fmt.Errorf("shorten the result of %s: %w", h.tool.Name, err)
	}
	return &mcp.CallToolResult{
		StructuredContent: structured,
		Content:           []mcp.Content{&mcp.TextContent{Text: string(text)}},
	}, nil
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
