package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

type personKey struct{}

// WithPerson lets the calls under a context ask a person for the exceptions that a caller can name with confirm_attended and
// confirm_self, instead of only telling that it can.
func WithPerson(ctx context.Context, person ports.Person) context.Context {
	return context.WithValue(ctx, personKey{}, person)
}

// PersonOf is the person whom calls under a context may ask, if there is one.
func PersonOf(ctx context.Context) (ports.Person, bool) {
	person, ok := ctx.Value(personKey{}).(ports.Person)
	return person, ok
}

// What was agreed to travels with the call to where the topology is read: see checkBound.
type (
	agreedKey struct{}
	agreed    struct {
		generation tmux.Generation
		target     string
	}
)

// exceptions are the arguments that name an exception to a refusal.
var exceptions = map[fault.Reason]string{
	fault.Attended:    "confirm_attended",
	fault.HoldsCaller: "confirm_self",
}

// askable is the refusal in an error to which the tool knows an exception; nil if there is none, or something was done already.
func askable(tool Tool, err error) *fault.Error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.Refused || f.Delivery != "" && f.Delivery != fault.NotSent {
		return nil
	}
	if exception := exceptions[f.Reason]; exception == "" || tool.Input.Properties[exception] == nil {
		return nil
	}
	return f
}

// ask puts a refusal to the person. If they agree, it gives the call with the exception named and bound to the life of the server that
// they were asked about. Otherwise its error is the refusal, with how else to go on; nothing was done, however long it took.
func (a *App) ask(ctx context.Context, tool Tool, arguments json.RawMessage, refused *fault.Error) (context.Context, json.RawMessage, ports.Answer, error) {
	person, ok := PersonOf(ctx)
	if !ok {
		return ctx, nil, "", refused
	}
	question, generation, err := a.question(ctx, tool, arguments, refused)
	if err != nil {
		return ctx, nil, "", a.explained(err, tool.Name)
	}
	asking, cancel := context.WithTimeout(ctx, a.options.AskTimeout)
	defer cancel()
	answer := person.Ask(asking, question)
	switch {
	case ctx.Err() != nil:
		return ctx, nil, answer, &fault.Error{
			Kind: fault.Cancelled, Op: tool.Name, Target: refused.Target, Delivery: fault.NotSent, Err: context.Cause(ctx),
			Message: "the call ended while the person was asked; nothing was done", Recovery: "call it again if it is still wanted",
		}
	case answer != ports.Agreed:
		return ctx, nil, answer, a.unconfirmed(refused, answer)
	}
	confirmed, err := withArgument(arguments, exceptions[refused.Reason])
	return context.WithValue(ctx, agreedKey{}, agreed{generation, refused.Target}), confirmed, answer, err
}

// unconfirmed is a refusal of which the person was told, or was to be told.
func (a *App) unconfirmed(refused *fault.Error, answer ports.Answer) *fault.Error {
	f := *refused
	switch answer {
	case ports.Declined:
		f.Message += "; asked through the client, the answer was no"
		f.Recovery = "some clients say no by themselves: unless the person did, ask in the conversation; or " + f.Recovery
	case ports.Dismissed:
		f.Message += "; the question to the person was closed without an answer"
		f.Recovery = "ask in the conversation; or " + f.Recovery
	case ports.Unanswered:
		f.Message += fmt.Sprintf("; the person was asked and did not answer within %v", a.options.AskTimeout)
		f.Recovery = "ask in the conversation; or " + f.Recovery
	case ports.Unasked:
		f.Message += "; the client showed the person no question"
		f.Recovery = "ask in the conversation; or " + f.Recovery
	case ports.Agreed, ports.Later:
	}
	return &f
}

// withArgument sets an argument to true.
func withArgument(arguments json.RawMessage, name string) (json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	if err := json.Unmarshal(arguments, &given); err != nil {
		return nil, err // they were decoded before
	}
	given[name] = json.RawMessage("true")
	return json.Marshal(given)
}

// question says what would happen, to what, and what stands there. What the agent, a program or somebody else wrote is quoted, so that none
// of it can pass for a part of the question.
func (a *App) question(ctx context.Context, tool Tool, arguments json.RawMessage, refused *fault.Error) (ports.Question, tmux.Generation, error) {
	ctx, cancel := context.WithTimeout(ctx, a.options.CallTimeout)
	defer cancel()
	t, err := a.topology(ctx, tmux.DetailBrief)
	if err != nil {
		return ports.Question{}, "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "May the agent go on with this? %s:\n%sIt was stopped because %s.\n", tool.Title, told(tool, arguments), refused.Message)
	panes := shownPanes(t, refused.Target)
	for _, pane := range panes[:min(len(panes), askedPanes)] {
		text.WriteString(a.described(ctx, t, pane))
	}
	if more := len(panes) - askedPanes; more > 0 {
		fmt.Fprintf(&text, "Panes besides: %d.\n", more)
	}
	return ports.Question{
		Reason: refused.Reason, Text: text.String() + "A yes counts for this one call.",
		About: fmt.Sprintf("%s %s %s", tool.Name, refused.Target, t.Server.Generation),
	}, t.Server.Generation, nil
}
