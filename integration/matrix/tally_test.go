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
		says  string // of the error; empty: none
	}{
		{
			"a test alone",
			[]string{"run A", "output A === RUN A", "output A said", "output A --- PASS: A (1.50s)", "pass A", "output  PASS"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 1}, Elapsed: second, Output: "said"}},
			"PASS", "",
		},
		{
			"subtests count, and not what holds them",
			[]string{"run A", "run A/x", "run A/x/1", "run A/x/2", "run A/y", "pass A/x/1", "fail A/x/2", "fail A/x", "skip A/y", "fail A", "output  FAIL"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Failed, Counts: matrix.Counts{Passed: 1, Failed: 1, Skipped: 1}, Elapsed: second}},
			"FAIL", "",
		},
		{
			"a test that fails after its subtests",
			[]string{"run A", "run A/x", "pass A/x", "fail A", "output  FAIL"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Failed, Counts: matrix.Counts{Passed: 1, Failed: 1}, Elapsed: second}},
			"FAIL", "",
		},
		{
			"tests beside each other",
			[]string{"run A", "run B", "output A a", "output B b", "pass B", "pass A", "output  PASS"},
			[]matrix.Top{
				{Name: "B", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 1}, Elapsed: second, Output: "b"},
				{Name: "A", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 1}, Elapsed: second, Output: "a"},
			},
			"PASS", "",
		},
		{
			"the binary dies",
			[]string{"run A", "run A/x", "output A/x boom", "output  exit status 2"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Failed, Counts: matrix.Counts{Failed: 1}, Output: "boom"}},
			"exit status 2", "did not come to their end",
		},
		{
			"the binary dies between its tests",
			[]string{"run A", "pass A", "output  exit status 2"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 1}, Elapsed: second}},
			"exit status 2", "did not come to their end",
		},
		{
			"output that comes late",
			[]string{"run A", "pass A", "output A late", "output  PASS"},
			[]matrix.Top{{Name: "A", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 1}, Elapsed: second}},
			"latePASS", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []matrix.Top
			stray, err := matrix.ReadTests(strings.NewReader(events(c.lines...)), func(top matrix.Top) { got = append(got, top) })
			if stray != c.stray || (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("outside of tests it read %q, and ended with %v, want %q and %q", stray, err, c.stray, c.says)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestReadTestsOfPackages reads what "go test -json" says of three, one of which dies and one of which has no tests.
func TestReadTestsOfPackages(t *testing.T) {
	whole := `{"Action":"run","Package":"p","Test":"A"}{"Action":"run","Package":"q","Test":"A"}{"Action":"skip","Package":"r"}` +
		`{"Action":"fail","Package":"q","Test":"A"}{"Action":"pass","Package":"p","Test":"A"}` +
		`{"Action":"output","Package":"p","Output":"PASS\n"}{"Action":"output","Package":"q","Output":"FAIL\n"}`
	for text, says := range map[string]string{
		whole: "",
		whole + `{"Action":"fail","Package":"p"}`:                          `failed without a failed test: ["p"]`,
		whole + `{"Action":"fail","Package":"q"}`:                          "",
		whole + `{"Action":"fail","Package":"s"}`:                          `failed without a failed test: ["s"]`,
		strings.Replace(whole, `"Output":"FAIL\n"`, `"Output":"panic"`, 1): "did not come to their end q",
	} {
		var outcomes []matrix.Outcome
		_, err := matrix.ReadTests(strings.NewReader(text), func(top matrix.Top) { outcomes = append(outcomes, top.Outcome) })
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("ended with %v, want %q", err, says)
		}
		if diff := cmp.Diff([]matrix.Outcome{matrix.Failed, matrix.Passed}, outcomes); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestReadTestsOfNothing(t *testing.T) {
	for _, text := range []string{"", events("output  PASS"), "no JSON"} {
		if _, err := matrix.ReadTests(strings.NewReader(text), func(matrix.Top) {}); err == nil {
			t.Errorf("%q holds no test, and is no error", text)
		}
	}
}
