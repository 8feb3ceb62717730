//go:build integration

package integration_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// A place is a directory in which the dedicated server's socket is a test's own.
type place struct {
	dir, socket string
	server      *realServer
}

// newPlace makes a place; the server in it is killed at the test's end.
func newPlace(t *testing.T, tmux string) place {
	t.Helper()
	dir := filepath.Dir(newServer(t, tmux).Socket) // short: it becomes part of a socket's path
	p := place{dir: dir, socket: filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()), "libtmux-mcp")}
	p.server = &realServer{Binary: tmux, Socket: p.socket}
	t.Cleanup(func() { _ = exec.Command(tmux, "-S", p.socket, "kill-server").Run() }) // already gone is fine
	return p
}

// command is the server's command line for that place.
func (p place) command(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(serverBinary(t), args...)
	cmd.Args = append(cmd.Args, "--tmux", p.server.Binary)
	cmd.Env = append(append(bareEnvironment(t), "TMUX_TMPDIR="+p.dir), env...)
	return cmd
}

// end ends the tmux server in that place, and waits until nobody listens there any more.
func (p place) end(t *testing.T) {
	t.Helper()
	p.server.Tmux(t, "kill-server")
	eventually(t, "the tmux server is gone", func() (bool, string) {
		conn, err := net.Dial("unix", p.socket)
		if err != nil {
			return true, ""
		}
		return false, fmt.Sprint("connected, ", conn.Close())
	})
}

// serve launches the server for that place and says which tools it lists, sorted.
func (p place) serve(t *testing.T, env ...string) (*pipes.Process, []string) {
	t.Helper()
	process := launchCommand(t, p.command(t, env))
	initialize(t, process)
	tools, err := process.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(tools)
	return process, tools
}

// members are the names of the tools of some toolsets, sorted.
func members(toolsets ...surface.Toolset) []string {
	var names []string
	for _, m := range app.Members() {
		if slices.Contains(toolsets, m.Toolset) {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names
}

func TestBinaryOffersWhatWasSelected(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		p := newPlace(t, tmux)
		config := filepath.Join(t.TempDir(), "tmux.conf")
		if err := os.WriteFile(config, []byte("set -g status off\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		borrowed := members(surface.Inspect, surface.Manage, surface.Execute)
		for _, c := range []struct {
			name string
			env  []string
			want []string
		}{
			{"by default, on the server that it creates", nil, members(surface.Toolsets()...)},
			{"by default, on that server found again", nil, borrowed},
			{"toolsets", []string{"LIBTMUX_TOOLSETS=teardown,inspect"}, members(surface.Inspect, surface.Teardown)},
			{"none", []string{"LIBTMUX_TOOLSETS="}, members()},
			{"names", []string{"LIBTMUX_TOOLSETS=", "LIBTMUX_TOOLS=list_panes, send_keys", "LIBTMUX_EXCLUDE_TOOLS=send_keys"}, []string{"list_panes"}},
			{"empty additions and exclusions are none", []string{"LIBTMUX_TOOLSETS=inspect", "LIBTMUX_TOOLS=", "LIBTMUX_EXCLUDE_TOOLS="}, members(surface.Inspect)},
		} {
			process, tools := p.serve(t, c.env...)
			if !slices.Equal(tools, c.want) {
				t.Errorf("%s: tools are %v, want %v", c.name, tools, c.want)
			}
			for _, m := range app.Members() {
				if slices.Contains(c.want, m.Name) {
					continue
				}
				if _, err := process.Call(t.Context(), m.Name, fields{}); err == nil || !strings.Contains(err.Error(), "JSON-RPC error -32602") {
					t.Errorf("%s: %s, which is not on offer: %v, want an unknown tool", c.name, m.Name, err)
				}
			}
		}
		p.end(t)
		if _, tools := p.serve(t, "LIBTMUX_TMUX_CONFIG="+config); !slices.Equal(tools, borrowed) {
			t.Errorf("on a server with a configuration of the person's: tools are %v, want %v", tools, borrowed)
		}
	})
}

// capabilities reads tmux://capabilities.
func capabilities(t *testing.T, p *pipes.Process) app.Capabilities {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	defer cancel()
	raw, err := p.Request(ctx, "resources/read", fields{"uri": "tmux://capabilities"})
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Contents []struct{ Text string }
	}
	var told app.Capabilities
	if err := json.Unmarshal(raw, &read); err != nil || len(read.Contents) != 1 {
		t.Fatalf("%s: %v", raw, err)
	}
	if err := json.Unmarshal([]byte(read.Contents[0].Text), &told); err != nil {
		t.Fatal(err)
	}
	return told
}

func TestBinaryTellsItsCapabilities(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		p := newPlace(t, tmux)
		out, err := exec.Command(tmux, "-V").Output()
		if err != nil {
			t.Fatal(err)
		}
		version := strings.Fields(string(out))[1] // the first is the name of the file before 3.3
		want := func(name string, process *pipes.Process, state, configuration, selected string, bound bool) {
			t.Helper()
			got := capabilities(t, process)
			if got.Server.State != state || got.Server.Configuration != configuration || got.Socket.SelectedBy != selected {
				t.Errorf("%s: %+v, %+v; want %s, %s, selected by %s", name, got.Server, got.Socket, state, configuration, selected)
			}
			if got.Tmux != (app.TmuxFacts{Executable: tmux, Version: version}) || state != "absent" && got.Server.Version != version {
				t.Errorf("%s: %+v, %+v; want version %s", name, got.Tmux, got.Server, version)
			}
			for _, tool := range got.Tools {
				if tool.CreatedServerOnly != (bound && tool.Toolset == surface.Teardown) {
					t.Errorf("%s: %+v", name, tool)
				}
			}
		}
		process, _ := p.serve(t)
		want("created", process, "created", "minimal", "default", true)
		again, _ := p.serve(t)
		want("found again", again, "existing", "unknown", "default", false)
		p.end(t)
		want("gone", process, "absent", "unknown", "default", true)
		p.server.Tmux(t, "-f", "/dev/null", "new-session", "-d")
		want("restarted by somebody", process, "existing", "unknown", "default", true)
		borrowed := hello(t, "--tmux", tmux, "--socket", newServer(t, tmux).Socket)
		want("borrowed", borrowed, "absent", "unknown", "flag", false)
	})
}

func TestBinaryEndsByDefaultOnlyWhatItCreated(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		p := newPlace(t, tmux)
		process, _ := p.serve(t)
		for _, name := range []string{"first", "second"} {
			created := call(t, process, "create_session", fields{"name": name})
			call(t, process, "kill_session", fields{"session_id": created.text(t, "session_id")})
		}
		p.end(t)
		p.server.Tmux(t, "-f", "/dev/null", "new-session", "-d", "-s", "theirs")
		for range 2 { // before and after its ids were listed
			said := callError(t, process, "kill_session", fields{"session_id": "$0"}, "stale_target")
			said.want(t, fields{"delivery": "not_sent"})
			call(t, process, "list_sessions", nil).want(t, fields{"total": 1.0})
		}
		asked, _ := p.serve(t, "LIBTMUX_TOOLSETS=inspect,teardown")
		call(t, asked, "list_sessions", nil)
		call(t, asked, "kill_session", fields{"session_id": "$0"})
	})
}

func TestBinaryKeepsAnAudit(t *testing.T) {
	eachTmux(t, func(t *testing.T, tmux string) {
		s := newServer(t, tmux)
		path := filepath.Join(t.TempDir(), "audit")
		p := hello(t, "--tmux", tmux, "--socket", s.Socket, "--audit", path)
		pane := newSession(t, p, "secret")
		call(t, p, "run_shell_command", fields{"pane_id": pane, "command": "echo secret; exit 3"})
		callError(t, p, "send_keys", fields{"pane_id": "%99", "text": "secret"}, "not_found")
		text, err := os.ReadFile(path)
		if err != nil || strings.Contains(string(text), "secret") {
			t.Errorf("%s, %v", text, err)
		}
		for _, want := range []string{
			`"tool":"create_session","target":"` + pane + `","outcome":"ok","delivery":"observed","duration_ms":`,
			`"tool":"run_shell_command","target":"` + pane + `","outcome":"completed","delivery":"observed","duration_ms":`,
			`"tool":"send_keys","target":"%99","outcome":"not_found","delivery":"not_sent","duration_ms":`,
		} {
			if strings.Count(string(text), want) != 1 {
				t.Errorf("want one line with %s in\n%s", want, text)
			}
		}
	})
}
