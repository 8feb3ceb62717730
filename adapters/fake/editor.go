package fake

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// edit takes typed bytes at the prompt and gives back those that came after a line that started a job.
func (s *shell) edit(data []byte) []byte {
	for len(data) > 0 && s.idle {
		data = data[s.editOne(data):]
	}
	return data
}

// editOne handles one key, or one stretch of text, and says how many bytes it was.
func (s *shell) editOne(data []byte) int {
	t := s.terminal
	if text := printable(data); text > 0 {
		s.line = append(s.line, data[:text]...)
		t.pane.write(data[:text])
		return text
	}
	if data[0] == keyEscape {
		return s.escape(data)
	}
	if s.pasting {
		if data[0] == '\r' {
			s.line = append(s.line, '\n')
			t.pane.write([]byte("\n"))
		} else {
			s.line = append(s.line, data[0])
		}
		return 1
	}
	switch data[0] {
	case '\r', '\n':
		s.accept()
	case keyInterrupt:
		t.pane.write([]byte("^C"))
		s.leaveEditor()
		s.prompt()
	case keyEnd:
		if len(s.line) == 0 && s.pending == "" {
			t.pane.write([]byte("exit\n"))
			s.idle = false
			t.exit(0, "")
		}
	case keyKill:
		s.redraw(nil)
	case keyWord:
		kept := bytes.TrimRight(s.line, " ")
		s.redraw(kept[:bytes.LastIndexByte(kept, ' ')+1])
	case keyErase, '\b':
		_, size := utf8.DecodeLastRune(s.line)
		s.redraw(s.line[:len(s.line)-size])
	case keyClear:
		t.pane.write([]byte("\x1b[H\x1b[2J" + s.promptText() + string(s.line)))
	case '\t':
		s.line = append(s.line, '\t')
		t.pane.write([]byte{'\t'})
	}
	return 1
}

// printable is the length of the text that data begins with: without control characters.
func printable(data []byte) int {
	n := bytes.IndexFunc(data, func(r rune) bool { return r < ' ' || r == keyErase })
	if n < 0 {
		return len(data)
	}
	return n
}

// escape handles a key that sends a sequence: the marks of a bracketed paste; all others do nothing here.
func (s *shell) escape(data []byte) int {
	switch {
	case bytes.HasPrefix(data, []byte(pasteBegin)):
		s.pasting = true
		return len(pasteBegin)
	case bytes.HasPrefix(data, []byte(pasteEnd)):
		s.pasting = false
		return len(pasteEnd)
	case len(data) > 2 && data[1] == '[':
		end := bytes.IndexFunc(data[2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end >= 0 {
			return 2 + end + 1
		}
		return len(data)
	}
	return min(len(data), 2)
}

// redraw shows the line anew after something was taken from it.
func (s *shell) redraw(line []byte) {
	g := s.terminal.pane.grid
	before := s.promptText() + string(s.line)
	rows := strings.Count(before, "\n") + max(ansi.StringWidth(before)-1, 0)/g.width
	s.line = bytes.Clone(line)
	g.x, g.y = 0, max(g.y-rows, 0)
	g.eraseBelow()
	s.terminal.pane.write([]byte(s.promptText() + string(s.line)))
}
