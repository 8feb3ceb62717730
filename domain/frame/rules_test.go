package frame_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

func TestRuns(t *testing.T) {
	for shell, want := range map[guard.Shell]bool{
		guard.Bash: true, guard.Zsh: true, guard.Dash: true, guard.Mksh: true, guard.Busybox: true, guard.Fish: true, guard.Ksh: true,
		"": false, "csh": false, "python3": false,
	} {
		if got := frame.Runs(shell); got != want {
			t.Errorf("Runs(%q) = %t, want %t", shell, got, want)
		}
	}
}

func TestOutcomeOf(t *testing.T) {
	for status, want := range map[int]frame.Outcome{
		0: frame.Completed, 1: frame.Completed, 129: frame.Completed, 130: frame.Interrupted, 131: frame.Interrupted, 137: frame.Completed,
	} {
		if got := frame.OutcomeOf(status); got != want {
			t.Errorf("OutcomeOf(%d) = %q, want %q", status, got, want)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	for name, c := range map[string]struct {
		text       string
		run, token bool
	}{
		"empty":        {"", false, false},
		"lower":        {"abc234", true, false},
		"upper":        {"ABC234", false, true},
		"digits":       {"234", true, true},
		"a path":       {"../x", false, false},
		"a newline":    {"abc\n", false, false},
		"a blank":      {"A B", false, false},
		"much":         {strings.Repeat("a", 40), true, false},
		"too much":     {strings.Repeat("a", 41), false, false},
		"not ASCII":    {"é", false, false},
		"a bracket":    {"A]", false, false},
		"digit not in": {"A1", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := frame.ValidRunID(c.text); got != c.run {
				t.Errorf("ValidRunID(%q) = %t", c.text, got)
			}
			if got := frame.ValidToken(c.text); got != c.token {
				t.Errorf("ValidToken(%q) = %t", c.text, got)
			}
		})
	}
}

// What is made of random bytes is valid, and different bytes make different ones.
func TestMadeIdentifiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes := func(name string, n int) []byte { return rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, name) }
		a, b := [10]byte(bytes("a", 10)), [10]byte(bytes("b", 10))
		run, token := frame.NewRunID(a), frame.NewToken([5]byte(a[:5]))
		if !frame.ValidRunID(run) || len(run) != 16 {
			t.Errorf("run id %q", run)
		}
		if !frame.ValidToken(token) || len(token) != 8 {
			t.Errorf("token %q", token)
		}
		if (frame.NewRunID(b) == run) != (a == b) {
			t.Errorf("run id %q of %v and %v", run, a, b)
		}
	})
}
