//go:build matrix

package matrix_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"

	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix"
)

var update = flag.Bool("update", false, "write what the run finds to docs/compatibility.md")

const (
	root     = "../.." // of the repository
	document = root + "/docs/compatibility.md"
	// testsBound is for everything in one cell, several of which run at once.
	testsBound = 20 * time.Minute
)

// TestMatrix runs the integration tests and a conversation in every cell.
func TestMatrix(t *testing.T) {
	cells, required := wantedCells(t)
	results := make([]matrix.Result, len(cells))
	for i, cell := range cells {
		results[i] = matrix.Result{Cell: cell, Skipped: "not run", Reported: !cell.Fixed() && !required[cell.Name]}
	}
	t.Cleanup(func() {
		t.Logf("\n%s", matrix.Table(results))
		if *update {
			writeDocument(t, results)
		}
	})
	e, missing := findEngine()
	var files []string
	slots := make(chan struct{}, max(1, e.room))
	if missing == nil {
		files = build(t, e.arch, "./integration", "integration")
		t.Cleanup(func() { e.mustBeClean(t, t.Name()) })
	}
	for i, cell := range cells {
		t.Run(cell.Title(), func(t *testing.T) {
			t.Parallel()
			result := &results[i]
			judge := judgeOf(*result)
			t.Cleanup(func() { result.Failed = judge(t).Failed() })
			result.Skipped = e.lacks(t, cell, missing)
			if result.Skipped != "" && required[cell.Name] {
				t.Fatalf("cell %s is required, and cannot run: %s", cell.Name, result.Skipped)
			}
			if result.Skipped != "" {
				t.Skip(result.Skipped)
			}
			slots <- struct{}{}
			defer func() { <-slots }()
			began := time.Now()
			defer func() { result.Elapsed = time.Since(began) }()
			runCell(t, judge, e, result, files)
		})
	}
}

// runCell fills in a cell's result. What fails in it is judge's matter.
func runCell(t *testing.T, judge func(*testing.T) testing.TB, e engine, result *matrix.Result, files []string) {
	cell := e.start(judge(t), result.Cell, leaseTime, files...)
	cell.keep(t, leaseTime)
	result.Version = cell.tmuxVersion(judge(t))
	if result.Cell.Fixed() && result.Version != result.Cell.Name {
		t.Fatalf("the cell %s holds tmux %s", result.Cell.Name, result.Version)
	}
	if result.Cell.Refused {
		t.Run("refusal", func(t *testing.T) { result.Refusal = refusal(judge(t), cell, result.Version) })
		return
	}
	t.Run("conversation", func(t *testing.T) { smoke(judge(t), cell, result.Version) })
	ctx, cancel := context.WithTimeout(t.Context(), testsBound)
	defer cancel()
	env := []string{"LIBTMUX_MCP_BINARY=" + dir + "/libtmux-mcp", "LIBTMUX_MCP_EMBEDDING=" + dir + "/embedding", "TMUX_BINARIES=tmux"}
	run := func(name string, ended func(matrix.Top)) error {
		argv := []string{dir + "/integration.test", "-test.timeout", (testsBound - 10*time.Second).String()}
		if os.Getenv("FULL") == "" {
			argv = append(argv, "-test.short")
		}
		if name == "" {
			// Those left out are about the sources, which are not in a cell. Those that are parallel wait most of their time.
			argv = append(argv, "-test.skip", "^TestImport", "-test.parallel", "4")
		} else {
			argv = append(argv, "-test.run", "^"+name+"$", "-test.parallel", "1")
		}
		return cell.tests(ctx, env, ended, argv...)
	}
	err := matrix.Twice(run, func(top matrix.Top) {
		result.Tests = append(result.Tests, top)
		t.Run(top.Name, func(t *testing.T) {
			if top.Outcome == matrix.Failed || top.Counts.Skipped > 0 { // what cannot run here has not passed
				judge(t).Error(top)
				return
			}
			t.Log(top)
		})
	})
	if err != nil {
		judge(t).Error(err)
	}
}

// wantedCells are all cells, and which of them must run.
func wantedCells(t *testing.T) (cells []matrix.Cell, required map[string]bool) {
	t.Helper()
	cells, err := matrix.Cells(os.Getenv("EXTRA_CELLS"))
	if err != nil {
		t.Fatal(err)
	}
	required, err = matrix.Required(os.Getenv("REQUIRE_CELLS"), cells)
	if err != nil {
		t.Fatal(err)
	}
	return cells, required
}

// lacks says why a cell cannot run, or nothing.
func (e engine) lacks(t *testing.T, cell matrix.Cell, missing error) (reason string) {
	t.Helper()
	if missing != nil {
		return missing.Error()
	}
	ctx, cancel := context.WithTimeout(t.Context(), probeBound)
	defer cancel()
	_, err := e.ImageInspect(ctx, cell.Image)
	switch {
	case err == nil:
		return ""
	case !errdefs.IsNotFound(err):
		return err.Error()
	case cell.ByHand:
		return "there is no local image " + cell.Image
	case cell.Suite == "" && os.Getenv("OFFLINE") == "1":
		return "OFFLINE=1, and no Debian suite holds tmux " + cell.Name
	default:
		return fmt.Sprintf("there is no local image %s (make images)", cell.Image)
	}
}

// tmuxVersion is what tmux -V says in a cell.
func (r running) tmuxVersion(t testing.TB) string {
	t.Helper()
	return strings.TrimPrefix(r.output(t, "tmux", "-V"), "tmux ")
}

// build builds the server, the documented embedding and a package's tests for a cell, and gives their files. They stay, as the rest in bin does.
func build(t *testing.T, arch, pkg, tags string) (files []string) {
	t.Helper()
	for _, argv := range [][]string{
		{"build", "libtmux-mcp", "./cmd/libtmux-mcp"},
		{"build", "embedding", "./docs/embedding"},
		{"test", filepath.Base(pkg) + ".test", "-c", "-tags", tags, pkg},
	} {
		file := filepath.Join("bin/matrix", argv[1])
		cmd := exec.CommandContext(t.Context(), "go", slices.Concat([]string{argv[0], "-trimpath", "-ldflags", "-s -w", "-o", file}, argv[2:])...)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", cmd.Args, err, out)
		}
		files = append(files, filepath.Join(root, file))
	}
	return files
}

// mustBeClean asserts that no container of a test's, and of its subtests', is left.
func (e engine) mustBeClean(t *testing.T, name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), stepBound) // t.Context is over at a cleanup
	defer cancel()
	for {
		left, err := e.ContainerList(ctx, client.ContainerListOptions{All: true, Filters: client.Filters{}.Add("label", label)})
		if err != nil {
			t.Errorf("asking for containers that are left: %v", err)
			return
		}
		var mine []string
		for _, c := range left.Items {
			if c.Labels[label] == name || strings.HasPrefix(c.Labels[label], name+"/") {
				mine = append(mine, c.ID)
			}
		}
		if len(mine) == 0 {
			return
		}
		select {
		case <-ctx.Done():
			t.Errorf("containers are left: %v", mine)
			return
		case <-time.After(50 * time.Millisecond): // polls the engine: removal goes on after it has answered
		}
	}
}

var testFunction = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// suites tells the suite of each integration test: the first word of its file's name.
func suites(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(root + "/integration/*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("the integration tests: %v, %d files", err, len(files))
	}
	found := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		suite, _, _ := strings.Cut(filepath.Base(file), "_")
		for _, match := range testFunction.FindAllSubmatch(text, -1) {
			found[string(match[1])] = suite
		}
	}
	return found
}

func writeDocument(t *testing.T, results []matrix.Result) {
	t.Helper()
	old, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	text, err := matrix.Document(string(old), results, suites(t), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
