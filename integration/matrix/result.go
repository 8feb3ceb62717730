package matrix

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// A Result is what came of a cell.
type Result struct {
	Cell    Cell
	Version string // of its tmux, as tmux says it; empty if nothing ran
	Skipped string // why nothing ran; empty if something did
	Refusal string // the product's words, where it must decline that tmux
	Tests   []Top  // in the order in which they ended
	Failed  bool   // whatever failed, be it a test or not
	Elapsed time.Duration

	// Reported is set if the run does not fail with the cell: it holds whatever its distribution has on that day, and is not required.
	Reported bool
}

// SecondTime are the names of the tests that failed, and passed when they ran again.
func (r Result) SecondTime() (names []string) {
	for _, test := range r.Tests {
		if test.SecondTime() {
			names = append(names, test.Name)
		}
	}
	return names
}

// Verdict is the result in a word.
func (r Result) Verdict() string {
	switch {
	case r.Failed && r.Reported:
		return "FAILED, and is not required"
	case r.Failed:
		return "FAILED"
	case r.Skipped != "":
		return "SKIPPED"
	case r.Cell.Refused:
		return "refused, as it must be"
	default:
		return "passed"
	}
}

// Table prints results for a person: a line a cell, with the numbers of its tests, or why it was skipped, and the names of the tests
// that passed the second time only.
func Table(results []Result) string {
	lines := []string{"cell\ttmux\tpassed\tfailed\tskipped\tsecond time\ttime\tresult"}
	for _, r := range results {
		if r.Version == "" {
			lines = append(lines, fmt.Sprintf("%s\t-\t-\t-\t-\t-\t-\t%s: %s", r.Cell.Name, r.Verdict(), r.Skipped))
			continue
		}
		n := Total(r.Tests)
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%d\t%v\t%s", r.Cell.Name, r.Version, n.Passed, n.Failed, n.Skipped,
			len(r.SecondTime()), r.Elapsed.Round(time.Second), r.Verdict()))
	}
	var out strings.Builder
	columns := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	_, _ = io.WriteString(columns, strings.Join(lines, "\n")+"\n") // into memory: never fails
	_ = columns.Flush()
	for _, r := range results {
		if names := r.SecondTime(); len(names) > 0 {
			fmt.Fprintf(&out, "%s: failed, and passed the second time: %s\n", r.Cell.Name, strings.Join(names, ", "))
		}
	}
	return out.String()
}
