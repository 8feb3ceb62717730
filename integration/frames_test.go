//go:build integration

package integration_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// families are the shells in which a framed command runs.
var families = []guard.Shell{guard.Bash, guard.Zsh, guard.Dash, guard.Mksh, guard.Busybox, guard.Fish, guard.Ksh}

// eachShell runs a test in every shell family on every tmux, in parallel; with -short in two, which take turns.
func eachShell(t *testing.T, test func(t *testing.T, binary string, family guard.Shell)) {
	t.Helper()
	eachTmux(t, func(t *testing.T, binary string) {
		for _, family := range few(t, 0, 2, families...) {
			t.Run(string(family), func(t *testing.T) {
				t.Parallel()
				test(t, binary, family)
			})
		}
	})
}

// framesPrompt is the prompt of every shell under test.
const framesPrompt = "P> "

// A framedPane is a pane with a shell, and what stages commands for it: these tests play the application's part.
type framedPane struct {
	*realServer
	t      *testing.T
	family guard.Shell
	home   string
	dir    string
	frames *shell.Frames
	pid    int
	ids    atomic.Int64
}

// startPane starts a shell whose configuration is rc after the setting of the prompt.
func startPane(t *testing.T, binary string, family guard.Shell, rc string) *framedPane {
	t.Helper()
	p := &framedPane{t: t, family: family, home: t.TempDir(), dir: filepath.Join(t.TempDir(), "frames")}
	var err error
	if p.frames, err = shell.Open(shell.Options{Dir: p.dir}); err != nil {
		t.Fatal(err)
	}
	p.realServer = startServer(t, binary, p.argv(rc)...)
	if p.pid, err = strconv.Atoi(p.Tmux(t, "display-message", "-p", "-t", "%0", "#{pane_pid}")); err != nil {
		t.Fatal(err)
	}
	return p
}

// startIdle is startPane and the wait for the prompt.
func startIdle(t *testing.T, binary string, family guard.Shell, rc string) *framedPane {
	t.Helper()
	p := startPane(t, binary, family, rc)
	p.prompt()
	return p
}

// argv writes the configuration and gives the command that starts the shell.
func (p *framedPane) argv(rc string) []string {
	file, prompt := ".shrc", "PS1='"+framesPrompt+"'\n"
	argv := []string{"env", "-i", "HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "TERM=screen", "LANG=C.UTF-8", "HISTFILE=" + p.home + "/history"}
	switch p.family {
	case guard.Bash:
		file = ".bashrc"
	case guard.Zsh:
		file = ".zshrc"
	case guard.Fish:
		file, prompt = ".config/fish/config.fish", "function fish_prompt; echo -n '"+framesPrompt+"'; end\nset -g fish_greeting\n"
		argv = append(argv, "XDG_CONFIG_HOME="+p.home+"/.config", "XDG_DATA_HOME="+p.home+"/.data")
		// Without it a fish of a new home reads every manual page, in the background.
		if err := os.MkdirAll(p.home+"/.data/fish/generated_completions", 0o700); err != nil {
			p.t.Fatal(err)
		}
	default:
		argv = append(argv, "ENV="+p.home+"/"+file)
	}
	path := filepath.Join(p.home, file)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(prompt+rc), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if p.family == guard.Busybox {
		return append(argv, "busybox", "ash")
	}
	return append(argv, string(p.family))
}

// prompt waits until the last row that is not blank ends with the prompt, and nothing stands on it.
func (p *framedPane) prompt() {
	p.t.Helper()
	eventually(p.t, "the prompt is back and nothing stands on it", func() (bool, string) {
		screen, _ := p.Try("capture-pane", "-p", "-t", "%0")
		rows := strings.Split(strings.TrimRight(screen, "\n "), "\n")
		return strings.HasSuffix(rows[len(rows)-1], strings.TrimSpace(framesPrompt)), screen
	})
}

// shows waits until a row of the pane is text, and returns the screen.
func (p *framedPane) shows(text string) string {
	p.t.Helper()
	var screen string
	eventually(p.t, fmt.Sprintf("a row is %q", text), func() (bool, string) {
		screen, _ = p.Try("capture-pane", "-p", "-t", "%0")
		for row := range strings.SplitSeq(screen, "\n") {
			if strings.TrimRight(row, " ") == text { // 3.2a pads
				return true, screen
			}
		}
		return false, screen
	})
	return screen
}

// plan makes a plan of a command for the pane.
func (p *framedPane) plan(command string) ports.Plan {
	n := p.ids.Add(1)
	token := frame.NewToken([5]byte{1, 2, 3, byte(n >> 8), byte(n)})
	return ports.Plan{
		RunID: fmt.Sprintf("run%d", n), Token: token, Server: tmux.Server{Generation: "g1"}, Pane: "%0", PID: p.pid,
		Shell: p.family, Command: command, Shown: frame.Shown(command, token, 40), Started: time.Now().UnixMilli(),
	}
}

// stage stages a plan and types its line.
func (p *framedPane) stage(plan ports.Plan) ports.Frame {
	p.t.Helper()
	staged, err := p.frames.Stage(p.t.Context(), plan)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = staged.Close() }) // for a test that failed; closing twice does nothing
	p.enter(staged.Line())
	return staged
}

// enter types text and Enter.
func (p *framedPane) enter(text string) {
	p.t.Helper()
	p.Tmux(p.t, "send-keys", "-t", "%0", "-l", text, ";", "send-keys", "-t", "%0", "Enter")
}

// begin stages, types, waits for the start and lets the command run. It answers the frame and the process of Started.
func (p *framedPane) begin(plan ports.Plan) (ports.Frame, int) {
	p.t.Helper()
	staged := p.stage(plan)
	ctx, cancel := context.WithTimeout(p.t.Context(), hangBound)
	defer cancel()
	pid, err := staged.Started(ctx)
	if err != nil {
		p.t.Fatalf("%v\nscreen:\n%s", err, p.Screen(p.t, "%0", ""))
	}
	if err := staged.Release(); err != nil {
		p.t.Fatal(err)
	}
	return staged, pid
}

// ended waits for a frame's end.
func (p *framedPane) ended(staged ports.Frame) frame.End {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), hangBound)
	defer cancel()
	end, err := staged.Ended(ctx)
	if err != nil {
		p.t.Fatalf("%v\nscreen:\n%s", err, p.Screen(p.t, "%0", ""))
	}
	return end
}

// run runs a plan to its end and answers its status and its lines.
func (p *framedPane) run(plan ports.Plan) (int, []string) {
	p.t.Helper()
	staged, _ := p.begin(plan)
	end := p.ended(staged)
	if end.Gone {
		p.t.Fatalf("the shell is gone\nscreen:\n%s", p.Screen(p.t, "%0", ""))
	}
	lines := p.lines(plan.Token)
	record := frame.Record{RunID: plan.RunID, Outcome: frame.OutcomeOf(end.Status), Status: &end.Status, Lines: lines}
	if err := errors.Join(staged.Keep(record), staged.Close()); err != nil {
		p.t.Fatal(err)
	}
	return end.Status, lines
}

// lines are the joined lines between the row that shows the token and the cursor.
func (p *framedPane) lines(token string) []string {
	p.t.Helper()
	var column, row int
	cursor := p.Tmux(p.t, "display-message", "-p", "-t", "%0", "#{cursor_x} #{cursor_y}")
	if _, err := fmt.Sscan(cursor, &column, &row); err != nil {
		p.t.Fatalf("cursor %q: %v", cursor, err)
	}
	if column == 0 {
		row--
	}
	text := p.Tmux(p.t, "capture-pane", "-p", "-J", "-t", "%0", "-S", "-", "-E", strconv.Itoa(row))
	_, after, found := strings.Cut(text, "["+token+"]")
	if !found {
		p.t.Fatalf("no row shows token %s:\n%s", token, text)
	}
	lines := strings.Split(after, "\n")[1:]
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return lines
}

// expect runs a command and compares its status and lines.
func (p *framedPane) expect(command string, status int, lines ...string) {
	p.t.Helper()
	gotStatus, gotLines := p.run(p.plan(command))
	if gotStatus != status {
		p.t.Errorf("%q: status %d, want %d", command, gotStatus, status)
	}
	if diff := cmp.Diff(append([]string{}, lines...), gotLines); diff != "" {
		p.t.Errorf("%q: lines (-want +got):\n%s", command, diff)
	}
}

func TestFramesStatus(t *testing.T) {
	eachShell(t, func(t *testing.T, binary string, family guard.Shell) {
		p := startIdle(t, binary, family, "")
		p.expect("true", 0)
		p.expect("false", 1)
		p.expect("exit 7", 7)
		p.expect("echo a; sh -c 'exit 42'", 42, "a")
		p.prompt()
	})
}
