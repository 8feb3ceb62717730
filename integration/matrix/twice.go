package matrix

import (
	"fmt"
	"strings"
	"time"
)

// noise is how many tests may fail of a machine that is too busy: if more do, something is wrong, and none is run again.
const noise = 8

// Twice runs tests, and once more, alone, each that failed, and hands out what became of it in the end. A test that fails once and
// not again tells of the machine that ran it rather than of what it tests; it has passed, and [Top.SecondTime] says how.
//
// run runs all tests, or that of a name alone. If it fails as a whole nothing runs again: tests may have been left out.
func Twice(run func(name string, ended func(Top)) error, ended func(Top)) error {
	var failed []Top
	err := run("", func(top Top) {
		if top.Outcome == Failed {
			failed = append(failed, top)
			return
		}
		ended(top)
	})
	again := err == nil && len(failed) <= noise
	for _, first := range failed {
		if !again {
			ended(first)
			continue
		}
		ended(lookAgain(run, first))
	}
	return err
}

// String says of a test what a person needs: its numbers, and everything that it printed the times that it did not pass.
func (t Top) String() string {
	var out strings.Builder
	if t.Outcome != Failed && t.Counts.Skipped == 0 {
		fmt.Fprintf(&out, "%d passed in %v", t.Counts.Passed, t.Elapsed.Round(time.Millisecond))
	} else {
		fmt.Fprintf(&out, "%d passed, %d failed, %d skipped in %v\n%s", t.Counts.Passed, t.Counts.Failed, t.Counts.Skipped, t.Elapsed.Round(time.Millisecond), t.Output)
	}
	if t.First != "" {
		fmt.Fprintf(&out, "\nThis was the second time. The first time it FAILED:\n%s", t.First)
	}
	return out.String()
}

func lookAgain(run func(name string, ended func(Top)) error, first Top) Top {
	second := first
	ran := 0
	err := run(first.Name, func(top Top) { second, ran = top, ran+1 })
	second.First = strings.TrimSpace(first.Output) + "\n"
	if err != nil || ran != 1 {
		second.Outcome = Failed
		second.Counts.Failed = max(second.Counts.Failed, 1)
		second.Output += fmt.Sprintf("run again, %d tests ran: %v\n", ran, err)
	}
	return second
}
