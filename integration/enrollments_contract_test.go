//go:build integration

package integration_test

import (
	"os"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

func TestEnrollmentsContract(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		over := func(backend func(*testing.T, *realServer) *tmuxserver.Server) func(*testing.T) porttest.World {
			return func(t *testing.T) porttest.World {
				w := newTmuxWorld(t, binary)
				w.ports.Enrollments, w.ports.Authorizer, w.ports.Processes = enrollments(t), backend(t, w.realServer), process.New(process.Options{})
				w.ports.Identity = process.NewIdentity(w.ports.Inspector)
				return w
			}
		}
		eachWay(t, map[string]func(*testing.T) porttest.World{backendCLI: over(cliServer), backendControl: over(controlServer)}, porttest.Enrollments)
	})
}

// enrollments are some in a directory of the test's own, in which nothing is left at its end. This test binary is the helper, unless another is named.
func enrollments(t *testing.T, helper ...string) *enroll.Enrollments {
	t.Helper()
	dir, err := os.MkdirTemp("", "en") // short: sockets are made in it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	made, err := enroll.Open(enroll.Options{Dir: dir, Helper: helper})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left in the directory of enrollments: %v, %v", left, err)
		}
	})
	return made
}
