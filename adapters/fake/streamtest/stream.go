// Package streamtest holds what programs print in a terminal, and what tmux 3.4 shows then: the proof of the fake's terminal
// where no tmux is, and the common ground on which it and a real tmux of any version are compared.
package streamtest

// The size of the pane in which each stream begins, and the limit of its history.
const (
	Width  = 10 // columns
	Height = 5  // rows
	Limit  = 20 // rows
)

// Wrap ends a row that goes on in the next one.
const Wrap = "↩"

// A Step is text that is printed, with \n for a new line, or a resize of the pane.
type Step struct {
	Print         string
	Width, Height int // of a resize; 0 for none
}

// A Screen is what is to be seen of a pane.
type Screen struct {
	Rows      []string // the history and the screen with the blanks that were written, down to the last row with text
	X, Y      int      // cursor; X is the width after the last column was written
	History   int      // rows
	Alternate bool     // the alternate screen is shown
}

// A Stream is one named series of steps.
type Stream struct {
	Name  string
	Steps []Step
	Want  Screen // of tmux 3.4
}

func prints(text string) []Step { return []Step{{Print: text}} }

// resized prints, resizes, and may print again.
func resized(before string, width, height int, after ...string) []Step {
	steps := []Step{{Print: before}, {Width: width, Height: height}}
	for _, text := range after {
		steps = append(steps, Step{Print: text})
	}
	return steps
}

// at is a screen with the cursor there.
func at(x, y int, rows ...string) Screen { return Screen{Rows: rows, X: x, Y: y} }

// below is the screen with some rows of history above it.
func (s Screen) below(history int) Screen {
	s.History = history
	return s
}

// covering is the screen as the alternate one.
func (s Screen) covering() Screen {
	s.Alternate = true
	return s
}

// Streams are all streams.
func Streams() []Stream {
	var all []Stream
	for _, some := range [][]Stream{writing(), moving(), scrolling(), editing(), erasing(), switching(), resizing()} {
		all = append(all, some...)
	}
	return all
}
