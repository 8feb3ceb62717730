//go:build integration

package integration_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var updateBenchmarks = flag.Bool("update-benchmarks", false, "write what the benchmarks found to docs/benchmarks.md")

// samples are what was measured, round by round: milliseconds, unless the measurement says another unit.
type samples []float64

func (s *samples) took(start time.Time) {
	*s = append(*s, float64(time.Since(start).Microseconds())/1000)
}

// at is a quantile.
func (s samples) at(quantile float64) float64 {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(float64(len(sorted))*quantile), len(sorted)-1)]
}

// A measurement is one row of the document.
type measurement struct {
	what, against      string
	product, yardstick samples
	target             float64 // how many times the yardstick's median the product's may be; 0: any
}

// measured are the measurements of this run.
var measured []*measurement

// measure begins a measurement, which is reported when the benchmark ends.
func measure(b *testing.B, what, against string) *measurement {
	b.Helper()
	m := &measurement{what: what, against: against}
	b.Cleanup(func() {
		if b.Failed() || len(m.product) == 0 {
			return
		}
		measured = append(measured, m)
		b.ReportMetric(0, "ns/op") // the mean of rounds with different parts says nothing
		b.ReportMetric(m.product.at(0.5), "median")
		b.ReportMetric(m.product.at(0.95), "p95")
		if len(m.yardstick) > 0 {
			b.ReportMetric(m.ratio(0.5), "times")
		}
	})
	return m
}

func (m *measurement) ratio(quantile float64) float64 {
	return m.product.at(quantile) / m.yardstick.at(quantile)
}

// row is the measurement as a row of the table.
func (m *measurement) row() string {
	cells := []string{m.what, fmt.Sprintf("%.2f", m.product.at(0.5)), fmt.Sprintf("%.2f", m.product.at(0.95)), m.against, "", "", "", "", "", ""}
	if len(m.yardstick) > 0 {
		cells[4], cells[5] = fmt.Sprintf("%.2f", m.yardstick.at(0.5)), fmt.Sprintf("%.2f", m.yardstick.at(0.95))
		cells[6], cells[7] = fmt.Sprintf("%.1f", m.ratio(0.5)), fmt.Sprintf("%.1f", m.ratio(0.95))
	}
	if m.target > 0 {
		cells[8], cells[9] = fmt.Sprintf("%.1f", m.target), "met"
		if m.ratio(0.5) > m.target {
			cells[9] = "missed"
		}
	}
	return "| " + strings.Join(cells, " | ") + " |\n"
}

// The parts of the document that a run writes.
const (
	benchmarksFile  = "../docs/benchmarks.md"
	benchmarksBegin = "<!-- what a run found begins -->\n"
	benchmarksEnd   = "<!-- what a run found ends -->\n"
)

// benchmarksFound is what this run found, as the document shows it.
func benchmarksFound() string {
	var text strings.Builder
	said := func(name string, argv ...string) string {
		out, err := exec.Command(name, argv...).Output()
		if err != nil {
			return "unknown"
		}
		return strings.TrimSpace(string(out))
	}
	fmt.Fprintf(&text, "%s, %d cores, Linux %s, %s, %s, %d rounds.\n\n", processor(), runtime.NumCPU(), said("uname", "-r"),
		said(benchTmux(), "-V"), runtime.Version(), slices.Max(lengths()))
	text.WriteString("| What | median | p95 | against | median | p95 | times | times at p95 | at most | |\n")
	text.WriteString("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for _, m := range measured {
		text.WriteString(m.row())
	}
	return text.String()
}

func lengths() (all []int) {
	for _, m := range measured {
		if m.against != "" && !strings.Contains(m.what, "Conn") { // which goes around many times in a round
			all = append(all, len(m.product))
		}
	}
	return append(all, 0)
}

// processor is the model of the machine's processor.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo") // elsewhere there is none
	for line := range strings.Lines(string(info)) {
		if model, found := strings.CutPrefix(line, "model name"); found {
			return strings.TrimLeft(strings.TrimSpace(model), ": ")
		}
	}
	return "unknown processor"
}

// reportBenchmarks prints what this run found, if it measured anything, and writes it to the document if that is wanted.
func reportBenchmarks() error {
	if len(measured) == 0 {
		return nil
	}
	found := benchmarksFound()
	fmt.Print("\n" + found)
	if !*updateBenchmarks {
		return nil
	}
	document, err := os.ReadFile(benchmarksFile)
	if err != nil {
		return err
	}
	before, rest, begins := strings.Cut(string(document), benchmarksBegin)
	_, after, ends := strings.Cut(rest, benchmarksEnd)
	if !begins || !ends {
		return fmt.Errorf("%s has no place for what a run finds", benchmarksFile)
	}
	return os.WriteFile(benchmarksFile, []byte(before+benchmarksBegin+"\n"+found+"\n"+benchmarksEnd+after), 0o644)
}
