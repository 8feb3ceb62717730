package main

import "testing"

func TestClientConfig(t *testing.T) {
	tmux := stub(t, absentTmux)
	for _, c := range []commandLine{
		{args: "client-config claude-code", stdout: []string{`^claude mcp add tmux -- /\S+\.test$`}, stderr: []string{"^claude-code: run:$"}},
		{args: "client-config codex --socket-name it's", stdout: []string{`^codex mcp add tmux -- /\S+\.test --socket-name 'it'\\''s'$`}},
		{args: "client-config claude-desktop", stdout: []string{`"mcpServers": \{`, `"command": "/\S+\.test"$`}, absent: []string{"args"}, stderr: []string{`claude_desktop_config\.json`}},
		{args: "client-config gemini -- --socket-name x", stdout: []string{`"args": \[$`, `"--socket-name",$`}, absent: []string{`"--"`}, stderr: []string{`~/\.gemini/settings\.json`}},
		{args: "client-config cursor", stdout: []string{`"mcpServers": \{`}, stderr: []string{`~/\.cursor/mcp\.json`}},
		{args: "client-config vscode", stdout: []string{`"servers": \{`}, stderr: []string{`\.vscode/mcp\.json`}},
		{args: "client-config emacs", status: exitUsage, stderr: []string{`there is no client "emacs" \(known: claude-code, claude-desktop, codex, cursor, gemini, vscode\)`}},
		{args: "client-config", status: exitUsage, stderr: []string{"client"}},
		{args: "client-config codex --sockt x", status: exitUsage, stderr: []string{"--sockt"}},
		{args: "client-config codex version", status: exitUsage, stderr: []string{"flags of serve"}},
		{args: "version", stdout: []string{`^libtmux-mcp devel$`}},
		{args: "--help", stdout: []string{"client-config", "Flags of serve", "--socket=PATH", "--log-level", "LIBTMUX_TOOLSETS"}},
	} {
		t.Run(c.args, func(t *testing.T) { c.invoke(t, tmux) })
	}
}
