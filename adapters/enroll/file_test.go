package enroll_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll"
)

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestFileIsPrivateAndGoes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "setup")
	file, err := enroll.WriteFile(path, []string{"source", "/it's/setup"})
	must(t, err)
	info, err := os.Lstat(path)
	must(t, err)
	text, err := os.ReadFile(path)
	must(t, err)
	if info.Mode() != 0o600 || string(text) != `\builtin 'source' '/it'\''s/setup'`+"\n" {
		t.Errorf("mode %v, %q", info.Mode(), text)
	}
	must(t, file.Remove(), file.Remove())
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is left: %v", err)
	}
}

func TestFileIsMadeOnlyWhereNothingIs(t *testing.T) {
	dir := t.TempDir()
	must(t,
		os.WriteFile(filepath.Join(dir, "file"), []byte("mine"), 0o600), os.Symlink(filepath.Join(dir, "file"), filepath.Join(dir, "link")),
		os.Symlink(filepath.Join(dir, "absent"), filepath.Join(dir, "dangling")), syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600),
		os.Mkdir(filepath.Join(dir, "dir"), 0o700), os.Mkdir(filepath.Join(dir, "open"), 0o700), os.Chmod(filepath.Join(dir, "open"), 0o777),
	)
	cases := map[string]string{
		"file": "exists already", "link": "exists already", "dangling": "exists already", "fifo": "exists already", "dir": "exists already",
		"open/setup": "written to by others", "none/setup": "no such file", "file/setup": "not a directory",
	}
	if os.Geteuid() == 0 {
		foreign := filepath.Join(dir, "foreign")
		must(t, os.Mkdir(foreign, 0o700), os.Chown(foreign, 65534, 65534))
		cases["foreign/setup"] = "belongs to uid 65534"
	} else {
		cases["../../../../../../../../../usr/setup"] = "belongs to uid 0"
	}
	for name, says := range cases {
		t.Run(name, func(t *testing.T) {
			file, err := enroll.WriteFile(dir+"/"+name, []string{"source", "x"})
			if err == nil {
				t.Fatal(file.Remove(), "it was made")
			}
			if !strings.Contains(err.Error(), says) {
				t.Errorf("%q does not say %q", err, says)
			}
		})
	}
	if text, err := os.ReadFile(filepath.Join(dir, "file")); err != nil || string(text) != "mine" {
		t.Errorf("what was there: %q, %v", text, err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what the dangling link points to was made: %v", err)
	}
}

// What was put in its place meanwhile is somebody else's.
func TestFileThatWasReplacedStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "setup")
	file, err := enroll.WriteFile(path, []string{"source", "x"})
	must(t, err, os.Remove(path), os.WriteFile(path, []byte("another"), 0o600), file.Remove())
	if text, err := os.ReadFile(path); err != nil || string(text) != "another" {
		t.Errorf("got %q, %v", text, err)
	}
	must(t, os.Remove(path))
	gone, err := enroll.WriteFile(path, []string{"source", "x"})
	must(t, err, os.Remove(path), gone.Remove())
}
