package enroll_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A machine drives one enrollment by any events in any order, right ones and wrong ones, and keeps account of what they should
// have come to, from the events alone.
type machine struct {
	enrollment *enroll.Enrollment
	now        time.Time

	enrolled bool // a right hello came in time, and no end since
	retired  bool
	current  string // run that is prepared; empty: none
	scripts  map[string]string
	passed   map[string]bool // runs for which tmux confirmed all of it while they were prepared
	executed []string        // runs
	grants   []enroll.Grant  // all that were ever given
}

// mostly draws the right value, or one in a while a wrong one.
func mostly[T any](right T, wrong ...T) *rapid.Generator[T] {
	return rapid.SampledFrom(append(slices.Repeat([]T{right}, 9*len(wrong)), wrong...))
}

var (
	pids    = mostly(7, 8, 0)
	own     = mostly(true, false)
	script  = mostly("echo a", "echo b")
	runs    = rapid.SampledFrom([]string{"r1", "r2", "r3"})
	servers = mostly[tmux.Generation]("g1", "g2")
	panes   = mostly[tmux.PaneID]("%1", "%2")
)

func (m *machine) Hello(t *rapid.T) {
	hello := enroll.Hello{
		Token: mostly("secret", "other").Draw(t, "token"), Version: "5.9",
		PID: pids.Draw(t, "pid"), Own: own.Draw(t, "own"), Process: "7.1",
	}
	right := hello.Token == "secret" && hello.PID == 7 && hello.Own && m.now.Before(time.Unix(60, 0)) && !m.enrolled && !m.retired
	rejection := m.enrollment.Accept(hello, m.now)
	if (rejection == "") != right {
		t.Fatalf("%+v: rejected %q, though right is %v", hello, rejection, right)
	}
	m.enrolled = m.enrolled || right
}

func (m *machine) Pass(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(0, 15).Draw(t, "seconds")) * time.Second)
}

func (m *machine) Prepare(t *rapid.T) {
	run := fmt.Sprintf("r%d", len(m.scripts)+1)
	text := script.Draw(t, "script")
	order, err := enroll.NewOrder(run, text, enroll.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	err = m.enrollment.Prepare(order)
	if may := m.enrolled && m.current == ""; (err == nil) != may {
		t.Fatalf("prepare: %v, though it may is %v", err, may)
	}
	switch {
	case err == nil:
		m.current, m.scripts[run] = run, text
	case m.enrolled && !fault.Is(err, fault.Refused), !m.enrolled && !fault.Is(err, fault.NotFound):
		t.Fatalf("prepare: %v", err)
	}
}

func (m *machine) Authorize(t *rapid.T) {
	evidence := enroll.Evidence{
		Server: servers.Draw(t, "server"), Pane: panes.Draw(t, "pane"), PID: pids.Draw(t, "pid"), RunID: m.anyRun(t),
		Digest: enroll.Digest(script.Draw(t, "script")),
	}
	grant, err := m.enrollment.Authorize(evidence)
	right := m.current != "" && !m.passed[m.current] && evidence == enroll.Evidence{
		Server: "g1", Pane: "%1", PID: 7, RunID: m.current, Digest: enroll.Digest(m.scripts[m.current]),
	}
	if (err == nil) != right {
		t.Fatalf("authorize by %+v: %v, though right is %v", evidence, err, right)
	}
	if err == nil {
		m.passed[m.current] = true
		m.grants = append(m.grants, grant)
	}
}

// anyRun is the current one more often than not.
func (m *machine) anyRun(t *rapid.T) string {
	if mostly(true, false).Draw(t, "current") {
		return m.current
	}
	return runs.Draw(t, "run")
}

func (m *machine) Execute(t *rapid.T) {
	grant := enroll.Grant{RunID: m.current, Digest: enroll.Digest("echo a"), Subject: subject(7), Process: "7.1", Enrollment: "e1"} // forged
	if len(m.grants) > 0 {
		grant = mostly(m.grants[len(m.grants)-1], m.grants...).Draw(t, "grant") // this one's, or replayed
	}
	text := script.Draw(t, "script")
	helper := enroll.Helper{PID: mostly(9, 0).Draw(t, "helper"), Parent: pids.Draw(t, "parent"), Own: own.Draw(t, "own"), Fresh: own.Draw(t, "fresh")}
	err := m.enrollment.Execute(grant, text, helper)
	if err != nil {
		return
	}
	run := m.current
	switch {
	case run == "" || !m.enrolled:
		t.Fatal("executed with nothing prepared")
	case !m.passed[run]:
		t.Fatalf("%s executed without its own authorization", run)
	case grant.RunID != run:
		t.Fatalf("%s executed by the grant of %s", run, grant.RunID)
	case slices.Contains(m.executed, run):
		t.Fatalf("%s executed twice", run)
	case text != m.scripts[run]:
		t.Fatalf("%s executed %q, not %q", run, text, m.scripts[run])
	case helper.Parent != 7 || helper.PID == 0 || !helper.Own || !helper.Fresh:
		t.Fatalf("%s executed by %+v", run, helper)
	}
	m.executed = append(m.executed, run)
}

func (m *machine) Finish(t *rapid.T) {
	run := m.anyRun(t)
	m.enrollment.Finish(run)
	if run == m.current {
		m.current = ""
	}
}

func (m *machine) Retire(t *rapid.T) {
	if mostly(true, false).Draw(t, "not yet") {
		return
	}
	m.enrollment.Retire()
	m.enrolled, m.retired, m.current = false, true, ""
}

func (m *machine) Check(t *rapid.T) {
	switch m.enrollment.State() {
	case enroll.Invited:
		if m.enrolled || m.retired {
			t.Fatal("it is still invited")
		}
	case enroll.Accepted:
		if !m.enrolled || m.current != "" {
			t.Fatalf("it is accepted, with %q", m.current)
		}
	case enroll.Prepared, enroll.Authorized, enroll.Executing:
		if !m.enrolled || m.current == "" {
			t.Fatalf("it is %s", m.enrollment.State())
		}
	case enroll.Retired:
		if !m.retired {
			t.Fatal("it is retired")
		}
	}
}

// No sequence of events executes a script without its own authorization, or twice, or another one, or in a process of another shell.
func TestNothingUnauthorizedIsExecuted(t *testing.T) {
	var executed []string // runs
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(0, 0)
		m := &machine{
			enrollment: enroll.New(invite(t, subject(7), now)), now: now, scripts: map[string]string{}, passed: map[string]bool{},
		}
		t.Repeat(rapid.StateMachineActions(m))
		executed = append(executed, m.executed...)
	})
	if len(executed) == 0 {
		t.Error("nothing was ever executed: the events prove nothing")
	}
}

// The whole way, twice: the authorization of the first is of no use in the second.
func TestTheWholeWay(t *testing.T) {
	e := enroll.New(invite(t, subject(7), time.Now()))
	if rejection := e.Accept(enroll.Hello{Token: "secret", Version: "5.9", PID: 7, Own: true, Process: "7.1"}, time.Now()); rejection != "" {
		t.Fatal(rejection)
	}
	var older []enroll.Grant
	for _, run := range []string{"r1", "r2"} {
		order, err := enroll.NewOrder(run, "echo a", enroll.Limits{Stdout: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Prepare(order); err != nil {
			t.Fatal(err)
		}
		grant, err := e.Authorize(enroll.Evidence{Server: "g1", Pane: "%1", PID: 7, RunID: run, Digest: order.Digest})
		if err != nil {
			t.Fatal(err)
		}
		want := enroll.Grant{RunID: run, Digest: order.Digest, Limits: order.Limits, Subject: subject(7), Process: "7.1", Enrollment: "e1"}
		if grant != want {
			t.Errorf("got %+v, want %+v", grant, want)
		}
		helper := enroll.Helper{PID: 9, Parent: 7, Own: true, Fresh: true}
		for _, replayed := range older {
			if err := e.Execute(replayed, "echo a", helper); !fault.Is(err, fault.PreconditionFailed) {
				t.Errorf("%s by the grant of %s: %v", run, replayed.RunID, err)
			}
		}
		older = append(older, grant)
		if err := e.Execute(grant, "echo a", helper); err != nil {
			t.Error(err)
		}
		if err := e.Execute(grant, "echo a", helper); !fault.Is(err, fault.PreconditionFailed) {
			t.Errorf("again: %v", err)
		}
		e.Finish(run)
	}
}
