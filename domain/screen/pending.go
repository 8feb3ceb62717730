package screen

import "slices"

// Pending are the lines that are not finished: the cursor's and those below it, down to the last that is not blank. c is joined, with
// starts.
func Pending(c Capture) []string {
	lines, _, _ := finished(c)
	return TrimEnd(c.Rows[len(lines):])
}

// Visible are the lines of which at least the end is on the screen, or among so many rows above it.
func Visible(c Capture, history int) []string {
	i, found := slices.BinarySearch(c.Starts, c.Pane.HistorySize-history)
	if !found && i > 0 {
		i-- // it begins above
	}
	return c.Rows[i:]
}

// Changed are the lines of now that do not stand in before at the same place.
func Changed(before, now []string) []string {
	var changed []string
	for i, line := range now {
		if i >= len(before) || before[i] != line {
			changed = append(changed, line)
		}
	}
	return changed
}
