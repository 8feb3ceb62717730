//go:build integration

package integration_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver/mcptest"
)

// The scenarios of the documentation are true of every tmux over both backends.
func TestScenarios(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		mcptest.Scenarios(t, "../docs/scenarios", func(t *testing.T, _ string, with func(*testing.T, *mcptest.Conversation, mcptest.Stage)) {
			server := newServer(t, binary)
			with(t, converseOver(t, backend, server, nil).Conversation, realStage{server})
		})
	})
}

// A realStage is a real tmux on which persons do what scenarios say.
type realStage struct{ *realServer }

func (s realStage) Open(t testing.TB, session, program string) {
	t.Helper()
	argv := []string{"env", "PS1=$ ", program}
	drawn := "#{!=:#{cursor_x},0}"
	if program == "vim" {
		argv, drawn = []string{program, "-u", "NONE", "-n"}, "#{alternate_on}"
	}
	argv = append([]string{"-f", "/dev/null", "new-session", "-d", "-s", session, "--"}, argv...)
	s.Tmux(t, append(argv, ";", "set-environment", "-g", "HOME", t.TempDir())...) // shells read the configuration of nobody
	eventually(t, program+" has drawn its screen", func() (bool, string) {
		out, err := s.Try("display-message", "-p", "-t", "="+session+":", drawn)
		return err == nil && out == "1", out
	})
}

func (s realStage) Attach(t testing.TB, session string) {
	t.Helper()
	viewed(t, s.realServer, session)
}
