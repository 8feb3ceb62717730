//go:build integration

package integration_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

// Before tmux 3.3 the suite asserts the refusal, which names the version.
func TestIdentityContract(t *testing.T) {
	anyBackend(t, func(t *testing.T, binary, backend string) {
		porttest.Identity(t, func(t *testing.T) porttest.World {
			w := newTmuxWorld(t, binary)
			inspector := w.ports.Inspector
			if backend == backendControl {
				inspector = controlServer(t, w.realServer)
			}
			identity := process.NewIdentity(inspector)
			t.Cleanup(identity.Close)
			w.ports.Identity = identity
			return w
		})
	})
}

// foreignVariable makes a test say whether the processes of the server at the socket it names can be held.
const foreignVariable = "LIBTMUX_TEST_FOREIGN"

// From another PID namespace a server can be spoken to, but its pids are those of other processes.
func TestTrackingFromAnotherNamespace(t *testing.T) {
	if os.Getenv(foreignVariable) != "" {
		eachTmux(t, func(t *testing.T, binary string) {
			server := cliServer(t, &realServer{Binary: binary, Socket: os.Getenv(foreignVariable)})
			identity := process.NewIdentity(server)
			defer identity.Close()
			tracking, err := identity.Tracking(t.Context(), topology(t, server).Server)
			fmt.Printf("tracking %q %v\n", tracking.Lack, err)
		})
		return
	}
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary)
		want := ports.LackNamespace
		if !topology(t, cliServer(t, s)).Server.Version.AtLeast("3.3") {
			want = ports.LackTmux
		}
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "unshare", "--pid", "--fork", "--mount-proc", self, "-test.run", "^TestTrackingFromAnotherNamespace$")
		cmd.Env = append(os.Environ(), foreignVariable+"="+s.Socket, "TMUX_BINARIES="+binary)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), fmt.Sprintf("tracking %q <nil>", want)) {
			t.Errorf("%v: got %s, want %s", err, out, want)
		}
	})
}
