//go:build integration

package integration_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/app"
)

// The documented program is built and talked to, over a real tmux that it borrows.
func TestTheEmbeddingProgram(t *testing.T) {
	program := os.Getenv("LIBTMUX_MCP_EMBEDDING") // built already, where there is no Go: in a cell of the matrix
	if program == "" {
		program = filepath.Join(t.TempDir(), "embedding")
		if out, err := exec.Command("go", "build", "-o", program, "../docs/embedding").CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	eachTmux(t, func(t *testing.T, tmux string) {
		s := startServer(t, tmux)
		cmd := exec.Command(program, "-socket", s.Socket)
		cmd.Env = installed(t, tmux, program)
		p := launchCommand(t, cmd)
		initialize(t, p)
		tools, err := p.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := append(app.ExactBase(), "tmux_create", "tmux_send", "tmux_close"); !sameNames(tools, want) {
			t.Errorf("tools %v, want %v", tools, want)
		}
		server := call(t, p, "tmux_capabilities", nil)["server"].(map[string]any)
		call(t, p, "tmux_send", fields{"generation": server["generation"], "target_id": "%1", "text": "to cat\n"})
		s.Screen(t, "%1", "to cat\nto cat")
		call(t, p, "tmux_close", fields{"generation": server["generation"], "target_id": "%1"})
		if err := p.CloseInput(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), endBound)
		defer cancel()
		if err := p.Wait(ctx); err != nil {
			t.Errorf("it ended with %v", err)
		}
		if got := s.Tmux(t, "list-panes", "-a", "-F", "#{pane_id}"); got != "%0" {
			t.Errorf("panes %q, want %%0: the server is borrowed", got)
		}
	})
}

// Importing starts nothing: no package has an init function, but that which makes a program its own helper.
func TestImportingStartsNothing(t *testing.T) {
	read := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		read++
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" && filepath.ToSlash(path) != "../adapters/enroll/helper/helper.go" {
				t.Errorf("%s has an init function", path)
			}
		}
		return nil
	})
	if err != nil || read < 100 {
		t.Errorf("%d files were read: %v", read, err)
	}
}

// sameNames compares names in any order.
func sameNames(got, want []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want)))
}
