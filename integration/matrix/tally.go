package matrix

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// An Outcome is how a test ended.
type Outcome string

// The outcomes. A test that was still running when its binary ended has failed.
const (
	Passed  Outcome = "pass"
	Failed  Outcome = "fail"
	Skipped Outcome = "skip"
)

// Counts are numbers of tests: of those without subtests, because each of these is one case.
type Counts struct{ Passed, Failed, Skipped int }

func (c *Counts) add(outcome Outcome) {
	switch outcome {
	case Passed:
		c.Passed++
	case Skipped:
		c.Skipped++
	default:
		c.Failed++
	}
}

// Total is the sum of the counts of some tests.
func Total(tests []Top) (sum Counts) {
	for _, test := range tests {
		sum.Passed += test.Counts.Passed
		sum.Failed += test.Counts.Failed
		sum.Skipped += test.Counts.Skipped
	}
	return sum
}

// A Top is a top-level test with everything below it.
type Top struct {
	Name    string
	Outcome Outcome
	Counts  Counts
	Elapsed time.Duration
	Output  string // what it and its subtests printed, and which of them did not pass
	First   string // the same of the time before, if it failed then and was run again; see [Twice]
}

// SecondTime reports whether the test failed, and passed when it ran again.
func (t Top) SecondTime() bool { return t.First != "" && t.Outcome == Passed }

// event is a line of "go tool test2json".
type event struct {
	Action  string
	Package string // empty unless "go test -json" wrote it
	Test    string
	Output  string
	Elapsed float64 // seconds
}

// ReadTests reads what "go tool test2json" makes of a test binary's output, or "go test -json" of those of several, and hands out
// every top-level test as soon as it has ended. It returns what was printed outside of tests, and fails if that holds no test at
// all, and if a binary did not come to its end: then tests may be missing.
func ReadTests(r io.Reader, ended func(Top)) (stray string, err error) {
	type key struct{ pkg, name string }
	running := map[key]*reading{}
	over := map[key]bool{}
	whole, failed := map[string]bool{}, map[string]bool{} // by package
	var broken []string                                   // packages
	var outside strings.Builder
	finish := func(test key, outcome Outcome, elapsed float64) {
		failed[test.pkg] = failed[test.pkg] || outcome == Failed
		ended(running[test].top(test.name, outcome, elapsed))
		delete(running, test)
		over[test] = true
	}
	decoder := json.NewDecoder(r)
	for {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return outside.String(), fmt.Errorf("reading test2json: %w", err)
		}
		name, _, below := strings.Cut(e.Test, "/")
		test := key{e.Package, name}
		if name == "" || over[test] {
			outside.WriteString(e.Output)
			line := strings.TrimSuffix(e.Output, "\n")
			whole[e.Package] = whole[e.Package] || line == "PASS" || line == "FAIL" // as a binary ends, and in no other way
			if e.Test == "" && e.Action == string(Failed) && !failed[e.Package] {
				broken = append(broken, e.Package)
			}
			continue
		}
		if running[test] == nil {
			running[test] = newReading()
			whole[e.Package] = false
		}
		running[test].take(e)
		if !below && slices.Contains([]Outcome{Passed, Failed, Skipped}, Outcome(e.Action)) {
			finish(test, Outcome(e.Action), e.Elapsed)
		}
	}
	for _, test := range slices.SortedFunc(maps.Keys(running), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.pkg, b.pkg), cmp.Compare(a.name, b.name))
	}) {
		finish(test, Failed, 0)
	}
	if len(over) == 0 {
		return outside.String(), errors.New("no test ran")
	}
	if len(broken) > 0 {
		return outside.String(), fmt.Errorf("failed without a failed test: %q", broken)
	}
	for test := range over {
		if !whole[test.pkg] {
			return outside.String(), errors.New(strings.TrimSpace("the tests did not come to their end " + test.pkg))
		}
	}
	return outside.String(), nil
}

// A reading is a top-level test of which not everything was read yet.
type reading struct {
	outcomes map[string]Outcome // by full name; empty while it runs
	parents  map[string]bool
	output   strings.Builder
}

func newReading() *reading {
	return &reading{outcomes: map[string]Outcome{}, parents: map[string]bool{}}
}

func (r *reading) take(e event) {
	switch e.Action {
	case "output":
		line := strings.TrimSpace(e.Output)
		if !strings.HasPrefix(line, "=== ") && !strings.HasPrefix(line, "--- PASS: ") {
			r.output.WriteString(e.Output)
		}
	case "run":
		r.outcomes[e.Test] = ""
		if at := strings.LastIndexByte(e.Test, '/'); at >= 0 {
			r.parents[e.Test[:at]] = true
		}
	case string(Passed), string(Failed), string(Skipped):
		r.outcomes[e.Test] = Outcome(e.Action)
	}
}

func (r *reading) top(name string, outcome Outcome, elapsed float64) Top {
	top := Top{Name: name, Outcome: outcome, Output: r.output.String(), Elapsed: time.Duration(elapsed * float64(time.Second))}
	for test, outcome := range r.outcomes {
		if !r.parents[test] {
			top.Counts.add(outcome)
		}
	}
	if outcome == Failed && top.Counts.Failed == 0 {
		top.Counts.Failed++ // it failed by itself, after its subtests
	}
	return top
}
