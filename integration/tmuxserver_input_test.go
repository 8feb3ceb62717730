//go:build integration

package integration_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A receiver is a pane whose program writes every byte that it gets to a file.
type receiver struct {
	pane tmux.PaneID
	file string
}

// newReceiver makes a window with a receiver that reads its terminal raw. Before it reads, it runs setup, a line of sh.
func newReceiver(t *testing.T, s *realServer, setup string) receiver {
	t.Helper()
	dir := t.TempDir()
	r := receiver{file: filepath.Join(dir, "got")}
	script := fmt.Sprintf("stty raw -echo; %s :>'%s/ready'; exec cat >'%s'", setup, dir, r.file)
	r.pane = tmux.PaneID(s.Tmux(t, "new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "main:", "sh", "-c", script))
	eventually(t, "the receiver reads", func() (bool, string) {
		_, err := os.Stat(filepath.Join(dir, "ready"))
		return err == nil, fmt.Sprint(err)
	})
	return r
}

// got waits until the receiver has at least n bytes.
func (r receiver) got(t *testing.T, n int) string {
	t.Helper()
	var data []byte
	eventually(t, fmt.Sprintf("%d bytes arrive", n), func() (bool, string) {
		data, _ = os.ReadFile(r.file)
		return len(data) >= n, fmt.Sprintf("%d bytes", len(data))
	})
	return string(data)
}

// pre is the precondition of one pane as it is now.
func pre(t *testing.T, server ports.Reader, pane tmux.PaneID, cohort bool) guard.Precondition {
	t.Helper()
	all := topology(t, server)
	p, ok := all.Pane(pane)
	if !ok {
		t.Fatalf("no pane %s in %+v", pane, all)
	}
	return ready(all, p, cohort)
}

func TestTmuxServerTypesEveryByte(t *testing.T) {
	var every strings.Builder
	for b := 1; b < 256; b++ {
		every.WriteByte(byte(b))
	}
	texts := map[string]string{
		"a semicolon at the end": "a;", "semicolons": ";;", "an escaped one": `\;`, "a dash": "-x", "dashes": "--", "empty": "", "every byte": every.String(),
		"LF": "a\nb\n", "escape": "\x1b[A", "not UTF-8": "\xff\xfe\x80a\xc3", "scripts": "ПРИВЕТ日本🎉", "a key name": "Enter", "a format": "#{pid}",
		"longer than a list": strings.Repeat("0123456789abcdé;", 4000), "long and not UTF-8": strings.Repeat("\xff\x80\xc3", 12000),
	}
	eachTmux(t, func(t *testing.T, binary string) {
		real := startServer(t, binary)
		server := cliServer(t, real)
		for name, text := range texts {
			t.Run(name, func(t *testing.T) {
				r := newReceiver(t, real, "")
				if err := server.SendText(t.Context(), pre(t, server, r.pane, true), text, true); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(text+"\r", r.got(t, len(text)+1)); diff != "" {
					t.Errorf("(-sent +received):\n%.2000s", diff)
				}
			})
		}
	})
}

func TestTmuxServerPressesKeys(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		real := startServer(t, binary)
		server := cliServer(t, real)
		r := newReceiver(t, real, "")
		keys := []string{"C-c", "Escape", "j", "-", ";", "Enter", "Space", "C-d", "é"}
		if err := server.SendKeys(t.Context(), pre(t, server, r.pane, true), keys); err != nil {
			t.Fatal(err)
		}
		const want = "\x03\x1bj-;\r \x04é"
		if got := r.got(t, len(want)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestTmuxServerPastes(t *testing.T) {
	var every strings.Builder
	for b := 1; b < 256; b++ {
		if b != '\n' {
			every.WriteByte(byte(b))
		}
	}
	eachTmux(t, func(t *testing.T, binary string) {
		real := startServer(t, binary)
		server := cliServer(t, real)
		real.Tmux(t, "set-buffer", "-b", "theirs", "their text")
		for name, c := range map[string]struct {
			setup, text, want string
			bracket           ports.Bracket
		}{
			"every byte":          {text: every.String(), want: every.String(), bracket: ports.BracketAuto},
			"LF becomes CR":       {text: "a\nb\n", want: "a\rb\r", bracket: ports.BracketNever},
			"200 KB":              {text: strings.Repeat("0123456789abcdé ", 12500), want: strings.Repeat("0123456789abcdé ", 12500), bracket: ports.BracketNever},
			"asked for brackets":  {setup: `printf '\033[?2004h';`, text: "ab", want: "\x1b[200~ab\x1b[201~", bracket: ports.BracketAuto},
			"never with brackets": {setup: `printf '\033[?2004h';`, text: "ab", want: "ab", bracket: ports.BracketNever},
		} {
			t.Run(name, func(t *testing.T) {
				r := newReceiver(t, real, c.setup)
				if err := server.Paste(t.Context(), pre(t, server, r.pane, false), c.text, c.bracket); err != nil {
					t.Fatal(err)
				}
				if got := r.got(t, len(c.want)); sha256.Sum256([]byte(got)) != sha256.Sum256([]byte(c.want)) {
					t.Errorf("%d bytes came as %d: %.300q", len(c.want), len(got), got)
				}
			})
		}
		if err := server.Paste(t.Context(), pre(t, server, "%0", false), "", ports.BracketAuto); err != nil {
			t.Errorf("an empty paste: %v", err)
		}
		if got := real.Tmux(t, "list-buffers", "-F", "#{buffer_name} #{buffer_sample}"); got != "theirs their text" {
			t.Errorf("buffers afterwards: %q", got)
		}
	})
}

func TestTmuxServerPasteNeverFansOut(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		real := startServer(t, binary)
		server := cliServer(t, real)
		a := newReceiver(t, real, "")
		real.Tmux(t, "split-window", "-d", "-t", string(a.pane), "cat")
		real.Tmux(t, "set-option", "-w", "-t", string(a.pane), "synchronize-panes", "on")
		if err := server.Paste(t.Context(), pre(t, server, a.pane, false), "only here", ports.BracketNever); err != nil {
			t.Fatal(err)
		}
		a.got(t, len("only here"))
		all := topology(t, server)
		p, _ := all.Pane(a.pane)
		for _, sibling := range all.PanesOf(p.Window) {
			if screen := real.Tmux(t, "capture-pane", "-p", "-t", string(sibling.ID)); strings.Contains(screen, "only here") && sibling.ID != a.pane {
				t.Errorf("%s got it too: %q", sibling.ID, screen)
			}
		}
	})
}

// refusals are states of a pane in which nothing may be typed, and how to bring it there.
var refusals = map[string]func(t *testing.T, s *realServer, pane string){
	"dead": func(t *testing.T, s *realServer, pane string) {
		s.Tmux(t, "set-option", "-p", "-t", pane, "remain-on-exit", "on")
		s.Tmux(t, "respawn-pane", "-k", "-t", pane, "true")
		eventually(t, "the pane is dead", func() (bool, string) {
			got := s.Tmux(t, "display-message", "-p", "-t", pane, "#{pane_dead}")
			return got == "1", got
		})
	},
	"in a mode": func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "copy-mode", "-t", pane) },
	"input off": func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "select-pane", "-d", "-t", pane) },
	"gone":      func(t *testing.T, s *realServer, pane string) { s.Tmux(t, "kill-pane", "-t", pane) },
	"respawned": func(t *testing.T, s *realServer, pane string) {
		s.Tmux(t, "respawn-pane", "-k", "-t", pane, "cat")
	},
	"zoomed": func(t *testing.T, s *realServer, pane string) {
		s.Tmux(t, "split-window", "-d", "-t", pane, "cat")
		s.Tmux(t, "resize-pane", "-Z", "-t", pane)
	},
	"synchronized": func(t *testing.T, s *realServer, pane string) {
		s.Tmux(t, "split-window", "-d", "-t", pane, "cat")
		s.Tmux(t, "set-option", "-w", "-t", pane, "synchronize-panes", "on")
	},
}

func TestTmuxServerTypesNothingIfThePreconditionFails(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		real := startServer(t, binary)
		server := cliServer(t, real)
		for name, change := range refusals {
			t.Run(name, func(t *testing.T) {
				r := newReceiver(t, real, "")
				real.Tmux(t, "split-window", "-d", "-t", string(r.pane), "cat") // the window outlives the pane
				keys := pre(t, server, r.pane, true)
				keys.Unwatched = true
				paste := pre(t, server, r.pane, false)
				paste.Unwatched = name == "zoomed"
				change(t, real, string(r.pane))
				before := real.Tmux(t, "list-panes", "-a", "-F", "#{pane_id}")
				type attempt struct {
					name string
					err  error
				}
				attempts := []attempt{
					{"text", server.SendText(t.Context(), keys, "never typed", true)},
					{"keys", server.SendKeys(t.Context(), keys, []string{"n"})},
					{"long text", server.SendText(t.Context(), keys, strings.Repeat("never typed ", 4000), true)},
					{"empty text", server.SendText(t.Context(), keys, "", false)},
				}
				if name != "synchronized" { // which does not matter to a paste
					attempts = append(attempts, attempt{"paste", server.Paste(t.Context(), paste, "never typed", ports.BracketAuto)})
				}
				for _, a := range attempts {
					e, ok := errors.AsType[*fault.Error](a.err)
					if !ok || e.Kind != fault.PreconditionFailed || e.Effects != nil || (e.Delivery != "" && e.Delivery != fault.NotSent) {
						t.Errorf("%s: %#v", a.name, a.err)
					}
				}
				if got := real.Tmux(t, "list-buffers"); got != "" {
					t.Errorf("buffers afterwards: %q", got)
				}
				if after := real.Tmux(t, "list-panes", "-a", "-F", "#{pane_id}"); after != before {
					t.Errorf("panes before and after: %q, %q", before, after)
				}
				for pane := range strings.SplitSeq(before, "\n") {
					if screen := real.Tmux(t, "capture-pane", "-p", "-t", pane); strings.Contains(screen, "never") {
						t.Errorf("%s shows %q", pane, screen)
					}
				}
				if data, _ := os.ReadFile(r.file); strings.Contains(string(data), "n") {
					t.Errorf("the program got %q", data)
				}
			})
		}
	})
}

func TestTmuxServerReachesTheWholeCohortAndNoOther(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		real := startServer(t, binary)
		server := cliServer(t, real)
		window := real.Tmux(t, "new-window", "-d", "-P", "-F", "#{window_id}", "-t", "main:", "cat")
		for range 2 {
			real.Tmux(t, "split-window", "-d", "-t", window, "cat")
		}
		real.Tmux(t, "set-option", "-w", "-t", window, "synchronize-panes", "on")
		panes := topology(t, server).PanesOf(tmux.WindowID(window))
		real.Tmux(t, "set-option", "-p", "-t", string(panes[2].ID), "synchronize-panes", "off")
		all := topology(t, server)
		p := ready(all, panes[0], true)
		if err := server.SendText(t.Context(), p, "too few", true); !fault.Is(err, fault.PreconditionFailed) {
			t.Errorf("a cohort of two taken for one: %v", err)
		}
		p.Recipients = append(p.Recipients, guard.Recipient{Pane: panes[1].ID, PID: panes[1].PID})
		if err := server.SendText(t.Context(), p, "to both", true); err != nil {
			t.Errorf("the exact cohort: %v", err)
		}
		for _, pane := range panes[:2] {
			if screen := real.Screen(t, string(pane.ID), "to both"); strings.Contains(screen, "too few") {
				t.Errorf("%s shows %q", pane.ID, screen)
			}
		}
		p.Recipients = append(p.Recipients, guard.Recipient{Pane: panes[2].ID, PID: panes[2].PID})
		if err := server.SendText(t.Context(), p, "too many", true); !fault.Is(err, fault.PreconditionFailed) {
			t.Errorf("a cohort of two taken for three: %v", err)
		}
		if err := server.SendText(t.Context(), ready(all, panes[2], true), "alone", true); err != nil {
			t.Errorf("the pane outside the cohort: %v", err)
		}
		real.Tmux(t, "set-option", "-p", "-t", string(panes[1].ID), "synchronize-panes", "off")
		if err := server.SendText(t.Context(), ready(all, panes[0], true), "one left", true); err != nil {
			t.Errorf("a cohort of one: %v", err)
		}
	})
}

func TestTmuxServerRestartedIsStale(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		real := startServer(t, binary)
		server := cliServer(t, real)
		old := pre(t, server, "%0", true)
		request := ports.CaptureRequest{Server: old.Server, Pane: "%0"}
		real.Tmux(t, "kill-server")
		eventually(t, "nobody listens", func() (bool, string) {
			out, err := real.Try("list-sessions")
			return err != nil && strings.HasPrefix(out, "no server running"), out
		})
		absent := map[string]error{}
		absent["text"] = server.SendText(t.Context(), old, "x", true)
		absent["keys"] = server.SendKeys(t.Context(), old, []string{"x"})
		absent["paste"] = server.Paste(t.Context(), old, "x", ports.BracketAuto)
		_, absent["capture"] = server.Capture(t.Context(), request)
		_, absent["window"] = server.NewWindow(t.Context(), old.Server, ports.NewWindow{Session: "$0"})
		_, absent["split"] = server.SplitWindow(t.Context(), old.Server, ports.SplitWindow{Pane: "%0"})
		for name, err := range absent {
			if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.ServerGone || (e.Delivery != "" && e.Delivery != fault.NotSent) {
				t.Errorf("%s without a server: %#v", name, err)
			}
		}

		record := filepath.Join(t.TempDir(), "got")
		real.Tmux(t, "-f", "/dev/null", "new-session", "-d", "-s", "main", "-x", "80", "-y", "24", "sh", "-c", "stty raw -echo; cat >"+record)
		stale := map[string]error{}
		stale["text"] = server.SendText(t.Context(), old, "x", true)
		stale["keys"] = server.SendKeys(t.Context(), old, []string{"x"})
		stale["paste"] = server.Paste(t.Context(), old, "x", ports.BracketAuto)
		_, stale["capture"] = server.Capture(t.Context(), request)
		_, stale["window"] = server.NewWindow(t.Context(), old.Server, ports.NewWindow{Session: "$0"})
		_, stale["split"] = server.SplitWindow(t.Context(), old.Server, ports.SplitWindow{Pane: "%0"})
		for name, err := range stale {
			if !fault.Is(err, fault.StaleTarget) {
				t.Errorf("%s to the new server: %#v", name, err)
			}
		}
		all := topology(t, server)
		if len(all.Panes) != 1 || len(all.Windows) != 1 || all.Server.Generation == old.Server.Generation {
			t.Errorf("the new server is touched: %+v", all)
		}
		if buffers := real.Tmux(t, "list-buffers"); buffers != "" {
			t.Errorf("buffers of the new server: %q", buffers)
		}
		real.Tmux(t, "send-keys", "-l", "-t", "%0", "END")
		eventually(t, "the program read what was sent last", func() (bool, string) {
			data, _ := os.ReadFile(record)
			return string(data) == "END", string(data)
		})
	})
}

func TestTmuxServerInputEndsWithItsContext(t *testing.T) {
	real := startServer(t, "tmux")
	server := cliServer(t, real)
	p := pre(t, server, "%0", true)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range map[string]error{
		"text": server.SendText(ctx, p, "x", true), "keys": server.SendKeys(ctx, p, []string{"x"}), "paste": server.Paste(ctx, p, "x", ports.BracketAuto),
	} {
		if e, ok := errors.AsType[*fault.Error](err); !ok || e.Kind != fault.Cancelled || (e.Delivery != "" && e.Delivery != fault.NotSent) {
			t.Errorf("%s: %#v", name, err)
		}
	}
	for name, err := range map[string]error{
		"text": server.SendText(t.Context(), p, "a\x00b", true), "keys": server.SendKeys(t.Context(), p, []string{"a\x00b"}), "paste": server.Paste(t.Context(), p, "a\x00b", ports.BracketAuto),
	} {
		if !fault.Is(err, fault.InvalidInput) {
			t.Errorf("NUL in %s: %#v", name, err)
		}
	}
}
