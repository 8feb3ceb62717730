package fake_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// The fake keeps the contract, as every version of tmux.
func TestContract(t *testing.T) {
	for _, version := range []tmux.Version{"3.2a", "3.4", "3.8"} {
		with := func(shell guard.Shell) func(t *testing.T) porttest.World {
			return func(t *testing.T) porttest.World {
				w := world{World: fake.New(fake.Options{Version: version, Shell: shell}), t: t}
				t.Cleanup(w.Close)
				return w
			}
		}
		newWorld, newZsh := with(guard.Bash), with(guard.Zsh)
		t.Run(string(version), func(t *testing.T) {
			t.Run("Reader", func(t *testing.T) { porttest.Reader(t, newWorld) })
			t.Run("Events", func(t *testing.T) { porttest.Events(t, newWorld) })
			t.Run("Input", func(t *testing.T) { porttest.Input(t, newWorld) })
			t.Run("Creator", func(t *testing.T) { porttest.Creator(t, newWorld) })
			t.Run("Inspector", func(t *testing.T) { porttest.Inspector(t, newWorld) })
			t.Run("Snapshots", func(t *testing.T) { porttest.Snapshots(t, newWorld) })
			t.Run("Manager", func(t *testing.T) { porttest.Manager(t, newWorld) })
			t.Run("Channels", func(t *testing.T) { porttest.Channels(t, newWorld) })
			t.Run("Terminator", func(t *testing.T) { porttest.Terminator(t, newWorld) })
			t.Run("Processes", func(t *testing.T) { porttest.Processes(t, newWorld) })
			t.Run("Identity", func(t *testing.T) { porttest.Identity(t, newWorld) })
			t.Run("Frames", func(t *testing.T) { porttest.Frames(t, newWorld) })
			if version != "3.2a" { // with which no shell is enrolled
				t.Run("Enrollments", func(t *testing.T) { porttest.Enrollments(t, newZsh) })
			}
		})
	}
}

// world gives the fake's knobs the names of the contract's.
type world struct {
	*fake.World
	t *testing.T
}

func (w world) Ports() porttest.Ports {
	return porttest.Ports{
		Reader: w.World, Events: w.World, Input: w.World, Creator: w.World, Inspector: w.World, Snapshots: w.World, Manager: w.World, Channels: w.World, Terminator: w.World,
		Processes: w.World, Identity: w.World, Frames: w.World, Enrollments: w.World, Authorizer: w.World,
	}
}

func (w world) Peer() ports.Frames { return w.NewFrames() }

func argv(program porttest.Program) []string {
	if program == porttest.Recorder {
		return []string{"record"}
	}
	return nil
}

func (w world) Session(name string, program porttest.Program) tmux.PaneID {
	id := w.AddSession(name, argv(program)...)
	w.ready(id, program)
	return id
}

func (w world) Split(beside tmux.PaneID, program porttest.Program) tmux.PaneID {
	id := w.World.Split(beside, argv(program)...)
	w.ready(id, program)
	return id
}

// ready waits until a program reads; a recorder has the terminal raw then.
func (w world) ready(id tmux.PaneID, program porttest.Program) {
	if program == porttest.Recorder {
		if err := w.AwaitRaw(w.t.Context(), id); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w world) Put(pane tmux.PaneID, state porttest.State) {
	switch state {
	case porttest.CopyMode:
		w.EnterMode(pane, "copy-mode")
	case porttest.InputOff:
		w.SetInput(pane, false)
	case porttest.Zoomed:
		w.Zoom(pane)
	case porttest.Active:
		w.SelectPane(pane)
	}
}

func (w world) Attach(session tmux.SessionID, kind porttest.Client) func() {
	name := w.World.Attach(session, fake.Client{Control: kind != porttest.Terminal, Silent: kind == porttest.Silent})
	return func() { w.Detach(name) }
}

func (w world) Kill(target string) {
	switch {
	case target == "":
		w.KillServer()
	case target[0] == tmux.PaneSigil:
		w.KillPane(tmux.PaneID(target))
	case target[0] == tmux.WindowSigil:
		w.KillWindow(tmux.WindowID(target))
	default:
		w.KillSession(tmux.SessionID(target))
	}
}

func (w world) Respawn(pane tmux.PaneID, program porttest.Program) {
	w.Replace(pane, argv(program)...)
	w.ready(pane, program)
}

func (w world) Die(pane tmux.PaneID) {
	w.SetOption(string(pane), "remain-on-exit", "on")
	w.Exit(pane, 3)
}
