package grammar

import (
	"strings"
	"unicode"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// printEscapes reports whether this tmux escapes, in what it prints, control and invalid bytes as vis(3) does. It does
// not double backslashes then, so only text asked for with q: can be decoded.
func printEscapes(v tmux.Version) bool { return v.AtLeast("3.4") && !v.AtLeast("3.6") }

// decodeText undoes, in a value asked for with q:, first what printing did to it and then the quoting.
func decodeText(s string, version tmux.Version) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	escaped, dollars := printEscapes(version), printEscapes(version) && !version.AtLeast("3.5")
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], `\`))
		if dollars && run >= 2 && expandsDollar(s[i+run:]) {
			// tmux 3.4 puts one more backslash before the dollar that q: already escaped.
			b.WriteString(strings.Repeat(`\`, (run-2)/2) + "$")
			i += run + 1
			continue
		}
		if i+1 == len(s) {
			b.WriteByte('\\')
			break
		}
		if c, n := unvis(s[i:]); escaped && n > 0 {
			b.WriteByte(c)
			i += n
			continue
		}
		b.WriteByte(s[i+1])
		i += 2
	}
	return b.String()
}

// expandsDollar reports whether s starts with a dollar that tmux takes for a variable's.
func expandsDollar(s string) bool {
	if len(s) < 2 || s[0] != '$' {
		return false
	}
	c := s[1]
	return c == '_' || c == '{' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// decodeName undoes how tmux keeps the names of sessions and windows: as vis(3) writes them, with backslashes
// doubled and, up to tmux 3.4, a backslash before the dollar of a variable. Up to 3.6 the name with which a window was
// created is kept raw instead: a name that vis cannot have written is taken for that.
func decodeName(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] < ' ' || s[i] == 0x7f {
			return s
		}
		if s[i] != '\\' {
			b.WriteByte(s[i])
			i++
			continue
		}
		c, n := unvis(s[i:])
		switch {
		case n > 0:
		case strings.HasPrefix(s[i+1:], `\`):
			c, n = '\\', 2
		case expandsDollar(s[i+1:]):
			c, n = '$', 2
		default:
			return s
		}
		b.WriteByte(c)
		i += n
	}
	return b.String()
}

// PlainName reports whether tmux keeps the name of a window the same whether it was created with it or renamed to it.
func PlainName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r == '\\' || unicode.IsControl(r) })
}

// cStyle maps the letters of vis(3)'s C-style escapes to what they stand for.
var cStyle = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

// unvis reads one escape of vis(3) at the start of s: the byte it stands for and its length, 0 if none is there.
func unvis(s string) (c byte, n int) {
	if len(s) >= 4 && s[0] == '\\' && isOctal(s[1]) && isOctal(s[2]) && isOctal(s[3]) {
		return (s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0'), 4
	}
	if len(s) >= 2 && s[0] == '\\' {
		if c, ok := cStyle[s[1]]; ok {
			return c, 2
		}
	}
	return 0, 0
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

// Literal escapes text for an argument that tmux expands as a format, so that it comes out as it went in.
func Literal(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "#"))
		if run == 0 {
			b.WriteByte(s[i])
			i++
			continue
		}
		hashes := s[i : i+run]
		b.WriteString(hashes)
		if !strings.HasPrefix(s[i+run:], "[") { // else it is the start of a style, which tmux copies as it is
			b.WriteString(hashes)
		}
		i += run
	}
	return b.String()
}

// Operand escapes text for an operand of a format's comparison.
func Operand(s string) string {
	return strings.NewReplacer(",", "#,", "}", "#}").Replace(Literal(s))
}
