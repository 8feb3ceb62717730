// Package wait holds the rules of waiting: how long a wait may take and how it ends.
package wait

import (
	"math"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// The bounds of a wait.
const (
	Default  = 30 * time.Second
	Greatest = 120 * time.Second
)

// A Deadline is how long a wait may take.
type Deadline struct {
	Timeout time.Duration
	Clamped bool // more was asked for
}

// Within turns a requested timeout in seconds into a deadline: otherwise if none was given, at most Greatest. Negative
// and NaN are InvalidInput.
func Within(seconds *float64, otherwise time.Duration) (Deadline, error) {
	if seconds == nil {
		return Deadline{Timeout: otherwise}, nil
	}
	s := *seconds
	if math.IsNaN(s) || s < 0 {
		return Deadline{}, fault.Invalidf("pass seconds from 0 to 120, or leave timeout out", "timeout %v is not a length of time", s)
	}
	if s > Greatest.Seconds() {
		return Deadline{Timeout: Greatest, Clamped: true}, nil
	}
	return Deadline{Timeout: time.Duration(s * float64(time.Second))}, nil
}
