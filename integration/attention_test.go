//go:build integration

package integration_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// Real terminal clients look at real panes: input is refused exactly where one of them shows the pane now.
func TestAttention(t *testing.T) {
	for _, c := range []struct {
		name    string
		arrange func(t *testing.T, w *tmuxWorld, panes map[string]tmux.PaneID)
		watched []string // of: first, below (the same window), linked (another window, linked into "other"), other
	}{
		{"nobody", func(*testing.T, *tmuxWorld, map[string]tmux.PaneID) {}, nil},
		{"a terminal", func(_ *testing.T, w *tmuxWorld, _ map[string]tmux.PaneID) { w.Attach("$0", porttest.Terminal) }, []string{"first", "below"}},
		{"a control client", func(_ *testing.T, w *tmuxWorld, _ map[string]tmux.PaneID) { w.Attach("$0", porttest.Control) }, nil},
		{"zoomed", func(_ *testing.T, w *tmuxWorld, panes map[string]tmux.PaneID) {
			w.Attach("$0", porttest.Terminal)
			w.Put(panes["below"], porttest.Zoomed)
		}, []string{"below"}},
		{"a linked window", func(t *testing.T, w *tmuxWorld, panes map[string]tmux.PaneID) {
			w.Attach("$1", porttest.Terminal)
			w.Tmux(t, "select-window", "-t", "$1:9")
		}, []string{"linked"}},
		{"two terminals", func(_ *testing.T, w *tmuxWorld, _ map[string]tmux.PaneID) {
			w.Attach("$0", porttest.Terminal)
			w.Attach("$1", porttest.Terminal)
		}, []string{"first", "below", "other"}},
		{"suspended", func(t *testing.T, w *tmuxWorld, _ map[string]tmux.PaneID) {
			w.Attach("$0", porttest.Terminal)
			w.Tmux(t, "suspend-client", "-t", w.Tmux(t, "list-clients", "-F", "#{client_name}"))
		}, nil},
		{"its process stopped", func(t *testing.T, w *tmuxWorld, _ map[string]tmux.PaneID) {
			w.Attach("$0", porttest.Terminal)
			pid := number(t, w.Tmux(t, "list-clients", "-F", "#{client_pid}"))
			if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}, nil},
		{"gone again", func(_ *testing.T, w *tmuxWorld, _ map[string]tmux.PaneID) { w.Attach("$0", porttest.Terminal)() }, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			eachTmux(t, func(t *testing.T, binary string) {
				w := newTmuxWorld(t, binary)
				panes := map[string]tmux.PaneID{"first": w.Session("main", porttest.Recorder)}
				panes["below"] = w.Split(panes["first"], porttest.Recorder)
				panes["other"] = w.Session("other", porttest.Recorder)
				panes["linked"] = tmux.PaneID(w.Tmux(t, "new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "$0:5", "cat"))
				w.Tmux(t, "link-window", "-d", "-s", "$0:5", "-t", "$1:9")
				c.arrange(t, w, panes)
				talk := converse(t, w.realServer, nil)
				for name, pane := range panes {
					watched := strings.Contains(" "+strings.Join(c.watched, " ")+" ", " "+name+" ")
					eventually(t, name+" is attended or not", func() (bool, string) { // a suspended client takes a moment
						info := talk.must("get_pane_info", args{"pane_id": pane})
						return info["attended"] == watched, c.name
					})
					for tool, arguments := range map[string]args{
						"send_keys":  {"pane_id": pane, "text": "x"},
						"paste_text": {"pane_id": pane, "text": "x"},
					} {
						if watched {
							talk.refused(fault.Attended, tool, arguments)
							arguments["confirm_attended"] = true
						}
						talk.must(tool, arguments)
					}
				}
			})
		})
	}
}

// A person looks at the pane and agreed: the command runs in front of them, once its prompt was seen.
func TestRunInFrontOfAPerson(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		w := newTmuxWorld(t, binary)
		p := startIdle(t, binary, guard.Bash, "")
		w.realServer = p.realServer
		talk := converse(t, p.realServer, p.frames)
		for range 2 { // the second finds the prompt that the first came back to
			talk.run("%0", "echo first", "completed", 0, "first")
			p.prompt()
		}
		detach := w.Attach("$0", porttest.Terminal)
		talk.refused(fault.Attended, "run_shell_command", args{"pane_id": "%0", "command": "echo no"})
		talk.runWith(args{"pane_id": "%0", "command": "echo yes", "confirm_attended": true}, "completed", 0, "yes")
		p.prompt()
		p.Tmux(t, "send-keys", "-t", "%0", "half a thou")
		p.Screen(t, "%0", "half a thou")
		talk.refused(fault.Draft, "run_shell_command", args{"pane_id": "%0", "command": "echo no", "confirm_attended": true})
		if screen := p.Tmux(t, "capture-pane", "-p", "-t", "%0"); !strings.HasSuffix(strings.TrimRight(screen, "\n "), framesPrompt+"half a thou") {
			t.Errorf("the draft is not intact:\n%s", screen)
		}
		out := talk.runWith(args{"pane_id": "%0", "command": "echo ran", "confirm_attended": true, "draft": "clear"}, "completed", 0, "ran")
		if out["cleared_draft"] != "half a thou" {
			t.Errorf("cleared %q", out["cleared_draft"])
		}
		detach()
	})
}
