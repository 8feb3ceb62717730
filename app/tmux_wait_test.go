package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// waited is how a wait ended, and after how long.
func (h *house) waited(in app.TmuxWaitIn) (out app.TmuxWaitOut, took time.Duration, err error) {
	h.Helper()
	took = elapsed(func() { out, err = h.app.TmuxWait(h.Context(), in) })
	return out, took, err
}

func TestTmuxWaitForTheScreen(t *testing.T) {
	long := strings.Repeat("0123456789", 9) + "ready"
	for _, c := range []struct {
		name   string
		before string // on the screen at the entry
		text   string
		does   func(h *house, pane tmux.PaneID) // after 5 s
		code   fault.Kind                       // of the error; empty: none
		reason fault.Reason
		row    string // of the capture
		at     time.Duration
	}{
		{"it stands there already", "all ready\r\n", "ready", nil, "", "", "all ready\n", 0},
		{"it is written", "", "ready", func(h *house, pane tmux.PaneID) { h.world.Print(pane, "is ready") }, "", "", "is ready\n", 5 * time.Second},
		{"it is literal", "", "r.*y", func(h *house, pane tmux.PaneID) { h.world.Print(pane, "ready r.*y") }, "", "", "ready r.*y\n", 5 * time.Second},
		{"it is wrapped", "", "9ready", func(h *house, pane tmux.PaneID) { h.world.Print(pane, long) }, "", "", long + "\n", 5 * time.Second},
		{"blanks at the end of a row", "", "name: ", func(h *house, pane tmux.PaneID) { h.world.Print(pane, "name:") }, "", "", "name:\n", 5 * time.Second},
		{
			"another program writes it", "", "ready", func(h *house, pane tmux.PaneID) {
				h.world.Replace(pane, "cat")
				h.world.Print(pane, "ready")
			}, "", "", "ready\n", 5 * time.Second,
		},
		{"nothing", "", "ready", nil, fault.Deadline, "", "", 30 * time.Second},
		{
			"it comes and goes", "", "ready", func(h *house, pane tmux.PaneID) { h.world.Print(pane, "\x1b[2J\x1b[Hothers\r\n") },
			fault.Deadline, "", "", 30 * time.Second,
		},
		{"the program ends", "", "ready", func(h *house, pane tmux.PaneID) {
			h.world.SetOption("", "remain-on-exit", "on")
			h.world.Exit(pane, 1)
		}, fault.Refused, fault.Dead, "", 5 * time.Second},
		{"the pane is closed", "", "ready", func(h *house, pane tmux.PaneID) {
			h.world.AddSession("other")
			h.world.KillPane(pane)
		}, fault.NotFound, "", "", 5 * time.Second},
		{"the server is killed", "", "ready", func(h *house, _ tmux.PaneID) { h.world.KillServer() }, fault.ServerGone, "", "", 5 * time.Second},
		{"the server is restarted", "", "ready", func(h *house, _ tmux.PaneID) { h.world.Restart("main") }, fault.ServerGone, "", "", 5 * time.Second},
		{"a hook would run at each capture", "", "ready", func(h *house, pane tmux.PaneID) {
			h.world.SetOption(string(pane), "after-capture-pane", "display-message x")
			h.world.Print(pane, "ready")
		}, fault.Refused, fault.Hooked, "", 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := h.quietPane()
				h.world.Print(pane, c.before)
				if c.does != nil {
					time.AfterFunc(5*time.Second, func() { c.does(h, pane) })
				}
				before := time.Now()
				out, took, err := h.waited(app.TmuxWaitIn{Reference: h.reference(pane), Condition: "screen_contains", Text: c.text})
				if took != c.at {
					h.Errorf("after %v, want %v", took, c.at)
				}
				if c.code != "" {
					wantNoEffects(h, h.wantFault(err, c.code, c.reason))
					return
				}
				if err != nil {
					h.Fatal(err)
				}
				if len(out.Capture.Rows) == 0 || out.Capture.Rows[0] != c.row || out.Capture.Encoding != "utf-8" || out.Capture.Truncated {
					h.Errorf("got %+v, want a capture that begins with %q", out.Capture, c.row)
				}
				if out.ObservedAt != before.Add(c.at).UnixMilli() || out.ExitStatus != "" || out.ProcessGeneration != "" || out.EffectiveTimeout != 30 {
					h.Errorf("got %+v", out)
				}
			})
		})
	}
}

// wantNoEffects checks that a fault says that nothing was changed.
func wantNoEffects(h *house, f *fault.Error) {
	h.Helper()
	if f.Effects == nil || f.Effects.State != "none" {
		h.Errorf("%v says of its effects %+v, want none", f, f.Effects)
	}
}

func TestTmuxWaitForAnExit(t *testing.T) {
	remains := func(h *house) { h.world.SetOption("", "remain-on-exit", "on") }
	for _, c := range []struct {
		name    string
		options fake.Options
		does    func(h *house, pane tmux.PaneID) // after 5 s
		code    fault.Kind                       // of the error; empty: none
		status  string
		signal  int
		at      time.Duration
	}{
		{"it ends", fake.Options{}, func(h *house, pane tmux.PaneID) { remains(h); h.world.Exit(pane, 3) }, "", "3", 0, 5 * time.Second},
		{"it succeeds", fake.Options{}, func(h *house, pane tmux.PaneID) { remains(h); h.world.Exit(pane, 0) }, "", "0", 0, 5 * time.Second},
		{
			"the kernel does not tell how",
			fake.Options{Unobserved: true},
			func(h *house, pane tmux.PaneID) { remains(h); h.world.Exit(pane, 3) },
			"", "unobserved", 0, 5 * time.Second,
		},
		{"the pane is killed", fake.Options{}, func(h *house, pane tmux.PaneID) { h.world.KillPane(pane) }, "", "129", 1, 5 * time.Second},
		{"another program comes", fake.Options{}, func(h *house, pane tmux.PaneID) { h.world.Replace(pane, "cat") }, "", "129", 1, 5 * time.Second},
		{"it goes on", fake.Options{}, nil, fault.Deadline, "", 0, 30 * time.Second},
		{"another program ends", fake.Options{}, func(h *house, _ tmux.PaneID) { h.world.KillPane("%0") }, fault.Deadline, "", 0, 30 * time.Second},
		{"the server is killed", fake.Options{}, func(h *house, _ tmux.PaneID) { h.world.KillServer() }, fault.ServerGone, "", 0, 5 * time.Second},
		{"the server is restarted", fake.Options{}, func(h *house, _ tmux.PaneID) { h.world.Restart("main") }, fault.ServerGone, "", 0, 5 * time.Second},
		{"tmux is too old", fake.Options{Version: "3.2a"}, nil, fault.Unsupported, "", 0, 0},
		{"there is no evidence", fake.Options{Untracked: ports.LackNamespace}, nil, fault.Unsupported, "", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, c.options, func(h *house) {
				h.world.AddSession("other", "cat") // %0
				pane := h.quietPane()
				if c.does != nil {
					time.AfterFunc(5*time.Second, func() { c.does(h, pane) })
				}
				before := time.Now()
				out, took, err := h.waited(app.TmuxWaitIn{Reference: h.reference(pane), Condition: "process_exit"})
				if took != c.at {
					h.Errorf("after %v, want %v", took, c.at)
				}
				if c.code != "" {
					wantNoEffects(h, h.wantFault(err, c.code, ""))
					return
				}
				if err != nil {
					h.Fatal(err)
				}
				want := app.TmuxWaitOut{
					Generation: out.Generation, TargetID: string(pane), Condition: "process_exit", ObservedAt: before.Add(c.at).UnixMilli(),
					ProcessGeneration: out.ProcessGeneration, ExitStatus: c.status, Signal: c.signal, EffectiveTimeout: 30,
				}
				if diff := cmp.Diff(want, out); diff != "" || out.ProcessGeneration == "" {
					h.Errorf("generation %q (-want +got):\n%s", out.ProcessGeneration, diff)
				}
			})
		})
	}
}

// The next process of a pane is another one, also if it gets the pid of the one before.
func TestTmuxWaitIsNotFooledByAPidThatIsUsedAgain(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		h.world.SetOption("", "remain-on-exit", "on")
		all, err := h.world.Topology(h.Context(), tmux.DetailBrief)
		if err != nil {
			h.Fatal(err)
		}
		in := app.TmuxWaitIn{Reference: h.reference(pane), Condition: "process_exit"}
		again := func(status int) func() {
			return func() {
				h.world.Exit(pane, status)
				h.world.Recycle(all.Panes[0].PID)
				h.world.Replace(pane, "cat")
			}
		}
		var generations []string
		for _, status := range []string{"1", "2"} {
			time.AfterFunc(time.Second, again(len(generations)+1))
			out, took, err := h.waited(in)
			if err != nil || out.ExitStatus != status || took != time.Second {
				h.Errorf("got %+v, %v after %v, want status %s", out, err, took, status)
			}
			generations = append(generations, out.ProcessGeneration)
		}
		if generations[0] == generations[1] {
			h.Errorf("two processes have the generation %s", generations[0])
		}
	})
}

func TestTmuxWaitRefuses(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.quietPane()
		dead := h.world.Split(pane, "cat")
		h.world.SetOption("", "remain-on-exit", "on")
		h.world.Exit(dead, 0)
		at := h.reference(pane)
		for _, c := range []struct {
			name string
			in   app.TmuxWaitIn
			code fault.Kind
			says string
		}{
			{"an unknown condition", app.TmuxWaitIn{Reference: at, Condition: "idle"}, fault.InvalidInput, `"idle"`},
			{"no text", app.TmuxWaitIn{Reference: at, Condition: "screen_contains"}, fault.InvalidInput, "text is empty"},
			{"a text too many", app.TmuxWaitIn{Reference: at, Condition: "process_exit", Text: "x"}, fault.InvalidInput, "text is for screen_contains"},
			{"two rows", app.TmuxWaitIn{Reference: at, Condition: "screen_contains", Text: "a\nb"}, fault.InvalidInput, "control character"},
			{"a time before now", app.TmuxWaitIn{Reference: at, Condition: "process_exit", Timeout: new(-1.0)}, fault.InvalidInput, "timeout -1"},
			{"no generation", app.TmuxWaitIn{Reference: app.Reference{TargetID: "%0"}, Condition: "process_exit"}, fault.InvalidInput, "generation is empty"},
			{
				"another generation",
				app.TmuxWaitIn{Reference: app.Reference{Generation: "g0", TargetID: "%0"}, Condition: "process_exit"},
				fault.StaleTarget, "another life",
			},
			{
				"a window",
				app.TmuxWaitIn{Reference: app.Reference{Generation: at.Generation, TargetID: "@0"}, Condition: "process_exit"},
				fault.InvalidInput, "@0",
			},
			{
				"no such pane",
				app.TmuxWaitIn{Reference: app.Reference{Generation: at.Generation, TargetID: "%9"}, Condition: "process_exit"},
				fault.NotFound, "%9",
			},
			{"a process that has ended", app.TmuxWaitIn{Reference: h.reference(dead), Condition: "process_exit"}, fault.Refused, "has ended"},
		} {
			t.Run(c.name, func(t *testing.T) {
				_, err := h.app.TmuxWait(h.Context(), c.in)
				if !fault.Is(err, c.code) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v, want %s that says %q", err, c.code, c.says)
				}
			})
		}
	})
}

func TestTmuxWaitEndsInTime(t *testing.T) {
	for _, condition := range []string{"screen_contains", "process_exit"} {
		text := map[string]string{"screen_contains": "what does not come"}[condition]
		t.Run(condition, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				in := app.TmuxWaitIn{Reference: h.reference(h.quietPane()), Condition: condition, Text: text}
				for seconds, want := range map[float64]time.Duration{0: 0, 0.25: 250 * time.Millisecond, 1e9: 2 * time.Minute} {
					in.Timeout = &seconds
					_, took, err := h.waited(in)
					f := h.wantFault(err, fault.Deadline, "")
					if took != want || f.Delivery == fault.PossiblySent || f.Target != in.TargetID || !strings.Contains(f.Message, want.String()) {
						h.Errorf("%v s: %+v after %v, want %v", seconds, f, took, want)
					}
				}
				in.Timeout = nil
				ctx, cancel := context.WithCancel(h.Context())
				time.AfterFunc(time.Second, cancel)
				var err error
				if took := elapsed(func() { _, err = h.app.TmuxWait(ctx, in) }); took != time.Second {
					h.Errorf("cancelled after %v, want 1s", took)
				}
				f := h.wantFault(err, fault.Cancelled, "")
				wantNoEffects(h, f)
			})
		})
	}
}

// An odd reader captures one row that is not as others.
type odd struct {
	ports.Reader
	row string
}

func (o odd) Capture(ctx context.Context, request ports.CaptureRequest) (screen.Capture, error) {
	c, err := o.Reader.Capture(ctx, request)
	c.Rows = append([]string{"ready"}, o.row)
	return c, err
}

func TestTmuxWaitEncodesWhatItSaw(t *testing.T) {
	for _, c := range []struct {
		name string
		row  string
		want app.WaitedCapture
	}{
		{"UTF-8", "日本", app.WaitedCapture{Encoding: "utf-8", Rows: []string{"ready\n", "日本\n"}}},
		{"other bytes", "\xff", app.WaitedCapture{Encoding: "base64", Rows: []string{"cmVhZHkK", "/wo="}}},
		{
			"too much", strings.Repeat("x", screen.GreatestBytes-2),
			app.WaitedCapture{Encoding: "utf-8", Rows: []string{strings.Repeat("x", screen.GreatestBytes-2) + "\n"}, Truncated: true, DroppedLines: 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				at := h.reference(h.quietPane())
				outside := h.ports(h.world)
				outside.Reader = odd{h.world, c.row}
				out, err := app.New(outside, app.Options{}).TmuxWait(h.Context(), app.TmuxWaitIn{Reference: at, Condition: "screen_contains", Text: "ready"})
				if err != nil {
					h.Fatal(err)
				}
				if diff := cmp.Diff(c.want, *out.Capture); diff != "" {
					h.Errorf("capture (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// A breaking reader answers no capture, after something happened.
type breaking struct {
	ports.Reader
	does func()
}

func (b breaking) Capture(context.Context, ports.CaptureRequest) (screen.Capture, error) {
	b.does()
	return screen.Capture{}, &fault.Error{Kind: fault.TransportError, Message: "no answer"}
}

// A server that ends may break a conversation without a word: then the server has ended. If it lives, the conversation is broken.
func TestTmuxWaitNamesTheEndOfTheServer(t *testing.T) {
	for _, c := range []struct {
		name string
		does func(h *house)
		want fault.Kind
	}{
		{"it has ended", func(h *house) { h.world.KillServer() }, fault.ServerGone},
		{"another has come", func(h *house) { h.world.Restart("main") }, fault.ServerGone},
		{"it lives", func(*house) {}, fault.TransportError},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				at := h.reference(h.quietPane())
				outside := h.ports(h.world)
				outside.Reader = breaking{h.world, func() { c.does(h) }}
				_, err := app.New(outside, app.Options{}).TmuxWait(h.Context(), app.TmuxWaitIn{Reference: at, Condition: "screen_contains", Text: "ready"})
				if !fault.Is(err, c.want) {
					h.Errorf("got %v, want %s", err, c.want)
				}
			})
		})
	}
}
