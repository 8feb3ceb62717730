//go:build matrix

package matrix_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/client"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix"
	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix/gate"
)

// available are the cells that can run here, and an engine to run them. Without any the test is skipped, unless cells
// are required.
func available(t *testing.T) (engine, []matrix.Cell) {
	t.Helper()
	cells, required := wantedCells(t)
	e, err := findEngine()
	cells = slices.DeleteFunc(cells, func(c matrix.Cell) bool { return e.lacks(t, c, err) != "" })
	if len(cells) == 0 && len(required) > 0 {
		t.Fatalf("cells are required, and none can run: %v", err)
	}
	if len(cells) == 0 {
		t.Skipf("no cell can run: %v", err)
	}
	return e, cells
}

// TestABrokenGateTurnsItsCellsRed breaks a gate and finds exactly the cells red whose tmux lies between the right
// version and the wrong one.
func TestABrokenGateTurnsItsCellsRed(t *testing.T) {
	e, cells := available(t)
	t.Cleanup(func() { e.mustBeClean(t, t.Name()) })
	files := build(t, e.arch, "./integration/matrix/gate", "matrix")
	const wrong = tmux.Version("3.5")
	want := map[string]matrix.Counts{}
	got := map[string]matrix.Counts{}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, cell := range cells {
		c := e.start(t, cell, time.Minute, files...)
		version := tmux.Version(c.tmuxVersion(t))
		for _, claim := range []tmux.Version{gate.Since, wrong} {
			name := cell.Name + ", claimed since " + string(claim)
			want[name] = matrix.Counts{Passed: 1}
			if version.AtLeast(gate.Since) != version.AtLeast(claim) {
				want[name] = matrix.Counts{Failed: 1}
			}
			var tops []matrix.Top
			err := c.tests(ctx, []string{gate.Variable + "=" + string(claim)}, func(top matrix.Top) { tops = append(tops, top) }, dir+"/gate.test")
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			got[name] = matrix.Total(tops)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for name, n := range got {
		if n.Failed > 0 {
			t.Logf("red: %s", name)
		}
	}
}

// TestAKeptCellStays renews a lease that would be over long ago.
func TestAKeptCellStays(t *testing.T) {
	e, cells := available(t)
	const lease = 2 * time.Second
	c := e.start(t, cells[0], lease)
	c.keep(t, lease)
	ctx, cancel := context.WithTimeout(t.Context(), stepBound)
	defer cancel()
	var out strings.Builder
	s, err := c.exec(ctx, &out, &out, nil, "sh", "-c", "sleep 5; echo here")
	if err != nil {
		t.Fatal(err)
	}
	if status, err := s.wait(ctx); status != 0 || err != nil || out.String() != "here\n" {
		t.Errorf("a command of 5 s ended with status %d, %v, and said %q", status, err, out.String())
	}
}

// TestAnAbandonedCellRemovesItself starts a container with a short lease and leaves it alone, as a killed run does.
func TestAnAbandonedCellRemovesItself(t *testing.T) {
	e, cells := available(t)
	ctx, cancel := context.WithTimeout(t.Context(), stepBound)
	defer cancel()
	c := e.start(t, cells[0], time.Second)
	for {
		left, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("id", c.ID)})
		if err != nil {
			t.Fatal(err)
		}
		if len(left.Items) == 0 {
			return
		}
		<-time.After(50 * time.Millisecond) // polls the engine: there is no event to wait for
	}
}

// TestACellThatDiesFails ends a cell in the middle of its tests: that is an error, and no shorter list of passed tests.
func TestACellThatDiesFails(t *testing.T) {
	e, cells := available(t)
	c := e.start(t, cells[0], time.Minute)
	ctx, cancel := context.WithTimeout(t.Context(), stepBound)
	defer cancel()
	script := `printf '\026=== RUN   TestOne\n\026--- PASS: TestOne (0.00s)\n\026=== RUN   TestTwo\n'; kill -9 $$`
	got := map[string]matrix.Outcome{}
	err := c.tests(ctx, nil, func(top matrix.Top) { got[top.Name] = top.Outcome }, "sh", "-c", script)
	if diff := cmp.Diff(map[string]matrix.Outcome{"TestOne": matrix.Passed, "TestTwo": matrix.Failed}, got); diff != "" || err == nil {
		t.Errorf("it ended with %v, want an error (-want +got):\n%s", err, diff)
	}
	err = c.tests(ctx, nil, func(matrix.Top) {}, "sh", "-c", "echo PASS; exit 0")
	if err == nil || !strings.Contains(err.Error(), "no test ran") {
		t.Errorf("a binary without tests gives %v, want that no test ran", err)
	}
	err = c.tests(ctx, nil, func(matrix.Top) {}, "sh", "-c", `printf '\026=== RUN   TestOne\n\026--- PASS: TestOne (0.00s)\n\026PASS\n'; exit 7`)
	if err == nil || !strings.Contains(err.Error(), "status 7") {
		t.Errorf("a binary that fails after its tests gives %v, want its status", err)
	}
}

// TestWithoutAnEngine runs the matrix with engines that are not there, and with one that hangs.
func TestWithoutAnEngine(t *testing.T) {
	sockets, err := os.MkdirTemp("", "lt") // paths of sockets are short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(sockets) }) // a temporary directory: no reason to fail
	hangs := filepath.Join(sockets, "hangs")
	listener, err := net.Listen("unix", hangs) // accepts, as the kernel does, and never answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() }) // nothing was read or written
	for _, c := range []struct {
		name, socket, required string
		fails                  bool
	}{
		{"absent", filepath.Join(sockets, "absent"), "", false},
		{"hanging", hangs, "", false},
		{"absent, but required", filepath.Join(sockets, "absent"), "3.3a", true},
		{"hanging, but required", hangs, "3.3a 3.5a", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), stepBound)
			defer cancel()
			cmd := exec.CommandContext(ctx, self, "-test.run", "^TestMatrix$", "-test.v")
			cmd.Env = append(os.Environ(), "DOCKER_HOST=unix://"+c.socket, "REQUIRE_CELLS="+c.required, "EXTRA_CELLS=", "HOME="+sockets)
			began := time.Now()
			out, err := cmd.CombinedOutput()
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %v, want 5 s at most", took)
			}
			if failed := err != nil; failed != c.fails {
				t.Errorf("it failed: %v (%v), want %v", failed, err, c.fails)
			}
			for _, want := range []string{"SKIP: TestMatrix/tmux-3.2a", "SKIPPED: no Docker engine answers"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("it does not say %q", want)
				}
			}
			if t.Failed() {
				t.Logf("it said:\n%s", out)
			}
		})
	}
}
