//go:build integration

package integration_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// askingServer is the built server with --ask, for a client that shows forms and answers them with choose, and a recorder's pane that a
// person sees.
func askingServer(t *testing.T, binary, backend string, choose func(message string) string) (*tmuxWorld, *pipes.Process, tmux.PaneID) {
	t.Helper()
	w := newTmuxWorld(t, binary)
	pane := w.Session("main", porttest.Recorder)
	w.Attach("$0", porttest.Terminal)
	cmd := exec.Command(serverBinary(t), "--tmux", binary, "--socket", w.Socket, "--backend", backend, "--ask")
	cmd.Env = bareEnvironment(t)
	p := launchCommand(t, cmd)
	p.Serve(func(asked pipes.Request) any {
		if asked.Method != "elicitation/create" {
			t.Errorf("the server asks %s", asked.Method)
		}
		return map[string]any{"action": choose(string(asked.Params)), "content": map[string]any{}}
	})
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	defer cancel()
	if _, err := p.InitializeAs(ctx, map[string]any{"elicitation": map[string]any{}}); err != nil {
		t.Fatal(err)
	}
	call(t, p, "list_panes", nil).want(t, fields{"total": 1.0})
	return w, p, pane
}

func TestBinaryAsksThePerson(t *testing.T) {
	for _, backend := range []string{"cli", "control"} {
		t.Run(backend, func(t *testing.T) {
			eachTmux(t, func(t *testing.T, binary string) {
				w, p, pane := askingServer(t, binary, backend, func(message string) string {
					if strings.Contains(message, "never") {
						return "decline"
					}
					return "accept"
				})
				refused := callError(t, p, "send_keys", fields{"pane_id": pane, "text": "never"}, "refused")
				refused.want(t, fields{"reason": "attended", "delivery": "not_sent"})
				if message := refused.text(t, "message"); !strings.Contains(message, "the answer was no") {
					t.Errorf("message %q", message)
				}
				call(t, p, "send_keys", fields{"pane_id": pane, "text": "agreed"})
				call(t, p, "paste_text", fields{"pane_id": pane, "text": " too"})
				eventually(t, "what was agreed to was typed, and no more", func() (bool, string) {
					got := w.Received(pane)
					return got == "agreed too", got
				})
			})
		})
	}
}

// A server that ends asks nobody any more, and a question that was not answered leaves nothing behind.
func TestBinaryEndsWhileItAsks(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		asked, over := make(chan struct{}), make(chan struct{})
		w, p, pane := askingServer(t, binary, "cli", func(string) string {
			close(asked)
			<-over
			return "accept"
		})
		defer close(over)
		answered := make(chan string, 1)
		go func() {
			result, err := p.Call(t.Context(), "send_keys", fields{"pane_id": pane, "text": "x"})
			if err != nil {
				answered <- err.Error()
				return
			}
			answered <- string(result.Data)
		}()
		<-asked
		ctx, cancel := context.WithTimeout(t.Context(), endBound)
		defer cancel()
		if err := p.Close(ctx); err != nil {
			t.Errorf("ended with %v", err)
		}
		if answer := <-answered; !strings.Contains(answer, `"code":"cancelled"`) || !strings.Contains(answer, `"delivery":"not_sent"`) {
			t.Errorf("answered %s", answer)
		}
		if got := w.Received(pane); got != "" {
			t.Errorf("received %q", got)
		}
	})
}
