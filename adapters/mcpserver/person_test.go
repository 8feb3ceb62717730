package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// asking are a protocol in which a server asks while a call is at work, and one in which the call is repeated with the answer.
var asking = []string{"2025-11-25", "2026-07-28"}

// An asked is a client whose person does what a function says; it notes what was shown to them.
type asked struct {
	client
	mu    sync.Mutex
	shown []string
}

func (a *asked) texts() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]string(nil), a.shown...)
}

// whoIsAsked is a client of a protocol whose person chooses; if choose is nil it shows no questions.
func whoIsAsked(protocol string, choose func(ctx context.Context) (string, error)) *asked {
	a := &asked{client: client{session: mcp.ClientSessionOptions{ProtocolVersion: protocol}}}
	if choose != nil {
		a.options.ElicitationHandler = func(ctx context.Context, request *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			a.mu.Lock()
			a.shown = append(a.shown, request.Params.Message)
			a.mu.Unlock()
			action, err := choose(ctx)
			return &mcp.ElicitResult{Action: action}, err
		}
	}
	return a
}

// chooses is a person who makes a choice at once.
func chooses(action string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return action, nil }
}

// never is a person who does not answer.
func never(ctx context.Context) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

func TestPersonContract(t *testing.T) {
	actions := map[ports.Answer]func(context.Context) (string, error){
		ports.Agreed: chooses("accept"), ports.Declined: chooses("decline"), ports.Dismissed: chooses("cancel"), ports.Unanswered: never,
	}
	for _, protocol := range asking {
		t.Run(protocol, func(t *testing.T) {
			porttest.Person(t, func(t *testing.T, answer ports.Answer) (ports.Person, func() []string) {
				who := whoIsAsked(protocol, actions[answer])
				return &wired{t: t, who: who, repeats: protocol == "2026-07-28"}, who.texts
			})
		})
	}
}

// A wired person is asked by a call of an application that does nothing else.
type wired struct {
	t       *testing.T
	who     *asked
	repeats bool
}

func (w *wired) Ask(ctx context.Context, question ports.Question) ports.Answer {
	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	application := dummy(func(call context.Context, _ string, _ json.RawMessage) (any, error) {
		person, _ := app.PersonOf(call)
		return map[string]any{"answer": person.Ask(ctx, question)}, nil
	})
	if _, err := mcpserver.New(w.t.Context(), application, mcpserver.Options{Ask: true}).Connect(w.t.Context(), serverEnd, nil); err != nil {
		w.t.Fatal(err)
	}
	calling := context.WithoutCancel(ctx)
	if w.repeats { // nobody but the client waits for the person
		calling = ctx
	}
	result, _, err := mcptest.Dial(w.t, clientEnd, &w.who.options, &w.who.session).Ask(calling, "touch", nil)
	if w.repeats && errors.Is(err, context.DeadlineExceeded) {
		return ports.Unanswered
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return ports.Answer(result["answer"].(string))
}

// watched is a pane with an idle shell that a person sees.
func watched(t *testing.T, world *fake.World, c *mcptest.Conversation) tmux.PaneID {
	t.Helper()
	pane := world.AddSession("work")
	world.Attach(world.SessionOf(pane), fake.Client{})
	c.Must(t, "list_panes", nil)
	return pane
}

func TestAPersonIsAsked(t *testing.T) {
	tests := map[string]struct {
		choose  func(context.Context) (string, error)
		typed   bool
		says    string // in the message of the refusal
		advises string // in its recovery
	}{
		"accepts":                {chooses("accept"), true, "", ""},
		"declines":               {chooses("decline"), false, "the answer was no", "some clients say no by themselves"},
		"closes the question":    {chooses("cancel"), false, "closed without an answer", "ask in the conversation"},
		"makes no known choice":  {chooses("maybe"), false, "closed without an answer", "ask in the conversation"},
		"cannot be shown a form": {nil, false, "showed the person no question", "ask in the conversation"},
	}
	for _, protocol := range asking {
		for name, test := range tests {
			t.Run(protocol+" "+name, func(t *testing.T) {
				who := whoIsAsked(protocol, test.choose)
				converseAs(t, mcpserver.Options{Ask: true}, who.client, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
					pane := watched(t, world, c)
					_, failure := c.Call(t, "send_keys", object{"pane_id": pane, "text": "make\n"})
					if typed := world.Received(pane); (typed != "") != test.typed || (failure == nil) != test.typed {
						t.Fatalf("typed %q, answered %+v", typed, failure)
					}
					if test.choose != nil {
						want := "May the agent go on with this? Send keys:\n" +
							"  pane_id: \"%0\"\n  text: \"make\\n\"\n" +
							"It was stopped because pane %0 is on the screen of /dev/pts/100: a person may be typing there.\n" +
							"Pane %0 of window \"bash\" in session \"work\" runs \"bash\" and shows \"$\".\nA yes counts for this one call."
						if texts := who.texts(); len(texts) != 1 || texts[0] != want {
							t.Errorf("shown %q,\nwant %q", texts, want)
						}
					}
					if failure != nil && (failure.Reason != fault.Attended || failure.Delivery != fault.NotSent ||
						!strings.Contains(failure.Message, test.says) || !strings.Contains(failure.Recovery, test.advises) ||
						!strings.Contains(failure.Recovery, "confirm_attended")) {
						t.Errorf("answered %s", failure.Text)
					}
				})
			})
		}
	}
}

func TestNobodyIsAskedUnlessAllowed(t *testing.T) {
	who := whoIsAsked("2025-11-25", chooses("accept"))
	converseAs(t, mcpserver.Options{}, who.client, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := watched(t, world, c)
		_, failure := c.Call(t, "send_keys", object{"pane_id": pane, "text": "x"})
		if failure == nil || failure.Reason != fault.Attended || len(who.texts()) > 0 {
			t.Errorf("asked %q, answered %+v", who.texts(), failure)
		}
	})
}

// Asking has a time of its own, in which progress is told, and ends when nobody answers.
func TestAskingEnds(t *testing.T) {
	told := atomic.Int32{}
	who := whoIsAsked("2025-11-25", never)
	who.options.ProgressNotificationHandler = func(context.Context, *mcp.ProgressNotificationClientRequest) { told.Add(1) }
	converseAs(t, mcpserver.Options{Ask: true}, who.client, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := watched(t, world, c)
		began := time.Now()
		params := &mcp.CallToolParams{Name: "send_keys", Arguments: object{"pane_id": pane, "text": "x"}}
		params.SetProgressToken("p")
		answer, err := c.Session.CallTool(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		_, failure, err := c.Read("send_keys", answer)
		if err != nil || failure == nil || failure.Reason != fault.Attended || !strings.Contains(failure.Message, "did not answer within 2m0s") {
			t.Errorf("answered %+v, %v", failure, err)
		}
		if took := time.Since(began); took != 2*time.Minute || told.Load() < 24 {
			t.Errorf("took %v, told progress %d times", took, told.Load())
		}
		if typed := world.Received(pane); typed != "" {
			t.Errorf("typed %q", typed)
		}
	})
}

// A person may take longer than a call may.
func TestAPersonTakesTheirTime(t *testing.T) {
	for _, protocol := range asking {
		t.Run(protocol, func(t *testing.T) {
			who := whoIsAsked(protocol, func(context.Context) (string, error) {
				time.Sleep(100 * time.Second)
				return "accept", nil
			})
			converseAs(t, mcpserver.Options{Ask: true}, who.client, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
				pane := world.AddSession("work")
				c.Must(t, "list_panes", nil)
				c.Must(t, "run_shell_command", object{"pane_id": pane, "command": "true"}) // now the prompt is known
				time.Sleep(time.Second)
				world.Attach(world.SessionOf(pane), fake.Client{})
				out := c.Must(t, "run_shell_command", object{"pane_id": pane, "command": "echo hello"})
				if out["outcome"] != "completed" || len(who.texts()) != 1 {
					t.Errorf("%v, asked %q", out, who.texts())
				}
			})
		})
	}
}

func TestAnAnswerCanComeTooLate(t *testing.T) {
	who := whoIsAsked("2026-07-28", func(context.Context) (string, error) {
		time.Sleep(3 * time.Minute)
		return "accept", nil
	})
	converseAs(t, mcpserver.Options{Ask: true}, who.client, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := watched(t, world, c)
		_, failure := c.Call(t, "send_keys", object{"pane_id": pane, "text": "x"})
		if failure == nil || !strings.Contains(failure.Message, "did not answer") || world.Received(pane) != "" {
			t.Errorf("%+v, typed %q", failure, world.Received(pane))
		}
	})
}

// Whoever repeats a call with an answer to what was never asked is asked.
func TestAnAnswerWithoutAQuestion(t *testing.T) {
	who := whoIsAsked("2026-07-28", chooses("decline"))
	converseAs(t, mcpserver.Options{Ask: true}, who.client, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := watched(t, world, c)
		for _, state := range []string{"", "x.y", "eyJhYm91dCI6IiJ9.AAAA"} {
			answer, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: "send_keys", Arguments: object{"pane_id": pane, "text": "x"},
				InputResponses: mcp.InputResponseMap{"confirm": &mcp.ElicitResult{Action: "accept"}}, RequestState: state,
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, failure, err := c.Read("send_keys", answer); err != nil || failure == nil || world.Received(pane) != "" {
				t.Errorf("state %q: %+v, %v, typed %q", state, failure, err, world.Received(pane))
			}
		}
		if n := len(who.texts()); n != 3 {
			t.Errorf("asked %d times", n)
		}
	})
}

// Whoever repeats a call twice with one answer is asked again: a yes counts for one call.
func TestAnAnswerCountsOnce(t *testing.T) {
	who := whoIsAsked("2026-07-28", chooses("decline"))
	who.options.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	converseAs(t, mcpserver.Options{Ask: true}, who.client, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := watched(t, world, c)
		send := func(text, state string) *mcp.CallToolResult {
			params := &mcp.CallToolParams{Name: "send_keys", Arguments: object{"pane_id": pane, "text": text}, RequestState: state}
			if state != "" {
				params.InputResponses = mcp.InputResponseMap{"confirm": &mcp.ElicitResult{Action: "accept"}}
			}
			answer, err := c.Session.CallTool(t.Context(), params)
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
		first, second := send("x", ""), send("x", "")
		if !first.NeedsInput() || first.RequestState == second.RequestState {
			t.Fatalf("answered %+v and %+v", first, second)
		}
		if other := send("y", first.RequestState); !other.NeedsInput() {
			t.Errorf("an answer to another call: %+v", other)
		}
		for _, call := range []struct {
			state string
			asks  bool
			typed string // then, in all
		}{{first.RequestState, false, "x"}, {first.RequestState, true, "x"}, {second.RequestState, false, "xx"}, {second.RequestState, true, "xx"}} {
			answer := send("x", call.state)
			if answer.NeedsInput() != call.asks || answer.IsError || world.Received(pane) != call.typed {
				t.Errorf("answered %+v, typed %q; want asked %t, %q", answer, world.Received(pane), call.asks, call.typed)
			}
		}
	})
}

// Questions that nobody answers are not kept without end: the oldest is forgotten, and asked again.
func TestOpenQuestionsAreBounded(t *testing.T) {
	who := whoIsAsked("2026-07-28", chooses("decline"))
	who.options.MultiRoundTrip = &mcp.MultiRoundTripOptions{Disabled: true}
	converseAs(t, mcpserver.Options{Ask: true}, who.client, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := watched(t, world, c)
		send := func(state string) *mcp.CallToolResult {
			answer, err := c.Session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: "send_keys", Arguments: object{"pane_id": pane, "text": "x"}, RequestState: state,
				InputResponses: mcp.InputResponseMap{"confirm": &mcp.ElicitResult{Action: "accept"}},
			})
			if err != nil {
				t.Fatal(err)
			}
			return answer
		}
		var states []string
		for range 257 {
			states = append(states, send("").RequestState)
			time.Sleep(time.Millisecond)
		}
		if !send(states[0]).NeedsInput() || world.Received(pane) != "" {
			t.Errorf("typed %q; want the oldest of so many questions asked again", world.Received(pane))
		}
		if answer := send(states[256]); answer.NeedsInput() || world.Received(pane) != "x" {
			t.Errorf("answered %+v, typed %q", answer, world.Received(pane))
		}
	})
}

// The end of the call is the end of the question.
func TestAskingIsCancelled(t *testing.T) {
	withdrawn := make(chan struct{})
	who := whoIsAsked("2025-11-25", func(ctx context.Context) (string, error) {
		<-ctx.Done()
		close(withdrawn)
		return "accept", nil
	})
	converseAs(t, mcpserver.Options{Ask: true}, who.client, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
		pane := watched(t, world, c)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if _, _, err := c.Ask(ctx, "send_keys", object{"pane_id": pane, "text": "x"}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("ended with %v", err)
		}
		<-withdrawn
		synctest.Wait()
		if typed := world.Received(pane); typed != "" {
			t.Errorf("typed %q", typed)
		}
	})
}
