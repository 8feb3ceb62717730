package target_test

import (
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestParseOfSomeKinds(t *testing.T) {
	all := []tmux.Kind{tmux.KindSession, tmux.KindWindow, tmux.KindPane}
	for _, c := range []struct {
		text  string
		kinds []tmux.Kind
		says  string // of the refusal; empty: it is accepted
	}{
		{"%1", all, ""},
		{"@1", all, ""},
		{"$1", all, ""},
		{"@1", []tmux.Kind{tmux.KindWindow}, ""},
		{"@1", []tmux.Kind{tmux.KindPane}, "is the id of a window, not of a pane"},
		{"$1", []tmux.Kind{tmux.KindWindow, tmux.KindPane}, "is not the id of a window or pane"},
		{"%01", all, "is not a stable pane id"},
		{"1", all, "is an index"},
		{"main:1", all, "is a tmux target"},
		{"", all, "is empty"},
		{"#(id)", all, "is not a stable"},
	} {
		err := target.Parse("target_id", c.text, c.kinds...)
		if c.says == "" && err == nil {
			continue
		}
		if !fault.Is(err, fault.InvalidInput) || c.says == "" || !strings.Contains(err.Error(), "target_id") || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q of %v: got %v, want %q", c.text, c.kinds, err, c.says)
		}
	}
}

func TestExists(t *testing.T) {
	there := tmux.Topology{
		Running: true, Sessions: []tmux.Session{{ID: "$1"}}, Windows: []tmux.Window{{ID: "@1"}}, Panes: []tmux.Pane{{ID: "%1"}},
	}
	for _, sigil := range []string{"$", "@", "%"} {
		if err := target.Exists(there, sigil+"1"); err != nil {
			t.Error(err)
		}
		if err := target.Exists(there, sigil+"2"); !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v, want not found", err)
		}
		if err := target.Exists(tmux.Topology{}, sigil+"1"); !fault.Is(err, fault.ServerGone) {
			t.Errorf("got %v, want that the server is gone", err)
		}
	}
}
