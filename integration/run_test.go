//go:build integration

package integration_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

// The main job in every shell: guard, run, read, again, in one pane.
func TestRunInEveryShell(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startPane(t, binary, family, "")
		c := converse(t, p.realServer, p.frames)
		first := c.run("%0", "echo hello", "completed", 0, "hello") // while the shell still starts
		if first["prompt_assumed"] != true {
			t.Errorf("first contact: %v", first)
		}
		c.run("%0", "false", "completed", 1)
		c.run("%0", "printf abc", "completed", 0, "abc")
		c.run("%0", "printf 'a\\n\\n\\n'", "completed", 0, "a", "", "")
		c.run("%0", "echo a # note", "completed", 0, "a")
		c.run("%0", "true #", "completed", 0)
		c.run("%0", `echo "it's" 'ПРИВЕТ日本🎉'`, "completed", 0, "it's ПРИВЕТ日本🎉")
		c.run("%0", "printf '%0150d\\n' 7", "completed", 0, strings.Repeat("0", 149)+"7")
		var numbers []string
		for n := range 400 {
			numbers = append(numbers, fmt.Sprint(n+1))
		}
		c.runWith(args{"pane_id": "%0", "command": "seq 1 400", "max_lines": 2000}, "completed", 0, numbers...)
		if family != guard.Fish { // which has neither
			c.run("%0", "exit 7", "completed", 7)
			c.run("%0", "cat <<E\nin it\nE", "completed", 0, "in it")
			c.run("%0", "x=1; cd /; export x", "completed", 0)
			c.run("%0", `echo "[$x]"`, "completed", 0, "[]")
			long := ": " + strings.Repeat("x", 65500) + "\necho long"
			c.run("%0", long, "completed", 0, "long")
		}
		out := c.must("run_shell_command", args{"pane_id": "%0", "command": "echo 'oops"})
		if out["outcome"] != "completed" || out["exit_status"] == 0.0 {
			t.Errorf("unbalanced: %v", out)
		}
		streams := c.must("run_shell_command", args{"pane_id": "%0", "command": `printf 'a\tb'; printf 'E' >&2`, "streams": true})
		stdout, _ := streams["stdout"].(map[string]any)
		stderr, _ := streams["stderr"].(map[string]any)
		if stdout["data"] != "a\tb" || stderr["data"] != "E" || streams["complete"] != true {
			t.Errorf("streams: %v", streams)
		}
		last := c.run("%0", "echo fine", "completed", 0, "fine")
		if last["prompt_assumed"] == true {
			t.Error("a prompt that was learned is assumed again")
		}
		p.prompt() // nothing of the frame stands in the next one
	})
}

// An interrupt reaches the program, a stop frees the pane.
func TestRunIsInterruptedAndStopped(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		c := converse(t, p.realServer, p.frames)
		out := c.must("run_shell_command", args{"pane_id": "%0", "command": "sleep 99", "timeout": 0.5})
		if out["outcome"] != "timed_out" || out["started"] != true {
			t.Fatalf("got %v", out)
		}
		c.refused(fault.Busy, "send_keys", args{"pane_id": "%0", "text": "ls\n"})
		c.refused(fault.Busy, "run_shell_command", args{"pane_id": "%0", "command": "true"})
		c.must("send_keys", args{"pane_id": "%0", "keys": []string{"C-c"}})
		got := c.must("get_run", args{"run_id": out["run_id"], "timeout": 10})
		want, status := "interrupted", 130.0
		if family == guard.Ksh {
			want, status = "completed", 2 // as this shell has it
		}
		if got["outcome"] != want || got["exit_status"] != status {
			t.Errorf("after C-c: %v", got)
		}
		c.run("%0", "echo usable", "completed", 0, "usable")

		stopped := make(chan map[string]any)
		go func() {
			out, failure, err := c.Ask(t.Context(), "run_shell_command", args{"pane_id": "%0", "command": "echo begun; sleep 98"})
			if failure != nil || err != nil {
				t.Errorf("run: %+v, %v", failure, err)
			}
			stopped <- out
		}()
		p.Screen(t, "%0", "begun\n")
		p.Tmux(t, "send-keys", "-t", "%0", "C-z")
		select {
		case out := <-stopped:
			if out["outcome"] != "stopped" || out["exit_status"] != nil {
				t.Errorf("after C-z: %v", out)
			}
		case <-time.After(hangBound):
			t.Fatalf("C-z does not end the wait:\n%s", p.Tmux(t, "capture-pane", "-p", "-t", "%0"))
		}
		p.prompt()
		after := c.must("run_shell_command", args{"pane_id": "%0", "command": "echo after"})
		if lines, _ := after["lines"].([]any); !slices.Contains(lines, any("after")) {
			t.Errorf("the pane is not free: %v", after)
		}
	})
}

func TestAShellInItsConfigurationRunsOnce(t *testing.T) {
	t.Parallel() // most of it is waiting
	eachTmux(t, func(t *testing.T, binary string) {
		for _, family := range []guard.Shell{guard.Bash, guard.Zsh} {
			p := startPane(t, binary, family, "sleep 2\n")
			c := converse(t, p.realServer, p.frames)
			counter := p.home + "/counter"
			c.run("%0", "echo x >>"+counter, "completed", 0)
			c.run("%0", "cat "+counter, "completed", 0, "x")
		}
	})
}

func TestRunPastTheHistoryLimit(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		c := converseOver(t, backend, p.realServer, p.frames)
		for range 2 {
			out := c.must("run_shell_command", args{"pane_id": "%0", "command": "seq 1 3000", "max_lines": 2000, "max_bytes": 262144})
			lines, _ := out["lines"].([]any)
			if out["complete"] != false || out["reason"] != "trimmed" || out["exit_status"] != 0.0 {
				t.Errorf("got complete %v, reason %v, status %v", out["complete"], out["reason"], out["exit_status"])
			}
			if n := len(lines); n < 1800 || n > 2000 || lines[n-1] != "3000" {
				t.Errorf("%d lines", n)
			}
		}
		cleared := c.must("run_shell_command", args{"pane_id": "%0", "command": "seq 1 5; tmux -S " + p.Socket + " clear-history; printf '\\033[H\\033[2J\\033[3J'; echo x"})
		if cleared["complete"] != false || cleared["reason"] != "cleared" {
			t.Errorf("cleared: %v", cleared)
		}
	})
}

func TestParallelRuns(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		p := startIdle(t, binary, guard.Bash, "")
		c := converseOver(t, backend, p.realServer, p.frames)
		type answer struct {
			out     map[string]any
			reason  fault.Reason
			message string
			err     error
		}
		ask := func(answers chan<- answer, pane, command string) {
			out, failure, err := c.Ask(t.Context(), "run_shell_command", args{"pane_id": pane, "command": command})
			a := answer{out: out, err: err}
			if failure != nil {
				a.reason, a.message = failure.Reason, failure.Message
			}
			answers <- a
		}
		answers := make(chan answer)
		for n := range 4 {
			go ask(answers, "%0", fmt.Sprintf("echo begin %d; sleep 0.5; echo end %d", n, n))
		}
		ran := 0
		for range 4 {
			a := <-answers
			if a.err != nil || a.reason != "" && a.reason != fault.Busy {
				t.Errorf("got %+v, want busy", a)
			}
			if a.reason == "" {
				ran++
				lines, _ := a.out["lines"].([]any)
				if len(lines) != 2 || strings.TrimPrefix(lines[0].(string), "begin") != strings.TrimPrefix(lines[1].(string), "end") {
					t.Errorf("mixed: %v", lines)
				}
			}
		}
		if ran == 0 {
			t.Error("none of 4 ran")
		}

		p.Tmux(t, "set-option", "-g", "default-command", "env 'PS1=$ ' bash --noprofile --norc")
		var panes []string
		for n := range 20 {
			created := c.must("create_session", args{"name": fmt.Sprint("s", n)})
			panes = append(panes, created["pane_id"].(string))
		}
		for _, pane := range panes {
			go ask(answers, pane, "echo in "+pane)
		}
		seen := map[any]bool{}
		for range panes {
			a := <-answers
			if a.reason != "" || a.err != nil {
				t.Fatalf("got %+v", a)
			}
			if lines, _ := a.out["lines"].([]any); len(lines) == 1 {
				seen[lines[0]] = true
			}
		}
		if len(seen) != 20 {
			t.Errorf("%d of 20 panes answered for themselves: %v", len(seen), seen)
		}
	})
}

// Whatever ends a run ends the wait for it at once, with its name.
func TestRunEndsWithWhatItRunsIn(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		for _, c := range []struct {
			name, outcome string
			end           []string
		}{
			{"pane", "pane_gone", []string{"kill-pane", "-t", "%0"}},
			{"window", "pane_gone", []string{"kill-window", "-t", "@0"}},
			{"session", "pane_gone", []string{"kill-session", "-t", "$0"}},
			{"respawned", "pane_died", []string{"respawn-pane", "-k", "-t", "%0"}},
			{"server", "server_gone", []string{"kill-server"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				p := startIdle(t, binary, guard.Bash, "")
				p.Tmux(t, "new-session", "-d", "-s", "other")
				talk := converseOver(t, backend, p.realServer, p.frames)
				answers := make(chan map[string]any)
				go func() {
					out, failure, err := talk.Ask(t.Context(), "run_shell_command", args{"pane_id": "%0", "command": "echo begun; sleep 97"})
					if failure != nil || err != nil {
						t.Errorf("run: %+v, %v", failure, err)
					}
					answers <- out
				}()
				p.Screen(t, "%0", "begun\n")
				p.Tmux(t, c.end...)
				select {
				case out := <-answers:
					if out["outcome"] != c.outcome || out["complete"] != false || out["exit_status"] != nil {
						t.Errorf("got %v, want %s", out, c.outcome)
					}
				case <-time.After(hangBound):
					t.Fatal("the wait goes on")
				}
			})
		}
	})
}

// A program that looks like a shell at its prompt takes the typed line: the command does not start then, and never will.
func TestARunThatDoesNotStartNeverRuns(t *testing.T) {
	t.Parallel() // most of it is waiting
	eachTmux(t, func(t *testing.T, binary string) {
		p := startIdle(t, binary, guard.Bash, "")
		talk := converse(t, p.realServer, p.frames)
		p.Tmux(t, "send-keys", "-t", "%0", "clear; read -e -p '$ ' line; echo got it", "Enter")
		eventually(t, "the other prompt", func() (bool, string) {
			screen := p.Tmux(t, "capture-pane", "-p", "-t", "%0")
			return strings.TrimSpace(screen) == "$", screen
		})
		ran := p.home + "/ran"
		out := talk.must("run_shell_command", args{"pane_id": "%0", "command": "touch " + ran, "timeout": 0.2})
		if out["started"] != false || out["outcome"] != "timed_out" || out["exit_status"] != nil {
			t.Errorf("got %v, want timed_out, not started", out)
		}
		p.Screen(t, "%0", "got it")
		p.prompt()
		again := talk.must("get_run", args{"run_id": out["run_id"]})
		if again["started"] != false || again["outcome"] != "timed_out" {
			t.Errorf("get_run: %v", again)
		}
		// The person sources the line by hand: it is too late.
		p.Tmux(t, "send-keys", "-t", "%0", " . "+p.dir+"/"+out["run_id"].(string)+"/go", "Enter")
		p.prompt()
		if _, err := os.Stat(ran); err == nil {
			t.Error("the command ran after it was reported as not started")
		}
		talk.must("run_shell_command", args{"pane_id": "%0", "command": "true", "draft": "clear"})
	})
}
