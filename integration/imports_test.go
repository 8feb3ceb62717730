package integration_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/libtmux-mcp/libtmux-mcp"

// The outside world, by the names that the table uses.
const (
	lo     = "github.com/samber/lo"
	schema = "github.com/google/jsonschema-go/jsonschema"
	sdk    = "github.com/modelcontextprotocol/go-sdk/..."
	system = "golang.org/x/sys/..."
)

// A rule says what a package may import besides the standard library. A path ending in /... means everything below it
// too; paths without a host are this module's.
type rule struct {
	pkg   string
	code  []string // of any file
	tests []string // besides, of _test.go files
	pure  bool     // its code reaches no operating system: see impure
}

// contract is what an adapter's tests may know besides: the suites that every implementation runs.
var contract = []string{"ports/porttest"}

// rules is the one table of who may know whom: domain <- ports <- app <- adapters <- cmd. The most specific row holds
// for a package.
var rules = []rule{
	{pkg: "domain/...", code: []string{"domain/...", lo}, pure: true},
	{pkg: "ports", code: []string{"domain/..."}, pure: true},
	{pkg: "ports/porttest", code: []string{"domain/...", "ports", lo}},
	{
		pkg: "app", code: []string{"domain/...", "ports", schema, lo}, pure: true,
		tests: []string{"app", "adapters/fake", "ports/porttest"},
	},

	// No adapter knows another one; tmuxserver and its Conns are one family. Only the driving side knows the application.
	{pkg: "adapters/tmuxserver/...", code: []string{"domain/...", "ports", "adapters/tmuxserver/...", lo, system}, tests: contract},
	{
		pkg: "adapters/fake", code: []string{"domain/...", "ports", "github.com/charmbracelet/x/ansi/...", "mvdan.cc/sh/v3/...", lo},
		tests: append([]string{"adapters/fake/streamtest"}, contract...),
	},
	{pkg: "adapters/fake/streamtest"},
	{pkg: "adapters/process", code: []string{"domain/...", "ports", lo, system}},
	{pkg: "adapters/enroll", code: []string{"domain/...", "ports", "adapters/enroll/helper", lo, system}},
	{pkg: "adapters/enroll/helper", code: []string{system}}, // it starts before all else is initialized
	{pkg: "adapters/shell", code: []string{"domain/...", "ports", lo, system}},
	{pkg: "adapters/stdio", code: []string{sdk, system}},
	{
		pkg: "adapters/mcpserver", code: []string{"domain/...", "ports", "app", sdk, schema, lo},
		tests: []string{"adapters/mcpserver/mcptest", "adapters/fake", "ports/..."},
	},
	{pkg: "adapters/mcpserver/mcptest", code: []string{"domain/...", "ports", "app", "adapters/mcpserver", sdk, schema, lo}},

	{pkg: "docs/embedding", code: []string{"domain/...", "app", "adapters/...", sdk}}, // as a program of somebody else's

	{pkg: "cmd/...", code: []string{"domain/...", "app", "adapters/...", "github.com/alecthomas/kong", sdk, lo}},

	// The tests of the whole may know the whole.
	{pkg: "integration/...", code: []string{"..."}},
}

// testLibraries are what every _test.go file, and every package that is there for tests (its name ends in "test"), may import.
var testLibraries = []string{
	"github.com/creack/pty",
	"github.com/google/go-cmp/...",
	"github.com/rogpeppe/go-internal/...",
	"go.uber.org/goleak",
	"pgregory.net/rapid",
}

// impure is what pure code must not import: files, processes and networks come through a port, and a logger is given.
var impure = []string{"os/...", "net/...", "syscall", "log", "io/ioutil", "unsafe", "plugin"}

// TestImports holds every package to its row of the table.
func TestImports(t *testing.T) {
	packages := parseImports(t, "..")
	used := map[string]int{}
	imports := 0
	for pkg, files := range packages {
		r, ok := ruleOf(pkg)
		if !ok {
			t.Errorf("package %s has no rule: add a row to the table in integration/imports_test.go", pkg)
			continue
		}
		used[r.pkg]++
		for file, paths := range files {
			for _, imported := range paths {
				imports++
				if !r.allows(pkg, file, imported) {
					t.Errorf("%s imports %q: the row %q does not allow that", path.Join(pkg, file), imported, r.pkg)
				}
			}
		}
	}
	for _, r := range rules {
		if used[r.pkg] == 0 {
			t.Errorf("the row %q holds for no package: remove it", r.pkg)
		}
	}
	if len(packages) == 0 || imports == 0 {
		t.Fatalf("looked at %d packages and %d imports: the walk found nothing to hold to the rules", len(packages), imports)
	}
	t.Logf("%d packages and %d imports held to %d rows", len(packages), imports, len(rules))
}

// TestImportRulesRefuse shows that the table can say no.
func TestImportRulesRefuse(t *testing.T) {
	tests := []struct {
		name, pkg, file, imported string
		want                      bool
	}{
		{"a rule of the domain may know another", "domain/guard", "guard.go", module + "/domain/tmux", true},
		{"the domain does no I/O", "domain/guard", "guard.go", "os/exec", false},
		{"tests of the domain may", "domain/guard", "guard_test.go", "os", true},
		{"the domain knows no port", "domain/guard", "guard.go", module + "/ports", false},
		{"ports know no library", "ports", "server.go", lo, false},
		{"the application knows no SDK", "app", "app.go", "github.com/modelcontextprotocol/go-sdk/mcp", false},
		{"the application knows no adapter", "app", "app.go", module + "/adapters/fake", false},
		{"tests of the application run on the fake", "app", "app_test.go", module + "/adapters/fake", true},
		{"a prefix of a name is another name", "ports", "server.go", module + "/domainless", false},
		{"test libraries stay in tests", "app", "app.go", "github.com/google/go-cmp/cmp", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, ok := ruleOf(tt.pkg)
			if !ok {
				t.Fatalf("no rule for %s", tt.pkg)
			}
			if got := r.allows(tt.pkg, tt.file, tt.imported); got != tt.want {
				t.Errorf("%s/%s importing %q: allowed is %v, want %v", tt.pkg, tt.file, tt.imported, got, tt.want)
			}
		})
	}
}

// ruleOf finds the most specific row for a package.
func ruleOf(pkg string) (rule, bool) {
	var found rule
	for _, r := range rules {
		if matches(r.pkg, pkg) && len(r.pkg) > len(found.pkg) {
			found = r
		}
	}
	return found, found.pkg != ""
}

// allows reports whether a file of a package may import a path.
func (r rule) allows(pkg, file, imported string) bool {
	test := strings.HasSuffix(file, "_test.go")
	name, inModule := strings.CutPrefix(imported, module+"/")
	if standard := !strings.Contains(strings.SplitN(imported, "/", 2)[0], "."); standard {
		return test || !r.pure || !matchesAny(impure, imported)
	}
	allowed := slices.Clone(r.code)
	if test {
		allowed = append(allowed, pkg)
		allowed = append(allowed, r.tests...)
	}
	if !inModule && (test || strings.HasSuffix(pkg, "test")) {
		allowed = append(allowed, testLibraries...)
	}
	return matchesAny(allowed, name)
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return matches(p, name) })
}

// matches reports whether a name is the pattern's, or below it if the pattern ends in /... (alone: everything).
func matches(pattern, name string) bool {
	root, tree := strings.CutSuffix(pattern, "...")
	root = strings.TrimSuffix(root, "/")
	return name == root || tree && (root == "" || strings.HasPrefix(name, root+"/"))
}

// parseImports reads the imports of every Go file below root, whatever its build tags: package directory -> file -> paths.
func parseImports(t *testing.T, root string) map[string]map[string][]string {
	t.Helper()
	packages := map[string]map[string][]string{}
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") && name != root
		switch {
		case entry.IsDir() && (hidden || entry.Name() == "testdata"):
			return fs.SkipDir // as the go command does
		case entry.IsDir() || hidden || filepath.Ext(name) != ".go":
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(dir)
		if packages[pkg] == nil {
			packages[pkg] = map[string][]string{}
		}
		var paths []string
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			paths = append(paths, imported)
		}
		packages[pkg][entry.Name()] = paths
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}
