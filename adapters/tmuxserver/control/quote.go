package control

import (
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
)

// plain are the bytes that mean themselves between double quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@,+-"

// quoted is how many bytes one byte takes at most: \ooo.
const quoted = 4

// quote writes an argument as tmux's parser reads it back, on one line, byte by byte. Between single quotes tmux takes printable ASCII as
// it is, which is shortest and fastest.
func quote(to *strings.Builder, argument string) {
	if !strings.ContainsFunc(argument, func(r rune) bool { return r < ' ' || r > '~' || r == '\'' }) {
		to.WriteByte('\'')
		to.WriteString(argument)
		to.WriteByte('\'')
		return
	}
	to.WriteByte('"')
	for i := range len(argument) {
		if b := argument[i]; strings.IndexByte(plain, b) >= 0 {
			to.WriteByte(b)
		} else {
			to.Write([]byte{'\\', '0' + b>>6, '0' + b>>3&7, '0' + b&7})
		}
	}
	to.WriteByte('"')
}

// render writes commands as one line.
func render(to *strings.Builder, commands []tmuxserver.Command) {
	for i, command := range commands {
		if i > 0 {
			to.WriteString(" ; ")
		}
		for j, argument := range command {
			if j > 0 {
				to.WriteByte(' ')
			}
			quote(to, argument)
		}
	}
	to.WriteByte('\n')
}
