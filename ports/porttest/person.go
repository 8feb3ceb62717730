package porttest

import (
	"context"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Person is the contract of ports.Person. newPerson gives a person of whom one answer comes, Unanswered meaning never, and a function
// that tells the texts that were put to them.
func Person(t *testing.T, newPerson func(t *testing.T, answer ports.Answer) (ports.Person, func() []string)) {
	for _, answer := range []ports.Answer{ports.Agreed, ports.Declined, ports.Dismissed, ports.Unasked} {
		t.Run(string(answer), func(t *testing.T) {
			person, put := newPerson(t, answer)
			if got := person.Ask(bounded(t), ports.Question{Reason: fault.Attended, Text: "May I?"}); got != answer {
				t.Errorf("want %s, got %s", answer, got)
			}
			texts := put()
			if shown := len(texts) == 1 && texts[0] == "May I?"; shown != (answer != ports.Unasked) {
				t.Errorf("put: %q", texts)
			}
		})
	}
	t.Run("no answer before the end of the context", func(t *testing.T) {
		person, _ := newPerson(t, ports.Unanswered)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if got := person.Ask(ctx, ports.Question{Reason: fault.Attended, Text: "May I?"}); got != ports.Unanswered {
			t.Errorf("want %s, got %s", ports.Unanswered, got)
		}
	})
}
