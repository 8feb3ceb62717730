package fake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

// A shell is the interactive shell in a pane. It is idle, and edits a line, or runs a job in the foreground.
type shell struct {
	terminal *terminal
	self     *process
	runner   *interp.Runner // free while idle
	idle     bool
	line     []byte // typed, not yet sent
	pasting  bool   // inside a bracketed paste
	pending  string // the lines before, of a command that is not complete
	current  *job   // in the foreground; nil if idle
	stopped  []*job // newest last
}

// A job is one line that the shell runs, or a framed command.
type job struct {
	shell   *shell
	text    string
	runner  *interp.Runner
	ctx     context.Context
	cancel  context.CancelFunc
	group   *process // that has the terminal whatever the job starts; nil: each program in turn
	status  int      // 128 and the signal, once interrupted
	ignores bool     // SIGINT (trap '' INT)
	halted  bool     // C-z
	blocked int      // how many of its goroutines wait for something
	done    bool
}

type jobKey struct{}

// jobOf finds the job for which a handler works; nil for a program that stands in the shell's place.
func jobOf(ctx context.Context) *job {
	j, _ := ctx.Value(jobKey{}).(*job)
	return j
}

func (j *job) suspended() bool { return j != nil && j.halted }

// interrupt is a signal from the terminal that ends the job.
func (j *job) interrupt(status int) {
	if j.ignores && status == 128+2 {
		return
	}
	j.status = status
	j.cancel()
}

// block runs something that waits, in such a way that C-z knows that the job stands still. Called without the mutex.
func (j *job) block(ctx context.Context, waiting func()) error {
	w := j.shell.terminal.pane.world
	w.mu.Lock()
	j.blocked++
	w.touch()
	w.mu.Unlock()
	waiting()
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.wait(ctx, func() bool { return !j.halted })
	j.blocked--
	return err
}

// Write shows what the job prints; a stopped job prints nothing. Called without the mutex.
func (j *job) Write(data []byte) (int, error) {
	t := j.shell.terminal
	if err := j.block(t.ctx, func() {}); err != nil {
		return 0, err
	}
	return t.Write(data)
}

// startShell starts the default shell in a pane.
func (w *World) startShell(p *pane) {
	s := &shell{terminal: p.terminal, self: p.terminal.foreground}
	p.terminal.shell = s
	runner, err := s.newRunner()
	if err != nil {
		panic(fmt.Sprintf("fake: shell in %s: %v", p.path, err)) // options of ours
	}
	s.runner = runner
	s.prompt()
}

// edits reports whether this shell switches the terminal to raw to edit its line itself.
func (s *shell) edits() bool { return s.family() != guard.Dash }

func (s *shell) family() guard.Shell { return s.terminal.pane.world.options.Shell }

// prompt shows the prompt and takes what was typed meanwhile.
func (s *shell) prompt() {
	t := s.terminal
	s.current, s.idle, s.line, s.pending, s.pasting = nil, true, nil, "", false
	t.foreground = s.self
	t.canonical, t.echo = !s.edits(), !s.edits()
	if s.edits() {
		t.pane.write([]byte("\x1b[?2004h"))
	}
	t.pane.write([]byte(s.promptText()))
	s.typedAhead()
}

func (s *shell) typedAhead() {
	ahead := s.terminal.takeBack()
	for len(ahead) > 0 && s.idle {
		ahead = s.edit(ahead)
	}
	for _, b := range ahead {
		s.terminal.discipline(b)
	}
}

func (s *shell) promptText() string {
	if s.pending != "" {
		return "> "
	}
	if set, ok := s.runner.Vars["PS1"]; ok {
		return set.String()
	}
	return s.terminal.pane.world.options.Prompt
}

// accept is Enter: it runs what was typed, or asks for more.
func (s *shell) accept() {
	text := s.pending + string(s.line)
	s.line = nil
	s.leaveEditor()
	file, err := parse(text)
	switch {
	case incomplete(err):
		s.pending = text + "\n"
		s.terminal.pane.write([]byte(s.promptText()))
	case strings.TrimSpace(text) == "":
		s.prompt()
	case err != nil:
		s.terminal.pane.write(fmt.Appendf(nil, "%s: syntax error: %v\n", s.family(), err))
		s.prompt()
	case strings.TrimSpace(text) == "fg":
		s.resume()
	default:
		if frame := s.terminal.pane.world.stagedAs(strings.TrimSpace(text)); frame != nil {
			s.begin(text, func(j *job) int { return s.play(j, frame) })
			return
		}
		if invited := s.terminal.pane.world.invitedAs(strings.TrimSpace(text)); invited != nil {
			s.begin(text, func(*job) int { return s.enroll(invited) })
			return
		}
		s.begin(text, func(j *job) int { return s.runLine(j, file) })
	}
}

func (s *shell) leaveEditor() {
	if s.edits() {
		s.terminal.pane.write([]byte("\x1b[?2004l"))
	}
	s.terminal.pane.write([]byte("\n"))
}

// begin gives the terminal to a new job, which runs in a goroutine of the world.
func (s *shell) begin(text string, run func(*job) int) {
	t := s.terminal
	w := t.pane.world
	j := &job{shell: s, text: strings.TrimSpace(text), runner: s.runner}
	j.ctx, j.cancel = context.WithCancel(context.WithValue(t.ctx, jobKey{}, j))
	s.current, s.idle, s.pending = j, false, ""
	t.canonical, t.echo = true, true
	w.work.Go(func() {
		status := run(j)
		w.mu.Lock()
		defer w.mu.Unlock()
		s.finish(j, status)
	})
}

// finish is the end of a job: the prompt comes back, or the shell ends with it.
func (s *shell) finish(j *job, status int) {
	p := s.terminal.pane
	j.done = true
	p.world.touch()
	if s.terminal.ctx.Err() != nil {
		return
	}
	if j.runner == s.runner && j.runner.Exited() && j.status == 0 {
		s.terminal.exit(status, "")
		return
	}
	s.stopped = slices.DeleteFunc(s.stopped, func(x *job) bool { return x == j })
	if s.current == j {
		if j.status != 0 {
			p.write([]byte("\n"))
		}
		s.prompt()
	}
}

// runLine runs a typed line and gives its status. Called without the mutex.
func (s *shell) runLine(j *job, file *syntax.File) int {
	if err := interp.StdIO(nil, j, j)(j.runner); err != nil {
		panic(err) // only opens pipes for a standard input
	}
	return j.run(j.ctx, j.runner, file)
}

// run runs a parsed script and gives its status: 128 and the signal after an interruption, and $? says so too. Called without the mutex.
func (j *job) run(ctx context.Context, runner *interp.Runner, file *syntax.File) int {
	rewrite(file)
	status := 0
	for _, statement := range file.Stmts {
		err := runner.Run(ctx, statement)
		status = statusOf(err)
		if ctx.Err() != nil {
			w := j.shell.terminal.pane.world
			w.mu.Lock()
			status = cmp.Or(j.status, 129)
			w.mu.Unlock()
			setStatus(runner, status)
			return status
		}
		if runner.Exited() {
			break
		}
	}
	return status
}

func parse(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// incomplete reports whether more lines could make a command of it. The parser does not count an open here-document.
func incomplete(err error) bool {
	failure, ok := errors.AsType[syntax.ParseError](err)
	return err != nil && syntax.IsIncomplete(err) || ok && strings.HasPrefix(failure.Text, "unclosed here-document")
}

func statusOf(err error) int {
	if err == nil {
		return 0
	}
	if status, ok := errors.AsType[interp.ExitStatus](err); ok {
		return int(status)
	}
	return 1
}

// setStatus makes $? what it is after a job that was interrupted or framed.
func setStatus(runner *interp.Runner, status int) {
	file, err := parse(fmt.Sprintf("(exit %d)", status))
	if err != nil {
		panic(err)
	}
	_ = runner.Run(context.Background(), file.Stmts[0]) // answers the status as an error
}

// suspend is C-z: the foreground job stands still and the prompt comes back, with a runner of its own.
func (s *shell) suspend() {
	j, t := s.current, s.terminal
	w := t.pane.world
	if j == nil || t.foreground == s.self {
		return // a shell's own loop does not stop
	}
	j.halted = true
	t.foreground.stopped = true
	j.group = cmp.Or(j.group, t.foreground)
	w.touch()
	w.work.Go(func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.wait(j.ctx, func() bool { return j.blocked > 0 || j.done }) != nil || j.done || s.current != j {
			return
		}
		s.stopped = append(s.stopped, j)
		s.runner = s.runner.Subshell()
		t.pane.write(fmt.Appendf(nil, "\n[%d]+  Stopped                 %s\n", len(s.stopped), j.text))
		s.prompt()
	})
}

// resume is fg.
func (s *shell) resume() {
	if len(s.stopped) == 0 {
		s.terminal.pane.write(fmt.Appendf(nil, "%s: fg: current: no such job\n", s.family()))
		s.prompt()
		return
	}
	j := s.stopped[len(s.stopped)-1]
	s.stopped = s.stopped[:len(s.stopped)-1]
	s.terminal.pane.write([]byte(j.text + "\n"))
	s.current, s.idle = j, false
	s.terminal.canonical, s.terminal.echo = true, true
	s.terminal.foreground = j.group
	j.group.stopped, j.halted = false, false
	s.terminal.pane.world.touch()
}

// newRunner makes the interpreter of a shell. It never reaches the system: commands are Programs and files are the world's.
func (s *shell) newRunner() (*interp.Runner, error) {
	p := s.terminal.pane
	runner, err := interp.New(append(s.handlers(),
		interp.Interactive(true),
		interp.Dir("/"),
		interp.Env(environ(s.family(), p.world.options.Prompt, string(p.id), p.spawned.environment)),
		interp.StdIO(nil, io.Discard, io.Discard),
	)...)
	if err != nil {
		return nil, err
	}
	runner.Dir = p.path
	return runner, nil
}
