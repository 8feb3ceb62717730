package screen_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
)

func TestSplice(t *testing.T) {
	for _, c := range []struct {
		name       string
		base, next string // rows, one a word
		want       screen.Splice
	}{
		{"nothing changed", "a b c", "a b c", screen.Splice{Start: 3, Rows: []string{}}},
		{"nothing at all", "", "", screen.Splice{Rows: []string{}}},
		{"one row", "a b c", "a x c", screen.Splice{Start: 1, Delete: 1, Rows: []string{"x"}}},
		{"the first", "a b c", "x b c", screen.Splice{Delete: 1, Rows: []string{"x"}}},
		{"the last", "a b c", "a b x", screen.Splice{Start: 2, Delete: 1, Rows: []string{"x"}}},
		{"rows come", "a d", "a b c d", screen.Splice{Start: 1, Rows: []string{"b", "c"}}},
		{"rows go", "a b c d", "a d", screen.Splice{Start: 1, Delete: 2, Rows: []string{}}},
		{"one more of the same", "a a", "a a a", screen.Splice{Start: 2, Rows: []string{"a"}}},
		{"one less of the same", "a a a", "a a", screen.Splice{Start: 2, Delete: 1, Rows: []string{}}},
		{"the end is also the beginning", "a b a", "a b a b a", screen.Splice{Start: 3, Rows: []string{"b", "a"}}},
		{"two rows apart", "a b c d e", "a x c y e", screen.Splice{Start: 1, Delete: 3, Rows: []string{"x", "c", "y"}}},
		{"it scrolls", "a b c", "b c d", screen.Splice{Delete: 3, Rows: []string{"b", "c", "d"}}},
		{"all", "a b", "c d e", screen.Splice{Delete: 2, Rows: []string{"c", "d", "e"}}},
		{"from nothing", "", "a", screen.Splice{Rows: []string{"a"}}},
		{"to nothing", "a", "", screen.Splice{Delete: 1, Rows: []string{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, next := strings.Fields(c.base), strings.Fields(c.next)
			got := screen.SpliceOf(base, next)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("splice (-want +got):\n%s", diff)
			}
			if applied := got.Apply(base); !slices.Equal(applied, next) {
				t.Errorf("it makes %q of %q, want %q", applied, base, next)
			}
		})
	}
}

// Whatever changes, a splice gives exactly what there is now, of what there was, changes neither, and replaces no row at its ends by
// the same.
func TestSplicesGiveWhatThereIs(t *testing.T) {
	shared := 0
	rapid.Check(t, func(t *rapid.T) {
		row := rapid.SampledFrom([]string{"", "\n", "a\n", "a", "b\n", "\xff\n"})
		rows := rapid.SliceOfN(row, 0, 12)
		base := rows.Draw(t, "base")
		next := rows.Draw(t, "next")
		if rapid.Bool().Draw(t, "edited") {
			at := rapid.IntRange(0, len(base)).Draw(t, "at")
			until := rapid.IntRange(at, len(base)).Draw(t, "until")
			next = slices.Concat(base[:at], rows.Draw(t, "edit"), base[until:])
		}
		before, after := slices.Clone(base), slices.Clone(next)
		s := screen.SpliceOf(base, next)
		if got := s.Apply(base); !slices.Equal(got, next) {
			t.Fatalf("%+v makes %q of %q, want %q", s, got, base, next)
		}
		if !slices.Equal(base, before) || !slices.Equal(next, after) || s.Rows == nil {
			t.Fatalf("%q became %q, %q became %q, rows %#v", before, base, after, next, s.Rows)
		}
		replaced := base[s.Start : s.Start+s.Delete]
		if len(replaced) > 0 && len(s.Rows) > 0 && (replaced[0] == s.Rows[0] || replaced[len(replaced)-1] == s.Rows[len(s.Rows)-1]) {
			t.Fatalf("%+v is not the shortest that makes %q of %q", s, next, base)
		}
		if s.Delete < len(base) {
			shared++
		}
	})
	if shared == 0 {
		t.Error("that shows nothing")
	}
}
