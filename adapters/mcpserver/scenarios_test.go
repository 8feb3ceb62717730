package mcpserver_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// The scenarios of the documentation are true of the model of tmux; integration plays them on a real one.
func TestScenarios(t *testing.T) {
	mcptest.Scenarios(t, "../../docs/scenarios", func(t *testing.T, _ string, with func(*testing.T, *mcptest.Conversation, mcptest.Stage)) {
		converse(t, func(t *testing.T, world *fake.World, c *mcptest.Conversation) {
			world.Install("vim", editor)
			with(t, c, stage{world, map[string]tmux.SessionID{}})
		})
	})
}

// editor is a program that takes the whole screen until it is ended.
func editor(ctx context.Context, p *fake.Process) int {
	p.Raw()
	_, _ = fmt.Fprint(p.Stdout, "\x1b[?1049hnotes") // to a terminal in memory
	<-ctx.Done()
	return 1
}

// A stage is a model of tmux, with the sessions that persons opened there.
type stage struct {
	world  *fake.World
	opened map[string]tmux.SessionID
}

func (s stage) Open(t testing.TB, session, program string) {
	t.Helper()
	argv := []string{program}
	if program == "sh" {
		argv = nil
	}
	pane := s.world.AddSession(session, argv...)
	await, text := s.world.AwaitRaw, ""
	if argv == nil {
		await, text = s.world.AwaitPrompt, " at its prompt"
	}
	if err := await(t.Context(), pane); err != nil {
		t.Fatalf("%s%s: %v", program, text, err)
	}
	s.opened[session] = s.world.SessionOf(pane)
}

func (s stage) Attach(t testing.TB, session string) {
	t.Helper()
	s.world.Attach(s.opened[session], fake.Client{})
}
