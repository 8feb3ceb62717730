//go:build integration

package integration_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A visitor is a user of the machine with places of its own, so that whatever a server leaves behind is found. Only root can be
// another; anybody else is itself.
type visitor struct {
	uid  int
	home string // of the temporary files too
	runs string // where framed commands are
}

func newVisitor(t *testing.T) visitor {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "lt")
	if err != nil {
		t.Fatal(err)
	}
	v := visitor{uid: os.Getuid(), home: dir}
	if v.uid == 0 {
		v.uid = 1<<20 + os.Getpid() // nobody's
		v.runs = fmt.Sprintf("/tmp/libtmux-mcp-%d", v.uid)
		if err := os.Chown(dir, v.uid, v.uid); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Lstat(v.runs); err == nil {
			t.Fatalf("%s is there already", v.runs)
		}
	}
	t.Cleanup(func() {
		_ = os.RemoveAll(dir)
		if v.runs != "" {
			_ = os.RemoveAll(v.runs)
		}
	})
	return v
}

// command is a command of this visitor's.
func (v visitor) command(name string, argv ...string) *exec.Cmd {
	cmd := exec.Command(name, argv...)
	cmd.Dir = v.home
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + v.home, "TMPDIR=" + v.home}
	if v.uid != os.Getuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(v.uid), Gid: uint32(v.uid)}}
	}
	return cmd
}

// start starts a tmux server of this visitor's, with a shell in one pane.
func (v visitor) start(t *testing.T, tmux string) *realServer {
	t.Helper()
	s := &realServer{Binary: tmux, Socket: filepath.Join(v.home, "s")}
	t.Cleanup(func() { _ = exec.Command(tmux, "-S", s.Socket, "kill-server").Run() })
	cmd := v.command(tmux, "-f", "/dev/null", "-S", s.Socket, "new-session", "-d", "-s", "main", "-x", "80", "-y", "24", "--", "env", "PS1=$ ", "sh")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return s
}

// has is what stands in the visitor's places.
func (v visitor) has(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, dir := range []string{v.home, v.runs} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
	}
	return names
}

// runName is a name that begins with the id of a run.
var runName = regexp.MustCompile(`^[a-z2-7]{16}`)

// mustHave holds what came to the visitor's places to what may have come; RUN stands for the id of a run.
func (v visitor) mustHave(t *testing.T, before []string, want ...string) {
	t.Helper()
	if v.runs == "" {
		return // others of this user have their runs there
	}
	var came []string
	for _, name := range v.has(t) {
		if !slices.Contains(before, name) {
			came = append(came, runName.ReplaceAllString(name, "RUN"))
		}
	}
	if diff := cmp.Diff(want, came); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// streams are the pipes that a process has as standard streams, as /proc names them.
func streams(t *testing.T, pid int) []string {
	t.Helper()
	var names []string
	for fd := range 3 {
		name, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, fd))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "pipe:") {
			names = append(names, name)
		}
	}
	if len(names) < 2 {
		t.Fatalf("the server's streams are no pipes: %q", names)
	}
	return names
}

// remains are the processes other than this one, and than the tmux server itself, that hold one of the pipes, or name
// the socket in their arguments.
func remains(t *testing.T, s *realServer, pipes []string, daemon string) []string {
	t.Helper()
	var found []string
	all, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range all {
		pid := filepath.Base(dir)
		line, _ := os.ReadFile(dir + "/cmdline") // it may have ended meanwhile
		if pid != daemon && strings.Contains(string(line), s.Socket) {
			found = append(found, fmt.Sprintf("%s: %q", pid, line))
		}
		descriptors, _ := filepath.Glob(dir + "/fd/*")
		for _, fd := range descriptors {
			if name, _ := os.Readlink(fd); slices.Contains(pipes, name) && pid != fmt.Sprint(os.Getpid()) {
				found = append(found, fmt.Sprintf("%s of %q is %s", fd, line, name))
			}
		}
	}
	return found
}

func TestNothingIsLeftOfASession(t *testing.T) {
	t.Parallel() // most of it is waiting
	eachTmux(t, func(t *testing.T, tmux string) {
		for _, end := range []struct {
			name string
			does func(w *wire) error
		}{
			{"EOF", func(w *wire) error { return w.in.Close() }},
			{"SIGTERM", func(w *wire) error { return w.cmd.Process.Signal(syscall.SIGTERM) }},
		} {
			for _, work := range []struct {
				name      string
				tool      string
				arguments args
				begun     string   // on the screen once it is at work
				leaves    []string // in the places of this user
			}{
				{"a wait", "wait_for_text", waiting(60), "", []string{".tidy"}},
				{"a run", "run_shell_command", args{"pane_id": "%0", "command": "echo be''gun; sleep 600", "timeout": 60}, "begun", []string{".tidy", "RUN"}},
			} {
				t.Run(end.name+" during "+work.name, func(t *testing.T) {
					v := newVisitor(t)
					s := v.start(t, tmux)
					daemon := s.Tmux(t, "display-message", "-p", "#{pid}")
					binary := serverBinary(t)
					before := v.has(t)
					w := open(t, v.command(binary, "--tmux", tmux, "--socket", s.Socket))
					w.listen()
					w.greet()
					pipes := streams(t, w.cmd.Process.Pid)
					w.callTool("1", "list_panes", nil)
					w.reply()
					s.Screen(t, "%0", "$")
					w.callTool("2", work.tool, work.arguments)
					s.Screen(t, "%0", work.begun)
					eventually(t, "the call is at work", func() (bool, string) {
						all := children(t, w.cmd.Process.Pid) // a tmux that looks
						return all != "" || work.begun != "", all
					})

					if err := end.does(w); err != nil {
						t.Fatal(err)
					}
					answers := w.rest()
					if got, ok := answers["2"]; !ok || got.outcome() != "cancelled" {
						t.Errorf("the call in flight is answered by %v, %v; want cancelled", ok, got)
					}
					status, _ := w.exit()
					if status != 0 {
						t.Errorf("exit status %d, want 0; stderr: %s", status, w.stderr.String())
					}
					if found := remains(t, s, pipes, daemon); len(found) > 0 {
						t.Errorf("left behind: %q", found)
					}
					if clients := s.Tmux(t, "list-clients"); clients != "" {
						t.Errorf("tmux has clients: %s", clients)
					}
					v.mustHave(t, before, work.leaves...)
					if work.leaves[0] == ".tidy" {
						return
					}
					s.Tmux(t, "send-keys", "-t", "%0", "C-c")
					s.mustBeUsable(t, "%0")
					again := open(t, v.command(binary, "--tmux", tmux, "--socket", s.Socket))
					again.listen()
					again.greet()
					again.ping()
					v.mustHave(t, before, ".tidy", "RUN.json")
				})
			}
		}
	})
}
