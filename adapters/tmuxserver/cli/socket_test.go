package cli_test

import (
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

func TestSocketPath(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(base, link); err != nil {
		t.Fatal(err)
	}
	user := "/tmux-" + strconv.Itoa(os.Getuid()) + "/"
	for _, c := range []struct{ name, directory, socket, want string }{
		{"by default", "", "default", "/tmp" + user + "default"},
		{"in TMUX_TMPDIR", base, "a b", base + user + "a b"},
		{"through a link", link, "x", base + user + "x"},
		{"in one that does not exist", "/nowhere", "x", "/tmp" + user + "x"},
		{"with a slash", "", "a/b", ""},
		{"empty", "", "", ""},
		{"above", "", "..", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("TMUX_TMPDIR", c.directory)
			got, err := cli.SocketPath(c.socket)
			if got != c.want || (c.want == "") != fault.Is(err, fault.InvalidInput) {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}

func TestNewRefusesPathsThatNoSocketHas(t *testing.T) {
	for name, path := range map[string]string{
		"relative": "s", "empty": "", "too long": "/" + strings.Repeat("x", 200), "with NUL": "/a\x00b",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := cli.New(cli.Options{SocketPath: path})
			wants(t, err, fault.InvalidInput, fault.NotSent, "socket path")
		})
	}
}

func TestSocketIsResolved(t *testing.T) {
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	if got := newConn(t, cli.Options{SocketPath: link + "/s"}).Socket(); got != real+"/s" {
		t.Errorf("before there is a socket: %s", got)
	}
	listener, err := net.Listen("unix", real+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if err := os.Symlink(real+"/s", real+"/other"); err != nil {
		t.Fatal(err)
	}
	if got := newConn(t, cli.Options{SocketPath: link + "/other"}).Socket(); got != real+"/s" {
		t.Errorf("a link to the socket: %s", got)
	}
}

func TestWhatIsNoSocketIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("a person's file"), 0o600); err != nil {
		t.Fatal(err)
	}
	shared := filepath.Join(dir, "tmux-"+strconv.Itoa(os.Getuid()))
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	tmux := answering(t, "tmux 3.4", "echo reached >"+filepath.Join(dir, "reached"))
	for _, c := range []struct{ name, path, named string }{
		{"a file", file, "not a socket"},
		{"a directory", dir, "not a socket"},
		{"a directory that others can write", filepath.Join(shared, "default"), "unsafe permissions"},
		{"in a directory that does not exist", filepath.Join(dir, "none", "s"), "not a directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := newConn(t, cli.Options{Tmux: tmux, SocketPath: c.path})
			_, err := conn.Run(t.Context(), tmuxserver.List{Start: true})
			wants(t, err, fault.TransportError, fault.NotSent, c.named)
			_, err = conn.Daemon(t.Context())
			wants(t, err, fault.TransportError, fault.NotSent, c.named)
		})
	}
	if _, err := os.Stat(filepath.Join(dir, "reached")); err == nil {
		t.Error("tmux was run")
	}
	if data, err := os.ReadFile(file); string(data) != "a person's file" {
		t.Errorf("the file is now %q, %v", data, err)
	}
}
