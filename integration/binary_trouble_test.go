//go:build integration

package integration_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is a user without rights, for when the tests run as root, whom no permission stops.
const nobody = 65534

// TestBinaryInTrouble has each way in which tmux cannot be used: the session stands, and the tools say what is wrong.
func TestBinaryInTrouble(t *testing.T) {
	eachBackend(t, func(t *testing.T, tmux, backend string) {
		type trouble struct {
			name  string
			setup func(t *testing.T) *exec.Cmd // the server's command line
			code  string
			says  string // in the error's message or recovery
		}
		tests := []trouble{
			{"socket without permission", func(t *testing.T) *exec.Cmd {
				s := startServer(t, tmux)
				if err := os.Chmod(filepath.Dir(s.Socket), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.Chmod(s.Socket, 0); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(serverBinary(t), "--backend", backend, "--tmux", tmux, "--socket", s.Socket)
				if os.Getuid() == 0 {
					cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
				}
				return cmd
			}, "transport_error", "permission"},
			{"regular file as socket", func(t *testing.T) *exec.Cmd {
				file := filepath.Join(t.TempDir(), "file")
				if err := os.WriteFile(file, []byte("not a socket"), 0o600); err != nil {
					t.Fatal(err)
				}
				return exec.Command(serverBinary(t), "--backend", backend, "--tmux", tmux, "--socket", file)
			}, "transport_error", "not a socket"},
			{"no tmux executable", func(t *testing.T) *exec.Cmd {
				return exec.Command(serverBinary(t), "--backend", backend, "--tmux", "/does/not/exist/tmux", "--socket", newServer(t, tmux).Socket)
			}, "transport_error", "/does/not/exist/tmux"},
			{"tmux executable older than 3.2a", func(t *testing.T) *exec.Cmd {
				s := startServer(t, tmux)
				return exec.Command(serverBinary(t), "--backend", backend, "--tmux", script(t, "echo tmux 3.1c"), "--socket", s.Socket)
			}, "unsupported", "3.2a"},
		}
		if backend == backendCLI { // a control client asks the server itself, which no script ages: TestConnAttachesToTmuxAlone
			tests = append(tests, trouble{"tmux server older than 3.2a", func(t *testing.T) *exec.Cmd {
				s := startServer(t, tmux)
				return exec.Command(serverBinary(t), "--backend", backend, "--tmux", agedServer(t, s, "3.1c"), "--socket", s.Socket)
			}, "unsupported", "3.2a"})
		}
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				cmd := tt.setup(t)
				cmd.Env = bareEnvironment(t)
				p := launchCommand(t, cmd)
				initialize(t, p)
				if tools, err := p.Tools(t.Context()); err != nil || len(tools) == 0 {
					t.Errorf("tools/list: %v, %v", tools, err)
				}
				failed := callError(t, p, "list_sessions", nil, tt.code)
				recovery, _ := failed["recovery"].(string)
				said := failed.text(t, "message") + " " + recovery
				if !strings.Contains(strings.ToLower(said), tt.says) {
					t.Errorf("the error says %q, want %q in it", said, tt.says)
				}
				failed.want(t, fields{"delivery": "not_sent"})
			})
		}
	})
}

// agedServer is a tmux whose server says that it is of another version.
func agedServer(t *testing.T, s *realServer, version string) string {
	t.Helper()
	actual := s.Tmux(t, "display-message", "-p", "#{version}")
	change := `s/` + strings.ReplaceAll(actual, ".", `\.`) + `/` + version + `/g`
	return script(t, `test "$1" != -V || exec "`+s.Binary+`" -V
out=$("`+s.Binary+`" "$@"; echo "status $?")
printf '%s' "${out%status *}" | sed '`+change+`'
exit "${out##*status }"`)
}
