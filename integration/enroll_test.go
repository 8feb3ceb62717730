//go:build integration

package integration_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// eachEnrolling runs a test against every tmux under test with which shells can be enrolled, and sees that others refuse.
func eachEnrolling(t *testing.T, test func(t *testing.T, binary string)) {
	t.Helper()
	eachTmux(t, func(t *testing.T, binary string) {
		version, err := exec.Command(binary, "-V").Output()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(version), " 3.2") {
			z := zshPane(t, binary)
			_, err := z.app.InviteShell(t.Context(), z.ref, app.InviteOptions{})
			_ = wantFailure(t, err, fault.Unsupported, "")
			file := filepath.Join(t.TempDir(), "setup")
			refusesLaunch(t, 1, "3.3 or newer", []string{
				"--tmux", binary, "--socket", z.Socket, "--enable-tool", "tmux_run", "--enroll-pane", z.pane + "=" + file,
			})
			if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("a setup was made: %v", err)
			}
			return
		}
		test(t, binary)
	})
}

// An enrolledZsh is a pane whose zsh may be enrolled with an application. This test binary is the helper.
type enrolledZsh struct {
	*realServer
	t    *testing.T
	app  *app.App
	pane string
	ref  app.Reference
}

// zshPane is a server with a zsh in its one pane, which has read the lines.
func zshPane(t *testing.T, binary string, lines ...string) *enrolledZsh {
	t.Helper()
	real := startServer(t, binary, "env", "PS1=$ ", "KEYTIMEOUT=1", "zsh", "-f")
	typed := cliServer(t, real)
	frames, err := shell.Open(shell.Options{Dir: filepath.Join(t.TempDir(), "frames")})
	if err != nil {
		t.Fatal(err)
	}
	application := app.New(app.Ports{
		Reader: typed, Events: typed, Input: typed, Creator: typed, Inspector: typed, Manager: typed, Terminator: typed,
		Processes: process.New(process.Options{}), Frames: frames, Enrollments: enrollments(t), Authorizer: typed,
	}, app.Options{SocketPath: real.Socket, Backend: "cli"})
	t.Cleanup(application.Close)
	z := &enrolledZsh{realServer: real, t: t, app: application}
	z.find()
	z.Screen(t, z.pane, "$")
	for _, line := range lines {
		z.enter(line)
	}
	return z
}

// find learns what is there now.
func (z *enrolledZsh) find() {
	z.t.Helper()
	all, err := z.app.Reader.Topology(z.t.Context(), tmux.DetailBrief)
	if err != nil {
		z.t.Fatal(err)
	}
	z.pane = string(all.Panes[0].ID)
	z.ref = app.Reference{Generation: string(all.Server.Generation), TargetID: z.pane}
}

// keys presses keys by tmux's names.
func (z *enrolledZsh) keys(keys ...string) {
	z.t.Helper()
	z.Tmux(z.t, append([]string{"send-keys", "-t", z.pane}, keys...)...)
}

// text types a text, without Enter.
func (z *enrolledZsh) text(text string) {
	z.t.Helper()
	z.Tmux(z.t, "send-keys", "-t", z.pane, "-l", "--", text)
}

// enter has the shell run a line, and waits until it has.
func (z *enrolledZsh) enter(line string) {
	z.t.Helper()
	z.text(line)
	z.keys("Enter")
	z.alive()
}

// alive has the shell show something new: it reads, and its terminal is as it should be.
func (z *enrolledZsh) alive() {
	z.t.Helper()
	z.text(" \\print -r -- ali''ve")
	z.keys("Enter")
	z.Screen(z.t, z.pane, "\nalive\n")
	z.keys("C-l")
	eventually(z.t, "the screen is cleared", func() (bool, string) {
		screen, _ := z.Try("capture-pane", "-p", "-t", z.pane)
		return !strings.Contains(screen, "alive") && strings.HasPrefix(screen, "$"), screen
	})
}

// enroll enrolls the shell.
func (z *enrolledZsh) enroll() {
	z.t.Helper()
	invitation, err := z.app.InviteShell(z.t.Context(), z.ref, app.InviteOptions{})
	if err != nil {
		z.t.Fatal(err)
	}
	z.text(strings.Join(invitation.ShellArguments(), " "))
	z.keys("Enter")
	ctx, cancel := boundedContext(z.t)
	defer cancel()
	if err := z.app.AcceptShell(ctx, invitation); err != nil {
		screen, _ := z.Try("capture-pane", "-p", "-t", z.pane)
		z.t.Fatalf("%v\n%s", err, screen)
	}
	z.Screen(z.t, z.pane, "is enrolled")
	z.alive()
}

// enrolled is a pane whose zsh has read the lines and is enrolled.
func enrolled(t *testing.T, binary string, lines ...string) *enrolledZsh {
	t.Helper()
	z := zshPane(t, binary, lines...)
	z.enroll()
	return z
}

// script executes a script.
func (z *enrolledZsh) script(script string) (app.TmuxRunOut, error) {
	return z.app.TmuxRun(z.t.Context(), app.TmuxRunIn{Reference: z.ref, Script: script, Timeout: new(hangBound.Seconds())})
}

// runs executes a script that has to write a text and to exit with a status.
func (z *enrolledZsh) runs(script, stdout string, status int) app.TmuxRunOut {
	z.t.Helper()
	out, err := z.script(script)
	if err != nil {
		screen, _ := z.Try("capture-pane", "-p", "-t", z.pane)
		z.t.Fatalf("%.200q: %v\n%s", script, err, screen)
	}
	if out.ExitStatus == nil || *out.ExitStatus != status || out.Stdout.Data != stdout {
		z.t.Errorf("%.200q: %s, want %q and status %d", script, describe(out), stdout, status)
	}
	return out
}

func describe(out app.TmuxRunOut) string {
	status := "no status"
	if out.ExitStatus != nil {
		status = fmt.Sprintf("status %d", *out.ExitStatus)
	}
	return fmt.Sprintf("%s, signal %q, stdout %.200q, stderr %.200q, open %t", status, out.Signal, out.Stdout.Data, out.Stderr.Data, out.OutputsOpen)
}

// wantFailure fails unless an error is a fault of a kind.
func wantFailure(t *testing.T, err error, kind fault.Kind, reason fault.Reason) *fault.Error {
	t.Helper()
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != kind || f.Reason != reason {
		t.Fatalf("got %v, want %s %s", err, kind, reason)
	}
	return f
}
