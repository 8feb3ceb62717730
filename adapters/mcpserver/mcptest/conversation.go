// Package mcptest holds conversations with an MCP server and holds the server to the wire contract while it does: every
// answer's form, and every result's published schema.
package mcptest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A Conversation is one client's session with a server. It is safe for concurrent use.
type Conversation struct {
	Session *mcp.ClientSession
	Tools   []*mcp.Tool // as listed when the conversation began

	outputs map[string]*jsonschema.Resolved // by tool
}

// A Failure is the error that a tool answered.
type Failure struct {
	Code     fault.Kind      `json:"code"`
	Reason   fault.Reason    `json:"reason"`
	Target   string          `json:"target"`
	Delivery fault.Delivery  `json:"delivery"`
	Message  string          `json:"message"`
	Recovery string          `json:"recovery"`
	Effects  *fault.Effects  `json:"effects"`
	Receipt  json.RawMessage `json:"receipt"`

	Text string `json:"-"` // as it came
}

// Serve begins a conversation in memory with a server, which ends with the test.
func Serve(t testing.TB, server *mcp.Server) *Conversation {
	t.Helper()
	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	session, err := server.Connect(t.Context(), serverEnd, nil)
	if err != nil {
		t.Fatalf("connect the server: %v", err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return Dial(t, clientEnd, nil, nil)
}

// Dial begins a conversation over a transport, which ends with the test. Nil options are the SDK's defaults.
func Dial(t testing.TB, transport mcp.Transport, client *mcp.ClientOptions, session *mcp.ClientSessionOptions) *Conversation {
	t.Helper()
	c := &Conversation{outputs: map[string]*jsonschema.Resolved{}}
	var err error
	if c.Session, err = mcp.NewClient(&mcp.Implementation{Name: "mcptest", Version: "1"}, client).Connect(t.Context(), transport, session); err != nil {
		t.Fatalf("connect the client: %v", err)
	}
	t.Cleanup(func() { _ = c.Session.Close() })
	list, err := c.Session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatalf("list tools: %v", err)
	}
	c.Tools = list.Tools
	for _, tool := range c.Tools {
		if c.outputs[tool.Name], err = resolve(tool.OutputSchema); err != nil {
			t.Fatalf("output schema of %s: %v", tool.Name, err)
		}
	}
	return c
}

func resolve(published any) (*jsonschema.Resolved, error) {
	text, err := json.Marshal(published)
	if err != nil {
		return nil, err
	}
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		return nil, err
	}
	return schema.Resolve(nil)
}

// Call calls a tool and returns what it answered: its result, or else its failure. A protocol error, or an answer that breaks the contract,
// ends the test. Arguments are anything that marshals as a JSON object.
func (c *Conversation) Call(t testing.TB, name string, arguments any) (map[string]any, *Failure) {
	t.Helper()
	result, failure, err := c.Ask(t.Context(), name, arguments)
	if err != nil {
		t.Fatalf("%s %v: %v", name, arguments, err)
	}
	return result, failure
}

// Must is Call for a call that has to succeed.
func (c *Conversation) Must(t testing.TB, name string, arguments any) map[string]any {
	t.Helper()
	result, failure := c.Call(t, name, arguments)
	if failure != nil {
		t.Fatalf("%s %v: %s", name, arguments, failure.Text)
	}
	return result
}

// Ask is Call for any goroutine: what would end the test is its error.
func (c *Conversation) Ask(ctx context.Context, name string, arguments any) (map[string]any, *Failure, error) {
	answer, err := c.Session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return nil, nil, err
	}
	return c.Read(name, answer)
}

// Read reads what a tool answered; its error is the clause of the contract that the answer breaks.
func (c *Conversation) Read(name string, answer *mcp.CallToolResult) (map[string]any, *Failure, error) {
	if len(answer.Content) != 1 {
		return nil, nil, fmt.Errorf("want one content, got %d", len(answer.Content))
	}
	content, ok := answer.Content[0].(*mcp.TextContent)
	if !ok {
		return nil, nil, fmt.Errorf("want text, got %T", answer.Content[0])
	}
	if answer.IsError {
		failure, err := readFailure(answer, content.Text)
		return nil, failure, err
	}
	result, ok := answer.StructuredContent.(map[string]any)
	if !ok {
		return nil, nil, fmt.Errorf("want an object as structuredContent, got %T", answer.StructuredContent)
	}
	if c.outputs[name] == nil {
		return nil, nil, fmt.Errorf("%s is not listed, but answers", name)
	}
	if err := c.outputs[name].Validate(result); err != nil {
		return nil, nil, fmt.Errorf("the result %v breaks its schema: %w", result, err)
	}
	return result, nil, sameFacts(result, content.Text)
}

// sameFacts holds a result's text to be the result, or what is left of one whose bulk does not fit.
func sameFacts(result map[string]any, text string) error {
	var told map[string]any
	if err := json.Unmarshal([]byte(text), &told); err != nil {
		return fmt.Errorf("the text is no JSON object: %w", err)
	}
	if reflect.DeepEqual(result, told) {
		return nil
	}
	whole, err := json.Marshal(result)
	switch {
	case err != nil:
		return err
	case len(whole) <= mcpserver.MaxTextBytes:
		return fmt.Errorf("the text %s is not the result %s", text, whole)
	case len(text) > mcpserver.MaxTextBytes:
		return fmt.Errorf("the text has %d bytes", len(text))
	}
	for key := range result {
		if _, ok := told[key]; !ok {
			return fmt.Errorf("the text does not speak of %s", key)
		}
	}
	return nil
}

func readFailure(answer *mcp.CallToolResult, text string) (*Failure, error) {
	if answer.StructuredContent != nil {
		return nil, errors.New("an error has structuredContent")
	}
	var told struct {
		Error *Failure `json:"error"`
	}
	in := json.NewDecoder(bytes.NewReader([]byte(text)))
	in.DisallowUnknownFields()
	if err := in.Decode(&told); err != nil {
		return nil, fmt.Errorf("the error %s: %w", text, err)
	}
	f := told.Error
	if f == nil || f.Code == "" || f.Delivery == "" || f.Message == "" || (f.Reason != "") != (f.Code == fault.Refused) {
		return nil, fmt.Errorf("the error %s lacks code, delivery, message, or the reason of a refusal", text)
	}
	if f.Code == fault.PreconditionFailed {
		return nil, fmt.Errorf("the error %s should not have left the application", text)
	}
	f.Text = text
	return f, nil
}
