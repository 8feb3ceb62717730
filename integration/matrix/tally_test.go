package matrix_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix"
)

// events renders lines "action test output" as test2json does.
func events(lines ...string) string {
	var out strings.Builder
	for _, line := range lines {
		action, rest, _ := strings.Cut(line, " ")
		test, output, _ := strings.Cut(rest, " ")
		fmt.Fprintf(&out, "{%q:%q,%q:%q,%q:%q,%q:1.5}\n", "Action", action, "Test", test, "Output", output, "Elapsed")
	}
	return out.String()
}

func TestReadTests(t *testing.T) {
	const second = 1500 * time.Millisecond
	for _, c := range []struct {
		name  string
		lines []string
		want  []matrix.Top
		stray string
	}{
		{
			"a test alone",
			[]string{"run A", "output A === RUN A", "output A said", "output A --- PASS: A (1.50s)", "pass A"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 1}, Elapsed: second, Output: "said"}},
			"",
		},
		{
			"subtests count, and not what holds them",
			[]string{"run A", "run A/x", "run A/x/1", "run A/x/2", "run A/y", "pass A/x/1", "fail A/x/2", "fail A/x", "skip A/y", "fail A"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Failed, Counts: matrix.Counts{Passed: 1, Failed: 1, Skipped: 1}, Elapsed: second}},
			"",
		},
		{
			"a test that fails after its subtests",
			[]string{"run A", "run A/x", "pass A/x", "fail A"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Failed, Counts: matrix.Counts{Passed: 1, Failed: 1}, Elapsed: second}},
			"",
		},
		{
			"tests beside each other",
			[]string{"run A", "run B", "output A a", "output B b", "pass B", "pass A"},
			[]matrix.Top{
				{Name: "B", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 1}, Elapsed: second, Output: "b"},
				{Name: "A", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 1}, Elapsed: second, Output: "a"},
			},
			"",
		},
		{
			"the binary dies",
			[]string{"run A", "run A/x", "output A/x boom", "output  exit status 2"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Failed, Counts: matrix.Counts{Failed: 1}, Output: "boom"}},
			"exit status 2",
		},
		{
			"output that comes late",
			[]string{"run A", "pass A", "output A late"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 1}, Elapsed: second}},
			"late",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []matrix.Top
			stray, err := matrix.ReadTests(strings.NewReader(events(c.lines...)), func(top matrix.Top) { got = append(got, top) })
			if err != nil || stray != c.stray {
				t.Errorf("outside of tests it read %q, %v, want %q", stray, err, c.stray)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadTestsOfNothing(t *testing.T) {
	for _, text := range []string{"", events("output  PASS"), "no JSON"} {
		if _, err := matrix.ReadTests(strings.NewReader(text), func(matrix.Top) {}); err == nil {
			t.Errorf("%q holds no test, and is no error", text)
		}
	}
}
