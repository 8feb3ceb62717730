//go:build integration

package integration_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// TestBinaryWaitsOverClients sees that a wait attaches a client while it lasts, that nobody is shown it, and that it hears on when that
// client is ended.
func TestBinaryWaitsOverClients(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux, "cat")
		for backend, want := range map[string]int{"auto": 1, "cli": 0} {
			p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--backend", backend)
			call(t, p, "list_panes", nil)
			waited := make(chan pipes.Result, 1)
			go func() {
				out, err := p.Call(t.Context(), "wait_for_text", fields{"pane_id": "%0", "patterns": []string{"hello " + backend}, "timeout": 60})
				if err != nil {
					t.Errorf("wait: %v", err)
				}
				waited <- out
			}()
			clients := func() int { return len(strings.Fields(s.Tmux(t, "list-clients", "-F", "#{client_pid}"))) }
			if want > 0 {
				eventually(t, "a client is attached", func() (bool, string) { return clients() == want, fmt.Sprint(clients()) })
				s.Tmux(t, "detach-client", "-s", "main")
				eventually(t, "another one is", func() (bool, string) { return clients() == want, fmt.Sprint(clients()) })
			}
			info := call(t, p, "get_server_info", nil)
			info.want(t, fields{"backend": "cli", "events": map[bool]string{true: "control", false: "polling"}[want > 0]})
			if (info["events_reason"] == nil) != (want > 0) || len(info["terminal_clients"].([]any)) != 0 {
				t.Errorf("%s: it says %v", backend, info)
			}
			eventually(t, "as many clients are attached as before", func() (bool, string) { return clients() == want, fmt.Sprint(clients()) }) // the detached one may just have gone
			if session := call(t, p, "list_sessions", nil)["sessions"].([]any)[0].(map[string]any); session["attached"] != false && session["attached"] != 0.0 {
				t.Errorf("%s: attached: %v", backend, session)
			}
			s.Tmux(t, "send-keys", "-t", "%0", "hello "+backend, "Enter")
			select {
			case <-waited:
			case <-time.After(hangBound):
				t.Fatalf("%s: the wait has not ended", backend)
			}
			eventually(t, "no client is left", noClients(s))
		}
	})
}

// TestControlHostileScreen waits in a pane that prints what tmux says to control clients.
func TestControlHostileScreen(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux, "sh", "-c", "exec cat")
		c := converseOver(t, backendControl, s, nil)
		c.must("list_panes", nil)
		says := []string{
			"%begin 1 1 1", "%end 1 1 1", "%error 1 1 1", "%exit", "%session-changed $9 other", "%window-close @0", "%output %0 x",
			"%subscription-changed libtmux-mcp-0 $0 @0 0 %0 : x", "%layout-change @0 x x *", "%end",
		}
		for i := range 5 {
			ended := c.during(t.Context(), "wait_for_text", args{"pane_id": "%0", "patterns": []string{fmt.Sprint("over ", i)}, "timeout": 60})
			writeTo(t, s, "%0", strings.Join(says, "\n")+fmt.Sprintf("\nover %d\n", i))
			if how := soon(t, ended); how.err != nil || how.failure != nil || how.out["outcome"] != "matched" && how.out["outcome"] != "present_at_entry" {
				t.Errorf("wait %d ended with %v, %v, %v", i, how.out, how.failure, how.err)
			}
		}
	})
}

// writeTo writes to the terminal of a pane, as its program does.
func writeTo(t *testing.T, s *realServer, pane string, pieces ...string) {
	t.Helper()
	tty, err := os.OpenFile(s.Tmux(t, "display-message", "-p", "-t", pane, "#{pane_tty}"), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	for _, piece := range pieces {
		if _, err := tty.WriteString(piece); err != nil {
			t.Fatal(err)
		}
	}
}

// TestControlSplitCharacters waits on texts of many scripts that are written in pieces, cut at every byte of a sample of 4 KB, and at
// random ones of 1 MB.
func TestControlSplitCharacters(t *testing.T) {
	const together = 24 // samples in one wait, which tells at most 2000 lines
	var sample strings.Builder
	lines := map[string]bool{}
	for i := 0; sample.Len() < 4<<10; i++ {
		line := fmt.Sprintf("%02d ПРИВЕТ 日本語 🎉 é ü ß \\ %%output", i)
		lines[line] = true
		sample.WriteString(line + "\n")
	}
	text := sample.String()
	var pieces [][]string
	step := 1
	if testing.Short() {
		step = 37
	}
	for cut := 1; cut < len(text); cut += step {
		pieces = append(pieces, []string{text[:cut], text[cut:]})
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1 << 20 / len(text) / step {
		var split []string
		rest := text
		for len(rest) > 0 {
			n := min(1+random.IntN(200), len(rest))
			split, rest = append(split, rest[:n]), rest[n:]
		}
		pieces = append(pieces, split)
	}
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		c := converseOver(t, backendControl, s, nil)
		c.must("list_panes", nil)
		pane := s.window(t, 50000, "cat")
		for i := 0; i < len(pieces); i += together {
			over := fmt.Sprint("over ", i)
			s.Tmux(t, "clear-history", "-t", pane) // lines that are alike, of which tmux drops some, cannot be told apart
			cursor := c.must("capture_pane", args{"pane_id": pane})["cursor"]
			ended := c.during(t.Context(), "wait_for_text", args{"pane_id": pane, "patterns": []string{over}, "cursor": cursor, "timeout": 60})
			var batch []string
			for _, split := range pieces[i:min(i+together, len(pieces))] {
				batch = append(batch, split...)
			}
			writeTo(t, s, pane, append(batch, over+"\n")...)
			how := soon(t, ended)
			got, _ := how.out["lines"].([]any)
			if how.err != nil || how.failure != nil || how.out["outcome"] != "matched" || how.out["continuous"] != true || len(got) == 0 {
				t.Fatalf("wait %d ended with %.300v, %v, %v", i, how.out, how.failure, how.err)
			}
			for _, line := range got {
				if text := strings.TrimRight(line.(string), " "); text != over && !lines[text] || !utf8.ValidString(text) {
					t.Fatalf("wait %d: a line is %q", i, text)
				}
			}
		}
	})
}
