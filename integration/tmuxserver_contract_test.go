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

	"github.com/creack/pty"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

func TestTmuxServerContract(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		over := func(backend string) func(*testing.T) porttest.World {
			return func(t *testing.T) porttest.World { return newTmuxWorldOver(t, backend, binary) }
		}
		ways := map[string]func(*testing.T) porttest.World{backendCLI: over(backendCLI), backendControl: over(backendControl)}
		suites := map[string]func(*testing.T, func(*testing.T) porttest.World){
			"Reader": porttest.Reader, "Events": porttest.Events, "Input": porttest.Input, "Creator": porttest.Creator,
			"Inspector": porttest.Inspector, "Snapshots": porttest.Snapshots, "Manager": porttest.Manager, "Channels": porttest.Channels,
			"Terminator": porttest.Terminator,
		}
		eachWay(t, ways, func(t *testing.T, world func(*testing.T) porttest.World) {
			for name, suite := range suites {
				t.Run(name, func(t *testing.T) { t.Parallel(); suite(t, world) })
			}
		})
	})
}

// A tmuxWorld is a real tmux server as the contract suites see it, with what a person does there.
type tmuxWorld struct {
	*realServer
	t       *testing.T
	ports   porttest.Ports
	dir     string // of the recorders
	records map[tmux.PaneID]string

	programs int // that were started
}

func newTmuxWorld(t *testing.T, binary string) *tmuxWorld {
	t.Helper()
	return newTmuxWorldOver(t, backendCLI, binary)
}

func newTmuxWorldOver(t *testing.T, backend, binary string) *tmuxWorld {
	t.Helper()
	w := &tmuxWorld{realServer: newServer(t, binary), t: t, dir: t.TempDir(), records: map[tmux.PaneID]string{}}
	server := cliServer(t, w.realServer)
	var events ports.Events = server
	if backend == backendControl {
		_, server, events = controlBackend(t, w.realServer)
	}
	w.ports = porttest.Ports{
		Reader: server, Events: events, Input: server, Creator: server, Inspector: server, Snapshots: server, Manager: server,
		Channels: channels(t, w.realServer, server), Terminator: server,
	}
	return w
}

func (w *tmuxWorld) Ports() porttest.Ports { return w.ports }

func (w *tmuxWorld) Peer() ports.Frames {
	w.t.Fatal("the suites of the server need no frames")
	return nil
}

// String is what there is.
func (w *tmuxWorld) String() string {
	out, err := w.Try("list-panes", "-a", ";", "list-clients")
	return fmt.Sprintf("%s (%v)", out, err)
}

func (w *tmuxWorld) Session(name string, program porttest.Program) tmux.PaneID {
	id := w.run(program, "-f", "/dev/null", "new-session", "-d", "-s", name, "-x", "80", "-y", "24")
	w.Tmux(w.t, "resize-window", "-t", string(id), "-x", "80", "-y", "24") // tmux 3.2a ignores the size above
	return id
}

func (w *tmuxWorld) Split(beside tmux.PaneID, program porttest.Program) tmux.PaneID {
	return w.run(program, "split-window", "-d", "-t", string(beside))
}

// run creates a pane and waits until its program is ready.
func (w *tmuxWorld) run(program porttest.Program, create ...string) tmux.PaneID {
	record := w.newRecord()
	id := tmux.PaneID(w.Tmux(w.t, append(create, "-P", "-F", "#{pane_id}", "sh", "-c", programText(program, record))...))
	w.ready(id, program, record)
	return id
}

func (w *tmuxWorld) Respawn(pane tmux.PaneID, program porttest.Program) {
	record := w.newRecord()
	w.Tmux(w.t, "respawn-pane", "-k", "-t", string(pane), "sh", "-c", programText(program, record))
	w.ready(pane, program, record)
}

// newRecord names the file of what a program reads.
func (w *tmuxWorld) newRecord() string {
	w.programs++
	return filepath.Join(w.dir, fmt.Sprint(w.programs))
}

func programText(program porttest.Program, record string) string {
	switch program {
	case porttest.Shell:
	case porttest.Enrollable:
		return "cd / && exec env PS1='$ ' zsh -f"
	case porttest.Recorder:
		return fmt.Sprintf("stty raw -echo; sh -c 'echo $$ >%[1]s.pid; exec cat >%[1]s'; exit 3", record)
	}
	return "cd / && exec env PS1='$ ' ENV= sh"
}

// ready waits until a program reads.
func (w *tmuxWorld) ready(id tmux.PaneID, program porttest.Program, record string) {
	w.records[id] = record
	if program != porttest.Recorder {
		w.Screen(w.t, string(id), "$")
		return
	}
	eventually(w.t, "the recorder is ready", func() (bool, string) {
		_, err := os.Stat(record)
		return err == nil, fmt.Sprint(err)
	})
}

func (w *tmuxWorld) Link(window tmux.WindowID, in tmux.SessionID) {
	w.Tmux(w.t, "link-window", "-d", "-s", string(window), "-t", string(in)+":")
}

// levels are the flags that set an option of a session, window or pane.
var levels = map[byte][]string{'$': nil, '@': {"-w"}, '%': {"-p"}}

func (w *tmuxWorld) SetOption(target, name, value string) {
	command := "set-option"
	if strings.HasPrefix(name, "after-") {
		command = "set-hook"
	}
	args := []string{command, "-g"}
	if target != "" {
		args = append(append([]string{command}, levels[target[0]]...), "-t", target)
	}
	w.Tmux(w.t, append(args, name, value)...)
}

// Rename goes through an option, because tmux expands the name as a format, once.
func (w *tmuxWorld) Rename(target, name string) {
	w.Tmux(w.t, "set-option", "-g", "@name", name)
	switch target[0] {
	case tmux.SessionSigil:
		w.Tmux(w.t, "rename-session", "-t", target, "#{@name}")
	case tmux.WindowSigil:
		w.Tmux(w.t, "rename-window", "-t", target, "#{@name}")
	case tmux.PaneSigil:
		w.Tmux(w.t, "select-pane", "-t", target, "-T", "#{@name}")
	}
}

func (w *tmuxWorld) Put(pane tmux.PaneID, state porttest.State) {
	args := map[porttest.State][]string{
		porttest.CopyMode: {"copy-mode"}, porttest.InputOff: {"select-pane", "-d"}, porttest.Zoomed: {"resize-pane", "-Z"}, porttest.Active: {"select-pane"},
	}[state]
	w.Tmux(w.t, append(args, "-t", string(pane))...)
}

func (w *tmuxWorld) Attach(session tmux.SessionID, kind porttest.Client) (detach func()) {
	args := []string{"-u", "-S", w.Socket, "attach-session", "-t", string(session)}
	if kind == porttest.Silent {
		args = append(args, "-f", "no-output")
	}
	if kind != porttest.Terminal {
		args = append([]string{"-C"}, args...)
	}
	cmd := exec.Command(w.Binary, args...)
	cmd.Env = append(plainEnv(w.t), "TERM=xterm-256color")
	before := w.clients()
	var terminal io.Closer
	var err error
	if kind != porttest.Terminal {
		if terminal, err = cmd.StdinPipe(); err == nil {
			err = cmd.Start()
		}
	} else {
		var master *os.File
		if master, err = pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80}); err == nil {
			terminal = master
			go func() { _, _ = io.Copy(io.Discard, master) }() // a terminal that nobody reads stops the client
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	end := func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
		_ = terminal.Close()
	}
	w.t.Cleanup(end)
	eventually(w.t, "the client is attached", func() (bool, string) { return w.clients() > before, w.String() })
	return func() {
		end()
		eventually(w.t, "the client is gone", func() (bool, string) { return w.clients() == before, w.String() })
	}
}

func (w *tmuxWorld) clients() int {
	return len(strings.Fields(w.Tmux(w.t, "list-clients", "-F", "#{client_pid}")))
}

func (w *tmuxWorld) Kill(target string) {
	switch {
	case target == "":
		w.Tmux(w.t, "kill-server")
		eventually(w.t, "nobody listens", func() (bool, string) {
			out, err := w.Try("list-sessions")
			return err != nil && strings.HasPrefix(out, "no server running"), out
		})
	case target[0] == tmux.SessionSigil:
		w.Tmux(w.t, "kill-session", "-t", target)
	case target[0] == tmux.WindowSigil:
		w.Tmux(w.t, "kill-window", "-t", target)
	default:
		w.Tmux(w.t, "kill-pane", "-t", target)
	}
}

func (w *tmuxWorld) Print(pane tmux.PaneID, text string) {
	tty, err := os.OpenFile(w.Tmux(w.t, "display-message", "-p", "-t", string(pane), "#{pane_tty}"), os.O_WRONLY, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	defer tty.Close()
	if _, err := tty.WriteString(text); err != nil {
		w.t.Fatal(err)
	}
}

func (w *tmuxWorld) Received(pane tmux.PaneID) string {
	data, err := os.ReadFile(w.records[pane])
	if err != nil && !os.IsNotExist(err) {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *tmuxWorld) Die(pane tmux.PaneID) {
	w.Tmux(w.t, "set-option", "-p", "-t", string(pane), "remain-on-exit", "on")
	var pid string
	eventually(w.t, "the recorder runs", func() (bool, string) {
		data, _ := os.ReadFile(w.records[pane] + ".pid")
		pid = strings.TrimSpace(string(data))
		return pid != "", pid
	})
	if out, err := exec.Command("kill", pid).CombinedOutput(); err != nil {
		w.t.Fatalf("kill: %v: %s", err, out)
	}
	eventually(w.t, "the pane is dead, and how is known", func() (bool, string) {
		// A tmux that is linked with libutempter misses the end of a child while that library waits for one of its own: it learns of
		// all when the next one ends.
		w.Tmux(w.t, "run-shell", "true")
		state := w.Tmux(w.t, "display-message", "-p", "-t", string(pane), "#{pane_dead} #{pane_dead_status}")
		return state == "1 3", state
	})
}

func (w *tmuxWorld) SetEnvironment(session tmux.SessionID, name, value string) {
	args := []string{"set-environment", "-g"}
	if session != "" {
		args = []string{"set-environment", "-t", string(session)}
	}
	w.Tmux(w.t, append(args, "--", name, value)...)
}

func (w *tmuxWorld) SetBuffer(name, data string) { w.Tmux(w.t, "set-buffer", "-b", name, data) }

func (w *tmuxWorld) Buffers() map[string]string {
	buffers := map[string]string{}
	for name := range strings.FieldsSeq(w.Tmux(w.t, "list-buffers", "-F", "#{buffer_name}")) {
		buffers[name] = w.Tmux(w.t, "show-buffer", "-b", name)
	}
	return buffers
}
