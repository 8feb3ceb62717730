//go:build integration

package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// What a pane writes without pause is in tmux's buffers whenever it is respawned. With a control client that is told of it, up to 3.7
// the server dies of one respawn in a few; nothing that this product does may be that one.
func TestRespawnUnderAFlood(t *testing.T) {
	const respawns = 25
	eachTmux(t, func(t *testing.T, binary string) {
		w := newTmuxWorld(t, binary)
		w.Session("main", porttest.Recorder)
		pane := w.Tmux(t, "new-window", "-d", "-t", "$0:", "-P", "-F", "#{pane_id}", "yes")
		version := w.Tmux(t, "display-message", "-p", "#{version}")
		talk := converse(t, w.realServer, nil)
		before := talk.must("get_pane_info", args{"pane_id": pane})
		talk.refused(fault.Busy, "respawn_pane", args{"pane_id": pane})

		detach := w.Attach("$0", porttest.Control)
		if !strings.HasPrefix(version, "3.8") {
			for range 3 {
				failure := talk.failed(fault.Unsupported, "respawn_pane", args{"pane_id": pane, "kill": true})
				if failure.Delivery != fault.NotSent || !strings.Contains(failure.Message, "can crash") || !strings.Contains(failure.Recovery, "kill_pane") {
					t.Errorf("got %s", failure.Text)
				}
			}
			if now := talk.must("get_pane_info", args{"pane_id": pane}); now["pid"] != before["pid"] {
				t.Errorf("process %v became %v", before["pid"], now["pid"])
			}
		}
		detach()

		w.Attach("$0", porttest.Silent)
		waited := make(chan string, 1)
		go func() {
			out, failure, err := talk.Ask(t.Context(), "wait_for_text", args{"pane_id": pane, "patterns": []string{"never"}, "timeout": 60})
			waited <- fmt.Sprintf("%v %v %v", out["outcome"], failure, err)
		}()
		pids, ended := map[any]bool{before["pid"]: true}, false
		for n := 0; n < respawns || !ended; n++ {
			out := talk.must("respawn_pane", args{"pane_id": pane, "kill": true})
			if pids[out["pid"]] || out["start_command"] != "yes" {
				t.Fatalf("respawned as %v, after %v", out, pids)
			}
			pids[out["pid"]] = true
			select {
			case how := <-waited:
				if ended = true; how != "pane_died <nil> <nil>" {
					t.Errorf("the wait ended with %s", how)
				}
			default:
			}
		}
		if got := w.Tmux(t, "display-message", "-p", "-t", pane, "#{pane_dead}"); got != "0" {
			t.Errorf("pane_dead is %q", got)
		}
	})
}

func TestBinaryRespawns(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		for _, backend := range []string{"auto", "cli", "control"} {
			t.Run(backend, func(t *testing.T) {
				s := startServer(t, tmux)
				s.Tmux(t, "set-option", "-g", "remain-on-exit", "on")
				pane := s.Tmux(t, "new-session", "-d", "-s", "other", "-P", "-F", "#{pane_id}", "cat")
				p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", backend)
				before := call(t, p, "get_pane_info", fields{"pane_id": pane})
				dir := filepath.Join(t.TempDir(), "#{pane_id} %H #(id)")
				if err := os.Mkdir(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				after := call(t, p, "respawn_pane", fields{"pane_id": pane, "kill": true, "cwd": dir})
				after.want(t, fields{"pane_id": pane, "start_command": "cat"})
				if after["pid"] == before["pid"] {
					t.Error("it is the same process")
				}
				eventually(t, "it has its directory", func() (bool, string) {
					path := s.Tmux(t, "display-message", "-p", "-t", pane, "#{pane_current_path}")
					return path == dir, path
				})
				s.Tmux(t, "send-keys", "-t", pane, "C-d")
				eventually(t, "the pane is dead", func() (bool, string) {
					dead := s.Tmux(t, "display-message", "-p", "-t", pane, "#{pane_dead}")
					return dead == "1", dead
				})
				call(t, p, "respawn_pane", fields{"pane_id": pane}).want(t, fields{"pane_id": pane, "start_command": "cat"})

				flood := s.Tmux(t, "new-window", "-d", "-t", "other:", "-P", "-F", "#{pane_id}", "yes")
				call(t, p, "list_panes", nil)
				ended := make(chan error, 1)
				go func() {
					_, err := p.Call(t.Context(), "wait_for_text", fields{"pane_id": flood, "patterns": []string{"never"}, "timeout": 60})
					ended <- err
				}()
				for n, waits := 0, true; waits || n < 10; n++ { // whatever wakes the wait, tmux survives
					call(t, p, "respawn_pane", fields{"pane_id": flood, "kill": true}).want(t, fields{"start_command": "yes"})
					select {
					case err := <-ended:
						if waits = false; err != nil {
							t.Error(err)
						}
					default:
					}
				}
			})
		}
	})
}
