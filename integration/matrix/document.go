package matrix

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// The lines of the document between which a run writes.
const (
	begin = "<!-- From here on written by: make matrix UPDATE=1 -->\n"
	end   = "<!-- To here. -->\n"
)

// Document is a document with what a run found between its two markers. suites tells the suite of a test; when is the day
// of the run.
func Document(old string, results []Result, suites map[string]string, when time.Time) (string, error) {
	head, rest, ok := strings.Cut(old, begin)
	_, tail, ended := strings.Cut(rest, end)
	if !ok || !ended {
		return "", fmt.Errorf("the document lacks the lines %q and %q", begin, end)
	}
	var out strings.Builder
	out.WriteString(head + begin)
	writeCells(&out, results, when)
	writeSuites(&out, results, suites)
	writeRefusals(&out, results)
	out.WriteString("\n" + end + tail)
	return out.String(), nil
}

func writeCells(out *strings.Builder, results []Result, when time.Time) {
	fmt.Fprintf(out, "\n## Cells, as of %s\n\n| Cell | tmux in it | Public base | Debian suite | Result |\n| --- | --- | --- | --- | --- |\n",
		when.Format(time.DateOnly))
	for _, r := range results {
		result := r.Verdict()
		if n := Total(r.Tests); n != (Counts{}) {
			result += fmt.Sprintf(": %d tests passed, %d failed, %d skipped", n.Passed, n.Failed, n.Skipped)
		}
		if names := r.SecondTime(); len(names) > 0 {
			result += fmt.Sprintf("; the second time only: %s", strings.Join(names, ", "))
		}
		if r.Skipped != "" {
			result += ": " + r.Skipped
		}
		if r.Cell.ByHand {
			result += "; run by hand with `EXTRA_CELLS`"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s |\n", r.Cell.Name, dash(r.Version), dash(r.Cell.Base), dash(r.Cell.Suite), result)
	}
}

// writeSuites writes a row a suite and a column a cell in which tests ran.
func writeSuites(out *strings.Builder, results []Result, suites map[string]string) {
	ran := slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return len(r.Tests) == 0 })
	rows := map[string][]Counts{} // by suite; an element a cell
	for i, r := range ran {
		for _, test := range r.Tests {
			suite := cmp.Or(suites[test.Name], test.Name)
			if rows[suite] == nil {
				rows[suite] = make([]Counts, len(ran))
			}
			rows[suite][i] = Total([]Top{{Counts: rows[suite][i]}, test})
		}
	}
	out.WriteString("\n## Tests passed, by suite\n\n| Suite |")
	for _, r := range ran {
		fmt.Fprintf(out, " %s |", r.Version)
	}
	out.WriteString("\n| --- |" + strings.Repeat(" --- |", len(ran)) + "\n")
	for _, suite := range slices.Sorted(maps.Keys(rows)) {
		fmt.Fprintf(out, "| %s |", suite)
		for _, n := range rows[suite] {
			fmt.Fprintf(out, " %d", n.Passed)
			if n.Failed+n.Skipped > 0 {
				fmt.Fprintf(out, " of %d", n.Passed+n.Failed+n.Skipped)
			}
			out.WriteString(" |")
		}
		out.WriteString("\n")
	}
}

func writeRefusals(out *strings.Builder, results []Result) {
	out.WriteString("\n## Refused\n\n")
	for _, r := range results {
		if r.Refusal != "" {
			fmt.Fprintf(out, "- tmux %s, by every tool, with the code `unsupported`: %q\n", r.Version, r.Refusal)
		}
	}
}

func dash(text string) string { return cmp.Or(text, "-") }
