package matrix_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix"
)

func TestTwice(t *testing.T) {
	many := strings.Repeat("f", 9)
	for _, c := range []struct {
		name          string
		first, second string // of each test p, f or s; of each that runs again p, f, or x: it does not come to its end
		dies          bool   // the first run
		runs          int
		want          []string
	}{
		{"all pass", "ppp", "", false, 1, []string{"0 pass", "1 pass", "2 pass"}},
		{"one passes the second time", "pfp", "p", false, 2, []string{"0 pass", "2 pass", "1 pass again"}},
		{"one fails twice", "fp", "f", false, 2, []string{"1 pass", "0 fail again"}},
		{"each alone", "ff", "pf", false, 3, []string{"0 pass again", "1 fail again"}},
		{"the second run dies", "f", "x", false, 2, []string{"0 fail again"}},
		{"a skip stays one", "s", "", false, 1, []string{"0 skip"}},
		{"the first run dies", "fp", "", true, 1, []string{"1 pass", "0 fail"}},
		{"too many for noise", many, "", false, 1, []string{"0 fail", "1 fail", "2 fail", "3 fail", "4 fail", "5 fail", "6 fail", "7 fail", "8 fail"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			outcomes := map[byte]matrix.Outcome{'p': matrix.Passed, 'f': matrix.Failed, 's': matrix.Skipped, 'x': matrix.Passed}
			runs := 0
			run := func(name string, ended func(matrix.Top)) error {
				runs++
				if name != "" {
					how := c.second[runs-2]
					ended(matrix.Top{Name: name, Outcome: outcomes[how], Output: "second"})
					if how == 'x' {
						return errors.New("died")
					}
					return nil
				}
				for i := range c.first {
					ended(matrix.Top{Name: fmt.Sprint(i), Outcome: outcomes[c.first[i]], Output: "first"})
				}
				if c.dies {
					return errors.New("died")
				}
				return nil
			}
			var got []string
			err := matrix.Twice(run, func(top matrix.Top) {
				line := fmt.Sprint(top.Name, " ", top.Outcome)
				if top.First != "" {
					line += " again"
				}
				if top.SecondTime() != strings.HasSuffix(line, "pass again") {
					t.Errorf("%s: passed the second time only: %t", line, top.SecondTime())
				}
				got = append(got, line)
			})
			if (err != nil) != c.dies || runs != c.runs {
				t.Errorf("%d runs, %v; want %d runs", runs, err, c.runs)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
