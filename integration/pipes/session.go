package pipes

import (
	"context"
	"encoding/json"
	"fmt"
)

// ProtocolVersion is the revision of MCP that Initialize asks for.
const ProtocolVersion = "2025-06-18"

// A Hello is what a server answers to initialize.
type Hello struct {
	ProtocolVersion string `json:"protocolVersion"`
	Instructions    string `json:"instructions"`
	ServerInfo      struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"serverInfo"`
}

// Initialize opens the session of a client that can do nothing.
func (p *Process) Initialize(ctx context.Context) (Hello, error) {
	return p.InitializeAs(ctx, map[string]any{})
}

// InitializeAs opens the session of a client with capabilities.
func (p *Process) InitializeAs(ctx context.Context, capabilities map[string]any) (Hello, error) {
	var hello Hello
	raw, err := p.Request(ctx, "initialize", map[string]any{
		"protocolVersion": ProtocolVersion,
		"capabilities":    capabilities,
		"clientInfo":      map[string]any{"name": "pipes", "version": "1"},
	})
	if err != nil {
		return hello, err
	}
	if err := json.Unmarshal(raw, &hello); err != nil {
		return hello, fmt.Errorf("initialize: %w", err)
	}
	return hello, p.Notify("notifications/initialized", nil)
}

// Tools lists the names of the server's tools.
func (p *Process) Tools(ctx context.Context) ([]string, error) {
	raw, err := p.Request(ctx, "tools/list", map[string]any{})
	if err != nil {
		return nil, err
	}
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("tools/list: %w", err)
	}
	names := make([]string, 0, len(list.Tools))
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names, nil
}

// A Result is what a tool answered.
type Result struct {
	IsError bool
	Data    json.RawMessage // structuredContent, or of an error the object under "error"
}

// Call calls a tool. The error is for what is no answer of the tool; a tool that failed answers a Result.
func (p *Process) Call(ctx context.Context, tool string, arguments any) (Result, error) {
	raw, err := p.Request(ctx, "tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return Result{}, err
	}
	var reply struct {
		IsError    bool            `json:"isError"`
		Structured json.RawMessage `json:"structuredContent"`
		Content    []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(raw, &reply); err != nil {
		return Result{}, fmt.Errorf("%s: %w", tool, err)
	}
	if !reply.IsError {
		return Result{Data: reply.Structured}, nil
	}
	var failure struct {
		Error json.RawMessage `json:"error"`
	}
	if len(reply.Content) != 1 {
		return Result{}, fmt.Errorf("%s: an error with %d texts, want 1: %s", tool, len(reply.Content), raw)
	}
	if err := json.Unmarshal([]byte(reply.Content[0].Text), &failure); err != nil {
		return Result{}, fmt.Errorf("%s: the error is no JSON: %w: %s", tool, err, reply.Content[0].Text)
	}
	return Result{IsError: true, Data: failure.Error}, nil
}
