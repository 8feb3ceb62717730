package wait_test

import (
	"math"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
)

func TestWithin(t *testing.T) {
	for _, c := range []struct {
		name    string
		seconds *float64
		want    wait.Deadline
		invalid bool
	}{
		{"none", nil, wait.Deadline{Timeout: 30 * time.Second}, false},
		{"zero", new(0.0), wait.Deadline{}, false},
		{"a fraction", new(0.25), wait.Deadline{Timeout: 250 * time.Millisecond}, false},
		{"the greatest", new(120.0), wait.Deadline{Timeout: 120 * time.Second}, false},
		{"more", new(121.0), wait.Deadline{Timeout: 120 * time.Second, Clamped: true}, false},
		{"infinite", new(math.Inf(1)), wait.Deadline{Timeout: 120 * time.Second, Clamped: true}, false},
		{"huge", new(1e300), wait.Deadline{Timeout: 120 * time.Second, Clamped: true}, false},
		{"negative", new(-0.1), wait.Deadline{}, true},
		{"no number", new(math.NaN()), wait.Deadline{}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := wait.Within(c.seconds, wait.Default)
			if fault.Is(err, fault.InvalidInput) != c.invalid || got != c.want {
				t.Errorf("got %+v, %v; want %+v, invalid %v", got, err, c.want, c.invalid)
			}
		})
	}
}
