package shell_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

func TestOpenRefuses(t *testing.T) {
	cases := map[string]struct {
		make func(path string) error
		want string
	}{
		"a link": {func(path string) error {
			if err := os.Mkdir(path+"x", 0o700); err != nil {
				return err
			}
			return os.Symlink(path+"x", path)
		}, "not a directory"},
		"a file":         {func(path string) error { return os.WriteFile(path, nil, 0o600) }, "not a directory"},
		"open to others": {func(path string) error { return os.Mkdir(path, 0o755) }, "open to others"},
		"of another": {func(path string) error {
			if err := os.Mkdir(path, 0o700); err != nil {
				return err
			}
			return os.Chown(path, 12345, -1)
		}, "belongs to uid 12345"},
	}
	if os.Geteuid() != 0 { // nobody else can give a directory away
		delete(cases, "of another")
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "frames")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			_, err := shell.Open(shell.Options{Dir: path})
			if !fault.Is(err, fault.TransportError) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("%v, want that %s is %s", err, path, c.want)
			}
		})
	}
	for name, path := range map[string]string{
		"a quote": t.TempDir() + "/it's", "a blank": t.TempDir() + "/a b", "relative": "frames", "not clean": t.TempDir() + "/../x", "no parent": t.TempDir() + "/a/b",
	} {
		if _, err := shell.Open(shell.Options{Dir: path}); !fault.Is(err, fault.TransportError) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
