//go:build integration

package integration_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A controlClient is a control-mode client: thousands of captures by a tmux process each would take minutes.
type controlClient struct {
	mutex   sync.Mutex
	input   io.WriteCloser
	replies *bufio.Reader
}

// control attaches to a session without any of the panes that are looked at, so that their output does not come here.
func (s *realServer) control(t testing.TB, session string) *controlClient {
	t.Helper()
	cmd := exec.Command(s.Binary, "-u", "-C", "-S", s.Socket, "attach-session", "-t", session)
	cmd.Env = append(os.Environ(), "TMUX=")
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	client := &controlClient{input: input, replies: bufio.NewReader(output)}
	if _, err := client.reply(0); err != nil { // of the attach
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Wait() // killed with its server
	})
	return client
}

// run runs commands as one list and returns what each printed.
func (c *controlClient) run(commands ...[]string) ([]string, error) {
	var list strings.Builder
	for i, command := range commands {
		if i > 0 {
			list.WriteString(" ; ")
		}
		for _, word := range command {
			list.WriteString(` "`)
			for _, b := range []byte(word) {
				fmt.Fprintf(&list, `\%03o`, b)
			}
			list.WriteString(`"`)
		}
	}
	list.WriteByte('\n')
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if _, err := io.WriteString(c.input, list.String()); err != nil {
		return nil, err
	}
	var replies []string
	for range commands {
		reply, err := c.reply(1)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", commands, err)
		}
		replies = append(replies, reply)
	}
	return replies, nil
}

// reply reads the next block with those flags.
func (c *controlClient) reply(flags int) (string, error) {
	for {
		line, err := c.replies.ReadString('\n')
		if err != nil {
			return "", err
		}
		begin, ok := strings.CutPrefix(line, "%begin ")
		if !ok || !strings.HasSuffix(begin, fmt.Sprintf(" %d\n", flags)) {
			continue
		}
		var body strings.Builder
		for {
			line, err := c.replies.ReadString('\n')
			switch {
			case err != nil:
				return "", err
			case line == "%end "+begin:
				return body.String(), nil
			case line == "%error "+begin:
				return "", fmt.Errorf("tmux: %s", body.String())
			}
			body.WriteString(line)
		}
	}
}

// A promptPane is a pane that shows one style.
type promptPane struct {
	style  promptStyle
	client *controlClient
	id     string
	server tmux.Server // its version alone
	home   string
	last   screen.Capture // what await returned last
}

// A promptSample is one screen of the corpus.
type promptSample struct {
	style   promptStyle
	state   promptState
	capture screen.Capture
	learned []guard.Prompt
}

func (s promptSample) String() string {
	pane := s.capture.Pane
	return fmt.Sprintf("%s, %s: cursor (%d,%d) of width %d\n%s", s.style.name, s.state.name, pane.CursorX, pane.CursorY,
		pane.Width, strings.TrimRight(strings.Join(s.capture.Rows, "\n"), "\n"))
}

// open starts the shell of a style with a home of its own.
func (s *realServer) open(t *testing.T, client *controlClient, style promptStyle) *promptPane {
	t.Helper()
	home, err := os.MkdirTemp("", "lt") // short, as homes are: prompts show it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(home) }) // a shell may still write its history there
	p := &promptPane{style: style, client: client, home: home}
	// Without a directory of completions fish would spend a minute on making some.
	for _, dir := range []string{"work/elsewhere/deep1", "fish/generated_completions"} {
		if err := os.MkdirAll(filepath.Join(p.home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	rc := style.rc + "\n"
	if style.shell == "fish" {
		rc += "set -g fish_greeting\n"
	}
	for _, name := range []string{"rc", ".zshrc", "fish/config.fish"} {
		if err := os.WriteFile(filepath.Join(p.home, name), []byte(rc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	argv := strings.Fields(style.shell)
	switch argv[0] {
	case "bash":
		argv = slices.Insert(argv, 1, "--noprofile", "--rcfile", filepath.Join(p.home, "rc"))
	case "zsh":
		argv = append(argv, "-d")
	}
	work := filepath.Join(p.home, "work")
	command := append([]string{
		"new-session", "-d", "-x", "80", "-y", "24", "-c", work, "-P", "-F", "#{pane_id}", "env", "-i", "PATH=" + os.Getenv("PATH"),
		"HOME=" + p.home, "ZDOTDIR=" + p.home, "XDG_CONFIG_HOME=" + p.home, "XDG_DATA_HOME=" + p.home,
		"ENV=" + filepath.Join(p.home, "rc"), "W=" + work, "TERM=screen-256color", "LC_ALL=C.UTF-8",
	}, argv...)
	p.id = s.Tmux(t, command...)
	p.server.Version = tmux.Version(s.Tmux(t, "display-message", "-p", "#{version}"))
	return p
}

const promptFormat = "#{pane_id} #{pane_pid} #{pane_tty} #{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{history_size} #{pane_current_command} #{pane_current_path}"

// capture reads the pane as the application does: physical rows with styles and blanks, and the state of the same instant.
func (p *promptPane) capture() (screen.Capture, error) {
	capture := []string{"capture-pane", "-p", "-e", "-N", "-t", p.id}
	if p.server.Version.AtLeast("3.4") {
		capture = append(capture, "-T") // without what was never written
	}
	replies, err := p.client.run([]string{"display-message", "-p", "-t", p.id, promptFormat}, capture)
	if err != nil {
		return screen.Capture{}, err
	}
	c := screen.Capture{Server: p.server}
	if _, err := fmt.Sscan(replies[0], &c.Pane.ID, &c.Pane.PID, &c.Pane.TTY, &c.Pane.Width, &c.Pane.Height, &c.Pane.CursorX,
		&c.Pane.CursorY, &c.Pane.HistorySize, &c.Pane.Command, &c.Pane.Path); err != nil && c.Pane.Command == "" {
		return screen.Capture{}, fmt.Errorf("%q: %w", replies[0], err)
	}
	c.First, c.Rows = c.Pane.HistorySize, strings.Split(strings.TrimSuffix(replies[1], "\n"), "\n")
	return c, nil
}

// await waits until the shell is at its prompt and its screen does not change any more and is as wanted.
func (p *promptPane) await(ctx context.Context, what string, wanted func(screen.Capture) bool) (screen.Capture, error) {
	inspector := process.New(process.Options{})
	for deadline := time.Now().Add(hangBound); time.Now().Before(deadline); {
		<-time.After(30 * time.Millisecond) // polls another process, and how long a screen stays is the question
		now, err := p.capture()
		if err != nil {
			return screen.Capture{}, err
		}
		same := guard.Settled(p.last, now)
		p.last = now
		if same && guard.Classify(inspector.Sample(ctx, now.Pane)).State == guard.AtPrompt && wanted(now) {
			return now, nil
		}
	}
	return p.last, fmt.Errorf("not within %v: %s", hangBound, what)
}

// step does one step of a state and waits for what it does.
func (p *promptPane) step(ctx context.Context, step string) (screen.Capture, error) {
	before := p.last
	changed := func(now screen.Capture) bool { return !guard.Settled(before, now) }
	verb, argument, _ := strings.Cut(step, " ")
	var commands [][]string
	switch verb {
	case "text":
		commands = [][]string{{"send-keys", "-t", p.id, "-l", "--", argument}}
	case "line":
		commands = [][]string{{"send-keys", "-t", p.id, "-l", "--", argument}, {"send-keys", "-t", p.id, "Enter"}}
		if argument == "" {
			commands = commands[1:]
			changed = patiently(changed) // bash without a prompt does not move
			break
		}
		changed = func(now screen.Capture) bool { // the cursor has left the row; else what is typed could be all that is seen
			return now.CursorRow() > before.CursorRow()
		}
		if argument == "clear" { // and the prompt is back: clear discards what is typed while it is at work
			changed = func(now screen.Capture) bool {
				return now.Pane.CursorY < before.Pane.CursorY && (now.Pane.CursorX > 0 || before.Pane.CursorX == 0)
			}
		}
	case "key":
		commands = [][]string{{"send-keys", "-t", p.id, argument}}
		if argument == "C-l" || argument == "C-c" || argument == "Tab" {
			changed = patiently(changed)
		}
	case "width":
		commands = [][]string{{"resize-window", "-t", p.id, "-x", argument, "-y", "24"}}
	case "wait":
		changed = func(now screen.Capture) bool {
			return slices.ContainsFunc(now.Rows, func(row string) bool { return strings.Contains(row, argument) })
		}
	default:
		return screen.Capture{}, fmt.Errorf("step %q", step)
	}
	if len(commands) > 0 {
		if _, err := p.client.run(commands...); err != nil {
			return screen.Capture{}, err
		}
	}
	return p.await(ctx, step, changed)
}

// patiently is a change that may not come.
func patiently(changed func(screen.Capture) bool) func(screen.Capture) bool {
	patience := time.Now().Add(150 * time.Millisecond)
	return func(now screen.Capture) bool { return changed(now) || time.Now().After(patience) }
}

// walk takes the pane through the states that it has, or through one of so many of them. What could be learned of its prompt is what two commands left.
func (p *promptPane) walk(ctx context.Context, first, each int) ([]promptSample, error) {
	if _, err := p.await(ctx, "the first prompt", func(screen.Capture) bool { return true }); err != nil {
		return nil, fmt.Errorf("%s: %w", p.style.name, err)
	}
	var learned []guard.Prompt
	for _, step := range []string{"line cd $W", "line true", "line true"} {
		now, err := p.step(ctx, step)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.style.name, err)
		}
		learned = guard.Learn(learned, now)
	}
	var samples []promptSample
	for i, state := range promptStates {
		if !state.in(p.style) || (first+i)%each != 0 {
			continue
		}
		steps := slices.Clone(state.steps)
		if state.truth != empty {
			steps = append(steps, "key C-c")
		}
		steps = append(steps, "width 80", "line cd $W")
		for i, step := range steps {
			if i == len(state.steps) {
				samples = append(samples, promptSample{p.style, state, p.last, learned})
			}
			if step == "width 80" && p.last.Pane.Width == 80 {
				continue
			}
			if now, err := p.step(ctx, step); err != nil {
				return samples, fmt.Errorf("%w\n%v", err, promptSample{p.style, state, now, nil})
			}
		}
	}
	return samples, nil
}

func TestDrafts(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		client := s.control(t, "main")
		each, least := 1, 80 // state of each style, and percent of the empty prompts that are to be called so
		if testing.Short() { // a sample
			each, least = 6, 70
		}
		samples := make([][]promptSample, len(promptStyles))
		errors := make([]error, len(promptStyles))
		var walkers sync.WaitGroup
		for i, style := range promptStyles {
			pane := s.open(t, client, style)
			walkers.Go(func() { samples[i], errors[i] = pane.walk(t.Context(), i, each) })
		}
		walkers.Wait()
		for _, err := range errors {
			if err != nil {
				t.Error(err)
			}
		}
		for _, set := range []string{tuned, heldOut, fresh} {
			judgeSamples(t, set, least, slices.DeleteFunc(slices.Concat(samples...), func(s promptSample) bool { return s.style.set != set }))
		}
	})
}

// judgeSamples judges screens whose truth is known: none with something typed may be called empty, and few of the empty
// ones unknown.
func judgeSamples(t *testing.T, name string, least int, samples []promptSample) {
	t.Helper()
	counts := map[truth]map[guard.DraftState]int{empty: {}, draft: {}, blanks: {}}
	promptlike := map[truth]int{}
	for _, sample := range samples {
		got := guard.JudgeDraft(sample.capture, sample.learned)
		counts[sample.state.truth][got.State]++
		if got.State == guard.DraftEmpty && sample.state.truth == draft {
			t.Errorf("called empty, with something typed: %v", sample)
		}
		if guard.JudgeDraft(sample.capture, nil).Promptlike {
			promptlike[sample.state.truth]++
		}
	}
	t.Logf("%s, %d screens: empty ones were called %v, drafts %v; like a prompt at first contact: %d empty ones, %d drafts",
		name, len(samples), counts[empty], counts[draft], promptlike[empty], promptlike[draft])
	idle := 0
	for _, n := range counts[empty] {
		idle += n
	}
	if known := counts[empty][guard.DraftEmpty]; idle == 0 || 100*known < least*idle {
		t.Errorf("%s: of %d empty prompts only %d were called so; want at least %d %%", name, idle, known, least)
	}
}
