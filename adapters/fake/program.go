package fake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// A Program is what a command in a pane runs: it gets its arguments and its terminal, and answers its exit status. It must return
// when the context ends, which is when it is interrupted or its pane is gone.
type Program func(ctx context.Context, p *Process) (status int)

// A Process is a running program's view of the world.
type Process struct {
	Args   []string // with the name first
	Stdout io.Writer
	Stderr io.Writer

	stdin    io.Reader // nil: the terminal
	terminal *terminal
	job      *job
	dir      string
}

// Read reads what was typed, or the redirected standard input; io.EOF at its end.
func (p *Process) Read(ctx context.Context) ([]byte, error) { return p.read(ctx, false) }

// ReadLine reads one line with its newline; io.EOF at the end of the input, with what stands before it.
func (p *Process) ReadLine(ctx context.Context) (string, error) {
	line, err := p.read(ctx, true)
	return string(line), err
}

func (p *Process) read(ctx context.Context, line bool) (data []byte, err error) {
	switch {
	case p.stdin == nil && p.job == nil:
		return p.terminal.read(ctx, line)
	case p.stdin == nil:
		if waitErr := p.job.block(ctx, func() { data, err = p.terminal.read(ctx, line) }); waitErr != nil {
			return nil, waitErr
		}
		return data, err
	case line:
		return readLine(p.stdin)
	}
	data, err = io.ReadAll(p.stdin)
	if err == nil && len(data) == 0 {
		err = io.EOF
	}
	return data, err
}

// readLine reads byte by byte, so that the next command finds the rest, as a shell's read does.
func readLine(from io.Reader) ([]byte, error) {
	var line []byte
	one := make([]byte, 1)
	for {
		if _, err := io.ReadFull(from, one); err != nil {
			return line, err
		}
		line = append(line, one[0])
		if one[0] == '\n' {
			return line, nil
		}
	}
}

// Raw switches the terminal to raw mode: no echo, no line editing, no signals from keys.
func (p *Process) Raw() {
	w := p.terminal.pane.world
	w.mu.Lock()
	defer w.mu.Unlock()
	p.terminal.canonical, p.terminal.echo = false, false
	w.touch()
}

// Sleep waits, and reports whether it was to the end.
func (p *Process) Sleep(ctx context.Context, duration time.Duration) bool {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	waiting := func() {
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if p.job == nil {
		waiting()
		return ctx.Err() == nil
	}
	return p.job.block(ctx, waiting) == nil && ctx.Err() == nil
}

// Install makes a program known by a name: typed at a shell, or given to AddSession and Split, it runs.
func (w *World) Install(name string, program Program) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.programs[name] = program
}

// startProgram runs a program in place of a shell; the pane ends with it. An unknown one is taken for a full-screen program that only
// reads.
func (w *World) startProgram(p *pane, self *process) {
	program, ok := w.programs[self.name]
	if !ok {
		program = record
	}
	ctx, cancel := context.WithCancel(p.terminal.ctx)
	signalled := 0
	self.interrupt = func(status int) { signalled = status - 128; cancel() }
	t := p.terminal
	view := &Process{Args: self.argv, Stdout: t, Stderr: t, terminal: t, dir: p.path}
	w.work.Go(func() {
		defer cancel()
		status := program(ctx, view)
		w.mu.Lock()
		defer w.mu.Unlock()
		if signalled != 0 {
			t.exit(0, strconv.Itoa(signalled))
			return
		}
		t.exit(status, "")
	})
}

// standardPrograms are the commands that every world has, beside the shell's builtins.
func standardPrograms() map[string]Program {
	return map[string]Program{
		writeDocument: storeDocument,
		killShell:     kill,
		"cat":         cat,
		"clear":       func(_ context.Context, p *Process) int { return p.print("\x1b[H\x1b[2J\x1b[3J") },
		"head":        head,
		"seq":         seq,
		"sleep":       sleep,
		"wc":          count,
		"record":      record,
		"less":        record,
		"vim":         record,
		"python3":     python,
	}
}

// print writes to standard output and answers the status that a program has which can write, or not.
func (p *Process) print(text string) int {
	if _, err := io.WriteString(p.Stdout, text); err != nil {
		return 1
	}
	return 0
}

// complain writes a line to standard error and answers the status of a program that failed.
func (p *Process) complain(format string, args ...any) int {
	_, _ = fmt.Fprintf(p.Stderr, format+"\n", args...) // it fails anyway
	return 1
}

func storeDocument(_ context.Context, p *Process) int {
	w := p.terminal.pane.world
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[p.Args[1]] = []byte(p.Args[2])
	return 0
}

func cat(ctx context.Context, p *Process) int {
	if len(p.Args) > 1 {
		return catFiles(p)
	}
	for {
		data, err := p.Read(ctx)
		if status := p.print(string(data)); status != 0 {
			return status
		}
		if err != nil {
			return failureUnlessEnd(err)
		}
	}
}

func failureUnlessEnd(err error) int {
	if errors.Is(err, io.EOF) {
		return 0
	}
	return 1
}

func catFiles(p *Process) int {
	w, status := p.terminal.pane.world, 0
	for _, name := range p.Args[1:] {
		full := name
		if !path.IsAbs(full) {
			full = path.Join(p.dir, full)
		}
		w.mu.Lock()
		data, ok := w.files[full]
		w.mu.Unlock()
		if !ok {
			status = p.complain("cat: %s: No such file or directory", name)
			continue
		}
		status |= p.print(string(data))
	}
	return status
}

func head(ctx context.Context, p *Process) int {
	limit := 10
	if len(p.Args) > 2 && p.Args[1] == "-n" {
		limit, _ = strconv.Atoi(p.Args[2]) // not a number: nothing is shown
	}
	for range limit {
		line, err := p.ReadLine(ctx)
		if status := p.print(line); status != 0 || err != nil {
			return status
		}
	}
	return 0
}

func count(ctx context.Context, p *Process) int {
	lines, size := 0, 0
	for {
		data, err := p.Read(ctx)
		lines, size = lines+strings.Count(string(data), "\n"), size+len(data)
		if err != nil {
			if len(p.Args) > 1 && p.Args[1] == "-l" {
				return p.print(fmt.Sprintln(lines))
			}
			return p.print(fmt.Sprintln(size))
		}
	}
}

func seq(_ context.Context, p *Process) int {
	first, last := 1, 0
	var err error
	switch len(p.Args) {
	case 2:
		last, err = strconv.Atoi(p.Args[1])
	case 3:
		first, err = strconv.Atoi(p.Args[1])
		if err == nil {
			last, err = strconv.Atoi(p.Args[2])
		}
	default:
		err = errors.New("wants one or two numbers")
	}
	if err != nil {
		return p.complain("seq: %v", err)
	}
	var b strings.Builder
	for n := first; n <= last; n++ {
		fmt.Fprintln(&b, n)
	}
	return p.print(b.String())
}

func sleep(ctx context.Context, p *Process) int {
	seconds, err := strconv.ParseFloat(strings.Join(p.Args[1:], ""), 64)
	if err != nil {
		return p.complain("sleep: invalid time interval")
	}
	p.Sleep(ctx, time.Duration(seconds*float64(time.Second)))
	return 0
}

// kill plays the builtin for the one process that a command can name by itself: the shell that runs it, as $$.
func kill(_ context.Context, p *Process) int {
	w := p.terminal.pane.world
	w.mu.Lock()
	defer w.mu.Unlock()
	signal, target := "15", ""
	for _, arg := range p.Args[1:] {
		if name, ok := strings.CutPrefix(arg, "-"); ok {
			signal = strings.NewReplacer("SIG", "", "KILL", "9", "TERM", "15", "HUP", "1").Replace(name)
		} else {
			target = arg
		}
	}
	if target != strconv.Itoa(os.Getpid()) && target != strconv.Itoa(p.terminal.pane.pid) {
		return p.complain("kill: (%s) - No such process", target)
	}
	p.terminal.exit(0, signal)
	return 0
}

// record is a program that has the terminal raw, shows nothing, and reads whatever is typed.
func record(ctx context.Context, p *Process) int {
	p.Raw()
	for {
		if _, err := p.Read(ctx); err != nil {
			return failureUnlessEnd(err)
		}
	}
}

// python answers every line with a new prompt and evaluates nothing.
func python(ctx context.Context, p *Process) int {
	for {
		if status := p.print(">>> "); status != 0 {
			return status
		}
		line, err := p.ReadLine(ctx)
		if err != nil {
			return failureUnlessEnd(err)
		}
		if strings.HasPrefix(line, "exit(") {
			return 0
		}
	}
}
