package matrix_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix"
)

func results() []matrix.Result {
	return []matrix.Result{
		{
			Cell: matrix.Cell{Name: "3.1c", Base: "debian:11", Suite: "bullseye", Refused: true}, Version: "3.1c",
			Refusal: "too old", Elapsed: time.Second,
		},
		{Cell: matrix.Cell{Name: "3.2a", Base: "ubuntu:22.04"}, Skipped: "no image"},
		{
			Cell: matrix.Cell{Name: "3.4", ByHand: true}, Version: "3.4", Failed: true, Elapsed: 61 * time.Second,
			Tests: []matrix.Top{
				{Name: "TestA", Outcome: matrix.Passed, Counts: matrix.Counts{Passed: 2}, First: "noise"},
				{Name: "TestB", Counts: matrix.Counts{Passed: 3, Failed: 1}},
				{Name: "TestC", Counts: matrix.Counts{Passed: 1}},
			},
		},
		{
			Cell: matrix.Cell{Name: "sid", Base: "debian:sid", Suite: "sid"}, Version: "3.8",
			Tests: []matrix.Top{{Name: "TestA", Counts: matrix.Counts{Passed: 2}}}, Reported: true,
		},
		{
			Cell: matrix.Cell{Name: "forky", Base: "debian:forky", Suite: "forky"}, Version: "3.9", Reported: true, Failed: true,
			Tests: []matrix.Top{{Name: "TestA", Counts: matrix.Counts{Failed: 2}}},
		},
	}
}

func TestTable(t *testing.T) {
	const want = `cell   tmux  passed  failed  skipped  second time  time  result
3.1c   3.1c  0       0       0        0            1s    refused, as it must be
3.2a   -     -       -       -        -            -     SKIPPED: no image
3.4    3.4   6       1       0        1            1m1s  FAILED
sid    3.8   2       0       0        0            0s    passed
forky  3.9   0       2       0        0            0s    FAILED, and is not required
3.4: failed, and passed the second time: TestA
`
	if diff := cmp.Diff(want, matrix.Table(results())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDocument(t *testing.T) {
	const (
		begin = "before\n<!-- From here on written by: make matrix UPDATE=1 -->\n"
		end   = "\n<!-- To here. -->\nafter\n"
		want  = begin + `
## Cells, as of 2026-11-30

| Cell | tmux in it | Public base | Debian suite | Result |
| --- | --- | --- | --- | --- |
| 3.1c | 3.1c | debian:11 | bullseye | refused, as it must be |
| 3.2a | - | ubuntu:22.04 | - | SKIPPED: no image |
| 3.4 | 3.4 | - | - | FAILED: 6 tests passed, 1 failed, 0 skipped; the second time only: TestA; run by hand with ` + "`EXTRA_CELLS`" + ` |
| sid | 3.8 | debian:sid | sid | passed: 2 tests passed, 0 failed, 0 skipped |
| forky | 3.9 | debian:forky | forky | FAILED, and is not required: 0 tests passed, 2 failed, 0 skipped |

## Tests passed, by suite

| Suite | 3.4 | 3.8 | 3.9 |
| --- | --- | --- | --- |
| TestC | 1 | 0 | 0 |
| letters | 5 of 6 | 2 | 0 of 2 |

## Refused

- tmux 3.1c, by every tool, with the code ` + "`unsupported`" + `: "too old"
` + end
	)
	suites := map[string]string{"TestA": "letters", "TestB": "letters"}
	when := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	got, err := matrix.Document(begin+"what was there"+end, results(), suites, when)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := matrix.Document("no markers", results(), suites, when); err == nil {
		t.Error("a document without markers was written to")
	}
}

// TestCompatibilityDocument holds the document to the table of cells: it names each with its bases.
func TestCompatibilityDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/compatibility.md")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := matrix.Cells("")
	if err != nil || len(cells) == 0 {
		t.Fatalf("%d cells: %v", len(cells), err)
	}
	for _, cell := range cells {
		if !strings.Contains(string(text), "\n| "+cell.Name+" | ") {
			t.Errorf("docs/compatibility.md does not name the cell %s: make matrix UPDATE=1", cell.Name)
		}
	}
}
