//go:build integration

package integration_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/enroll/helper"
	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// asAnother runs lines of zsh as another user, and gives what they print.
func asAnother(t *testing.T, lines string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "zsh", append([]string{"-fc", "zmodload zsh/net/socket zsh/system; " + lines, "zsh"}, args...)...)
	cmd.Dir, cmd.Env = "/", []string{"PATH=" + os.Getenv("PATH"), "HOME=/", "LC_ALL=C"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as another user: %v: %s", err, out)
	}
	return string(out)
}

// Another user is kept out by the permissions of what an enrollment has; and where somebody opens these, a socket by who connects.
func TestEnrollmentKeepsOtherUsersOut(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to become another user")
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	eachEnrolling(t, func(t *testing.T, binary string) {
		marks := t.TempDir()
		// A helper that connects only when the other user has.
		slow := fmt.Sprintf(`echo >%[1]s/asked; until [ -e %[1]s/go ]; do sleep 0.01; done; exec "$@"`, marks)
		z := inviteZsh(t, binary, "sh", "-c", slow, "sh", executable, helper.Subcommand)
		open := func(mode os.FileMode, paths ...string) {
			t.Helper()
			for _, path := range paths {
				if err := os.Chmod(path, mode); err != nil {
					t.Error(err)
				}
			}
		}
		denied := func() {
			t.Helper()
			out := asAnother(t, `for what in "cat $1/setup" "cat $1/enroll" "sysopen -r -o nonblock -u f $1/down" "sysopen -w -o nonblock -u f $1/up" "zsocket $1/invite"; do
				eval $what 2>&1 >/dev/null && print "could: $what"
			done; true`, z.dir)
			if strings.Count(strings.ToLower(out), "permission denied") != 5 || strings.Contains(out, "could") {
				t.Errorf("another user: %s", out)
			}
		}
		denied()
		open(0o755, filepath.Dir(z.dir), z.dir)
		denied() // each by its own mode
		open(0o666, z.dir+"/invite")
		accepted := make(chan ports.Shell, 1)
		go func() {
			shell, err := z.accept()
			if err != nil {
				t.Error(err)
			}
			accepted <- shell
		}()
		if got := asAnother(t, `zsocket $1/invite; print -u $REPLY hello TOKEN 5.9; read -t 10 -u $REPLY -r answer; print -r -- $answer`, z.dir); got != enroll.WrongUser.Says()+"\n" {
			t.Errorf("another user was told %q", got)
		}
		z.source()
		shell := <-accepted
		if shell == nil {
			t.Fatal("it did not enroll")
		}
		z.alive()
		order := orderFor(t, "exit 6")
		stranger := make(chan string, 1)
		go func() {
			exists(t.Context(), marks+"/asked")
			open(0o666, z.dir+"/"+order.RunID)
			stranger <- asAnother(t, `zsocket $1; sysread -t 10 -i $REPLY data; print -r -- "$? $data"`, z.dir+"/"+order.RunID)
			if err := os.WriteFile(marks+"/go", nil, 0o600); err != nil {
				t.Error(err)
			}
		}()
		prepared, err := prepareScript(t, shell, order)
		if err != nil {
			t.Fatal(err)
		}
		if got := <-stranger; got != "5 \n" { // the end of the connection
			t.Errorf("another user got %q", got)
		}
		ctx, cancel := boundedContext(t)
		defer cancel()
		if got, err := prepared.Run(ctx, enroll.Grant{Limits: order.Limits}, "exit 6"); err != nil || got.Status != 6 {
			t.Errorf("the run: %+v, %v", got, err)
		}
		if err := prepared.Close(); err != nil {
			t.Error(err)
		}
		z.nothingLeft()
	})
}
