package wait_test

import (
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
)

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		name     string
		patterns []string
		regex    bool
		line     string
		want     string // the pattern that matches; "!" for a refusal
	}{
		{"a literal", []string{"a.b"}, false, "xa.bx", "a.b"},
		{"a literal is no expression", []string{"a.b"}, false, "axb", ""},
		{"an expression", []string{`a.b$`}, true, "axb", `a.b$`},
		{"the first that matches", []string{"z", "b", "a"}, false, "ab", "b"},
		{"no pattern", nil, false, "ab", ""},
		{"empty", []string{""}, false, "", "!"},
		{"matches the empty text", []string{"a*"}, true, "", "!"},
		{"look-around", []string{"(?=a)"}, true, "", "!"},
		{"not closed", []string{"("}, true, "", "!"},
		{"an open parenthesis", []string{"("}, false, "f(x)", "("},
		{"too long", []string{strings.Repeat("x", 1025)}, false, "", "!"},
		{"too many", make([]string, 17), false, "", "!"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := wait.Compile("patterns", c.patterns, c.regex)
			if c.want == "!" {
				if !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), "patterns") {
					t.Fatalf("got %v, want invalid_input that names the argument", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, ok := p.Match(c.line); got.Pattern != c.want || ok != (c.want != "") {
				t.Errorf("matched %+v, %v; want %q", got, ok, c.want)
			}
		})
	}
}
