//go:build integration

package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// oddTexts are texts that tmux could take for grammar, or that a listing could garble.
var oddTexts = map[string]string{
	"tab": "a\tb", "pipe": "a|b", "format": "#{pid}", "shell": "#(touch /tmp/x)", "open format": "a#{", "unit separator": "a\x1fb", "newline": "a\nb",
	"quotes": `a"b'c`, "scripts": "ПРИВЕТ日本🎉", "backslashes": `\a\\b\`, "octal": `\033`, "dollar": `$x\$x\\$x${x}$1`, "strftime": "%H%%", "hashes": "#a##b###c",
	"style": "#[fg=red]x##[y]", "semicolon": "a;", "dash": "-x", "blanks": " a  b ", "escape": "\x1b[31m", "CR": "a\rb", "bell": "\a\b\v\f", "percent": "%1",
	"brackets": "[a](b){c}", "comma": "a,b}c", "vis letters": `\t\n\s\r`, "tilde": "~", "delete": "a\x7fb", "wide": "é̂",
}

func hasControls(text string) bool { return strings.ContainsFunc(text, unicode.IsControl) }

// sessionName is a text as this tmux keeps it in a session's name.
func sessionName(text string, v tmux.Version) string {
	if v.AtLeast("3.7") {
		return text
	}
	return strings.NewReplacer(":", "_", ".", "_").Replace(text)
}

func TestTmuxServerNamesAreLiteralAndExact(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		real := startServer(t, binary, "cat")
		server := serverOver(t, backend, real)
		version := topology(t, server).Server.Version
		for name, text := range oddTexts {
			t.Run(name, func(t *testing.T) {
				created, err := server.NewSession(t.Context(), ports.NewSession{Name: text, WindowName: text})
				if version.AtLeast("3.7") && hasControls(text) {
					if !fault.Is(err, fault.InvalidInput) {
						t.Errorf("%+v, %v; this tmux has no such names", created, err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				window, err := server.NewWindow(t.Context(), created.Server, ports.NewWindow{Session: created.Session, Name: text})
				if err != nil {
					t.Fatal(err)
				}
				all := topology(t, server)
				session, _ := all.Session(created.Session)
				if diff := cmp.Diff(sessionName(text, version), session.Name); diff != "" {
					t.Errorf("session name (-given +listed):\n%s", diff)
				}
				for _, id := range []tmux.WindowID{created.Window, window.Window} {
					w, _ := all.Window(id)
					if diff := cmp.Diff(text, w.Name); diff != "" {
						t.Errorf("window name (-given +listed):\n%s", diff)
					}
				}
			})
		}
	})
}

func TestTmuxServerTitlesAndPathsAreExact(t *testing.T) {
	eachBackend(t, func(t *testing.T, binary, backend string) {
		real := startServer(t, binary, "cat")
		server := serverOver(t, backend, real)
		root := t.TempDir()
		for name, text := range oddTexts {
			t.Run(name, func(t *testing.T) {
				dir := filepath.Join(root, strings.ReplaceAll(text, "/", "_"))
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				created, err := server.NewSession(t.Context(), ports.NewSession{Cwd: dir})
				if err != nil {
					t.Fatal(err)
				}
				pane := func() tmux.Pane {
					p, _ := topology(t, server).Pane(created.Pane)
					return p
				}
				eventually(t, fmt.Sprintf("the path is %q", dir), func() (bool, string) { p := pane(); return p.Path == dir, p.Path })
				split, err := server.SplitWindow(t.Context(), created.Server, ports.SplitWindow{Pane: created.Pane, Cwd: dir})
				if err != nil {
					t.Fatal(err)
				}
				window, err := server.NewWindow(t.Context(), created.Server, ports.NewWindow{Session: created.Session, Cwd: dir})
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range []tmux.PaneID{split.Pane, window.Pane} {
					eventually(t, fmt.Sprintf("the path of %s is %q", id, dir), func() (bool, string) {
						p, _ := topology(t, server).Pane(id)
						return p.Path == dir, p.Path
					})
				}
				if hasControls(text) {
					return // tmux drops controls from titles
				}
				escaped := strings.ReplaceAll(text, "#", "##")
				if strings.Contains(text, "#[") {
					return // select-pane cannot set it
				}
				if rest, found := strings.CutSuffix(escaped, ";"); found {
					escaped = rest + `\;`
				}
				real.Tmux(t, "select-pane", "-t", string(created.Pane), "-T", escaped)
				if diff := cmp.Diff(text, pane().Title); diff != "" {
					t.Errorf("title (-given +listed):\n%s", diff)
				}
			})
		}
	})
}
