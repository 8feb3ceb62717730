package grammar_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// answer is what tmux prints for a table whose fields are given as printed.
func answer(nonce grammar.Nonce, format string, values map[string]string) string {
	var b strings.Builder
	for format != "" {
		before, rest, found := strings.Cut(format, "#{")
		b.WriteString(before)
		if !found {
			break
		}
		variable, after, _ := strings.Cut(rest, "}")
		b.WriteString(values[strings.TrimPrefix(variable, "q:")])
		format = after
	}
	return b.String()
}

func TestTitlesAndNamesAsEachTmuxPrintsThem(t *testing.T) {
	for _, c := range []struct {
		name    string
		version tmux.Version
		printed string // of title, path and session name
		path    string
		session string
	}{
		{"plain", "3.3a", "abc", "abc", "abc"},
		{"quoted", "3.3a", `a\ b\#\{c\}\$x\\y`, `a b#{c}$x\y`, `a b#{c}$x\y`},
		{"controls stay raw", "3.2a", "a\tb\x1bc\nd\xff", "a\tb\x1bc\nd\xff", "a\tb\x1bc\nd\xff"},
		{"3.4 escapes controls", "3.4", `a\033b\rc\377d`, "a\x1bb\rc\xffd", "a\x1bb\rc\xffd"},
		{"3.5a too", "3.5a", `a\033b\\\\033c`, "a\x1bb" + `\\033c`, "a\x1bb" + `\\033c`},
		{"3.6 does not", "3.6b", `a\\033b`, `a\033b`, "a\x1bb"},
		{"3.4 doubles the escape of a dollar", "3.4", `\\$x`, `$x`, `$x`},
		{"with a backslash before it", "3.4", `\\\\$x`, `\$x`, `$x`},
		{"3.4 leaves other dollars", "3.4", `\$1\$`, `$1$`, `$1$`},
		{"3.5 leaves all dollars", "3.5a", `\\\$x`, `\$x`, `$x`},
		{"a name as vis wrote it", "3.7c", `a\\tb\\\\c`, `a\tb\\c`, "a\tb" + `\c`},
		{"a name that vis did not write", "3.3a", `a\\c`, `a\c`, `a\c`},
		{"a backslash at the end", "3.3a", `a\\`, `a\`, `a\`},
		{"empty", "3.4", "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			nonce := grammar.NewNonce()
			output := answer(nonce, grammar.PaneTable(tmux.DetailBrief).Format(nonce), map[string]string{"pane_id": "%1", "pane_current_path": c.printed})
			panes, err := grammar.PaneTable(tmux.DetailBrief).Parse(nonce, output, c.version)
			if err != nil || len(panes) != 1 || panes[0].Path != c.path {
				t.Errorf("path %+v, %v, want %q", panes, err, c.path)
			}
			output = answer(nonce, grammar.SessionTable.Format(nonce), map[string]string{"session_name": c.printed, "session_created": "7"})
			sessions, err := grammar.SessionTable.Parse(nonce, output, c.version)
			if err != nil || len(sessions) != 1 || sessions[0].Name != c.session {
				t.Errorf("session %+v, %v, want %q", sessions, err, c.session)
			}
		})
	}
}

func TestRecordsAreFoundAmongNoise(t *testing.T) {
	nonce := grammar.NewNonce()
	row := answer(nonce, grammar.ServerTable.Format(nonce), map[string]string{"pid": "12", "start_time": "34", "version": "3.4"})
	other := grammar.NewNonce()
	for _, c := range []struct {
		name, output string
		want         int
		alone, fails bool
	}{
		{"one", row + "\n", 1, true, false},
		{"none", "", 0, false, false},
		{"two", row + "\n" + row + "\n", 2, false, false},
		{"noise of hooks", "noise\n" + row + "\nnoise\n" + row, 2, false, false},
		{"noise after it", row + "\nnoise\n", 1, false, false},
		{"another call's nonce", strings.ReplaceAll(row, string(nonce), string(other)), 0, false, false},
		{"no end", strings.TrimSuffix(row, ">"), 0, false, true},
		{"a field too few", strings.Replace(row, string(nonce)+".", "", 1), 0, true, true},
		{"no number", strings.Replace(row, "12", "x", 1), 0, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := grammar.ServerTable.Parse(nonce, c.output, "3.4")
			if fault.Is(err, fault.DecodeError) != c.fails || len(rows) != c.want {
				t.Errorf("%d rows, %v; want %d", len(rows), err, c.want)
			}
			if alone := grammar.ServerTable.Alone(nonce, c.output); alone != c.alone {
				t.Errorf("alone: %v", alone)
			}
		})
	}
}

func TestLiteral(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "#": "##", "##": "####", "#{pid}": "##{pid}", "#[x": "#[x", "##[x": "##[x", "a#b#[c###d": "a##b#[c######d", "%H": "%H",
	} {
		if got := grammar.Literal(text); got != want {
			t.Errorf("Literal(%q) = %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"a,b}": "a#,b#}", "#,": "###,", "/dev/pts/1,/dev/pts/2": "/dev/pts/1#,/dev/pts/2"} {
		if got := grammar.Operand(text); got != want {
			t.Errorf("Operand(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestStartsFindsTheRowsOfLines(t *testing.T) {
	for _, c := range []struct {
		name        string
		rows, lines []string
		want        []int
	}{
		{"no wraps", []string{"a", "b"}, []string{"a", "b"}, []int{0, 1}},
		{"a wrap", []string{"aa", "ab", "c"}, []string{"aaab", "c"}, []int{0, 2}},
		{"the same text twice", []string{"aa", "aa", "aa"}, []string{"aaaa", "aa"}, []int{0, 2}},
		{"empty rows", []string{"", "a", "", ""}, []string{"", "a", "", ""}, []int{0, 1, 2, 3}},
		{"an empty row that was wrapped to", []string{"aa", "", "b"}, []string{"aa", "b"}, []int{0, 2}},
		{"one of two", []string{"aa", "", "", "b"}, []string{"aa", "", "b"}, []int{0, 2, 3}},
		{"one line that fills all", []string{"aa", "aa"}, []string{"aaaa"}, []int{0}},
		{"other text", []string{"aa", "b"}, []string{"aab", "c"}, nil},
		{"rows left over", []string{"a", "b", "c"}, []string{"a", "b"}, nil},
		{"lines left over", []string{"a"}, []string{"a", "b"}, nil},
		{"a line longer than its rows", []string{"aa"}, []string{"aab"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := grammar.Starts(c.rows, c.lines)
			if ok != (c.want != nil) {
				t.Fatalf("Starts(%q, %q) = %v, %v", c.rows, c.lines, got, ok)
			}
			if diff := cmp.Diff(c.want, got); ok && diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStartsAddsUpForEveryWrapping(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.StringMatching(`[ab ]{0,9}`), 1, 9).Draw(t, "lines")
		var rows []string
		var want []int
		for _, line := range lines {
			want = append(want, len(rows))
			for len(line) > 3 {
				rows, line = append(rows, line[:3]), line[3:]
			}
			rows = append(rows, line)
		}
		got, ok := grammar.Starts(rows, lines)
		if !ok || !cmp.Equal(want, got) {
			t.Fatalf("Starts(%q, %q) = %v, %v; want %v", rows, lines, got, ok, want)
		}
	})
}
