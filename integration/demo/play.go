package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// play is the main job: look around, make a place, run something there, read it, and leave the rest alone.
func play(ctx context.Context, server *pipes.Process, s *stage) error {
	hello, err := server.Initialize(ctx)
	if err != nil {
		return err
	}
	tools, err := server.Tools(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s %s speaks MCP %s and offers %d tools:\n", hello.ServerInfo.Name, hello.ServerInfo.Version,
		hello.ProtocolVersion, len(tools))
	for names := range slices.Chunk(tools, 7) {
		fmt.Println("  " + strings.Join(names, ", "))
	}

	t := &story{server: server}
	t.ask(ctx, "Which tmux is this?", "get_server_info", nil)
	none := t.ask(ctx, "Which sessions are there? None yet, on this private socket.", "list_sessions", nil)
	t.want(none, "total", 0.0)

	made := t.ask(ctx, "A session in the project's directory, please. tmux starts for it.", "create_session",
		map[string]any{"name": "shop", "cwd": s.project, "width": 80, "height": 20})
	t.want(made, "server_started", true)
	pane := t.text(made, "pane_id")

	red := t.ask(ctx, "Run the tests there: one call, with the true exit status and exactly their output.", "run_shell_command",
		map[string]any{"pane_id": pane, "command": "sh test.sh"})
	t.want(red, "outcome", "completed")
	t.want(red, "exit_status", 1.0)
	t.want(red, "complete", true)
	t.want(red, "lines", []any{"FAIL  2 x 5: want 10, got 8", "FAIL  2 x 3: want 6, got 4"})

	screen := t.ask(ctx, "What does a person see in that pane?", "capture_pane", map[string]any{"pane_id": pane})
	t.wantLine(screen, "FAIL  2 x 5: want 10, got 8")

	mended := t.ask(ctx, "The tests are right and the script is wrong. Mend it, and run them again.", "run_shell_command",
		map[string]any{"pane_id": pane, "command": "sed -i 's/(\\$2 - 1)/$2/' total.sh && sh test.sh 2>&1 | tee test.log"})
	t.want(mended, "exit_status", 0.0)
	t.want(mended, "lines", []any{"ok    2 x 5 = 10", "ok    2 x 3 = 6"})

	beside := t.ask(ctx, "A second pane beside it, for a program that does not end by itself.", "split_window",
		map[string]any{"pane_id": pane, "direction": "right", "cwd": s.project})
	second := t.text(beside, "pane_id")
	sent := t.ask(ctx, "Start it by typing. Typing promises delivery, not an outcome.", "send_keys",
		map[string]any{"pane_id": second, "text": "tail -f test.log", "enter": true})
	t.want(sent, "completion", "dispatch_only")
	t.until(ctx, second, "ok    2 x 3 = 6")
	t.ask(ctx, "Both panes, and what runs in each.", "list_panes", nil)

	no := t.refused(ctx, "Run a command while tail has that terminal? No, and it says why and what to do.", "run_shell_command",
		map[string]any{"pane_id": second, "command": "sh test.sh"})
	t.want(no, "code", "refused")
	t.want(no, "reason", "not_a_shell")
	t.ask(ctx, "So stop it first.", "send_keys", map[string]any{"pane_id": second, "keys": []string{"C-c"}})

	slow := t.ask(ctx, "A command that takes longer than one wants to wait: it goes on, and can be collected.", "run_shell_command",
		map[string]any{"pane_id": pane, "command": "sleep 2; echo built; exit 3", "timeout": 1})
	t.want(slow, "outcome", "timed_out")
	t.want(slow, "started", true)
	late := t.ask(ctx, "Collect it.", "get_run", map[string]any{"run_id": t.text(slow, "run_id"), "timeout": 10})
	t.want(late, "exit_status", 3.0)
	t.want(late, "lines", []any{"built"})
	return t.err
}
