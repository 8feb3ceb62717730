package enroll_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func of(pane int) *enroll.Enrollment {
	s := subject(100 + pane)
	s.Pane = tmux.PaneID(fmt.Sprintf("%%%d", pane))
	return enroll.New(enroll.Invitation{Subject: s, ExpiresAt: time.Now().Add(time.Minute)})
}

func TestRosterHoldsEightPanes(t *testing.T) {
	var r enroll.Roster
	var all []*enroll.Enrollment
	for pane := range enroll.MaxPanes {
		e := of(pane)
		if err := r.Invite(e); err != nil {
			t.Fatal(err)
		}
		if pane%2 == 0 {
			r.Enroll(e)
		}
		all = append(all, e)
	}
	if err := r.Invite(of(8)); !fault.Is(err, fault.Capacity) {
		t.Errorf("the ninth pane: %v", err)
	}
	if err := r.Invite(of(1)); !fault.Is(err, fault.Refused) {
		t.Errorf("a pane that is invited: %v", err)
	}
	again := of(0)
	if err := r.Invite(again); err != nil {
		t.Errorf("a pane that is enrolled, with all places taken: %v", err)
	}
	if replaced := r.Enroll(again); replaced != all[0] || r.Find("%0") != again {
		t.Errorf("%p took the place of %p", again, replaced)
	}
	r.Remove(all[0]) // it was replaced
	if r.Find("%0") != again {
		t.Error("removing what was replaced removed what replaced it")
	}
	r.Remove(all[1])
	if err := r.Invite(of(8)); err != nil {
		t.Errorf("after one has gone: %v", err)
	}
	if r.Find("%3") != nil || r.Find("%99") != nil {
		t.Error("who is not enrolled was found")
	}
}
