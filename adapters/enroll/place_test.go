package enroll_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll"
)

// What a process left that died is removed by the next one; what is in use, too young to tell, or nobody's of ours stays.
func TestOpenTidies(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	name := func(what string) string {
		return filepath.Join(dir, fmt.Sprintf("libtmux-mcp-shell-%d-%s", os.Geteuid(), what))
	}
	for _, what := range []string{"left", "used", "young"} {
		must(t, os.Mkdir(name(what), 0o700), os.WriteFile(filepath.Join(name(what), "setup"), nil, 0o600))
	}
	must(t, os.Mkdir(filepath.Join(dir, "other"), 0o700), os.Symlink(filepath.Join(dir, "other"), name("link")))
	for _, path := range []string{name("left"), name("used"), filepath.Join(dir, "other")} {
		must(t, os.Chtimes(path, old, old))
	}
	used, err := os.Open(name("used"))
	must(t, err)
	defer used.Close()
	must(t, unix.Flock(int(used.Fd()), unix.LOCK_EX))
	if _, err := enroll.Open(enroll.Options{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	for path, stays := range map[string]bool{name("left"): false, name("used"): true, name("young"): true, name("link"): true, filepath.Join(dir, "other"): true} {
		if _, err := os.Lstat(path); (err == nil) != stays {
			t.Errorf("%s: %v, want that it stays: %t", path, err, stays)
		}
	}
}
