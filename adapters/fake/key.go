package fake

import (
	"strings"
	"unicode/utf8"
)

// namedKeys are the bytes that tmux sends for its key names, to a program that asked for no special keyboard mode.
var namedKeys = map[string]string{
	"Enter": "\r", "Escape": "\x1b", "Tab": "\t", "BTab": "\x1b[Z", "Space": " ", "BSpace": "\x7f",
	"Up": "\x1b[A", "Down": "\x1b[B", "Right": "\x1b[C", "Left": "\x1b[D",
	"Home": "\x1b[1~", "End": "\x1b[4~", "IC": "\x1b[2~", "Insert": "\x1b[2~", "DC": "\x1b[3~", "Delete": "\x1b[3~",
	"PPage": "\x1b[5~", "PageUp": "\x1b[5~", "PgUp": "\x1b[5~", "NPage": "\x1b[6~", "PageDown": "\x1b[6~", "PgDn": "\x1b[6~",
	"F1": "\x1bOP", "F2": "\x1bOQ", "F3": "\x1bOR", "F4": "\x1bOS", "F5": "\x1b[15~", "F6": "\x1b[17~", "F7": "\x1b[18~",
	"F8": "\x1b[19~", "F9": "\x1b[20~", "F10": "\x1b[21~", "F11": "\x1b[23~", "F12": "\x1b[24~",
}

// keyBytes is what a key sends. An unknown name is typed as text, as tmux does.
func keyBytes(key string) string {
	if bytes, ok := namedKeys[key]; ok {
		return bytes
	}
	rest, meta := strings.CutPrefix(key, "M-")
	base, control := strings.CutPrefix(rest, "C-")
	sent, known := namedKeys[base]
	switch {
	case control && len(base) == 1:
		sent, known = controlByte(base[0])
	case utf8.RuneCountInString(base) == 1:
		sent, known = base, true
	}
	if !known {
		return key
	}
	if meta {
		return "\x1b" + sent
	}
	return sent
}

// controlByte is what the control key makes of a character.
func controlByte(c byte) (string, bool) {
	switch {
	case c == ' ' || c == '@':
		return "\x00", true
	case c == '?':
		return "\x7f", true
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '[' && c <= '_':
		return string(rune(c & 0x1f)), true
	}
	return "", false
}
