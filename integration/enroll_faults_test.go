//go:build integration

package integration_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	adapter "github.com/libtmux-mcp/libtmux-mcp/adapters/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// An invitedZsh is a zsh with the parts of its enrollment in the test's hands.
type invitedZsh struct {
	*enrolledZsh
	invitation enroll.Invitation
	invited    ports.Invited
	dir        string // of the enrollment
}

func inviteZsh(t *testing.T, binary string) *invitedZsh {
	t.Helper()
	z := &invitedZsh{enrolledZsh: zshPane(t, binary)}
	all, err := z.app.Reader.Topology(t.Context(), tmux.DetailBrief)
	if err != nil {
		t.Fatal(err)
	}
	subject := enroll.Subject{Server: all.Server, Pane: all.Panes[0].ID, PID: all.Panes[0].PID}
	if z.invitation, err = enroll.Invite("abcdefghijklmnop", "TOKEN", subject, time.Now(), time.Minute); err != nil {
		t.Fatal(err)
	}
	if z.invited, err = enrollments(t).Invite(t.Context(), z.invitation); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := z.invited.Close(); err != nil {
			t.Error(err)
		}
	})
	z.dir = filepath.Dir(z.invited.Arguments()[1])
	return z
}

// accept waits for the shell, and closes it at the test's end.
func (z *invitedZsh) accept() (ports.Shell, error) {
	z.t.Helper()
	ctx, cancel := boundedContext(z.t)
	defer cancel()
	_, shell, err := z.invited.Accept(ctx)
	if shell != nil {
		z.t.Cleanup(func() {
			if err := shell.Close(); err != nil {
				z.t.Error(err)
			}
		})
	}
	return shell, err
}

// source has the shell enroll.
func (z *invitedZsh) source() {
	z.t.Helper()
	z.text(strings.Join(z.invited.Arguments(), " "))
	z.keys("Enter")
}

// What answers an invitation and is not the shell, each with the name of why not; the shell enrolls all the same afterwards.
func TestEnrollmentRejections(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := inviteZsh(t, binary)
		answers := make(chan string, 8)
		say := func(what string) {
			t.Helper()
			conn, err := net.Dial("unix", z.dir+"/invite")
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				defer conn.Close()
				_, _ = conn.Write([]byte(what)) // it may be turned away before
				_ = conn.SetReadDeadline(time.Now().Add(hangBound))
				answer := make([]byte, 300)
				n, _ := conn.Read(answer)
				answers <- string(answer[:n])
			}()
		}
		for _, what := range []string{
			"hello TOKEN 5.9\n", "hello WRONG 5.9\n", "hello\n", "\n", strings.Repeat("x", 100_000), "hello TOKEN 5.9 more\n", "\x00\xff\n", "",
		} {
			say(what)
		}
		z.text("zsh -f") // a shell inside
		z.keys("Enter")
		z.settle()
		z.source()
		shells := make(chan ports.Shell, 1)
		go func() {
			shell, err := z.accept()
			if err != nil {
				t.Error(err)
			}
			shells <- shell
		}()
		z.Screen(t, z.pane, "not enrolled: this shell is not the process of the invited pane")
		z.keys("C-d")
		z.settle()
		z.source()
		z.Screen(t, z.pane, "this shell is enrolled")
		if shell := <-shells; shell == nil {
			t.Fatal("it did not enroll")
		}
		want := map[string]int{
			enroll.WrongProcess.Says() + "\n": 1, enroll.WrongToken.Says() + "\n": 1, enroll.Malformed.Says() + "\n": 6,
		}
		got := map[string]int{}
		for range 8 {
			got[<-answers]++
		}
		for said, times := range want {
			if got[said] != times {
				t.Errorf("%q was said %d times, want %d; all: %v", said, got[said], times, got)
			}
		}
		z.source() // a second time
		z.settle()
		z.alive()
		if left, err := os.ReadDir(z.dir); err != nil || len(left) > 0 {
			t.Errorf("left of an invitation that was accepted: %v, %v", left, err)
		}
	})
}

// Whoever connects to a helper's socket and is no child of the shell gets nothing.
func TestEnrolledStrangersGetNoScript(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := inviteZsh(t, binary)
		z.source()
		shell, err := z.accept()
		if err != nil {
			t.Fatal(err)
		}
		z.alive()
		stop := make(chan struct{})
		got := make(chan int, 1)
		go func() {
			n := 0
			defer func() { got <- n }()
			for {
				select {
				case <-stop:
					return
				default:
				}
				sockets, _ := filepath.Glob(z.dir + "/*")
				for _, socket := range sockets {
					if conn, err := net.Dial("unix", socket); err == nil {
						data := make([]byte, 1)
						_ = conn.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
						read, _ := conn.Read(data)
						n += read
						_ = conn.Close()
					}
				}
			}
		}()
		for i := range 20 {
			completion, err := runScript(t, shell, fmt.Sprintf("exit %d", i))
			if err != nil || completion.Status != i {
				t.Errorf("run %d: %+v, %v", i, completion, err)
			}
		}
		close(stop)
		if n := <-got; n > 0 {
			t.Errorf("a stranger got %d bytes", n)
		}
	})
}

func orderFor(t *testing.T, script string) enroll.Order {
	t.Helper()
	id := strings.Map(func(r rune) rune { return 'a' + r%26 }, fmt.Sprintf("%016x", time.Now().UnixNano()))
	order, err := enroll.NewOrder(id, script, enroll.Limits{Stdout: 1000, Stderr: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return order
}

func prepareScript(t *testing.T, shell ports.Shell, order enroll.Order) (ports.Helper, error) {
	t.Helper()
	ctx, cancel := boundedContext(t)
	defer cancel()
	return shell.Prepare(ctx, order)
}

func runScript(t *testing.T, shell ports.Shell, script string) (enroll.Completion, error) {
	t.Helper()
	order := orderFor(t, script)
	helper, err := prepareScript(t, shell, order)
	if err != nil {
		return enroll.Completion{}, err
	}
	ctx, cancel := boundedContext(t)
	defer cancel()
	completion, err := helper.Run(ctx, enroll.Grant{Limits: order.Limits}, script)
	return completion, errors.Join(err, helper.Close())
}

// holdable makes a FIFO that what it is opened by, for writing, may hold.
func holdable(t *testing.T, path string) *os.File {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = held.Close() }) // only read
	return held
}

// released waits until no process holds the FIFO: every one that began to has ended.
func released(t *testing.T, held *os.File) {
	t.Helper()
	if err := held.SetReadDeadline(time.Now().Add(hangBound)); err != nil {
		t.Fatal(err)
	}
	if said, err := io.ReadAll(held); err != nil || len(said) > 0 {
		t.Errorf("processes are left: %q, %v", said, err)
	}
}

// endsOld kills the process group of a script, whose leader's number is in a file, where the product cannot.
func endsOld(t *testing.T, file string) {
	t.Helper()
	self, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(self)
	if err := unix.PidfdSendSignal(self, 0, nil, unix.PIDFD_SIGNAL_PROCESS_GROUP); !errors.Is(err, unix.EINVAL) {
		t.Errorf("the script's processes were left, though this kernel can kill them: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	leader, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Kill(-leader, syscall.SIGKILL) // gone already is fine
}

// What is killed, or goes, after which step, and how the run ends then. What was not handed over is never executed, no process of what was is left, and
// the terminal works.
func TestEnrolledFaults(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		killHelper := func(_ *invitedZsh, h ports.Helper) { _ = syscall.Kill(h.Process().PID, syscall.SIGKILL) } // it is there: it waits
		killShell := func(z *invitedZsh, _ ports.Helper) { _ = syscall.Kill(z.invitation.Subject.PID, syscall.SIGKILL) }
		respawn := func(z *invitedZsh, _ ports.Helper) {
			z.Tmux(z.t, "respawn-pane", "-k", "-t", z.pane, "env", "PS1=$ ", "zsh", "-f")
		}
		killServer := func(z *invitedZsh, _ ports.Helper) { z.Tmux(z.t, "kill-server") }
		for _, c := range []struct {
			name     string
			fault    func(z *invitedZsh, h ports.Helper)
			prepared bool // it comes when a helper is prepared; otherwise while the script runs
			survives bool // the shell does
		}{
			{"the helper is killed, prepared", killHelper, true, true},
			{"the helper is killed, at work", killHelper, false, true},
			{"the shell is killed, prepared", killShell, true, false},
			{"the shell is killed, at work", killShell, false, false},
			{"the pane is respawned, prepared", respawn, true, false},
			{"the pane is respawned, at work", respawn, false, false},
			{"tmux is killed, prepared", killServer, true, false},
			{"tmux is killed, at work", killServer, false, false},
		} {
			t.Run(c.name, func(t *testing.T) {
				z := inviteZsh(t, binary)
				z.Tmux(t, "set-option", "-g", "remain-on-exit", "on")
				z.source()
				shell, err := z.accept()
				if err != nil {
					t.Fatal(err)
				}
				z.alive()
				marks := t.TempDir()
				held := holdable(t, marks+"/held")
				script := fmt.Sprintf("exec 9>%[1]s/held; sh -c 'sleep 300; :' & echo $$ >%[1]s/begun; sleep 300; echo >%[1]s/survived", marks)
				order := orderFor(t, script)
				helper, err := prepareScript(t, shell, order)
				if err != nil {
					t.Fatal(err)
				}
				if c.prepared {
					c.fault(z, helper)
					gone(t, helper.Process().PID)
				} else {
					go func() {
						for {
							if _, err := os.Stat(marks + "/begun"); err == nil || t.Context().Err() != nil {
								break
							}
							<-time.After(time.Millisecond)
						}
						c.fault(z, helper)
					}()
				}
				ctx, cancel := context.WithTimeout(t.Context(), hangBound)
				defer cancel()
				_, err = helper.Run(ctx, enroll.Grant{Limits: order.Limits}, script)
				if kind := fault.KindOf(err); kind != fault.CommandFailed && kind != fault.NotFound {
					t.Errorf("the run: %v", err)
				}
				if strings.Contains(fmt.Sprint(err), "its processes may go on") && !c.prepared {
					endsOld(t, marks+"/begun")
				}
				if err := helper.Close(); err != nil {
					t.Error(err)
				}
				gone(t, helper.Process().PID)
				if _, err := os.Stat(marks + "/begun"); (err == nil) == c.prepared {
					t.Errorf("that the script was executed: %v", err)
				}
				released(t, held)
				if _, err := os.Stat(marks + "/survived"); err == nil {
					t.Error("the script went on to its end")
				}
				if c.survives {
					z.alive()
					if got, err := runScript(t, shell, "exit 5"); err != nil || got.Status != 5 {
						t.Errorf("afterwards: %+v, %v", got, err)
					}
					return
				}
				select {
				case <-shell.Gone():
				case <-time.After(hangBound):
					t.Error("the shell is not gone")
				}
				_, err = prepareScript(t, shell, orderFor(t, "true"))
				if !fault.Is(err, fault.NotFound) {
					t.Errorf("afterwards: %v", err)
				}
			})
		}
	})
}

// The shell becomes another program or another shell: what was enrolled is gone, and a new one can be.
func TestEnrolledShellsThatChange(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := enrolled(t, binary)
		z.enter("exec zsh -f")
		z.settle()
		eventually(t, "the enrollment is gone", func() (bool, string) {
			_, err := z.script("true")
			return fault.Is(err, fault.NotFound), fmt.Sprint(err)
		})
		z.enroll()
		z.runs("echo again", "again\n", 0)
		z.enroll() // over a live one
		z.runs("echo newer", "newer\n", 0)
		z.alive()
	})
}

// A helper that is not there is said.
func TestEnrolledWithoutAHelper(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := zshPane(t, binary)
		all, err := z.app.Reader.Topology(t.Context(), tmux.DetailBrief)
		if err != nil {
			t.Fatal(err)
		}
		dir, err := os.MkdirTemp("", "en")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		made, err := adapter.Open(adapter.Options{Dir: dir, Helper: []string{dir + "/it's absent", "x"}})
		if err != nil {
			t.Fatal(err)
		}
		subject := enroll.Subject{Server: all.Server, Pane: all.Panes[0].ID, PID: all.Panes[0].PID}
		invitation, err := enroll.Invite("abcdefghijklmnop", "TOKEN", subject, time.Now(), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		invited, err := made.Invite(t.Context(), invitation)
		if err != nil {
			t.Fatal(err)
		}
		z.text(strings.Join(invited.Arguments(), " "))
		z.keys("Enter")
		ctx, cancel := boundedContext(t)
		defer cancel()
		_, shell, err := invited.Accept(ctx)
		if err != nil {
			t.Fatal(err)
		}
		z.alive()
		_, err = prepareScript(t, shell, orderFor(t, "true"))
		if f := wantFailure(t, err, fault.CommandFailed, ""); !strings.Contains(f.Message, "127") {
			t.Errorf("%v does not say what the shell said", f)
		}
		z.alive()
		if err := errors.Join(shell.Close(), invited.Close()); err != nil {
			t.Error(err)
		}
		z.alive()
	})
}

func TestInvitationsOfOthers(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := inviteZsh(t, binary)
		info, err := os.Stat(z.dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the directory: %v, %v", info, err)
		}
		files, err := os.ReadDir(z.dir)
		if err != nil || len(files) != 5 {
			t.Fatalf("%v, %v", files, err)
		}
		for _, file := range files {
			if info, err := file.Info(); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", file.Name(), info.Mode(), err)
			}
		}
		real := startServer(t, binary, "env", "PS1=$ ", "bash", "--norc", "--noprofile")
		real.Screen(t, "%0", "$") // env has become bash
		all := topology(t, cliServer(t, real))
		_, err = enrollments(t).Invite(t.Context(), enroll.Invitation{Subject: enroll.Subject{Server: all.Server, Pane: all.Panes[0].ID, PID: all.Panes[0].PID}})
		if f := wantFailure(t, err, fault.Refused, fault.NotAShell); !strings.Contains(f.Message, "bash") {
			t.Errorf("%v does not name the shell", f)
		}
	})
}
