//go:build matrix

package matrix_test

import (
	"sync/atomic"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix"
)

// judgeOf gives what the tests of a cell tell their failures. Those of a cell that is only reported are kept from the test that runs
// it: a tmux that did not exist when this was written may be in it.
func judgeOf(result matrix.Result) func(*testing.T) testing.TB {
	if !result.Reported {
		return func(t *testing.T) testing.TB { return t }
	}
	failed := new(atomic.Bool)
	return func(t *testing.T) testing.TB { return reporter{t, failed} }
}

// A reporter is a test that says what failed and goes on as if nothing had.
type reporter struct {
	testing.TB
	failed *atomic.Bool // of all tests of a cell
}

func (r reporter) Fail()        { r.failed.Store(true) }
func (r reporter) Failed() bool { return r.failed.Load() }

func (r reporter) FailNow() {
	r.Fail()
	r.SkipNow()
}

func (r reporter) Error(args ...any) {
	r.Helper()
	r.Log(args...)
	r.Fail()
}

func (r reporter) Errorf(format string, args ...any) {
	r.Helper()
	r.Logf(format, args...)
	r.Fail()
}

func (r reporter) Fatal(args ...any) {
	r.Helper()
	r.Log(args...)
	r.FailNow()
}

func (r reporter) Fatalf(format string, args ...any) {
	r.Helper()
	r.Logf(format, args...)
	r.FailNow()
}

// TestAReportedFailureFailsNoRun lets tests of a cell fail that is only reported.
func TestAReportedFailureFailsNoRun(t *testing.T) {
	for name, fail := range map[string]func(testing.TB){
		"an error":      func(t testing.TB) { t.Error("wrong") },
		"a line":        func(t testing.TB) { t.Errorf("%s", "wrong") },
		"an end":        func(t testing.TB) { t.Fatal("wrong") },
		"a line at end": func(t testing.TB) { t.Fatalf("%s", "wrong") },
		"nothing":       func(testing.TB) {},
	} {
		judge := judgeOf(matrix.Result{Reported: true})
		t.Run(name, func(t *testing.T) {
			t.Run("in a subtest", func(t *testing.T) { fail(judge(t)) })
			if failed := judge(t).Failed(); failed != (name != "nothing") || t.Failed() {
				t.Errorf("the cell failed: %t; the run failed: %t", failed, t.Failed())
			}
		})
	}
	if judge := judgeOf(matrix.Result{}); judge(t) != testing.TB(t) {
		t.Error("the tests of any other cell do not fail the run")
	}
}
