package tmux_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestIsKey(t *testing.T) {
	for name, want := range map[string]bool{
		"j": true, "C-c": true, "C-M-x": true, "M-Left": true, "S-F5": true, "^C": true, "Enter": true, "escape": true, "F12": true,
		"é": true, "日": true, ";": true, "-": true, "C--": true, "^": true, "KP0": true, "NPage": true, "C-Space": true, `C-\`: true,
		"": false, "Return": false, "Ctrl-c": false, "F13": false, "F0": false, "F01": false, "hello": false, "C-": false, "MouseDown1Pane": false,
		"0x41": false, "\x03": false, "\n": false, "\xff": false, "C-c ": false, "Esc": false,
		"^M-x": true, "^^": true, "C-^": true, "^Left": true, "C-^a": false, "^^a": false, "M-^x": false, "C-^C-a": false,
		"*": true, "M-*": true, "C-*": false, "^{": false, "M-C-~": false, "C-é": true,
	} {
		if got := tmux.IsKey(name); got != want {
			t.Errorf("IsKey(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestIsStopKey(t *testing.T) {
	for name, want := range map[string]bool{
		"C-c": true, "c-C": true, "^C": true, `C-\`: true, "C-d": true, "^D": true,
		"C-z": false, "c": false, "C-M-c": false, "Enter": false, "": false,
	} {
		if got := tmux.IsStopKey(name); got != want {
			t.Errorf("IsStopKey(%q) = %v, want %v", name, got, want)
		}
	}
}
