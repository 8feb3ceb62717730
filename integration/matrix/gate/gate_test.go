//go:build matrix

package gate_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix/gate"
)

func TestGate(t *testing.T) {
	version, err := exec.Command("tmux", "-V").Output()
	if err != nil {
		t.Fatal(err)
	}
	said := tmux.Version(strings.TrimSpace(string(version)))
	t.Run("server-access", func(t *testing.T) {
		commands, err := exec.Command("tmux", "list-commands").Output()
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(string(commands), "\nserver-access "); has != gate.Open(said) {
			t.Errorf("%s has the command: %v; the gate says %v", said, has, gate.Open(said))
		}
	})
}
