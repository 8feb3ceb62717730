package fake

import (
	"bytes"
	"context"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A terminal is a pane's tty: its line discipline, and who reads from it.
type terminal struct {
	pane       *pane
	ctx        context.Context // ends with the process that the pane was started with
	end        context.CancelCauseFunc
	shell      *shell // nil if a program runs in place of the shell
	canonical  bool   // lines are edited by the terminal
	echo       bool
	partial    []byte // typed, not yet a line
	ready      []byte // what a read gets
	eof        bool   // C-d: the next read ends
	foreground *process
}

// A process is one process that inspection can see.
type process struct {
	pid     int
	name    string // base name of the executable
	argv    []string
	of      *terminal // nil for the pane's own process
	stopped bool
	exit    *ports.Exit // of a pane's own process, once it has ended
	// interrupt ends a program that stands in the shell's place, by a signal from the terminal; nil for all others.
	interrupt func(status int)
}

// Control characters, as terminals have them.
const (
	keyInterrupt = 0x03
	keyEnd       = 0x04
	keyClear     = 0x0c
	keyKill      = 0x15
	keyWord      = 0x17
	keySuspend   = 0x1a
	keyEscape    = 0x1b
	keyQuit      = 0x1c
	keyErase     = 0x7f
)

// input is what was typed. An idle shell edits its line at once, within the call.
func (t *terminal) input(data []byte) {
	t.pane.received = append(t.pane.received, data...)
	for len(data) > 0 {
		if t.shell != nil && t.shell.idle {
			data = t.shell.edit(data)
			continue
		}
		t.discipline(data[0])
		data = data[1:]
	}
	t.pane.world.touch()
}

// discipline handles one byte while a program has the terminal.
func (t *terminal) discipline(b byte) {
	if !t.canonical {
		t.ready = append(t.ready, b)
		return
	}
	if b == '\r' {
		b = '\n'
	}
	switch b {
	case keyInterrupt, keyQuit, keySuspend:
		t.partial, t.ready = nil, nil
		t.echoText("^" + string(rune(b+'@')))
		t.signal(b)
	case keyEnd:
		t.ready = append(t.ready, t.partial...)
		t.eof = len(t.partial) == 0 || t.eof
		t.partial = nil
	case keyErase:
		if len(t.partial) > 0 {
			_, size := utf8.DecodeLastRune(t.partial)
			t.partial = t.partial[:len(t.partial)-size]
			t.echoText("\b \b")
		}
	case keyKill:
		for range utf8.RuneCount(t.partial) {
			t.echoText("\b \b")
		}
		t.partial = nil
	default:
		t.partial = append(t.partial, b)
		if b == '\n' {
			t.ready = append(t.ready, t.partial...)
			t.partial = nil
		}
		if b < ' ' && b != '\n' && b != '\t' {
			t.echoText("^" + string(rune(b+'@')))
		} else {
			t.echoText(string([]byte{b}))
		}
	}
}

func (t *terminal) echoText(text string) {
	if t.echo {
		t.pane.write([]byte(text))
	}
}

// signal is what C-c, C-\ and C-z do to the foreground.
func (t *terminal) signal(key byte) {
	interrupt := t.foreground.interrupt
	if t.shell != nil && t.shell.current != nil {
		interrupt = t.shell.current.interrupt
	}
	switch {
	case key == keySuspend && t.shell != nil:
		t.shell.suspend()
	case key == keyInterrupt && interrupt != nil:
		interrupt(128 + 2)
	case key == keyQuit && interrupt != nil:
		interrupt(128 + 3)
	}
}

// takeBack gives what was typed ahead and read by nobody.
func (t *terminal) takeBack() []byte {
	typed := slices.Concat(t.ready, t.partial)
	t.ready, t.partial, t.eof = nil, nil, false
	return bytes.ReplaceAll(typed, []byte{'\n'}, []byte{'\r'})
}

// read blocks until something was typed; io.EOF after C-d. Line says that at most one line is wanted. Called without the mutex.
func (t *terminal) read(ctx context.Context, line bool) ([]byte, error) {
	w := t.pane.world
	w.mu.Lock()
	defer w.mu.Unlock()
	mine := jobOf(ctx)
	if err := w.wait(ctx, func() bool { return !mine.suspended() && (len(t.ready) > 0 || t.eof) }); err != nil {
		return nil, err
	}
	if len(t.ready) == 0 {
		t.eof = false
		return nil, io.EOF
	}
	got := t.ready
	if end := bytes.IndexByte(got, '\n'); line && end >= 0 {
		got = got[:end+1]
	}
	t.ready = t.ready[len(got):]
	return got, nil
}

// Write shows what a process of this terminal prints. Called without the mutex.
func (t *terminal) Write(data []byte) (int, error) {
	w := t.pane.world
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.ctx.Err() != nil {
		return 0, errHangUp
	}
	t.pane.write(data)
	return len(data), nil
}
