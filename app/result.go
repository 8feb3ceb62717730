package app

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// encode is the JSON of what the tool answered, with <, > and & as they are: this is no web page. More than so many bytes are Capacity.
func (t Tool) encode(out any, most int) (json.RawMessage, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(out); err != nil {
		return nil, fmt.Errorf("encode the result of %s: %w", t.Name, err)
	}
	encoded := bytes.TrimSuffix(text.Bytes(), []byte("\n"))
	if len(encoded) <= most {
		return encoded, nil
	}
	f := &fault.Error{
		Kind: fault.Capacity, Op: t.Name,
		Message:  fmt.Sprintf("the result of %s has %d bytes, more than the %d that it may have here", t.Name, len(encoded), most),
		Recovery: "ask for less: a smaller limit, max_lines or max_bytes, or narrower filters",
	}
	if t.changes() {
		f.Delivery = fault.Observed
		f.Recovery = "it was done: do not repeat it, inspect the state in smaller pieces"
	}
	return nil, f
}
