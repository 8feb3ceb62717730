package fake_test

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// topology reads everything.
func topology(t *testing.T, w *fake.World) tmux.Topology {
	t.Helper()
	read, err := w.Topology(t.Context(), tmux.DetailFull)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// What keeps a caller from the server has a kind of its own, also where an absent server is no error.
func TestServersOutOfReach(t *testing.T) {
	tests := map[string]struct {
		options fake.Options
		want    fault.Kind
		says    string
	}{
		"no permission": {fake.Options{Denied: true}, fault.TransportError, "permission"},
		"too old":       {fake.Options{Version: "3.1c"}, fault.Unsupported, "3.2a"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := fake.New(test.options)
			defer w.Close()
			_, err := w.Topology(t.Context(), tmux.DetailBrief)
			_, createErr := w.NewSession(t.Context(), ports.NewSession{})
			for _, err := range []error{err, createErr} {
				if !fault.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
					t.Errorf("got %v, want %s that says %q", err, test.want, test.says)
				}
			}
		})
	}
}

// With its last pane a window goes, with its last window a session, and with its last session the server.
func TestWhatEndsWithWhat(t *testing.T) {
	w := fake.New(fake.Options{})
	defer w.Close()
	one := w.AddSession("main")
	two := w.Split(one)
	other := w.AddSession("other", "record")
	w.Link(w.WindowOf(one), w.SessionOf(other))
	ids := func() string {
		var b strings.Builder
		read := topology(t, w)
		for _, s := range read.Sessions {
			b.WriteString(string(s.ID) + " ")
		}
		for _, p := range read.Panes {
			b.WriteString(string(p.ID) + " ")
		}
		return b.String()
	}
	for _, step := range []struct {
		do   func()
		want string
	}{
		{func() { w.KillPane(one) }, "$0 $1 %1 %2 "},
		{func() { w.KillSession("$0") }, "$1 %1 %2 "}, // its window is linked
		{func() { w.KillPane(other) }, "$1 %1 "},
		{func() { w.KillPane(two) }, ""},
	} {
		step.do()
		if got := ids(); got != step.want {
			t.Errorf("left %q, want %q\n%v", got, step.want, w)
		}
	}
	if topology(t, w).Running {
		t.Errorf("the server still runs\n%v", w)
	}
	if got := w.AddSession("again"); got != "%0" {
		t.Errorf("in a new life the first pane is %s", got)
	}
}

// Two lives of a server differ, even within one second.
func TestRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := fake.New(fake.Options{})
		defer w.Close()
		first := w.AddSession("main")
		before := topology(t, w).Server
		if again := w.Restart("main"); again != first {
			t.Errorf("pane %s, want %s again", again, first)
		}
		if after := topology(t, w).Server; after.Generation == before.Generation || after.PID == before.PID {
			t.Errorf("%+v is like %+v", after, before)
		}
	})
}

// Dead panes differ between versions.
func TestDeadBySignal(t *testing.T) {
	for version, want := range map[tmux.Version]string{"3.2a": "", "3.4": "9"} {
		synctest.Test(t, func(t *testing.T) {
			w := fake.New(fake.Options{Version: version})
			defer w.Close()
			pane := w.AddSession("main")
			w.SetOption("", "remain-on-exit", "on")
			w.Type(pane, "kill -9 $$\r")
			synctest.Wait()
			got := topology(t, w).Panes[0]
			if !got.Dead || got.DeadStatus != nil || got.DeadSignal != want {
				t.Errorf("%s: got %+v, want dead by signal %q\n%v", version, got, want, w)
			}
		})
	}
}

// A shell that exits takes its pane with it.
func TestExit(t *testing.T) {
	for _, typed := range []string{"exit 3\r", "\x04", "false; exit\r"} {
		synctest.Test(t, func(t *testing.T) {
			w := fake.New(fake.Options{})
			defer w.Close()
			pane := w.AddSession("main")
			w.Type(pane, typed)
			synctest.Wait()
			if topology(t, w).Running {
				t.Errorf("after %q:\n%v", typed, w)
			}
		})
	}
}

// Inspection sees what each family of shells shows, and other programs by their names.
func TestForegrounds(t *testing.T) {
	tests := map[string]struct {
		shell guard.Shell
		typed string
		want  guard.Process
	}{
		"bash at its prompt": {guard.Bash, "", guard.Process{State: guard.AtPrompt, Shell: guard.Bash, Name: "bash"}},
		"a draft":            {guard.Bash, "ls", guard.Process{State: guard.AtPrompt, Shell: guard.Bash, Name: "bash"}},
		"zsh at its prompt":  {guard.Zsh, "", guard.Process{State: guard.AtPrompt, Shell: guard.Zsh, Name: "zsh"}},
		"dash at its prompt": {guard.Dash, "", guard.Process{State: guard.AtPrompt, Shell: guard.Dash, Name: "dash"}},
		"reading":            {guard.Bash, "read x\r", guard.Process{State: guard.ForegroundBusy, Shell: guard.Bash, Name: "bash"}},
		"dash reading":       {guard.Dash, "read x\r", guard.Process{State: guard.ForegroundBusy, Shell: guard.Dash, Name: "dash"}},
		"a program":          {guard.Bash, "python3 -i\r", guard.Process{State: guard.ForegroundNot, Name: "python3"}},
		"a full-screen one":  {guard.Bash, "less\r", guard.Process{State: guard.ForegroundNot, Name: "less"}},
		"in a pipe":          {guard.Bash, "seq 3 | sleep 9\r", guard.Process{State: guard.ForegroundNot, Name: "sleep"}},
		"in the background":  {guard.Bash, "sleep 9 &\r", guard.Process{State: guard.AtPrompt, Shell: guard.Bash, Name: "bash"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := fake.New(fake.Options{Shell: test.shell})
				defer w.Close()
				pane := w.AddSession("main")
				w.Type(pane, test.typed)
				synctest.Wait()
				at, _ := topology(t, w).Pane(pane)
				got := guard.Classify(w.Sample(t.Context(), at))
				got.PID, got.Age, got.Reason = 0, 0, ""
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("process (-want +got):\n%s\n%v", diff, w)
				}
			})
		})
	}
}

// A test can bring its own programs.
func TestInstall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := fake.New(fake.Options{})
		defer w.Close()
		w.Install("greet", func(ctx context.Context, p *fake.Process) int {
			line, err := p.ReadLine(ctx)
			if err != nil || !p.Sleep(ctx, time.Hour) {
				return 1
			}
			_, _ = io.WriteString(p.Stdout, p.Args[1]+" "+line)
			return 4
		})
		pane := w.AddSession("main")
		w.Type(pane, "greet hello\rworld\r")
		if err := w.Await(t.Context(), pane, "hello world"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.Type(pane, "echo $?\r")
		synctest.Wait()
		if want := "$ greet hello\nworld\nhello world\n$ echo $?\n4\n$"; w.Screen(pane) != want {
			t.Errorf("want %q\n%v", want, w)
		}
	})
}

// The world prints all that a failing test may want to see.
func TestString(t *testing.T) {
	w := fake.New(fake.Options{})
	defer w.Close()
	if got := w.String(); !strings.Contains(got, "no server") {
		t.Errorf("without a server: %s", got)
	}
	pane := w.AddSession("main")
	w.Attach("$0", fake.Client{})
	w.EnterMode(pane, "copy-mode")
	w.Print(pane, "shown")
	for _, want := range []string{"session $0 \"main\": 0=@0*", "client /dev/pts/100 on $0", "window @0", "pane %0", "mode=copy-mode", "| $ shown"} {
		if got := w.String(); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
