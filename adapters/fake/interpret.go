package fake

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"
	"mvdan.cc/sh/v3/syntax"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

func environ(family guard.Shell, prompt, pane string, besides map[string]string) expand.Environ {
	variables := []string{
		"HOME=/", "USER=fake", "PATH=/usr/bin:/bin", "TERM=tmux-256color", "TMPDIR=/tmp",
		"SHELL=/bin/" + string(family), "TMUX_PANE=" + pane, "PS1=" + prompt,
	}
	for name, value := range besides {
		variables = append(variables, name+"="+value)
	}
	return expand.ListEnviron(variables...)
}

// handlers joins the interpreter with the world: what it would ask the system for.
func (s *shell) handlers() []interp.RunnerOption {
	w := s.terminal.pane.world
	return []interp.RunnerOption{
		interp.CallHandler(s.call),
		interp.ExecHandlers(func(interp.ExecHandlerFunc) interp.ExecHandlerFunc { return s.exec }),
		interp.OpenHandler(w.open),
		interp.StatHandler(w.stat),
		interp.AccessHandler(func(context.Context, string, interp.AccessMode) error { return nil }),
		interp.ReadDirHandler2(func(context.Context, string) ([]fs.DirEntry, error) { return nil, nil }),
	}
}

// call sees every simple command before it runs. It holds a stopped job, plays the builtins that would read the
// terminal or catch signals, and keeps an endless loop of builtins from never standing still.
func (s *shell) call(ctx context.Context, args []string) ([]string, error) {
	j := jobOf(ctx)
	if j == nil {
		return args, nil
	}
	if err := j.block(ctx, func() {}); err != nil {
		return nil, err
	}
	switch args[0] {
	case "read":
		return s.read(ctx, args[1:])
	case "trap":
		if len(args) > 2 && (args[2] == "INT" || args[2] == "2") {
			w := s.terminal.pane.world
			w.mu.Lock()
			j.ignores = args[1] == ""
			w.mu.Unlock()
			return []string{"true"}, nil
		}
	case "kill":
		return append([]string{killShell}, args[1:]...), nil
	}
	return args, nil
}

// read plays the builtin: one line, into the first name.
func (s *shell) read(ctx context.Context, args []string) ([]string, error) {
	p := s.process(ctx, nil)
	name := "REPLY"
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-p" && len(args) > 1 {
			_, _ = p.Stderr.Write([]byte(args[1])) // fails only when the pane is gone, and then so does the read
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) > 0 {
		name = args[0]
	}
	line, err := p.ReadLine(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	text := strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\x00", "") // which no variable can hold
	quoted, quoteErr := syntax.Quote(text, syntax.LangBash)
	if quoteErr != nil {
		return nil, quoteErr
	}
	script := name + "=" + quoted
	if err != nil {
		script += "; false"
	}
	return []string{"eval", script}, nil
}

// exec runs a command that is neither function nor builtin: one of the world's programs.
func (s *shell) exec(ctx context.Context, args []string) error {
	w, t, j := s.terminal.pane.world, s.terminal, jobOf(ctx)
	hc := interp.HandlerCtx(ctx)
	name := path.Base(args[0])
	background := hc.Env.Get(inBackground).IsSet()

	w.mu.Lock()
	program, ok := w.programs[name]
	if !ok {
		w.mu.Unlock()
		_, err := fmt.Fprintf(hc.Stderr, "%s: %s: command not found\n", s.family(), args[0])
		return orStatus(err, 127)
	}
	self := &process{pid: w.newPID(), name: name, argv: args, of: t}
	w.process[self.pid] = self
	before := t.foreground
	if !background && j != nil && j.group == nil {
		t.foreground = self
	}
	w.touch()
	w.mu.Unlock()

	if background {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(context.WithoutCancel(ctx))
		defer context.AfterFunc(t.ctx, cancel)()
		defer cancel()
	}
	status := program(ctx, s.process(ctx, args))

	w.mu.Lock()
	delete(w.process, self.pid)
	if t.foreground == self {
		t.foreground = before
	}
	if !background && j != nil {
		t.canonical, t.echo = true, true
	}
	w.touch()
	w.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	return orStatus(nil, status)
}

func orStatus(err error, status int) error {
	if err == nil && status != 0 {
		return interp.ExitStatus(status)
	}
	return err
}

// process is what a program gets from the interpreter.
func (s *shell) process(ctx context.Context, args []string) *Process {
	hc := interp.HandlerCtx(ctx)
	p := &Process{Args: args, Stdout: hc.Stdout, Stderr: hc.Stderr, terminal: s.terminal, job: jobOf(ctx), dir: hc.Dir}
	if marker, ok := hc.Stdin.(*os.File); ok {
		p.stdin = s.terminal.pane.world.input(marker)
	} else if ctx.Value(noInputKey{}) != nil {
		p.stdin = strings.NewReader("")
	}
	return p
}
