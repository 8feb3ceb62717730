package tmuxserver_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A script answers lists one after the other, and keeps them. Each has room for ten bytes more than nothing.
type script struct {
	answers []func(list tmuxserver.List) (tmuxserver.Result, error)
	load    error
	lists   []tmuxserver.List
}

func (s *script) Run(_ context.Context, list tmuxserver.List) (tmuxserver.Result, error) {
	s.lists = append(s.lists, list)
	answer := s.answers[min(len(s.lists), len(s.answers))-1]
	return answer(list)
}

func (s *script) Load(context.Context, string, []byte) error { return s.load }

func (s *script) Room(list tmuxserver.List) int { return 10 }

func (s *script) Socket() string { return "/socket" }

func done(list tmuxserver.List) (tmuxserver.Result, error) {
	replies := make([]tmuxserver.Reply, len(list.Commands))
	for i := range replies {
		replies[i].State = tmuxserver.Done
	}
	return tmuxserver.Result{Passed: true, Replies: replies}, nil
}

func refused(found string) func(tmuxserver.List) (tmuxserver.Result, error) {
	return func(list tmuxserver.List) (tmuxserver.Result, error) {
		return tmuxserver.Result{Found: found, Replies: make([]tmuxserver.Reply, len(list.Commands))}, nil
	}
}

func fails(kind fault.Kind, delivery fault.Delivery) func(tmuxserver.List) (tmuxserver.Result, error) {
	return func(tmuxserver.List) (tmuxserver.Result, error) {
		return tmuxserver.Result{}, &fault.Error{Kind: kind, Delivery: delivery}
	}
}

var pre = guard.Precondition{
	Server: tmux.Server{PID: 1, StartTime: time.Unix(2, 0)}, Pane: "%3", Recipients: []guard.Recipient{{Pane: "%3", PID: 4}},
}

// givenUp is the answer of a tmux that did not get to run for the 100 ms that it takes for a format at most.
func givenUp(list tmuxserver.List) (tmuxserver.Result, error) {
	return tmuxserver.Result{GivenUp: true, Replies: make([]tmuxserver.Reply, len(list.Commands))}, nil
}

func TestAGuardThatWasGivenUpIsAskedAnew(t *testing.T) {
	type answers = []func(tmuxserver.List) (tmuxserver.Result, error)
	for _, c := range []struct {
		name    string
		answers answers
		lists   int
		kind    fault.Kind
	}{
		{"twice", answers{givenUp, givenUp, done}, 3, ""},
		{"always", answers{givenUp}, 3, fault.CommandFailed},
		{"and then it does not hold", answers{givenUp, refused("1.2;%3;%3=4=001.")}, 2, fault.PreconditionFailed},
		{"and then no answer comes", answers{givenUp, fails(fault.Deadline, fault.PossiblySent)}, 2, fault.Deadline},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := &script{answers: c.answers}
			err := tmuxserver.New(conn, tmuxserver.Options{}).SendText(t.Context(), pre, "x", false)
			if got := fault.KindOf(err); got != c.kind || len(conn.lists) != c.lists {
				t.Errorf("%q (%v) after %d lists, want %q after %d", got, err, len(conn.lists), c.kind, c.lists)
			}
			if e, ok := errors.AsType[*fault.Error](err); ok && c.kind == fault.CommandFailed && e.Delivery != fault.NotSent {
				t.Errorf("delivery %q of what did not run", e.Delivery)
			}
		})
	}
}

func TestPartlySentTextSaysHowMuch(t *testing.T) {
	ten := 10
	for _, c := range []struct {
		name     string
		second   func(tmuxserver.List) (tmuxserver.Result, error)
		kind     fault.Kind
		delivery fault.Delivery
		effects  *fault.Effects
	}{
		{"the guard does not hold any more", refused("1.2;%3;%3=4=001."), fault.PreconditionFailed, fault.Observed, &fault.Effects{State: "known", Bytes: &ten}},
		{"another life", refused("1.3;%3;%3=4=000."), fault.StaleTarget, fault.Observed, &fault.Effects{State: "known", Bytes: &ten}},
		{"an answer is lost", fails(fault.Deadline, fault.PossiblySent), fault.Deadline, fault.PossiblySent, &fault.Effects{State: "unknown", Bytes: &ten}},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := &script{answers: []func(tmuxserver.List) (tmuxserver.Result, error){done, c.second}}
			err := tmuxserver.New(conn, tmuxserver.Options{}).SendText(t.Context(), pre, "0123456789abcdefghijklm", true)
			e, ok := errors.AsType[*fault.Error](err)
			if !ok || e.Kind != c.kind || e.Delivery != c.delivery || len(conn.lists) != 2 {
				t.Fatalf("%#v after %d lists", err, len(conn.lists))
			}
			if diff := cmp.Diff(c.effects, e.Effects); diff != "" {
				t.Errorf("effects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLongTextIsGuardedPieceByPiece(t *testing.T) {
	conn := &script{answers: []func(tmuxserver.List) (tmuxserver.Result, error){done}}
	if err := tmuxserver.New(conn, tmuxserver.Options{}).SendText(t.Context(), pre, "0123456789abcdefghijklm", true); err != nil {
		t.Fatal(err)
	}
	var typed []string
	for i, list := range conn.lists {
		if list.Guard == nil || list.Guard.Want != "1.2;%3;%3=4=000." {
			t.Errorf("list %d is guarded by %+v", i, list.Guard)
		}
		for _, command := range list.Commands {
			typed = append(typed, command[len(command)-1])
		}
	}
	if diff := cmp.Diff([]string{"0123456789", "abcdefghij", "klm", "Enter"}, typed); diff != "" || len(conn.lists) != 3 {
		t.Errorf("%d lists (-want +got):\n%s", len(conn.lists), diff)
	}
}

func TestAPasteThatFailedLeavesNoBuffer(t *testing.T) {
	for name, conn := range map[string]*script{
		"refused":      {answers: []func(tmuxserver.List) (tmuxserver.Result, error){refused("1.2;%3;%3=4=001."), done}},
		"not answered": {answers: []func(tmuxserver.List) (tmuxserver.Result, error){fails(fault.Deadline, fault.PossiblySent), done}},
		"not loaded":   {answers: []func(tmuxserver.List) (tmuxserver.Result, error){done}, load: &fault.Error{Kind: fault.Deadline, Delivery: fault.PossiblySent}},
	} {
		t.Run(name, func(t *testing.T) {
			err := tmuxserver.New(conn, tmuxserver.Options{}).Paste(t.Context(), pre, "text", ports.BracketAuto)
			e, ok := errors.AsType[*fault.Error](err)
			if !ok {
				t.Fatalf("%v", err)
			}
			last := conn.lists[len(conn.lists)-1]
			if got := last.Commands[len(last.Commands)-1][0]; got != "delete-buffer" || last.Guard != nil {
				t.Errorf("the last list is %+v", last)
			}
			if conn.load != nil && e.Delivery != fault.NotSent {
				t.Errorf("nothing was pasted, but delivery is %s", e.Delivery)
			}
		})
	}
}

func TestOldServerIsUnsupported(t *testing.T) {
	conn := &script{answers: []func(tmuxserver.List) (tmuxserver.Result, error){func(list tmuxserver.List) (tmuxserver.Result, error) {
		result, err := done(list)
		format := list.Commands[0][len(list.Commands[0])-1]
		result.Replies[0].Output = strings.NewReplacer("#{pid}", "1", "#{start_time}", "2", "#{version}", "3.1c").Replace(format) + "\n"
		return result, err
	}}}
	_, err := tmuxserver.New(conn, tmuxserver.Options{}).Topology(t.Context(), tmux.DetailBrief)
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Kind != fault.Unsupported || !strings.Contains(e.Message, "3.1c") || !strings.Contains(e.Message, "/socket") {
		t.Errorf("%#v", err)
	}
}

// From 3.7 on tmux leaves out the rest of a row when a machine lets it wait.
func TestACutAnswerIsReadAnew(t *testing.T) {
	answer := func(cut bool) func(tmuxserver.List) (tmuxserver.Result, error) {
		return func(list tmuxserver.List) (tmuxserver.Result, error) {
			result, err := done(list)
			format := list.Commands[0][len(list.Commands[0])-1]
			row := strings.NewReplacer("#{pid}", "1", "#{start_time}", "2", "#{version}", "3.7c").Replace(format)
			if cut {
				row = row[:len(row)-5]
			}
			result.Replies[0].Output = row + "\n"
			return result, err
		}
	}
	for _, c := range []struct {
		name    string
		answers []func(tmuxserver.List) (tmuxserver.Result, error)
		lists   int
		kind    fault.Kind
	}{
		{"whole", []func(tmuxserver.List) (tmuxserver.Result, error){answer(false)}, 1, ""},
		{"cut twice", []func(tmuxserver.List) (tmuxserver.Result, error){answer(true), answer(true), answer(false)}, 3, ""},
		{"cut always", []func(tmuxserver.List) (tmuxserver.Result, error){answer(true)}, 3, fault.DecodeError},
		{"not answered", []func(tmuxserver.List) (tmuxserver.Result, error){fails(fault.Deadline, fault.PossiblySent)}, 1, fault.Deadline},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := &script{answers: c.answers}
			_, err := tmuxserver.New(conn, tmuxserver.Options{}).Topology(t.Context(), tmux.DetailBrief)
			if got := fault.KindOf(err); got != c.kind || len(conn.lists) != c.lists {
				t.Errorf("%q (%v) after %d lists, want %q after %d", got, err, len(conn.lists), c.kind, c.lists)
			}
		})
	}
}

// What only reads is asked again if its answer cannot be told apart; what may have changed something is not done twice.
func TestOnlyWhatReadsIsAskedAgain(t *testing.T) {
	for name, c := range map[string]struct {
		does  func(ctx context.Context, s *tmuxserver.Server) error
		lists int
	}{
		"a listing": {func(ctx context.Context, s *tmuxserver.Server) error {
			_, err := s.Topology(ctx, tmux.DetailBrief)
			return err
		}, 3},
		"a capture": {func(ctx context.Context, s *tmuxserver.Server) error {
			_, err := s.Capture(ctx, ports.CaptureRequest{Server: pre.Server, Pane: "%3"})
			return err
		}, 3},
		"a place": {func(ctx context.Context, s *tmuxserver.Server) error {
			_, err := s.Locate(ctx, pre.Server, "%3")
			return err
		}, 3},
		"a life": {func(ctx context.Context, s *tmuxserver.Server) error { return s.Lives(ctx, pre.Server) }, 3},
		"hooks": {func(ctx context.Context, s *tmuxserver.Server) error {
			_, err := s.Hooks(ctx, pre.Server, "%3")
			return err
		}, 3},
		"text": {func(ctx context.Context, s *tmuxserver.Server) error { return s.SendText(ctx, pre, "x", true) }, 1},
		"an end": {func(ctx context.Context, s *tmuxserver.Server) error {
			_, err := s.End(ctx, pre.Server, guard.Ending{Target: "%3"})
			return err
		}, 1},
		"a signal": {func(ctx context.Context, s *tmuxserver.Server) error { return s.Signal(ctx, pre.Server, "done") }, 1},
	} {
		t.Run(name, func(t *testing.T) {
			conn := &script{answers: []func(tmuxserver.List) (tmuxserver.Result, error){
				func(tmuxserver.List) (tmuxserver.Result, error) { return tmuxserver.Result{}, tmuxserver.Unmarked() },
			}}
			err := c.does(t.Context(), tmuxserver.New(conn, tmuxserver.Options{}))
			if !fault.Is(err, fault.DecodeError) || len(conn.lists) != c.lists {
				t.Errorf("%v after %d lists, want %d", err, len(conn.lists), c.lists)
			}
		})
	}
}
