package control

import (
	"fmt"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
)

// plain are the bytes that mean themselves between double quotes.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=@,+-"

// quoted is how many bytes one byte takes at most: \ooo.
const quoted = 4

// quote writes an argument as tmux's parser reads it back, on one line, byte by byte.
func quote(to *strings.Builder, argument string) {
	to.WriteByte('"')
	for i := range len(argument) {
		if b := argument[i]; strings.IndexByte(plain, b) >= 0 {
			to.WriteByte(b)
		} else {
			fmt.Fprintf(to, `\%03o`, b)
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
