package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

func TestErrorText(t *testing.T) {
	for _, c := range []struct {
		name string
		err  *fault.Error
		want string
	}{
		{"a message", &fault.Error{Kind: fault.NotFound, Op: "capture", Target: "%1", Message: "there is no pane %1"}, "there is no pane %1"},
		{"a message and its original", &fault.Error{Message: "tmux is silent", Err: io.EOF}, "tmux is silent: EOF"},
		{"no message", &fault.Error{Kind: fault.Deadline, Op: "send keys", Target: "%1"}, "send keys %1: deadline"},
		{"no target", &fault.Error{Kind: fault.ServerGone, Op: "list panes"}, "list panes: server_gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.err.Error(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestKindOf(t *testing.T) {
	original := &fault.Error{Kind: fault.StaleTarget, Err: io.EOF}
	wrapped := fmt.Errorf("wrapped: %w", original)
	for _, c := range []struct {
		err  error
		want fault.Kind
	}{
		{nil, ""},
		{original, fault.StaleTarget},
		{wrapped, fault.StaleTarget},
		{errors.Join(io.EOF, original), fault.StaleTarget},
		{io.EOF, fault.Internal},
	} {
		if got := fault.KindOf(c.err); got != c.want {
			t.Errorf("KindOf(%v) = %q, want %q", c.err, got, c.want)
		}
	}
	if !fault.Is(wrapped, fault.StaleTarget) || fault.Is(nil, "") || fault.Is(wrapped, fault.NotFound) {
		t.Error("Is disagrees with KindOf")
	}
	if !errors.Is(wrapped, io.EOF) {
		t.Error("the original is lost")
	}
}
