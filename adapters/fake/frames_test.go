package fake_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// stage stages a command in a pane and types its line.
func stage(t *testing.T, w *fake.World, frames ports.Frames, pane tmux.PaneID, id, command string) ports.Frame {
	t.Helper()
	topology, err := w.Topology(t.Context(), tmux.DetailBrief)
	if err != nil {
		t.Fatal(err)
	}
	at, _ := topology.Pane(pane)
	staged, err := frames.Stage(t.Context(), ports.Plan{
		RunID: id, Token: "TOKEN", Server: topology.Server, Pane: pane, PID: at.PID, Shell: guard.Bash,
		Command: command, Shown: "[TOKEN] $ shown",
	})
	if err != nil {
		t.Fatalf("%v\n%v", err, w)
	}
	w.Type(pane, staged.Line()+"\r")
	return staged
}

func start(t *testing.T, staged ports.Frame) {
	t.Helper()
	if _, err := staged.Started(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := staged.Release(); err != nil {
		t.Fatal(err)
	}
}

// A framed command leaves its output between the row that shows it and the next prompt.
func TestFramedCommand(t *testing.T) {
	tests := map[string]struct {
		command, keys string
		want          frame.End
		screen        string
	}{
		"output":                     {"echo out", "", frame.End{}, "out\n$"},
		"no newline at the end":      {"printf abc", "", frame.End{}, "abc$"},
		"exit":                       {"exit 7", "", frame.End{Status: 7}, "$"},
		"return from false":          {"false", "", frame.End{Status: 1}, "$"},
		"a syntax error":             {"echo 'oops", "", frame.End{Status: 2}, "bash: syntax error: 1:6: reached EOF without closing quote `'`\n$"},
		"a document without newline": {"cat <<E\nx\nE", "", frame.End{}, "x\n$"},
		"functions and aliases":      {"f; a", "", frame.End{}, "function\nalias\n$"},
		"cd does not persist":        {"cd /tmp; x=2; export y=3; f() { :; }", "", frame.End{}, "$"},
		"C-c":                        {"sleep 99; echo not reached", "\x03", frame.End{Status: 130}, "^C\n$"},
		"C-c, ignored":               {"trap '' INT; sleep 9; echo reached", "\x03", frame.End{}, "^Creached\n$"},
		"reading the terminal":       {"read x; echo \"<$x>\"", "typed\r", frame.End{}, "typed\n<typed>\n$"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := fake.New(fake.Options{})
				defer w.Close()
				pane := w.AddSession("main")
				w.Type(pane, "f() { echo function; }; alias a='echo alias'\r")
				synctest.Wait()
				w.Type(pane, "\x0c")

				staged := stage(t, w, w, pane, "r1", test.command)
				start(t, staged)
				synctest.Wait()
				w.Type(pane, test.keys)
				end, err := staged.Ended(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if err := staged.Close(); err != nil {
					t.Fatal(err)
				}
				if err := w.AwaitPrompt(t.Context(), pane); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, end); diff != "" {
					t.Errorf("end (-want +got):\n%s\n%v", diff, w)
				}
				want := "$ " + staged.Line() + "\n[TOKEN] $ shown\n" + test.screen
				if diff := cmp.Diff(want, w.Screen(pane)); diff != "" {
					t.Errorf("screen (-want +got):\n%s\n%v", diff, w)
				}
				w.Type(pane, "\x0cf; pwd; echo $x$y\r")
				synctest.Wait()
				if diff := cmp.Diff("$ f; pwd; echo $x$y\nfunction\n/\n\n$", w.Screen(pane)); diff != "" {
					t.Errorf("afterwards (-want +got):\n%s\n%v", diff, w)
				}
			})
		})
	}
}

// C-z gives the prompt back while the command stands still; fg brings it to its end.
func TestFramedCommandStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := fake.New(fake.Options{})
		defer w.Close()
		pane := w.AddSession("main")
		staged := stage(t, w, w, pane, "r1", "sleep 9; echo over")
		pid, err := staged.Started(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := staged.Release(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.Type(pane, "\x1a")
		synctest.Wait()
		if stopped, exists := w.Stopped(t.Context(), pid); !stopped || !exists {
			t.Errorf("after C-z: stopped %t, exists %t\n%v", stopped, exists, w)
		}
		if err := staged.Close(); err != nil {
			t.Fatal(err)
		}
		w.Type(pane, "fg\r")
		if err := w.AwaitPrompt(t.Context(), pane); err != nil {
			t.Fatal(err)
		}
		record, err := w.Recall(t.Context(), "r1")
		if err != nil {
			t.Fatal(err)
		}
		if record.Status == nil || *record.Status != 0 || !record.Unattended {
			t.Errorf("record %+v, want status 0, unattended\n%v", record, w)
		}
	})
}

// A run whose server process died goes on, and another process can tell its status.
func TestFramesOfADeadProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := fake.New(fake.Options{})
		defer w.Close()
		pane := w.AddSession("main")
		process := w.NewFrames()
		start(t, stage(t, w, process, pane, "r1", "sleep 5; exit 3"))
		process.Drop()

		record, err := w.Recall(t.Context(), "r1")
		if err != nil || !record.Running || !record.Unattended {
			t.Errorf("while it runs: %+v, %v\n%v", record, err, w)
		}
		if err := w.AwaitPrompt(t.Context(), pane); err != nil {
			t.Fatal(err)
		}
		record, err = w.Recall(t.Context(), "r1")
		if err != nil || record.Running || record.Status == nil || *record.Status != 3 || record.Reason != frame.Unattended {
			t.Errorf("after its end: %+v, %v\n%v", record, err, w)
		}
	})
}

// A process that dies before it released a frame leaves a usable shell, and the command never runs.
func TestFramesOfAProcessThatDiedEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := fake.New(fake.Options{})
		defer w.Close()
		pane := w.AddSession("main")
		process := w.NewFrames()
		staged := stage(t, w, process, pane, "r1", "echo ran")
		if _, err := staged.Started(t.Context()); err != nil {
			t.Fatal(err)
		}
		process.Drop()
		if err := w.AwaitPrompt(t.Context(), pane); err != nil {
			t.Fatal(err)
		}
		if want := "$ " + staged.Line() + "\n[TOKEN] $ shown\n$"; w.Screen(pane) != want {
			t.Errorf("screen, want %q:\n%v", want, w)
		}
		start(t, stage(t, w, w, pane, "r2", "true")) // the pane is free
	})
}

func TestGoneShells(t *testing.T) {
	tests := map[string]func(*fake.World, tmux.PaneID){
		"kill the pane":   func(w *fake.World, pane tmux.PaneID) { w.KillPane(pane) },
		"respawn":         func(w *fake.World, pane tmux.PaneID) { w.Replace(pane) },
		"kill the server": func(w *fake.World, _ tmux.PaneID) { w.KillServer() },
		"the shell ends":  func(w *fake.World, pane tmux.PaneID) { w.Exit(pane, 1) },
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := fake.New(fake.Options{})
				defer w.Close()
				pane := w.AddSession("main")
				staged := stage(t, w, w, pane, "r1", "sleep 99")
				start(t, staged)
				synctest.Wait()
				end(w, pane)
				got, err := staged.Ended(context.Background())
				if err != nil || !got.Gone {
					t.Errorf("end %+v, %v; want gone\n%v", got, err, w)
				}
				if err := staged.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
