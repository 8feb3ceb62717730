//go:build integration

package integration_test

import (
	"encoding/json"
	"os/exec"
	"testing"
	"time"
)

// BenchmarkScript executes true by tmux_run, beside sh -c itself, and beside run_shell_command in the same shell.
func BenchmarkScript(b *testing.B) {
	s := startServer(b, benchTmux(), "env", "PS1=$ ", "zsh", "-f")
	s.Screen(b, "%0", "$")
	file := b.TempDir() + "/setup"
	p := begin(b, "--socket", s.Socket, "--enable-tool", "tmux_run", "--enable-tool", "run_shell_command", "--enable-tool", "list_panes", "--enroll-pane", "%0="+file)
	s.Tmux(b, "send-keys", "-t", "%0", "source "+file, "Enter")
	s.Screen(b, "%0", "this shell is enrolled")
	ask(b, p, "list_panes", fields{})
	ask(b, p, "run_shell_command", fields{"pane_id": "%0", "command": "true"}) // after which the prompt is known
	result, err := p.Call(b.Context(), "tmux_capabilities", fields{})
	if err != nil {
		b.Fatal(err)
	}
	var capabilities struct {
		Server struct {
			Generation string `json:"generation"`
		} `json:"server"`
	}
	if err := json.Unmarshal(result.Data, &capabilities); err != nil {
		b.Fatal(err)
	}
	script := fields{"generation": capabilities.Server.Generation, "target_id": "%0", "script": "true"}
	plain := measure(b, "tmux_run of true", "sh -c true, as a process")
	framed := measure(b, "tmux_run of true", "run_shell_command of true, in the same zsh")
	for b.Loop() {
		time.Sleep(rest)
		start := time.Now()
		ask(b, p, "tmux_run", script)
		plain.product.took(start)
		framed.product.took(start)
		time.Sleep(rest)
		start = time.Now()
		if err := exec.Command("sh", "-c", "true").Run(); err != nil {
			b.Fatal(err)
		}
		plain.yardstick.took(start)
		time.Sleep(rest)
		start = time.Now()
		ask(b, p, "run_shell_command", fields{"pane_id": "%0", "command": "true"})
		framed.yardstick.took(start)
	}
}
