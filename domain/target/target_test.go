package target_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestParsePane(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"an id", "%3", ""},
		{"zero", "%0", ""},
		{"an index", "1", "is an index"},
		{"a window's id", "@1", "is the id of a window, not of a pane"},
		{"a session's id", "$1", "is the id of a session, not of a pane"},
		{"a target", "main:0.1", "is a tmux target"},
		{"an exact name", "=main", "is a tmux target"},
		{"a name", "main", "is not a stable pane id"},
		{"empty", "", "is empty"},
		{"a sigil alone", "%", "is not a stable pane id"},
		{"a sign", "%+1", "is not a stable pane id"},
		{"a leading zero", "%01", "is not a stable pane id"},
		{"too large", "%4294967296", "is not a stable pane id"},
		{"trailing bytes", "%1 ", "is not a stable pane id"},
		{"a newline", "%1\n", "is not a stable pane id"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, err := target.ParsePane("pane_id", c.text)
			if c.want == "" {
				if err != nil || string(id) != c.text {
					t.Fatalf("ParsePane(%q) = %q, %v", c.text, id, err)
				}
				return
			}
			if !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("ParsePane(%q): got %v, want invalid_input with %q", c.text, err, c.want)
			}
			if !strings.Contains(err.Error(), "pane_id") {
				t.Errorf("%v does not name the argument", err)
			}
		})
	}
}

func TestOnlyIDsParse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[%@$=:.]{0,2}[0-9]{0,12}`)).Draw(t, "text")
		if id, err := target.ParseWindow("window_id", text); err == nil && (string(id) != text || text[0] != '@') {
			t.Fatalf("ParseWindow(%q) = %q", text, id)
		}
	})
}

func TestResolve(t *testing.T) {
	topology := tmux.Topology{Running: true, Panes: []tmux.Pane{{ID: "%1"}}}
	if p, err := target.Pane(topology, "%1"); err != nil || p.ID != "%1" {
		t.Errorf("Pane(%%1) = %v, %v", p, err)
	}
	if _, err := target.Pane(topology, "%2"); !fault.Is(err, fault.NotFound) {
		t.Errorf("Pane(%%2): got %v, want not_found", err)
	}
	if _, err := target.Session(tmux.Topology{}, "$1"); !fault.Is(err, fault.ServerGone) {
		t.Errorf("Session in an absent server: got %v, want server_gone", err)
	}
}

func TestAcknowledgement(t *testing.T) {
	var ack target.Acknowledgement
	if err := ack.Check("g1", "%1", "list_panes"); err != nil {
		t.Fatalf("first contact: %v", err)
	}
	if err := ack.Check("g2", "%1", "list_panes"); !fault.Is(err, fault.StaleTarget) {
		t.Fatalf("another generation: got %v, want stale_target", err)
	}
	if err := ack.Check("g2", "%1", "list_panes"); !fault.Is(err, fault.StaleTarget) {
		t.Fatalf("a refusal must not acknowledge: got %v", err)
	}
	ack.Listed("g2")
	if err := ack.Check("g2", "%1", "list_panes"); err != nil {
		t.Fatalf("after listing: %v", err)
	}
	if err := ack.Check("g1", "%1", "list_panes"); !fault.Is(err, fault.StaleTarget) {
		t.Fatalf("the old generation: got %v, want stale_target", err)
	}
}
