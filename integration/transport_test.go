//go:build integration

package integration_test

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A badFrame is one that the session does not end over, and how it is answered.
type badFrame struct {
	name, line string
	id         string
	code       int
}

// badFrames are made when they are needed: this binary also is many a helper, which has no use for 17 MB of them.
func badFrames() []badFrame {
	return []badFrame{
		{"malformed", `{"jsonrpc":`, `null`, -32700},
		{"no JSON", `hello`, `null`, -32700},
		{"byte order mark", "\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `1`, -32700},
		{"blank", ``, `null`, -32700},
		{"number", `7`, `null`, -32600},
		{"string", `"ping"`, `null`, -32600},
		{"null", `null`, `null`, -32600},
		{"trailing comma", `{"jsonrpc":"2.0","id":1,"method":"ping",}`, `1`, -32700},
		{"trailing comma after the object", `{"jsonrpc":"2.0","id":1,"method":"ping"},`, `1`, -32700},
		{"two objects", `{"jsonrpc":"2.0","id":1,"method":"ping"} {"jsonrpc":"2.0","id":2,"method":"ping"}`, `null`, -32700},
		{"wrong version", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `1`, -32600},
		{"object as id", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `null`, -32600},
		{"bool as id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, `null`, -32600},
		{"null as id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `null`, -32600},
		{"fraction as id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `null`, -32600},
		{"id beyond 2^53", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `null`, -32600},
		{"deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`, `1`, -32600},
		{"deeper than any decoder goes", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[", 100000) + `}`, `1`, -32700},
		{"empty array", `[]`, `null`, -32600},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `null`, -32600},
		{"name twice", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"ping"}`, `1`, -32600},
		{"invalid UTF-8", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + "\xff" + `"}}`, `1`, -32700},
		{"over 16 MiB", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 17<<20) + `"}}`, `1`, -32600},
		{"unknown method", `{"jsonrpc":"2.0","id":1,"method":"no/such"}`, `1`, -32601},
		{"bad params", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]}`, `1`, -32602},
		{"unknown tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"no_such"}}`, `1`, -32602},
	}
}

func TestBadFramesAreAnsweredAndTheSessionLives(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		w := dial(t, "--tmux", tmux, "--socket", s.Socket)
		for _, bad := range badFrames() {
			t.Run(bad.name, func(t *testing.T) {
				w.T = t
				w.send(bad.line)
				got := w.reply()
				if got.ID != bad.id || got.Error == nil || got.Error.Code != bad.code || got.Error.Message == "" {
					t.Errorf("answered by id %s, %+v; want id %s, code %d", got.ID, got.Error, bad.id, bad.code)
				}
				w.ping()
			})
		}
		w.T = t
		w.callTool("1", "list_panes", nil)
		if got := w.reply(); got.Result == nil || got.Result.Structured["total"] != 1.0 {
			t.Errorf("after all of them list_panes answers %+v", got)
		}
		w.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}` + " \t\r") // white space is no reason to refuse
		if got := w.reply(); got.ID != "2" || got.Error != nil {
			t.Errorf("a ping with white space behind is answered by %+v", got)
		}

		if _, err := fmt.Fprint(w.in, `{"jsonrpc":"2.0","id":3,"method":"pi`); err != nil {
			t.Fatal(err)
		}
		if err := w.in.Close(); err != nil {
			t.Fatal(err)
		}
		if rest := w.rest(); len(rest) != 1 || rest["3"].Error == nil {
			t.Errorf("a frame that the end of the input cuts short is answered by %+v", rest)
		}
		if status, _ := w.exit(); status != 0 {
			t.Errorf("exit status %d, want 0", status)
		}
	})
}

func TestCallBeforeInitializeIsRefused(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		cmd := exec.Command(serverBinary(t), "--tmux", tmux, "--socket", newServer(t, tmux).Socket)
		cmd.Env = bareEnvironment(t)
		w := open(t, cmd)
		w.listen()
		w.callTool("1", "list_panes", nil)
		if got := w.reply(); got.ID != "1" || got.Error == nil {
			t.Errorf("answered by %+v, want an error", got)
		}
		w.greet()
		w.ping()
	})
}

func TestLongLineCostsNoMemory(t *testing.T) {
	w := dial(t, "--socket", newServer(t, "tmux").Socket)
	w.send(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 50<<20) + `"}}`)
	if got := w.reply(); got.ID != "1" || got.Error == nil || got.Error.Code != -32600 {
		t.Errorf("a line of 50 MiB is answered by %+v", got)
	}
	w.ping()
	peak := memory(t, w.cmd.Process.Pid, "VmHWM")
	t.Logf("%d KiB at the peak", peak)
	if peak >= 32<<10 {
		t.Errorf("the process had %d KiB, want less than %d", peak, 32<<10)
	}
}

// waiting are the arguments of a wait for what does not come.
func waiting(seconds float64) args {
	return args{"pane_id": "%0", "patterns": []string{"what does not come"}, "timeout": seconds}
}

func TestIDInUseIsRefused(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		w := dial(t, "--tmux", tmux, "--socket", s.Socket)
		w.callTool("0", "list_panes", nil)
		w.reply()
		w.callTool("7", "wait_for_text", waiting(1))
		w.callTool("7", "list_panes", nil)
		if got := w.reply(); got.ID != "null" || got.Error == nil || got.Error.Code != -32600 || !strings.Contains(got.Error.Message, "7") {
			t.Errorf("the second call with an id in flight is answered by %+v", got)
		}
		if got := w.reply(); got.ID != "7" || got.outcome() != "timed_out" {
			t.Errorf("the first is answered by id %s, %s; want its outcome", got.ID, got.outcome())
		}
		w.callTool("7", "list_panes", nil) // the id is free again
		if got := w.reply(); got.ID != "7" || got.Result == nil {
			t.Errorf("the third is answered by %+v", got)
		}
	})
}

func TestOverloadIsAnswered(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		w := dial(t, "--tmux", tmux, "--socket", s.Socket, "--max-requests", "4", "--concurrency", "2")
		w.callTool("0", "list_panes", nil)
		w.reply()
		for id := range 6 {
			w.callTool(fmt.Sprint(id), "wait_for_text", waiting(1))
		}
		for range 2 {
			if got := w.reply(); got.ID != "4" && got.ID != "5" || got.Error == nil || got.Error.Code != -32000 {
				t.Errorf("a call too many is answered by id %s, %s", got.ID, got.outcome())
			}
		}
		for range 4 {
			if got := w.reply(); got.outcome() != "timed_out" {
				t.Errorf("a call within the limits is answered by id %s, %s", got.ID, got.outcome())
			}
		}
		w.ping()
	})
}

func TestCallsInFlightAtTheEndAreAnswered(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		w := dial(t, "--tmux", tmux, "--socket", s.Socket)
		w.callTool("0", "list_panes", nil)
		w.reply()
		want := map[string]string{}
		for id := range 5 {
			w.callTool(fmt.Sprint(id), "list_panes", nil)
			want[fmt.Sprint(id)] = "<nil>" // a listing has no outcome
		}
		for _, id := range []string{`"one"`, `"two"`} {
			w.callTool(id, "wait_for_text", waiting(60))
			want[id] = "cancelled"
		}
		w.callTool("5", "get_server_info", nil)
		want["5"] = "<nil>"
		if err := w.in.Close(); err != nil {
			t.Fatal(err)
		}
		begun, answers := time.Now(), w.rest()
		for id, outcome := range want {
			if answer, ok := answers[id]; !ok {
				t.Errorf("%s was not answered", id)
			} else if answer.outcome() != outcome {
				t.Errorf("%s was answered by %s, want %s", id, answer.outcome(), outcome)
			}
		}
		if len(answers) != len(want) {
			t.Errorf("%d answers, want %d: %v", len(answers), len(want), answers)
		}
		if status, _ := w.exit(); status != 0 {
			t.Errorf("exit status %d, want 0; stderr: %s", status, w.stderr.String())
		}
		t.Logf("ended within %v", time.Since(begun))
	})
}

// countingTmux is a tmux executable that leaves a byte in a file each time it runs, and that count.
func countingTmux(t *testing.T, tmux string) (path string, runs func() int64) {
	t.Helper()
	dir := t.TempDir()
	path, log := filepath.Join(dir, "tmux"), filepath.Join(dir, "log")
	if err := os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\nprintf x >>'%s'\nexec '%s' \"$@\"\n", log, tmux), 0o700); err != nil {
		t.Fatal(err)
	}
	return path, func() int64 {
		t.Helper()
		info, err := os.Stat(log)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
}

// children are the processes that a process has started and that have not ended.
func children(t *testing.T, pid int) string {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil || len(lists) == 0 {
		t.Fatalf("no lists of children of %d: %v", pid, err)
	}
	var all string
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may have ended
		all += string(text)
	}
	return all
}

func TestCancelledCallIsNotAnsweredAndItsWorkEnds(t *testing.T) {
	t.Parallel()                           // most of it is waiting
	const window = 2500 * time.Millisecond // in which a wait that goes on asks tmux twice
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		counting, runs := countingTmux(t, tmux)
		w := dial(t, "--tmux", counting, "--socket", s.Socket, "--backend", "cli") // whose work is processes, which can be counted
		w.callTool("0", "list_panes", nil)
		w.reply()
		for id := range 3 {
			w.callTool(fmt.Sprint(id), "wait_for_text", waiting(60))
		}
		before := runs()
		eventually(t, "the waits ask tmux", func() (bool, string) { return runs() > before+20, fmt.Sprint(runs() - before) })
		before = runs()
		<-time.After(window)
		if n := runs() - before; n < 3 {
			t.Fatalf("tmux ran %d times in %v while three calls wait: then silence would prove nothing", n, window)
		}
		for id := range 3 {
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id))
		}
		w.ping() // comes next: nothing was answered
		eventually(t, "no tmux runs for the server", func() (bool, string) {
			left := children(t, w.cmd.Process.Pid)
			return left == "", left
		})
		before = runs()
		<-time.After(window)
		if n := runs() - before; n != 0 {
			t.Errorf("tmux ran %d times in %v after all waits were cancelled", n, window)
		}
		w.ping()
		w.callTool("1", "list_panes", nil) // the ids are free
		if got := w.reply(); got.ID != "1" || got.Result == nil {
			t.Errorf("list_panes with the id of a cancelled call is answered by %+v", got)
		}
	})
}

// A peer that does not read cannot keep the process.
func TestPeerThatStopsReading(t *testing.T) {
	t.Parallel() // most of it is waiting
	for _, tt := range []struct {
		name  string
		lists int         // how many lists of tools it asks for
		then  func(*wire) // what it does besides
		wrong string      // what the server says went wrong
	}{
		{"and leaves too much unread", 400, func(*wire) {}, "unread"},
		{"and leaves a little unread", 8, func(*wire) {}, "did not read"},
		{"and ends the input", 8, func(w *wire) { _ = w.in.Close() }, "read"}, // "left unread" or "did not read": the end and the last write are as long ago
		{"and hangs up", 1, func(w *wire) { _ = w.out.Close() }, "broken pipe"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, exec.Command(serverBinary(t), "--socket", newServer(t, "tmux").Socket))
			text := strings.Join([]string{initializeFrame, initializedFrame, ""}, "\n")
			for id := range tt.lists {
				text += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list"}`+"\n", id)
			}
			_, _ = io.WriteString(w.in, text) // which fails if the server has ended before it is read
			tt.then(w)
			status, took := w.exit()
			t.Logf("ended after %v", took)
			if status != 1 || !strings.Contains(w.stderr.String(), tt.wrong) {
				t.Errorf("exit status %d, stderr %q; want 1 and %q", status, w.stderr.String(), tt.wrong)
			}
		})
	}
}
