package frame

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
)

// Shown is the one line that the person sees above a command's output: "[TOKEN] $ " and the command's first line that is not
// blank, with "…" where that was cut and "…+2" where two more lines follow. It is printable whatever the command holds (a
// tab is ^I, a byte that is not UTF-8 <ff>, an invisible character <u+200b>), and narrower than a pane of that width
// (cells), so that it never wraps and a later resize seldom does. In a pane too narrow for any of the command it is "[TOKEN]", then
// TOKEN; one that is not wider than the token cannot prove that no output was lost, and nothing should run there: "".
func Shown(command, token string, width int) string {
	room := width - 1
	for _, head := range []string{"[" + token + "] $ ", "[" + token + "]", token} {
		left := room - screen.Width(head)
		if left < 0 {
			continue
		}
		if !strings.HasSuffix(head, " ") {
			return head
		}
		if text := summary(command, left); text != "" {
			return head + text
		}
	}
	return ""
}

// summary is the command's first line within room cells, and how many more there are; empty if there is no room for
// a single character of it.
func summary(command string, room int) string {
	first, more := "", 0
	for line := range strings.SplitSeq(command, "\n") {
		switch trimmed := strings.TrimSpace(line); {
		case first == "":
			first = trimmed
		case trimmed != "":
			more++
		}
	}
	text := visible(first)
	if more > 0 {
		text += fmt.Sprintf(" …+%d", more)
	}
	if screen.Width(text) > room {
		return cut(text, room)
	}
	return text
}

// cut shortens a visible text to room cells, the last of which is "…".
func cut(text string, room int) string {
	width := 0
	for i, r := range text {
		if width += screen.RuneWidth(r); width > room-1 {
			if i == 0 {
				return ""
			}
			return text[:i] + "…"
		}
	}
	return text
}

// visible replaces what a terminal would obey, hide or misplace.
func visible(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "<%02x>", text[0])
		case r < ' ' || r == 0x7f:
			b.WriteByte('^')
			b.WriteByte(byte(r) ^ 0x40)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "<u+%04x>", r)
		}
		text = text[size:]
	}
	return b.String()
}
