package screen

import "slices"

// A Splice makes rows of others: Delete of them, from Start on, are replaced.
type Splice struct {
	Start  int // index of the first row that is replaced
	Delete int
	Rows   []string // what comes instead; never nil
}

// SpliceOf is the shortest splice that makes next of base. Of several, it is the one that starts last.
func SpliceOf(base, next []string) Splice {
	start := 0
	for start < min(len(base), len(next)) && base[start] == next[start] {
		start++
	}
	end := 0 // rows that are the same, from the last one on
	for end < min(len(base), len(next))-start && base[len(base)-1-end] == next[len(next)-1-end] {
		end++
	}
	return Splice{Start: start, Delete: len(base) - start - end, Rows: append([]string{}, next[start:len(next)-end]...)}
}

// Apply makes the rows that base became. It panics if base is not what the splice was made of.
func (s Splice) Apply(base []string) []string {
	return slices.Concat(base[:s.Start], s.Rows, base[s.Start+s.Delete:])
}
