package screen

import "slices"

// A Break says why lines do not follow on those before.
type Break string

// The breaks.
const (
	Unbroken       Break = ""
	BreakCleared   Break = "cleared"   // the screen or the history was cleared, or its lines were changed
	BreakTrimmed   Break = "trimmed"   // lines may have left the history unread
	BreakResized   Break = "resized"   // the pane has another width, and the place could not be found again
	BreakRespawned Break = "respawned" // another process is in the pane
	BreakRestarted Break = "restarted" // another tmux server is there
)

// A Delta is what was written since a cursor.
type Delta struct {
	Lines []string // finished lines only
	Break Break    // Unbroken: Lines follow exactly on what the cursor's reader had read
	Quiet bool     // nothing was written: no line was finished, and those that are not finished are the same
	Next  Cursor
}

// Enough reports whether a capture that begins at the cursor's First row can answer Since: otherwise the whole history is
// needed.
func Enough(c Capture, at Cursor) bool {
	if c.Pane.Alternate || c.Server.Generation != at.Generation || respawned(c, at) {
		return true
	}
	return !mayHaveTrimmed(c) && c.Pane.Width == at.Width && c.Pane.HistorySize >= at.History && matches(c, at)
}

// Since is what was written since a cursor. c is joined, with starts, and holds the whole history or is Enough. A delta is unbroken only
// if the fingerprint stands where it must, or, where rows can have moved, if it stands in exactly one place.
func Since(c Capture, at Cursor) Delta {
	switch {
	case c.Server.Generation != at.Generation:
		return broken(c, BreakRestarted, 0)
	case respawned(c, at):
		return broken(c, BreakRespawned, 0)
	case c.Pane.Alternate: // what the cursor's reader had read is hidden, and nothing new is finished
		next := at
		next.Pending = pendingSum(c)
		return Delta{Quiet: next == at, Next: next}
	}
	trimmed, resized := mayHaveTrimmed(c), c.Pane.Width != at.Width
	if !trimmed && !resized {
		if c.Pane.HistorySize >= at.History && matches(c, at) {
			return follow(c, indexOf(c, at.Row), at)
		}
		lines, starts, _ := finished(c)
		if c.Pane.HistorySize >= at.History && top(lines, starts, at.History) == at.Top {
			return broken(c, BreakCleared, at.History) // the screen alone was cleared: the history is read
		}
		return broken(c, BreakCleared, 0)
	}
	lines, _, _ := finished(c)
	if i, ok := onlyPlace(lines, at); ok {
		return follow(c, i, at)
	}
	if trimmed {
		return broken(c, BreakTrimmed, 0)
	}
	return broken(c, BreakResized, 0)
}

// respawned reports whether another process is in the pane. Of one that has ended tmux may not say which it was, also in the moment before
// it calls the pane dead; a pane that was respawned before that has another screen.
func respawned(c Capture, at Cursor) bool {
	return c.Pane.PID != at.PID && c.Pane.PID != 0
}

// mayHaveTrimmed reports whether tmux may have dropped the oldest rows of the history: it drops a tenth of a full one at once, and
// then stays above nine tenths.
func mayHaveTrimmed(c Capture) bool {
	return c.Pane.HistorySize >= c.Pane.HistoryLimit-c.Pane.HistoryLimit/10
}

// matches reports whether the fingerprint stands just where it stood.
func matches(c Capture, at Cursor) bool {
	lines, starts, next := finished(c)
	from, to := slices.Index(starts, at.First), indexOf(c, at.Row)
	if at.Lines == 0 {
		from = to
	}
	return from >= 0 && to >= from && to-from == at.Lines && to <= len(lines) && at.Row <= next && sum(lines[from:to]) == at.Sum
}

// indexOf is the index of the line that begins at a row; -1 if none does.
func indexOf(c Capture, row int) int { return slices.Index(c.Starts, row) }

// onlyPlace finds the one place after the fingerprint. A fingerprint of few lines, which began at the oldest row, is found
// nowhere: the rest of a line whose beginning was trimmed away can look like it.
func onlyPlace(lines []string, at Cursor) (after int, ok bool) {
	if at.Lines < fingerprintSize {
		return 0, false
	}
	for end := at.Lines; end <= len(lines); end++ {
		if sum(lines[end-at.Lines:end]) != at.Sum {
			continue
		}
		if ok {
			return 0, false
		}
		after, ok = end, true
	}
	return after, ok
}

func follow(c Capture, index int, at Cursor) Delta {
	lines, _, _ := finished(c)
	next := CursorAt(c)
	return Delta{Lines: slices.Clone(lines[index:]), Quiet: index == len(lines) && next.Pending == at.Pending, Next: next}
}

// broken gives what can be new: the finished lines from a row on.
func broken(c Capture, why Break, from int) Delta {
	lines, starts, _ := finished(c)
	i, _ := slices.BinarySearch(starts, from)
	return Delta{Lines: slices.Clone(lines[i:]), Break: why, Next: CursorAt(c)}
}
