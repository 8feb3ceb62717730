//go:build integration

package integration_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

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
	open       int    // descriptors of the shell before
}

func inviteZsh(t *testing.T, binary string, helper ...string) *invitedZsh {
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
	if z.invited, err = enrollments(t, helper...).Invite(t.Context(), z.invitation); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := z.invited.Close(); err != nil {
			t.Error(err)
		}
	})
	z.dir, z.open = filepath.Dir(z.invited.Arguments()[1]), descriptorsOf(t, subject.PID)
	return z
}

// enrolls has the shell enroll, which then is at its prompt.
func (z *invitedZsh) enrolls() ports.Shell {
	z.t.Helper()
	z.source()
	shell, err := z.accept()
	if err != nil {
		z.t.Fatal(err)
	}
	z.alive()
	return shell
}

// nothingLeft sees that the shell, which is at its prompt and enrolled, has two descriptors for that and nothing else of what came, and that no file is left.
func (z *invitedZsh) nothingLeft() {
	z.t.Helper()
	z.alive()
	shell := z.invitation.Subject.PID
	eventually(z.t, "the shell has nothing more", func() (bool, string) {
		children, _ := exec.Command("ps", "--no-headers", "-o", "pid,stat,args", "--ppid", strconv.Itoa(shell)).Output() // fails if there are none
		open := descriptorsOf(z.t, shell)
		return len(children) == 0 && open == z.open+2, fmt.Sprintf("%d descriptors, and had %d; children: %s", open, z.open, children)
	})
	if files, err := os.ReadDir(z.dir); err != nil || len(files) > 0 {
		z.t.Errorf("files are left: %v, %v", files, err)
	}
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

// A step is how far an enrollment and a run have come when something is killed.
type step int

const (
	invited step = iota
	enlisted
	prepared
	atWork
	toldToEnd // by the end of the call, which the script does not obey
)

func (s step) String() string {
	return [...]string{"invited", "enrolled", "prepared", "at work", "told to end"}[s]
}

// What is killed, or goes, after which step, and how the run ends then. What was not handed over is never executed, no process of what was is left, and
// the terminal works.
func TestEnrolledFaults(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		for _, c := range []struct {
			name     string
			from     step
			survives bool // the shell does
			fault    func(z *invitedZsh, helper int)
		}{
			{"the helper is killed", prepared, true, func(z *invitedZsh, helper int) {
				if err := syscall.Kill(helper, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) { // on a busy machine it may have ended its script
					z.t.Error(err)
				}
			}},
			{"the shell is killed", invited, false, func(z *invitedZsh, _ int) {
				if err := syscall.Kill(z.invitation.Subject.PID, syscall.SIGKILL); err != nil {
					z.t.Error(err)
				}
			}},
			{"the pane is respawned", invited, false, func(z *invitedZsh, _ int) {
				z.Tmux(z.t, "respawn-pane", "-k", "-t", z.pane, "env", "PS1=$ ", "zsh", "-f")
			}},
			{"tmux is killed", invited, false, func(z *invitedZsh, _ int) { z.Tmux(z.t, "kill-server") }},
		} {
			for at := c.from; at <= toldToEnd; at++ {
				t.Run(fmt.Sprintf("%s, %v", c.name, at), func(t *testing.T) {
					z := inviteZsh(t, binary)
					z.Tmux(t, "set-option", "-g", "remain-on-exit", "on")
					if at == invited {
						c.fault(z, 0)
						gone(t, z.invitation.Subject.PID)
						ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
						defer cancel()
						if _, _, err := z.invited.Accept(ctx); !fault.Is(err, fault.Deadline) {
							t.Errorf("the invitation: %v", err)
						}
						return // enrollments sees that nothing is left
					}
					shell := z.enrolls()
					if at == enlisted {
						c.fault(z, 0)
					} else {
						faultyRun(t, z, shell, at, c.fault)
					}
					if c.survives {
						z.nothingLeft()
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
					if _, err := prepareScript(t, shell, orderFor(t, "true")); !fault.Is(err, fault.NotFound) {
						t.Errorf("afterwards: %v", err)
					}
				})
			}
		}
	})
}

// faultyRun executes a script that does not end by itself, with the fault after a step of it.
func faultyRun(t *testing.T, z *invitedZsh, shell ports.Shell, at step, happens func(*invitedZsh, int)) {
	t.Helper()
	marks := t.TempDir()
	held := holdable(t, marks+"/held")
	script := fmt.Sprintf("exec 9>%[1]s/held; trap 'echo >%[1]s/told' TERM; (trap '' TERM; sleep 300; :) & echo $$ >%[1]s/begun; while :; do wait; done", marks)
	order := orderFor(t, script)
	helper, err := prepareScript(t, shell, order)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := boundedContext(t)
	defer cancel()
	running, ended := context.WithCancel(t.Context())
	defer ended()
	var work sync.WaitGroup
	want := fault.CommandFailed
	switch at {
	case prepared:
		happens(z, helper.Process().PID)
		gone(t, helper.Process().PID)
	case toldToEnd:
		want = fault.Cancelled
		fallthrough
	default:
		work.Go(func() {
			exists(running, marks+"/begun")
			if at == toldToEnd {
				cancel()
				exists(running, marks+"/told")
			}
			happens(z, helper.Process().PID)
		})
	}
	_, err = helper.Run(ctx, enroll.Grant{Limits: order.Limits}, script)
	ended()
	work.Wait()
	if kind := fault.KindOf(err); kind != want && (kind != fault.NotFound || at != prepared) {
		t.Errorf("the run: %v, want %s", err, want)
	}
	if err := helper.Close(); err != nil {
		t.Error(err)
	}
	gone(t, helper.Process().PID)
	if _, err := os.Stat(marks + "/begun"); (err == nil) != (at > prepared) {
		t.Errorf("that the script was executed: %v", err)
	}
	if at > prepared && strings.Contains(fmt.Sprint(err), "its processes may go on") {
		endsOld(t, marks+"/begun")
	}
	released(t, held)
}

// exists waits until a file is there, while what may make it goes on.
func exists(ctx context.Context, path string) {
	for ctx.Err() == nil {
		if _, err := os.Stat(path); err == nil {
			return
		}
		<-time.After(time.Millisecond)
	}
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
