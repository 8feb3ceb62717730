package porttest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Enrollments runs the contract of ports.Enrollments, of what it leads to, and of ports.Authorizer.
func Enrollments(t *testing.T, newWorld func(t *testing.T) World) {
	runCases(t, newWorld, []testCase{
		{"a shell enrolls, once", enrolls},
		{"a process that is no zsh is not invited", invitesNoOther},
		{"a shell of another pane is rejected and told why, and makes no difference", rejectsOthers},
		{"an invitation that expires is Deadline, and says who was rejected", expires},
		{"an invitation that was waited for in vain still holds", waitedForAgain},
		{"an invitation that is closed is taken back", takenBack},
		{"a script is executed with its status and both outputs", executes},
		{"a script has the directory and the exported environment of the shell, and no input", inherits},
		{"nothing that is shown changes", showsNothing},
		{"a shell with text at its prompt is Refused: draft", refusesDrafts},
		{"a shell at work is Refused: busy", refusesWork},
		{"another script than the ordered one is not executed", otherScript},
		{"an output at its limit is whole, and one byte more is Capacity", overflows},
		{"when the context ends the script does", scriptEndsWithContext},
		{"a helper that is closed executes nothing", closedHelper},
		{"a shell that ends is gone", goes},
		{"a shell that is closed goes on, and is gone for its enrollment", closedShell},
		{"a shell that exits is gone, and tmux confirms its pane no more", shellExits},
		{"the shell of a pane that is respawned is gone, and tmux confirms no other", respawned},
		{"tmux confirms what is so, and nothing else", authorizes},
		{"a call ends with its context", func(t *testing.T, w World) {
			id := enrollable(t, w)
			invitation := invitationOf(t, w, id, time.Minute)
			endsWithContext(t, w, func(ctx context.Context) error { _, err := w.Ports().Invite(ctx, invitation); return err })
			invited, shell := enrolledIn(t, w, id)
			_ = invited
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := shell.Prepare(ctx, orderOf(t, "true", enroll.Limits{}))
				return err
			})
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().Authorize(ctx, invitation.Subject, orderOf(t, "true", enroll.Limits{}))
				return err
			})
		}},
	})
}

// enrollable is a pane whose shell can be enrolled and is at its prompt.
func enrollable(t *testing.T, w World) tmux.PaneID {
	t.Helper()
	id := w.Session("main", Enrollable)
	prompts(t, w, id)
	return id
}

// freshID is an id that no other has.
func freshID() string {
	var random [10]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand
	return frame.NewRunID(random)
}

func invitationOf(t *testing.T, w World, id tmux.PaneID, life time.Duration) enroll.Invitation {
	t.Helper()
	subject := enroll.Subject{Server: topology(t, w).Server, Pane: id, PID: pane(t, w, id).PID}
	invitation, err := enroll.Invite(freshID(), "TOKEN"+strings.ToUpper(freshID()), subject, time.Now(), life)
	succeeds(t, w, err)
	return invitation
}

// invited invites the shell of a pane; what is not closed by the case is closed at its end.
func invited(t *testing.T, w World, id tmux.PaneID, life time.Duration) ports.Invited {
	t.Helper()
	made, err := w.Ports().Invite(bounded(t), invitationOf(t, w, id, life))
	succeeds(t, w, err)
	t.Cleanup(func() {
		if err := made.Close(); err != nil {
			t.Errorf("close the invitation: %v", err)
		}
	})
	return made
}

// enters types a line into a shell that is at its prompt.
func enters(t *testing.T, w World, id tmux.PaneID, line string) {
	t.Helper()
	succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), line, true))
}

// enrolledIn enrolls the shell of a pane, which is at its prompt then.
func enrolledIn(t *testing.T, w World, id tmux.PaneID) (ports.Invited, ports.Shell) {
	t.Helper()
	i := invited(t, w, id, time.Minute)
	enters(t, w, id, strings.Join(i.Arguments(), " "))
	hello, shell, err := i.Accept(bounded(t))
	succeeds(t, w, err)
	t.Cleanup(func() {
		if err := shell.Close(); err != nil {
			t.Errorf("close the enrollment: %v", err)
		}
	})
	if at := pane(t, w, id); hello.PID != at.PID || !hello.Own || hello.Process == "" || hello.Version == "" {
		t.Errorf("%+v answered for %+v", hello, at)
	}
	held, err := w.Ports().Hold(bounded(t), topology(t, w).Server, id)
	succeeds(t, w, err)
	defer held.Close()
	if held.Generation() != hello.Process {
		t.Errorf("process %s answered, and the pane has %s", hello.Process, held.Generation())
	}
	shows(t, w, id, "is enrolled")
	prompts(t, w, id)
	return i, shell
}

func orderOf(t *testing.T, script string, limits enroll.Limits) enroll.Order {
	t.Helper()
	order, err := enroll.NewOrder(freshID(), script, limits)
	if err != nil {
		t.Fatal(err)
	}
	return order
}

// prepared prepares a script; its helper is closed at the case's end.
func prepared(t *testing.T, w World, shell ports.Shell, script string, limits enroll.Limits) (ports.Helper, enroll.Grant) {
	t.Helper()
	order := orderOf(t, script, limits)
	var helper ports.Helper
	eventually(t, w, "the shell prepares", func() (bool, any) { // it may still be at what came before
		var err error
		helper, err = shell.Prepare(bounded(t), order)
		return err == nil, err
	})
	t.Cleanup(func() {
		if err := helper.Close(); err != nil {
			t.Errorf("close the helper: %v", err)
		}
	})
	return helper, enroll.Grant{RunID: order.RunID, Digest: order.Digest, Limits: limits}
}

var roomy = enroll.Limits{Stdout: 1000, Stderr: 1000}

// run executes a script.
func run(t *testing.T, w World, shell ports.Shell, script string, limits enroll.Limits) (enroll.Completion, error) {
	t.Helper()
	helper, grant := prepared(t, w, shell, script, limits)
	completion, err := helper.Run(bounded(t), grant, script)
	if closed := helper.Close(); closed != nil {
		t.Errorf("close the helper: %v", closed)
	}
	return completion, err
}

func completes(t *testing.T, w World, shell ports.Shell, script string, want enroll.Completion) {
	t.Helper()
	got, err := run(t, w, shell, script, roomy)
	succeeds(t, w, err)
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b []byte) bool { return string(a) == string(b) })); diff != "" {
		t.Errorf("%s (-want +got):\n%s\n%v", script, diff, w)
	}
}

func enrolls(t *testing.T, w World) {
	id := enrollable(t, w)
	i, shell := enrolledIn(t, w, id)
	if words := i.Arguments(); len(words) != 2 || words[0] != "source" {
		t.Errorf("it is enrolled by %q", words)
	}
	select {
	case <-shell.Gone():
		t.Error("the shell is gone")
	default:
	}
	enters(t, w, id, strings.Join(i.Arguments(), " "))
	prompts(t, w, id)
	if got := strings.Count(screenText(t, w, id), "is enrolled"); got != 1 {
		t.Errorf("it was enrolled %d times\n%v", got, w)
	}
	completes(t, w, shell, "exit 1", enroll.Completion{Status: 1})
}

// screenText is what a pane shows.
func screenText(t *testing.T, w World, id tmux.PaneID) string {
	t.Helper()
	return strings.Join(capture(t, w, ports.CaptureRequest{Pane: id, Join: true}).Rows, "\n")
}

func invitesNoOther(t *testing.T, w World) {
	id := w.Session("main", Recorder)
	_, err := w.Ports().Invite(bounded(t), invitationOf(t, w, id, time.Minute))
	refuses(t, w, fault.NotAShell, err)
}

func rejectsOthers(t *testing.T, w World) {
	id := enrollable(t, w)
	other := w.Split(id, Enrollable)
	prompts(t, w, other)
	i := invited(t, w, id, time.Minute)
	type answer struct {
		hello enroll.Hello
		shell ports.Shell
		err   error
	}
	answers := make(chan answer, 1)
	ctx := bounded(t)
	go func() {
		hello, shell, err := i.Accept(ctx)
		answers <- answer{hello, shell, err}
	}()
	enters(t, w, other, strings.Join(i.Arguments(), " "))
	shows(t, w, other, "not enrolled")
	enters(t, w, id, strings.Join(i.Arguments(), " "))
	a := <-answers
	succeeds(t, w, a.err)
	if want := pane(t, w, id).PID; a.hello.PID != want {
		t.Errorf("process %d was accepted, not %d", a.hello.PID, want)
	}
	succeeds(t, w, a.shell.Close())
}

func expires(t *testing.T, w World) {
	id := enrollable(t, w)
	other := w.Split(id, Enrollable)
	prompts(t, w, other)
	i := invited(t, w, id, 700*time.Millisecond)
	enters(t, w, other, strings.Join(i.Arguments(), " "))
	_, _, err := i.Accept(bounded(t))
	if f := wants(t, w, fault.Deadline, err); !strings.Contains(f.Message, "rejected") {
		t.Errorf("%v does not say who was rejected", f)
	}
	shows(t, w, other, "not enrolled")
}

func waitedForAgain(t *testing.T, w World) {
	id := enrollable(t, w)
	i := invited(t, w, id, time.Minute)
	for range 3 {
		ctx, cancel := context.WithCancel(bounded(t))
		cancel()
		_, _, err := i.Accept(ctx)
		wants(t, w, fault.Cancelled, err)
	}
	enters(t, w, id, strings.Join(i.Arguments(), " "))
	_, shell, err := i.Accept(bounded(t))
	succeeds(t, w, err)
	succeeds(t, w, shell.Close())
}

func takenBack(t *testing.T, w World) {
	id := enrollable(t, w)
	i := invited(t, w, id, time.Minute)
	errs := make(chan error, 1)
	ctx := bounded(t)
	go func() {
		_, _, err := i.Accept(ctx)
		errs <- err
	}()
	succeeds(t, w, i.Close())
	wants(t, w, fault.Cancelled, <-errs)
	enters(t, w, id, strings.Join(i.Arguments(), " "))
	prompts(t, w, id)
	if strings.Contains(screenText(t, w, id), "is enrolled") {
		t.Errorf("it enrolled all the same\n%v", w)
	}
}

func executes(t *testing.T, w World) {
	_, shell := enrolledIn(t, w, enrollable(t, w))
	completes(t, w, shell, "printf 'out\\n\\377'; echo err >&2; exit 3", enroll.Completion{
		Status: 3, Stdout: []byte("out\n\xff"), Stderr: []byte("err\n"),
	})
	completes(t, w, shell, "true", enroll.Completion{})
}

func inherits(t *testing.T, w World) {
	id := enrollable(t, w)
	_, shell := enrolledIn(t, w, id)
	enters(t, w, id, "export SHOWN=a; HIDDEN=b; cd /tmp")
	prompts(t, w, id)
	completes(t, w, shell, `echo "$SHOWN$HIDDEN"; pwd; export SHOWN=c; cd /`, enroll.Completion{Stdout: []byte("a\n/tmp\n")})
	completes(t, w, shell, `echo "$SHOWN"; pwd`, enroll.Completion{Stdout: []byte("a\n/tmp\n")})
	if got, err := run(t, w, shell, "cat", roomy); err != nil || len(got.Stdout) > 0 {
		t.Errorf("it read something: %+v, %v", got, err)
	}
}

func showsNothing(t *testing.T, w World) {
	id := enrollable(t, w)
	_, shell := enrolledIn(t, w, id)
	before := capture(t, w, ports.CaptureRequest{Pane: id, History: ports.AllHistory})
	completes(t, w, shell, "echo a; exit 2", enroll.Completion{Status: 2, Stdout: []byte("a\n")})
	after := capture(t, w, ports.CaptureRequest{Pane: id, History: ports.AllHistory})
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	enters(t, w, id, "echo st$?")
	shows(t, w, id, "st0")
}

func refusesDrafts(t *testing.T, w World) {
	id := enrollable(t, w)
	_, shell := enrolledIn(t, w, id)
	succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), "draft", false))
	shows(t, w, id, "$ draft")
	_, err := shell.Prepare(bounded(t), orderOf(t, "true", roomy))
	refuses(t, w, fault.Draft, err)
	succeeds(t, w, w.Ports().SendKeys(bounded(t), precondition(t, w, true, id), []string{"C-u"}))
	completes(t, w, shell, "exit 4", enroll.Completion{Status: 4})
}

func refusesWork(t *testing.T, w World) {
	id := enrollable(t, w)
	_, shell := enrolledIn(t, w, id)
	enters(t, w, id, "sleep 99")
	eventually(t, w, "sleep runs", func() (bool, any) {
		process := guard.Classify(w.Ports().Sample(bounded(t), pane(t, w, id)))
		return process.Name == "sleep", process
	})
	_, err := shell.Prepare(bounded(t), orderOf(t, "true", roomy))
	refuses(t, w, fault.Busy, err)
	succeeds(t, w, w.Ports().SendKeys(bounded(t), precondition(t, w, true, id), []string{"C-c"}))
	prompts(t, w, id)
	completes(t, w, shell, "exit 5", enroll.Completion{Status: 5})
}

func otherScript(t *testing.T, w World) {
	_, shell := enrolledIn(t, w, enrollable(t, w))
	helper, grant := prepared(t, w, shell, "echo a", roomy)
	got, err := helper.Run(bounded(t), grant, "echo b")
	if f := wants(t, w, fault.CommandFailed, err); f.Delivery != "" && f.Delivery != fault.NotSent {
		t.Errorf("%v: %s, %+v", f, f.Delivery, got)
	}
}

func overflows(t *testing.T, w World) {
	_, shell := enrolledIn(t, w, enrollable(t, w))
	const script = "printf 12345; printf abc >&2"
	got, err := run(t, w, shell, script, enroll.Limits{Stdout: 5, Stderr: 3})
	if err != nil || string(got.Stdout) != "12345" || string(got.Stderr) != "abc" {
		t.Errorf("at the limits: %+v, %v", got, err)
	}
	for _, limits := range []enroll.Limits{{Stdout: 4, Stderr: 3}, {Stdout: 5, Stderr: 2}, {Stdout: 5}} {
		_, err := run(t, w, shell, script, limits)
		if f := wants(t, w, fault.Capacity, err); f.Delivery != fault.Observed {
			t.Errorf("%+v: %v is %s", limits, f, f.Delivery)
		}
	}
}

func scriptEndsWithContext(t *testing.T, w World) {
	_, shell := enrolledIn(t, w, enrollable(t, w))
	helper, grant := prepared(t, w, shell, "sleep 99", roomy)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := helper.Run(ctx, grant, "sleep 99")
	if f := wants(t, w, fault.Deadline, err); f.Delivery != fault.PossiblySent {
		t.Errorf("%v is %s", f, f.Delivery)
	}
	succeeds(t, w, helper.Close())
	processGone(t, w, helper.Process().PID)
	completes(t, w, shell, "exit 6", enroll.Completion{Status: 6})
}

// processGone waits until a process has ended.
func processGone(t *testing.T, w World, pid int) {
	t.Helper()
	eventually(t, w, "the helper has ended", func() (bool, any) {
		_, exists := w.Ports().Stopped(bounded(t), pid)
		return !exists, pid
	})
}

func closedHelper(t *testing.T, w World) {
	id := enrollable(t, w)
	_, shell := enrolledIn(t, w, id)
	helper, _ := prepared(t, w, shell, "exit 7", roomy)
	if got, want := helper.Process(), pane(t, w, id).PID; got.Parent != want || !got.Own || got.PID == want {
		t.Errorf("%+v is no child of %d", got, want)
	}
	succeeds(t, w, helper.Close())
	succeeds(t, w, helper.Close())
	processGone(t, w, helper.Process().PID)
	completes(t, w, shell, "exit 7", enroll.Completion{Status: 7})
}

func goes(t *testing.T, w World) {
	id := enrollable(t, w)
	w.Split(id, Recorder) // the server stays
	_, shell := enrolledIn(t, w, id)
	w.Kill(string(id))
	awaitGone(t, w, shell)
	_, err := shell.Prepare(bounded(t), orderOf(t, "true", roomy))
	wants(t, w, fault.NotFound, err)
}

func awaitGone(t *testing.T, w World, shell ports.Shell) {
	t.Helper()
	select {
	case <-shell.Gone():
	case <-bounded(t).Done():
		t.Fatalf("the shell is not gone\n%v", w)
	}
}

func closedShell(t *testing.T, w World) {
	id := enrollable(t, w)
	_, shell := enrolledIn(t, w, id)
	succeeds(t, w, shell.Close())
	awaitGone(t, w, shell)
	_, err := shell.Prepare(bounded(t), orderOf(t, "true", roomy))
	wants(t, w, fault.NotFound, err)
	enters(t, w, id, "echo go''es on")
	shows(t, w, id, "goes on")
	_, again := enrolledIn(t, w, id)
	completes(t, w, again, "exit 8", enroll.Completion{Status: 8})
}

func shellExits(t *testing.T, w World) {
	id := enrollable(t, w)
	_, shell := enrolledIn(t, w, id)
	subject := enroll.Subject{Server: topology(t, w).Server, Pane: id, PID: pane(t, w, id).PID}
	order := orderOf(t, "true", roomy)
	w.SetOption(string(id), "remain-on-exit", "on")
	enters(t, w, id, "exit 3")
	awaitGone(t, w, shell)
	eventually(t, w, "the pane is dead", func() (bool, any) { at := pane(t, w, id); return at.Dead, at })
	_, err := w.Ports().Authorize(bounded(t), subject, order)
	wants(t, w, fault.PreconditionFailed, err)
}

func respawned(t *testing.T, w World) {
	id := enrollable(t, w)
	_, shell := enrolledIn(t, w, id)
	subject := enroll.Subject{Server: topology(t, w).Server, Pane: id, PID: pane(t, w, id).PID}
	w.Respawn(id, Enrollable)
	awaitGone(t, w, shell)
	_, err := w.Ports().Authorize(bounded(t), subject, orderOf(t, "true", roomy))
	wants(t, w, fault.PreconditionFailed, err)
}

func authorizes(t *testing.T, w World) {
	id := w.Session("main", Shell)
	subject := enroll.Subject{Server: topology(t, w).Server, Pane: id, PID: pane(t, w, id).PID}
	order := orderOf(t, "echo a", roomy)
	got, err := w.Ports().Authorize(bounded(t), subject, order)
	succeeds(t, w, err)
	want := enroll.Evidence{Server: subject.Server.Generation, Pane: id, PID: subject.PID, RunID: order.RunID, Digest: order.Digest}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for name, change := range map[string]func(*enroll.Subject){
		"another process":            func(s *enroll.Subject) { s.PID++ },
		"a pane that does not exist": func(s *enroll.Subject) { s.Pane = "%99" },
	} {
		of := subject
		change(&of)
		if _, err := w.Ports().Authorize(bounded(t), of, order); !fault.Is(err, fault.PreconditionFailed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	newLife(t, w, Shell)
	_, err = w.Ports().Authorize(bounded(t), subject, order)
	wants(t, w, fault.StaleTarget, err)
	w.Kill("")
	_, err = w.Ports().Authorize(bounded(t), subject, order)
	wants(t, w, fault.ServerGone, err)
}
