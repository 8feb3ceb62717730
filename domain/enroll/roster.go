package enroll

import (
	"fmt"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Roster is who is invited and enrolled. The zero value is empty. It is not safe for concurrent use.
type Roster struct {
	invited  map[tmux.PaneID]*Enrollment
	enrolled map[tmux.PaneID]*Enrollment
}

// Invite adds an invitation. One more pane than MaxPanes is Capacity; a pane that is invited already is Refused with reason Busy. A pane
// that is enrolled may be invited again: the new enrollment takes the old one's place when it is accepted.
func (r *Roster) Invite(e *Enrollment) error {
	pane := e.Subject().Pane
	if r.invited[pane] != nil {
		return &fault.Error{
			Kind: fault.Refused, Reason: fault.Busy, Op: "invite the shell of", Target: string(pane),
			Message:  fmt.Sprintf("the shell of pane %s is invited already", pane),
			Recovery: "source that setup, or wait until its invitation has expired",
		}
	}
	if r.enrolled[pane] == nil && r.panes() >= MaxPanes {
		return &fault.Error{
			Kind: fault.Capacity, Op: "invite the shell of", Target: string(pane),
			Message: fmt.Sprintf("%d panes are enrolled or invited, which is all that may be at once", MaxPanes),
		}
	}
	if r.invited == nil {
		r.invited, r.enrolled = map[tmux.PaneID]*Enrollment{}, map[tmux.PaneID]*Enrollment{}
	}
	r.invited[pane] = e
	return nil
}

func (r *Roster) panes() int {
	n := len(r.enrolled)
	for pane := range r.invited {
		if r.enrolled[pane] == nil {
			n++
		}
	}
	return n
}

// Enroll moves an accepted enrollment to its place and gives the one that it replaces, if any.
func (r *Roster) Enroll(e *Enrollment) (replaced *Enrollment) {
	pane := e.Subject().Pane
	if r.invited[pane] == e {
		delete(r.invited, pane)
	}
	replaced = r.enrolled[pane]
	r.enrolled[pane] = e
	return replaced
}

// Find is the enrollment of a pane; nil if there is none.
func (r *Roster) Find(pane tmux.PaneID) *Enrollment { return r.enrolled[pane] }

// Remove takes an enrollment out, and leaves one that has taken its place.
func (r *Roster) Remove(e *Enrollment) {
	pane := e.Subject().Pane
	if r.invited[pane] == e {
		delete(r.invited, pane)
	}
	if r.enrolled[pane] == e {
		delete(r.enrolled, pane)
	}
}
