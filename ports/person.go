package ports

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A Person can be asked, while one call is at work, for an exception to what protects their terminal.
type Person interface {
	// Ask puts a question and waits for the answer; it is Unanswered if ctx ends first. There is no error: what keeps a question from
	// being put, or its answer from coming, is Unasked, and nothing but Agreed is leave to go on.
	Ask(ctx context.Context, question Question) Answer
}

// A Question is whether a call that was refused for a reason may go on.
type Question struct {
	Reason fault.Reason // a call asks once for each
	About  string       // what may be done to what; an answer to a question about something else is none to this one
	Text   string       // lines for the person; what others wrote stands in it quoted
}

// An Answer is what came of a question.
type Answer string

// The answers. Declined and Dismissed may be the client's own, given without showing the question to anybody.
const (
	Agreed     Answer = "agreed"
	Declined   Answer = "declined"
	Dismissed  Answer = "dismissed"  // closed without a choice
	Unanswered Answer = "unanswered" // nobody chose in time
	Unasked    Answer = "unasked"    // the client shows no questions, or failed to
	Later      Answer = "later"      // the question is put once this call has ended, and a call just like it brings the answer
)
