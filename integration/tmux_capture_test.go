//go:build integration

package integration_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
)

// A viewer captures one pane by exact reference.
type viewer struct {
	*talk
	ref args
}

// viewing begins to view the pane of a new server, in which nothing is written but by the test.
func viewing(t *testing.T, binary, backend string) viewer {
	t.Helper()
	s := startServer(t, binary, "sh", "-c", "stty raw -echo; echo ready; exec cat >/dev/null")
	s.Screen(t, "%0", "ready")
	v := viewer{talk: converseOver(t, backend, s, nil)}
	v.refer()
	return v
}

// refer learns which server there is.
func (v *viewer) refer() {
	v.t.Helper()
	server := v.must("tmux_capabilities", nil)["server"].(map[string]any)
	v.ref = args{"generation": server["generation"], "target_id": "%0"}
}

// with is the reference with more arguments.
func (v viewer) with(name string, value any, more ...any) args {
	all := args{name: value}
	for i := 0; i < len(more); i += 2 {
		all[more[i].(string)] = more[i+1]
	}
	maps.Copy(all, v.ref)
	return all
}

// decoded are rows of an answer as they are.
func (v viewer) decoded(rows any, encoding any) (texts []string) {
	v.t.Helper()
	for _, row := range rows.([]any) {
		text := row.(string)
		if encoding == "base64" {
			raw, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				v.t.Fatal(err)
			}
			text = string(raw)
		}
		texts = append(texts, text)
	}
	return texts
}

// delta asks what changed, and makes rows of those before.
func (v viewer) delta(cursor any, rows []string) (map[string]any, []string) {
	v.t.Helper()
	out := v.must("tmux_capture", v.with("cursor", cursor))
	splice := out["splice"].(map[string]any)
	s := screen.Splice{Start: int(splice["start"].(float64)), Delete: int(splice["delete"].(float64)), Rows: v.decoded(splice["rows"], out["encoding"])}
	return out, s.Apply(rows)
}

// A mess is what programs write, at random.
type mess struct{ *rand.Rand }

func (m mess) words() string {
	words := []string{"a", "日本", "é", "🎉", " ", "  ", "\t", strings.Repeat("=", 70), strings.Repeat("x ", 50), "\r\n", "\r\n", "\r\n\r\n", "\\", "#{pane_id}", "%begin 1 1 1\r\n"}
	var b strings.Builder
	for range 1 + m.IntN(12) {
		b.WriteString(words[m.IntN(len(words))])
	}
	return b.String()
}

func (m mess) text() string {
	n := func(most int) string { return strconv.Itoa(1 + m.IntN(most)) }
	switch m.IntN(12) {
	case 0:
		return "\x1b[" + n(24) + ";" + n(80) + "H" + m.words()
	case 1:
		return "\x1b[" + []string{"", "1", "2"}[m.IntN(3)] + "J"
	case 2:
		return "\x1b[" + []string{"", "1", "2"}[m.IntN(3)] + "K"
	case 3:
		return "\x1b[" + n(5) + []string{"L", "M", "@", "P", "S", "T", "X"}[m.IntN(7)]
	case 4:
		return "\x1b[5;15r\x1b[15;1H" + m.words() + "\x1b[r"
	case 5:
		return strings.Repeat(m.words(), 5)
	case 6:
		return "\x1b[?1049" + []string{"h", "l"}[m.IntN(2)] + m.words()
	}
	return m.words()
}

func TestTmuxCaptureDeltasGiveWhatThereIs(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		v := viewing(t, binary, backend)
		changes := max(50, often(map[string]int{backendCLI: 100, backendControl: 500}[backend])) // 50: one of each kind
		seed := rand.Uint64()
		t.Logf("seed %d", seed)
		random := mess{rand.New(rand.NewPCG(seed, 0))}
		tty := v.server.Tmux(t, "display-message", "-p", "-t", "%0", "#{pane_tty}")
		terminal, err := os.OpenFile(tty, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = terminal.Close() })

		bounds := []any{"history_lines", 20, "max_lines", 30}
		last := v.must("tmux_capture", v.with("track", true, bounds...))
		rows := v.decoded(last["rows"], last["encoding"])
		told, resets := 0, 0
		for i := range changes {
			did := random.text()
			switch i % 50 {
			case 17:
				did = fmt.Sprint("resize ", 20+random.IntN(80), 5+random.IntN(30))
				size := strings.Fields(did)
				v.server.Tmux(t, "resize-window", "-t", "%0", "-x", size[1], "-y", size[2])
			case 33:
				v.server.Tmux(t, "clear-history", "-t", "%0")
				did = "clear-history"
			}
			title := fmt.Sprint("after ", i) // which tmux knows when it has shown all before
			if _, err := fmt.Fprintf(terminal, "%s\x1b]2;%s\x1b\\", did, title); err != nil {
				t.Fatal(err)
			}
			eventually(t, "tmux shows it", func() (bool, string) {
				got := v.server.Tmux(t, "display-message", "-p", "-t", "%0", "#{pane_title}")
				return got == title, got
			})
			base := last["capture_id"]
			var applied []string
			last, applied = v.delta(last["next_cursor"], rows)
			if last["base_capture_id"] != base || last["mode"] != "delta" {
				t.Fatalf("%q: %v", did, last)
			}
			if last["reset"] == true {
				resets++
			}
			if !slices.Equal(applied, rows) {
				told++
			}
			whole := v.must("tmux_capture", v.with("history_lines", 20, "max_lines", 30))
			if rows = v.decoded(whole["rows"], whole["encoding"]); !slices.Equal(applied, rows) {
				t.Fatalf("after %q: %v makes\n%q, want\n%q", did, last["splice"], applied, rows)
			}
		}
		t.Logf("%d of %d changed something, %d of them all", told, changes, resets)
		if told < changes/2 || resets == 0 {
			t.Error("that shows little")
		}
	})
}

func TestTmuxCaptureCursorsAreOfOneProcess(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		before := pidfds(t)
		t.Run("talk", func(t *testing.T) {
			v := viewing(t, binary, backend)
			var last map[string]any
			for range 20 { // more than are retained
				last = v.must("tmux_capture", v.with("track", true))
			}
			tracking := v.must("tmux_capabilities", nil)["process_tracking"]
			if held := pidfds(t) - before; held > 16+2 || held < 16 && tracking == "supported" {
				t.Errorf("%d processes are held, want 16, and perhaps the server and a control client", held)
			}
			if (last["process_generation"] != nil) != (tracking == "supported") {
				t.Errorf("process tracking is %v, and the process %v", tracking, last["process_generation"])
			}
			v.server.Tmux(t, "respawn-pane", "-k", "-t", "%0", "cat")
			if f := v.failed(fault.StaleCursor, "tmux_capture", v.with("cursor", last["next_cursor"])); !strings.Contains(f.Message, "process") {
				t.Error(f.Message)
			}
			again := v.must("tmux_capture", v.with("track", true))
			if again["process_generation"] == last["process_generation"] && tracking == "supported" {
				t.Errorf("two processes are %v", again["process_generation"])
			}
			uri := fmt.Sprintf("tmux://local/%s/panes/%%250/screen", v.ref["generation"])
			read, err := v.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
			if err != nil || read.Contents[0].MIMEType != "text/plain" || read.Contents[0].Text != strings.Join(v.decoded(again["rows"], again["encoding"]), "") {
				t.Errorf("the resource: %+v, %v; want the rows %q", read, err, again["rows"])
			}

			v.server.Tmux(t, "set-option", "-g", "remain-on-exit", "on")
			v.server.Tmux(t, "send-keys", "-t", "%0", "C-c")
			eventually(t, "it is dead", func() (bool, string) {
				dead := v.server.Tmux(t, "display-message", "-p", "-t", "%0", "#{pane_dead}")
				return dead == "1", dead
			})
			v.failed(fault.StaleCursor, "tmux_capture", v.with("cursor", again["next_cursor"]))
			v.refused(fault.Dead, "tmux_capture", v.with("track", true))
			v.must("tmux_capture", v.with("track", false))

			v.server.Tmux(t, "kill-server")
			eventually(t, "another tmux runs", func() (bool, string) {
				out, err := v.server.Try("-f", "/dev/null", "new-session", "-d", "cat")
				return err == nil, out
			})
			v.failed(fault.StaleTarget, "tmux_capture", v.with("cursor", again["next_cursor"]))
			v.failed(fault.StaleTarget, "tmux_capture", v.with("track", true))
			if _, err := v.Session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "another life") {
				t.Errorf("the resource of the life before: %v", err)
			}
			v.refer()
			v.failed(fault.StaleCursor, "tmux_capture", v.with("cursor", again["next_cursor"]))
			v.must("tmux_capture", v.with("track", true))
		})
		if after := pidfds(t); after != before {
			t.Errorf("%d processes are held, and were %d before", after, before)
		}
	})
}

// pidfds counts the processes that this one holds.
func pidfds(t *testing.T) (n int) {
	t.Helper()
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && strings.Contains(to, "pidfd") {
			n++
		}
	}
	return n
}

func TestTmuxCaptureNamesTheHook(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		v := viewing(t, binary, backend)
		v.server.Tmux(t, "new-session", "-d", "-s", "other", "cat")
		for _, c := range []struct {
			name string
			set  []string // what comes between set-hook and the command
			runs string
			says string
		}{
			{"global", []string{"-g", "after-capture-pane"}, "set-buffer -b hooked ran", "after-capture-pane[0], set at global level,"},
			{"global, sparse", []string{"-g", "after-capture-pane[7]"}, "set-buffer -b hooked ran", "after-capture-pane[7], set at global level,"},
			{"session", []string{"-t", "%0", "after-capture-pane"}, "set-buffer -b hooked ran", "after-capture-pane[0], set at session level,"},
			{"session, sparse", []string{"-t", "%0", "after-capture-pane[1000]"}, "set-buffer -b hooked ran", "after-capture-pane[1000], set at session level,"},
			{"window, which is the session's", []string{"-w", "-t", "%0", "after-capture-pane"}, "set-buffer -b hooked ran", "set at session level,"},
			{"pane, which is the session's", []string{"-p", "-t", "%0", "after-capture-pane"}, "set-buffer -b hooked ran", "set at session level,"},
			{"one that fails", []string{"-g", "after-capture-pane"}, "has-session -t =nobody", "set at global level,"},
		} {
			v.server.Tmux(t, append(append([]string{"set-hook"}, c.set...), c.runs)...)
			if f := v.refused(fault.Hooked, "tmux_capture", v.with("track", true)); !strings.Contains(f.Message, c.says) {
				t.Errorf("%s: %q, want that it is %q", c.name, f.Message, c.says)
			}
			v.server.Tmux(t, append(append([]string{"set-hook", "-u"}, c.set[:len(c.set)-1]...), "after-capture-pane")...)
			v.must("tmux_capture", v.with("track", true))
		}
		// A session that has one of its own, which is empty, inherits none.
		v.server.Tmux(t, "set-hook", "-t", "%0", "after-capture-pane[3]", "set-buffer -b hooked ran")
		v.server.Tmux(t, "set-hook", "-g", "after-capture-pane", "set-buffer -b hooked ran")
		v.server.Tmux(t, "set-hook", "-u", "-t", "%0", "after-capture-pane[3]")
		v.must("tmux_capture", v.with("track", true))
		v.server.Tmux(t, "set-hook", "-u", "-t", "%0", "after-capture-pane")
		v.refused(fault.Hooked, "tmux_capture", v.with("track", true))
		v.server.Tmux(t, "set-hook", "-gu", "after-capture-pane")

		last := v.must("tmux_capture", v.with("track", true))
		v.server.Tmux(t, "set-hook", "-t", "other:", "after-capture-pane", "set-buffer -b hooked ran")
		v.server.Tmux(t, "link-window", "-d", "-s", "@0", "-t", "other:7")
		if f := v.failed(fault.InvalidInput, "tmux_capture", v.with("track", true)); !strings.Contains(f.Recovery, "$0, $1") {
			t.Errorf("in two sessions: %q", f.Recovery)
		}
		v.refused(fault.Hooked, "tmux_capture", v.with("session_id", "$1"))
		v.must("tmux_capture", v.with("session_id", "$0"))
		next := v.must("tmux_capture", v.with("cursor", last["next_cursor"]))
		if next["session_id"] != "$0" {
			t.Errorf("it goes on in %v", next["session_id"])
		}
		v.server.Tmux(t, "kill-session", "-t", "$0") // whose hooks nobody else's stand in for
		if f := v.failed(fault.NotFound, "tmux_capture", v.with("cursor", next["next_cursor"])); !strings.Contains(f.Message, "$0") {
			t.Error(f.Message)
		}
		v.refused(fault.Hooked, "tmux_capture", v.with("track", true))
		if buffers := v.server.Tmux(t, "list-buffers"); buffers != "" {
			t.Errorf("a hook ran: buffers %s", buffers)
		}
	})
}
