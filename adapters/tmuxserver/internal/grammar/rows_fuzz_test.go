package grammar_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// FuzzTable parses answers that tmux may give to listings, whatever stands in them: rows that were asked for, or a fault that
// says that they cannot be read.
func FuzzTable(f *testing.F) {
	const nonce = grammar.Nonce("N")
	for _, seed := range []string{
		"", "N<N>", "N<3.4N.1N.1N.1N>", "noise\nN<a\\ bN.$1N>noise", "N<N<N>N>", "N<", strings.Repeat("N.", 60),
		"N<" + strings.Repeat("1N.", 40) + "1N>", `N<\\134\101\377N.\e\N>`,
	} {
		f.Add(seed, "3.4")
		f.Add(seed, "3.7c")
	}
	f.Fuzz(func(t *testing.T, output, version string) {
		parsed(t, grammar.ServerTable, nonce, output, version)
		parsed(t, grammar.SessionTable, nonce, output, version)
		parsed(t, grammar.WindowTable, nonce, output, version)
		parsed(t, grammar.ClientTable, nonce, output, version)
		parsed(t, grammar.PaneStateTable, nonce, output, version)
	})
}

func parsed[T any](t *testing.T, table grammar.Table[T], nonce grammar.Nonce, output, version string) {
	t.Helper()
	rows, err := table.Parse(nonce, output, tmux.Version(version))
	switch {
	case err != nil && (!fault.Is(err, fault.DecodeError) || len(rows) > 0):
		t.Errorf("%q: %d rows and %v", output, len(rows), err)
	case err == nil && len(rows) != strings.Count(output, "N<") && len(rows) > strings.Count(output, "N>"):
		t.Errorf("%q: %d rows", output, len(rows))
	}
	if table.Alone(nonce, output) && err == nil && len(rows) != 1 {
		t.Errorf("%q is one row alone, and %d were read", output, len(rows))
	}
}

// FuzzStarts tells rows apart by lines: if it can, the lines are made of the rows, each of its own.
func FuzzStarts(f *testing.F) {
	f.Add("a\nb\n\nc", "ab\n\nc")
	f.Add("a\n\n\n\nb", "a\n\nb")
	f.Add("\n\n\n", "\n")
	f.Add("abc", "abc\nd")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, rowText, lineText string) {
		rows, lines := grammar.Split(rowText), grammar.Split(lineText)
		starts, ok := grammar.Starts(rows, lines)
		if !ok {
			return
		}
		if len(starts) != len(lines) || starts[0] != 0 || !slices.IsSorted(starts) {
			t.Fatalf("%d lines of %q and %q start at %v", len(lines), rows, lines, starts)
		}
		for i, start := range starts {
			end := len(rows)
			if i+1 < len(starts) {
				end = starts[i+1]
			}
			if end == start || strings.Join(rows[start:end], "") != lines[i] {
				t.Errorf("line %d, %q, is said to be rows %d to %d of %q", i, lines[i], start, end, rows)
			}
		}
	})
}
