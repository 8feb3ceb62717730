package mcpserver

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// repeating is the first protocol in which a server sends no requests: a call answers with its question, and the client repeats the
// call with the person's answer. Source: MCP SEP-2322.
const repeating = "2026-07-28"

// theQuestion names the one question that a call answers with.
const theQuestion = "confirm"

// A person is whoever the client of one call shows questions to, by MCP's elicitation.
type person struct {
	handler handler
	request *mcp.CallToolRequest
	came    map[fault.Reason]given // with a repeated call

	question *ports.Question // that the call is to answer with
}

var _ ports.Person = (*person)(nil)

func (h handler) newPerson(request *mcp.CallToolRequest) *person {
	return &person{handler: h, request: request, came: h.questions.came(h.tool.Name, request)}
}

// Ask implements [ports.Person].
func (p *person) Ask(ctx context.Context, question ports.Question) ports.Answer {
	client := p.request.Session.InitializeParams()
	if !showsForms(client) {
		return ports.Unasked
	}
	if client.ProtocolVersion >= repeating {
		if answer, ok := p.came[question.Reason]; ok && answer.about == question.About {
			return answer.answer
		}
		p.question = &question
		return ports.Later
	}
	result, err := p.request.Session.Elicit(ctx, form(question))
	switch {
	case ctx.Err() != nil:
		return ports.Unanswered
	case err != nil:
		p.handler.options.Logger.WarnContext(ctx, "the client failed to ask the person", "tool", p.handler.tool.Name, "error", err)
		return ports.Unasked
	}
	return answerOf(result)
}

// showsForms reports whether a client says that it shows forms. One that says no more than that it asks means forms.
func showsForms(client *mcp.InitializeParams) bool {
	if client == nil || client.Capabilities == nil || client.Capabilities.Elicitation == nil {
		return false
	}
	asks := client.Capabilities.Elicitation
	return asks.Form != nil || asks.URL == nil
}

// form is a question as a form without fields: to submit it is to agree.
func form(question ports.Question) *mcp.ElicitParams {
	return &mcp.ElicitParams{
		Mode: "form", Message: question.Text,
		RequestedSchema: map[string]any{"type": "object", "properties": map[string]any{}},
	}
}

// answerOf is what a form came back with. What is none of the three choices is no choice.
func answerOf(result *mcp.ElicitResult) ports.Answer {
	switch result.Action {
	case "accept":
		return ports.Agreed
	case "decline":
		return ports.Declined
	}
	return ports.Dismissed
}

// pending is the answer of a call whose question is still to be put.
func (p *person) pending() *mcp.CallToolResult {
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{theQuestion: form(*p.question)},
		RequestState:  p.handler.questions.ask(p.handler.tool.Name, p.request, *p.question, p.came),
	}
}
