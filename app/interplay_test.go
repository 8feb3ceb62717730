package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// with is an application whose ports are changed. The caller closes it.
func (h *house) with(change func(*app.Ports)) *app.App {
	outside := h.ports(h.world)
	change(&outside)
	return app.New(outside, app.Options{SocketPath: "/fake/s"})
}

// drafted is a shell with something typed at a prompt that the application has seen empty.
func (h *house) drafted(a *app.App) tmux.PaneID {
	h.Helper()
	pane := h.shell()
	if _, err := a.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "true"}); err != nil {
		h.Fatal(err)
	}
	h.awaitPrompt(pane)
	h.world.Type(pane, "rm -rf precious")
	return pane
}

// An interrupted input delivers a half of the first text, and then finds the pane changed.
type interrupted struct {
	ports.Input
	done bool
}

func (i *interrupted) SendText(ctx context.Context, pre guard.Precondition, text string, enter bool) error {
	if i.done {
		return i.Input.SendText(ctx, pre, text, enter)
	}
	i.done = true
	half := len(text) / 2
	if err := i.Input.SendText(ctx, pre, text[:half], false); err != nil {
		return err
	}
	return &fault.Error{Kind: fault.PreconditionFailed, Delivery: fault.Observed, Effects: &fault.Effects{State: "known", Bytes: &half}}
}

func TestAPartOfATextIsNeverTypedAgain(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		a := h.with(func(p *app.Ports) { p.Input = &interrupted{Input: h.world} })
		defer a.Close()
		_, err := a.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Text: new("abcdef")})
		f := h.wantFault(err, fault.CommandFailed, "")
		if f.Delivery != fault.Observed || f.Effects == nil || f.Effects.Bytes == nil || *f.Effects.Bytes != 3 {
			h.Errorf("the answer does not say that 3 bytes went: %+v", f)
		}
		if got := h.world.Received(pane); got != "abc" {
			h.Errorf("the pane received %q, want abc", got)
		}
	})
}

// Sampling processes do something else at the n-th sample: between the looks of a run.
type sampling struct {
	ports.Processes
	at   int
	then func()
}

func (s *sampling) Sample(ctx context.Context, pane tmux.Pane) guard.Sample {
	sample := s.Processes.Sample(ctx, pane)
	if s.at--; s.at == 0 {
		s.then()
	}
	return sample
}

func TestNothingIsTypedBetweenALookAndTheLine(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		processes := &sampling{Processes: h.world, at: 2}
		a := h.with(func(p *app.Ports) { p.Processes = processes })
		defer a.Close()
		sent := make(chan error, 1)
		processes.then = func() {
			go func() {
				_, err := a.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Text: new("echo rm -rf")})
				sent <- err
			}()
			time.Sleep(10 * time.Millisecond)
		}
		out, err := a.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "sleep 1; echo ran"})
		if err != nil || cmp.Diff([]string{"ran"}, out.Lines) != "" {
			h.Errorf("the run: %+v, %v", out, err)
		}
		h.wantFault(<-sent, fault.Refused, fault.Busy)
	})
}

func TestAnEnterDoesNotReachARun(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		h.run(pane, "true")
		h.awaitPrompt(pane)
		sent := make(chan error, 1)
		go func() {
			_, err := h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Text: new(""), Enter: true})
			sent <- err
		}()
		time.Sleep(10 * time.Millisecond)
		out, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "read x; echo answered", Timeout: new(5.0)})
		if err != nil || out.Outcome != "timed_out" {
			h.Errorf("an Enter reached the command: %+v, %v", out, err)
		}
		if err := <-sent; err != nil {
			h.Error(err)
		}
	})
}

func TestARunOfAnotherProcessHoldsItsPane(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		time.Sleep(time.Minute) // no shell of a minute's age is taken for a starting one
		other := h.process(h.world.NewFrames())
		defer other.Close()
		out, err := other.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "sleep 10", Timeout: new(1.0)})
		if err != nil {
			h.Fatal(err)
		}
		_, err = h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Text: new("ls"), Enter: true})
		if f := h.wantFault(err, fault.Refused, fault.Busy); !strings.Contains(f.Message, out.RunID) {
			h.Errorf("the refusal does not name the run: %v", f)
		}
		if _, err := h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Keys: []string{"C-c"}}); err != nil {
			h.Errorf("stop keys: %v", err)
		}
	})
}

// After clearing something goes wrong after a draft was cleared.
type afterClearing struct {
	ports.Input
	lost   bool // the answer to C-c
	change int  // so many texts find the pane changed
}

func (c *afterClearing) SendKeys(ctx context.Context, pre guard.Precondition, keys []string) error {
	err := c.Input.SendKeys(ctx, pre, keys)
	if err == nil && c.lost {
		return &fault.Error{Kind: fault.Deadline, Message: "tmux did not answer in time", Delivery: fault.PossiblySent}
	}
	return err
}

func (c *afterClearing) SendText(ctx context.Context, pre guard.Precondition, text string, enter bool) error {
	if c.change > 0 {
		c.change--
		return &fault.Error{Kind: fault.PreconditionFailed}
	}
	return c.Input.SendText(ctx, pre, text, enter)
}

// Occupied frames are held by another process.
type occupied struct{ ports.Frames }

func (o occupied) Stage(ctx context.Context, plan ports.Plan) (ports.Frame, error) {
	if strings.Contains(plan.Command, "second") {
		return nil, &fault.Error{Kind: fault.Refused, Reason: fault.Busy, Message: "run x holds it", Recovery: "wait"}
	}
	return o.Frames.Stage(ctx, plan)
}

func TestAClearedDraftIsNeverDenied(t *testing.T) {
	for _, c := range []struct {
		name   string
		input  afterClearing
		fails  bool
		frames func(ports.Frames) ports.Frames
	}{
		{"the answer to C-c is lost", afterClearing{lost: true}, true, nil},
		{"the pane changes once", afterClearing{change: 1}, false, nil},
		{"the pane changes again and again", afterClearing{change: 99}, true, nil},
		{"another process takes the pane", afterClearing{}, true, func(f ports.Frames) ports.Frames { return occupied{f} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				input := &afterClearing{Input: h.world}
				a := h.with(func(p *app.Ports) {
					p.Input = input
					if c.frames != nil {
						p.Frames = c.frames(p.Frames)
					}
				})
				defer a.Close()
				pane := h.drafted(a)
				input.lost, input.change = c.input.lost, c.input.change
				out, err := a.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "echo second", Draft: "clear"})
				if !c.fails {
					if err != nil || out.ClearedDraft == nil || !strings.Contains(*out.ClearedDraft, "precious") {
						h.Errorf("got %+v, %v; want the draft in the answer", out, err)
					}
					return
				}
				if f := h.wantFault(err, fault.KindOf(err), reasonOf(err)); f.Delivery != fault.Observed || !strings.Contains(f.Message, "precious") {
					h.Errorf("the draft was discarded, and the answer is %+v", f)
				}
			})
		})
	}
}

func reasonOf(err error) fault.Reason {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Reason
	}
	return ""
}

// A failing reader fails captures on demand.
type failing struct {
	ports.Reader
	fail func() error // nil error: it does not
}

func (f *failing) Capture(ctx context.Context, request ports.CaptureRequest) (screen.Capture, error) {
	if err := f.fail(); err != nil {
		return screen.Capture{}, err
	}
	return f.Reader.Capture(ctx, request)
}

func TestALineWithoutItsCommandIsTold(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		a := h.with(func(p *app.Ports) {
			p.Reader = &failing{h.world, func() error {
				if strings.Contains(h.world.Screen(pane), "] $ echo ran") {
					return &fault.Error{Kind: fault.Refused, Reason: fault.Hooked, Message: "a hook came"}
				}
				return nil
			}}
		})
		defer a.Close()
		_, err := a.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "echo ran"})
		if f := h.wantFault(err, fault.Refused, fault.Hooked); f.Delivery != fault.Observed || !strings.Contains(f.Message, "did not run") {
			h.Errorf("the line was typed, and the answer is %+v", f)
		}
		h.awaitPrompt(pane)
		if strings.Contains(h.world.Screen(pane), "\nran") {
			h.Error("it ran all the same")
		}
	})
}

func TestOutputIsReadPersistently(t *testing.T) {
	for _, c := range []struct {
		name     string
		failures int
		complete bool
	}{{"once", 1, true}, {"for good", 1 << 20, false}} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.shell()
				failures := 0
				a := h.with(func(p *app.Ports) {
					p.Reader = &failing{h.world, func() error {
						if failures--; failures >= 0 {
							return &fault.Error{Kind: fault.TransportError, Message: "no answer"}
						}
						return nil
					}}
				})
				defer a.Close()
				time.AfterFunc(5*time.Second, func() { failures = c.failures })
				out, err := a.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "sleep 10; echo out"})
				if err != nil || out.Complete != c.complete || (out.Lines != nil) != c.complete || (out.Reason == "") != c.complete || *out.ExitStatus != 0 {
					h.Errorf("got %+v, %v", out, err)
				}
			})
		})
	}
}

func TestAVeryLongLineIsCutAroundTheMatch(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.shell()
		h.world.SetOption("", "history-limit", "50000")
		pane := h.world.AddSession("big", "cat")
		time.AfterFunc(time.Second, func() {
			h.world.Print(pane, strings.Repeat("日", 1<<16)+" ready "+strings.Repeat("x", 1<<16)+"\r\n")
		})
		out, err := h.app.WaitForText(h.Context(), app.WaitForTextIn{PaneID: string(pane), Patterns: []string{"ready"}})
		if err != nil || len(out.Line) > 5000 || !strings.Contains(out.Line, " ready ") || !out.LineCut || strings.ContainsRune(out.Line, '\uFFFD') {
			h.Errorf("a line of %d bytes, cut %v, %v", len(out.Line), out.LineCut, err)
		}
	})
}

func TestAWaitOnADeadPaneEndsAtOnce(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		h.world.SetOption("", "remain-on-exit", "on")
		h.world.Exit(pane, 1)
		var out app.WaitForTextOut
		took := elapsed(func() {
			var err error
			if out, err = h.app.WaitForText(h.Context(), app.WaitForTextIn{PaneID: string(pane), Patterns: []string{"ready"}}); err != nil {
				h.Fatal(err)
			}
		})
		if out.Outcome != "pane_died" || took > time.Second {
			h.Errorf("after %v: %+v", took, out)
		}
	})
}

// A sleepy watch tells of output only now and then, as polling does.
type sleepy struct{ ports.Events }

func (s sleepy) Watch(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Watch, error) {
	watch, err := s.Events.Watch(ctx, server, pane)
	return sleepyWatch{watch}, err
}

type sleepyWatch struct{ ports.Watch }

func (s sleepyWatch) Next(ctx context.Context) (ports.Event, error) {
	select {
	case <-time.After(250 * time.Millisecond):
	case <-ctx.Done():
		return ports.Event{}, &fault.Error{Kind: fault.Deadline, Message: "asleep"}
	}
	return s.Watch.Next(ctx)
}

func TestSilenceIsLookedAtBeforeItIsClaimed(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		a := h.with(func(p *app.Ports) { p.Events = sleepy{h.world} })
		defer a.Close()
		for n := range 20 {
			time.AfterFunc(time.Duration(n)*350*time.Millisecond, func() { h.world.Print(pane, fmt.Sprintf("line %d\r\n", n)) })
		}
		took := elapsed(func() {
			out, err := a.WaitForText(h.Context(), app.WaitForTextIn{PaneID: string(pane), Patterns: []string{"never"}, Idle: new(0.45)})
			if err != nil || out.Outcome != "idle" {
				h.Errorf("got %+v, %v", out, err)
			}
		})
		if took < 19*350*time.Millisecond {
			h.Errorf("silence was claimed after %v, while lines came", took)
		}
		time.AfterFunc(190*time.Millisecond, func() { h.world.Print(pane, "ready\r\n") })
		out, err := a.WaitForText(h.Context(), app.WaitForTextIn{PaneID: string(pane), Patterns: []string{"ready"}, Timeout: new(0.2)})
		if err != nil || out.Outcome != "matched" {
			h.Errorf("what came just before the deadline: %+v, %v", out, err)
		}
	})
}

func TestServerInfoAcknowledgesNoIDs(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		if _, err := h.app.ListPanes(h.Context(), app.ListPanesIn{}); err != nil {
			h.Fatal(err)
		}
		h.world.Restart("main")
		if _, err := h.app.GetServerInfo(h.Context(), app.GetServerInfoIn{}); err != nil {
			h.Fatal(err)
		}
		_, err := h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Text: new("rm x"), Enter: true})
		h.wantFault(err, fault.StaleTarget, "")
	})
}

// What is written between two captures would be told twice.
func TestAStyledCaptureAndItsCursorAgree(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		n := 0
		a := h.with(func(p *app.Ports) {
			p.Reader = &failing{h.world, func() error {
				n++
				h.world.Print(pane, fmt.Sprintf("\x1b[3%dmline %d\x1b[m\r\n", n%8, n))
				return nil
			}}
		})
		defer a.Close()
		c, err := a.CapturePane(h.Context(), app.CapturePaneIn{PaneID: string(pane), Styles: true})
		if err != nil || len(c.Lines) != 1 || !strings.Contains(c.Lines[0], "31m") {
			h.Fatalf("captured %q, %v", c.Lines, err)
		}
		s, err := a.CaptureSince(h.Context(), app.CaptureSinceIn{PaneID: string(pane), Cursor: c.Cursor})
		if err != nil || !s.Continuous || cmp.Diff([]string{"line 2"}, s.Lines) != "" {
			h.Errorf("since: %+v, %v", s, err)
		}
	})
}

// What stood before a line that ran is known to be a prompt, also one that does not end like one.
func TestAPromptIsKnownByWhatRanBehindIt(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		h.world.Type(pane, "PS1='me: '\n")
		h.awaitPrompt(pane)
		run := func(draft string) error {
			_, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "true", Draft: draft})
			h.awaitPrompt(pane)
			return err
		}
		h.wantFault(run("refuse"), fault.Refused, fault.Draft)
		if err := run("clear"); err != nil {
			h.Fatal(err)
		}
		if err := run("refuse"); err != nil {
			h.Errorf("the prompt is not known: %v", err)
		}
	})
}

// What another program types right after a run stands at the prompt when the application would learn what that looks like.
func TestADraftIsNotLearnedAsAPrompt(t *testing.T) {
	for _, runs := range []int{1, 2} {
		t.Run(fmt.Sprintf("after %d runs", runs), func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.shell()
				for range runs - 1 {
					h.run(pane, "true")
					h.awaitPrompt(pane)
				}
				h.run(pane, "true")
				h.world.Type(pane, "rm -rf precious")
				time.Sleep(time.Second)
				_, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "echo ran"})
				h.wantFault(err, fault.Refused, fault.Draft)
			})
		})
	}
}

// Slow frames take a while to be closed.
type slowFrames struct{ ports.Frames }

func (s slowFrames) Stage(ctx context.Context, plan ports.Plan) (ports.Frame, error) {
	staged, err := s.Frames.Stage(ctx, plan)
	return slowFrame{staged}, err
}

type slowFrame struct{ ports.Frame }

const slowClose = 20 * time.Millisecond

func (s slowFrame) Close() error {
	time.Sleep(slowClose)
	return s.Frame.Close()
}

// The answer of a run comes before its pane is given free, for which the next call waits.
func TestAnAnswerDoesNotWaitForItsFrame(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		a := h.with(func(p *app.Ports) { p.Frames = slowFrames{h.world} })
		defer a.Close()
		run := func() time.Duration {
			began := time.Now()
			out, err := a.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "echo ran"})
			if err != nil || cmp.Diff([]string{"ran"}, out.Lines) != "" {
				h.Fatalf("%+v, %v", out, err)
			}
			return time.Since(began)
		}
		run() // after which the prompt is known
		time.Sleep(time.Second)
		if took := run(); took >= slowClose {
			h.Errorf("the answer came after %v", took)
		}
		if _, err := a.SendKeys(h.Context(), app.SendKeysIn{PaneID: string(pane), Text: new("echo typed"), Enter: true}); err != nil {
			h.Errorf("the next call: %v", err)
		}
		h.awaitPrompt(pane)
		if got := h.world.Screen(pane); !strings.Contains(got, "\ntyped\n") {
			h.Errorf("the next call typed nothing:\n%s", got)
		}
	})
}
