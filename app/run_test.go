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
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

func TestRun(t *testing.T) {
	for _, c := range []struct {
		name, command string
		status        int
		lines         []string
	}{
		{"a status", "exit 7", 7, []string{}},
		{"output", "echo hello", 0, []string{"hello"}},
		{"no newline at the end", "printf abc", 0, []string{"abc"}},
		{"blank lines", `printf 'a\n\n\n'`, 0, []string{"a", "", ""}},
		{"a trailing comment", "echo a # note", 0, []string{"a"}},
		{"a comment alone at the end", "true #", 0, []string{}},
		{"a heredoc without a final newline", "cat <<E\nin it\nE", 0, []string{"in it"}},
		{"quotes, emoji and wide characters", `echo "it's" '日本🎉' \$x`, 0, []string{"it's 日本🎉 $x"}},
		{"longer than the pane is wide", "printf '%0100d\\n' 7", 0, []string{strings.Repeat("0", 99) + "7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				out := h.run(h.shell(), c.command)
				if out.Outcome != "completed" || out.ExitStatus == nil || *out.ExitStatus != c.status || !out.Started || !out.Complete || out.Truncated {
					h.Errorf("got %+v, want completed with status %d, complete", out, c.status)
				}
				if d := cmp.Diff(c.lines, out.Lines); d != "" {
					h.Errorf("lines (-want +got):\n%s", d)
				}
			})
		})
	}
}

func TestRunAgainAndAgain(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		first := h.run(pane, "cd /; x=1; echo first")
		if !first.PromptAssumed {
			h.Errorf("first contact: the prompt was not assumed: %+v", first)
		}
		for range 5 {
			out := h.run(pane, `echo "[$x]"`)
			if d := cmp.Diff([]string{"[]"}, out.Lines); d != "" {
				h.Errorf("variables persist, or output is mixed (-want +got):\n%s", d)
			}
			if out.PromptAssumed {
				h.Error("a prompt that was learned is assumed again")
			}
		}
	})
}

func TestRunSyntaxErrorCompletes(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		out := h.run(pane, "echo 'oops")
		if out.Outcome != "completed" || out.ExitStatus == nil || *out.ExitStatus == 0 {
			h.Errorf("got %+v, want completed with the shell's status", out)
		}
		if after := h.run(pane, "echo fine"); cmp.Diff([]string{"fine"}, after.Lines) != "" {
			h.Errorf("the shell is not usable: %+v", after)
		}
	})
}

func TestRunTimesOutAndIsCollected(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		var out app.RunOut
		took := elapsed(func() {
			var err error
			out, err = h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{
				PaneID: string(pane), Command: "echo begun; sleep 70; echo ended; exit 3", Timeout: new(2.0),
			})
			if err != nil {
				h.Fatal(err)
			}
		})
		if out.Outcome != "timed_out" || !out.Started || out.ExitStatus != nil || out.Complete || took > 3*time.Second {
			h.Fatalf("after %v: got %+v, want timed_out at 2 s", took, out)
		}
		if d := cmp.Diff([]string{"begun"}, out.Lines); d != "" {
			h.Errorf("lines so far (-want +got):\n%s", d)
		}
		_, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "true"})
		if f := h.wantFault(err, fault.Refused, fault.Busy); !strings.Contains(f.Recovery, out.RunID) {
			h.Errorf("busy does not name the run: %+v", f)
		}
		var answers []app.RunOut
		for range 2 {
			got, err := h.app.GetRun(h.Context(), app.GetRunIn{RunID: out.RunID, Timeout: new(120.0)})
			if err != nil {
				h.Fatal(err)
			}
			answers = append(answers, got)
		}
		got := answers[0]
		if got.Outcome != "completed" || got.ExitStatus == nil || *got.ExitStatus != 3 || !got.Complete || got.DurationMS < 70_000 {
			h.Errorf("get_run: %+v, want completed with 3 after 70 s", got)
		}
		if d := cmp.Diff([]string{"begun", "ended"}, got.Lines); d != "" {
			h.Errorf("lines (-want +got):\n%s", d)
		}
		if d := cmp.Diff(answers[0], answers[1]); d != "" {
			h.Errorf("the second answer differs:\n%s", d)
		}
	})
}

func TestRunIsCollectedByAnotherProcess(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		time.Sleep(time.Minute) // no shell of a minute's age is taken for a starting one
		out, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "sleep 10; exit 4", Timeout: new(1.0)})
		if err != nil {
			h.Fatal(err)
		}
		other := h.process(h.world.NewFrames())
		defer other.Close()
		early, err := other.GetRun(h.Context(), app.GetRunIn{RunID: out.RunID})
		if err != nil || early.Outcome != "timed_out" || !early.Started {
			h.Errorf("while it runs: %+v, %v; want timed_out", early, err)
		}
		_, err = other.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "true"})
		if !fault.Is(err, fault.Refused) {
			h.Errorf("a second process in the pane: %v, want refused", err)
		}
		got, err := other.GetRun(h.Context(), app.GetRunIn{RunID: out.RunID, Timeout: new(60.0)})
		if err != nil || got.ExitStatus == nil || *got.ExitStatus != 4 {
			h.Errorf("from another process: %+v, %v; want status 4", got, err)
		}
	})
}

func TestRunOutlivesItsServer(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		frames := h.world.NewFrames()
		first := h.process(frames)
		out, err := first.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "sleep 10; exit 5", Timeout: new(1.0)})
		if err != nil {
			h.Fatal(err)
		}
		first.Close()
		got, err := h.app.GetRun(h.Context(), app.GetRunIn{RunID: out.RunID, Timeout: new(60.0)})
		if err != nil || got.ExitStatus == nil || *got.ExitStatus != 5 || got.Complete || got.Reason != "unattended" {
			h.Fatalf("got %+v, %v; want status 5, not complete: unattended", got, err)
		}
		if after := h.run(pane, "echo fine"); cmp.Diff([]string{"fine"}, after.Lines) != "" {
			h.Errorf("the shell is not usable: %+v", after)
		}
	})
}

func TestFourRunsInOnePaneNeverMix(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		outs, errs := make([]app.RunOut, 4), make([]error, 4)
		inParallel(4, func(i int) {
			outs[i], errs[i] = h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "sleep 1; echo one; exit 9"})
		})
		ran := 0
		for i, err := range errs {
			if err != nil {
				h.wantFault(err, fault.Refused, fault.Busy)
				continue
			}
			ran++
			if d := cmp.Diff([]string{"one"}, outs[i].Lines); d != "" || *outs[i].ExitStatus != 9 {
				h.Errorf("mixed: %+v", outs[i])
			}
		}
		if ran != 1 {
			h.Errorf("%d of 4 ran, want 1: %v", ran, errs)
		}
	})
}

func TestTwentyPanesAtOnce(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		panes := make([]string, 20)
		for i := range panes {
			panes[i] = string(h.world.AddSession("s" + string(rune('a'+i))))
		}
		inParallel(len(panes), func(i int) {
			out, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: panes[i], Command: "sleep 1; echo " + panes[i]})
			if err != nil || cmp.Diff([]string{panes[i]}, out.Lines) != "" {
				h.Errorf("pane %s: %+v, %v", panes[i], out, err)
			}
		})
	})
}

func TestRunIsRefusedInAnotherProgram(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.world.AddSession("main", "python3", "-i")
		time.Sleep(time.Minute) // no program of a minute's age is taken for a starting shell
		var err error
		took := elapsed(func() {
			_, err = h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "1+1"})
		})
		if f := h.wantFault(err, fault.Refused, fault.NotAShell); !strings.Contains(f.Message, "python3") || took > time.Second {
			h.Errorf("after %v: %v does not name python3 at once", took, f)
		}
		if got := h.world.Received(pane); got != "" {
			h.Errorf("typed %q", got)
		}
	})
}

func TestRunAndADraft(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		h.run(pane, "true")
		h.awaitPrompt(pane)
		h.world.Type(pane, "rm -rf precious")
		_, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "true"})
		h.wantFault(err, fault.Refused, fault.Draft)
		if !strings.HasSuffix(strings.TrimRight(h.world.Screen(pane), "\n "), "$ rm -rf precious") {
			h.Errorf("the draft is not intact:\n%s", h.world.Screen(pane))
		}
		out, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "echo ran", Draft: "clear"})
		if err != nil || cmp.Diff([]string{"ran"}, out.Lines) != "" || out.ClearedDraft == nil || !strings.Contains(*out.ClearedDraft, "rm -rf precious") {
			h.Errorf("with draft clear: %+v, %v", out, err)
		}
	})
}

func TestOutputPastTheHistoryLimit(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		first := h.shell()
		h.world.SetOption("", "history-limit", "200")
		pane := h.world.AddWindow(h.world.SessionOf(first), "short")
		for range 2 {
			out, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{
				PaneID: string(pane), Command: "seq 1 300", Bounding: app.Bounding{MaxLines: 2000, MaxBytes: 262144},
			})
			if err != nil {
				h.Fatal(err)
			}
			if out.Complete || out.Reason != "trimmed" || out.ExitStatus == nil || *out.ExitStatus != 0 {
				h.Errorf("got %+v, want not complete: trimmed", out)
			}
			if n := len(out.Lines); n == 0 || out.Lines[n-1] != "300" || len(out.Lines) >= 300 {
				h.Errorf("%d lines, the last of %v", n, out.Lines[max(0, n-2):])
			}
		}
	})
}

func TestBoundsOfOutput(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		out := h.run(pane, "seq 1 300")
		if len(out.Lines) != 200 || !out.Truncated || out.DroppedLines != 100 || !out.Complete || out.Lines[0] != "101" || out.Advice == "" {
			h.Errorf("got %d lines from %s, %+v", len(out.Lines), out.Lines[0], out.Truncation)
		}
		again, err := h.app.GetRun(h.Context(), app.GetRunIn{RunID: out.RunID, Bounding: app.Bounding{MaxLines: 300}})
		if err != nil || len(again.Lines) != 300 || again.Truncated {
			h.Errorf("get_run with more lines: %d, %+v, %v", len(again.Lines), again.Truncation, err)
		}
	})
}

func TestStreams(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		out, err := h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{
			PaneID: string(pane), Command: `printf 'a\tb'; printf '\377' >&2; exit 2`, Streams: true,
		})
		if err != nil {
			h.Fatal(err)
		}
		if d := cmp.Diff(&app.StreamOut{Encoding: "utf-8", Data: "a\tb"}, out.Stdout); d != "" {
			h.Errorf("stdout (-want +got):\n%s", d)
		}
		if d := cmp.Diff(&app.StreamOut{Encoding: "base64", Data: "/w=="}, out.Stderr); d != "" {
			h.Errorf("stderr (-want +got):\n%s", d)
		}
		if out.Lines != nil || !out.Complete || *out.ExitStatus != 2 {
			h.Errorf("got %+v", out)
		}
	})
}

func TestRunEndsWithWhatItRunsIn(t *testing.T) {
	for _, c := range []struct {
		name    string
		end     func(h *house, pane string)
		outcome string
	}{
		{"the pane is killed", func(h *house, pane string) { h.world.Split(tmux.PaneID(pane)); h.world.KillPane(tmux.PaneID(pane)) }, "pane_gone"},
		{"the window is killed", func(h *house, pane string) {
			h.world.AddWindow(h.world.SessionOf(tmux.PaneID(pane)), "other")
			h.world.KillWindow(h.world.WindowOf(tmux.PaneID(pane)))
		}, "pane_gone"},
		{"the session is killed", func(h *house, pane string) {
			h.world.AddSession("other")
			h.world.KillSession(h.world.SessionOf(tmux.PaneID(pane)))
		}, "pane_gone"},
		{"the shell is killed, and tmux removes the pane a little later", func(h *house, pane string) {
			h.world.AddSession("other")
			h.world.SetOption("", "remain-on-exit", "on")
			h.world.Exit(tmux.PaneID(pane), 1)
			time.AfterFunc(20*time.Millisecond, func() { h.world.KillPane(tmux.PaneID(pane)) })
		}, "pane_gone"},
		{"the pane is respawned", func(h *house, pane string) { h.world.Replace(tmux.PaneID(pane)) }, "pane_died"},
		{"the server is killed", func(h *house, _ string) { h.world.KillServer() }, "server_gone"},
		{"the server is restarted", func(h *house, _ string) { h.world.Restart("new") }, "server_gone"},
		{"C-c", func(h *house, pane string) {
			if _, err := h.app.SendKeys(h.Context(), app.SendKeysIn{PaneID: pane, Keys: []string{"C-c"}}); err != nil {
				h.Errorf("stop keys while a run holds the pane: %v", err)
			}
		}, "interrupted"},
		{"C-z", func(h *house, pane string) { h.world.Type(tmux.PaneID(pane), "\x1a") }, "stopped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				pane := string(h.shell())
				time.AfterFunc(5*time.Second, func() { c.end(h, pane) })
				var out app.RunOut
				took := elapsed(func() {
					var err error
					if out, err = h.app.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: pane, Command: "sleep 99"}); err != nil {
						h.Fatal(err)
					}
				})
				if out.Outcome != c.outcome || !out.Started || took > 7*time.Second {
					h.Errorf("after %v: got %+v, want %s soon after 5 s", took, out, c.outcome)
				}
				if (out.ExitStatus != nil) != (c.outcome == "interrupted") {
					h.Errorf("status %v", out.ExitStatus)
				}
			})
		})
	}
}

func TestCancelEndsTheWaitAlone(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := h.shell()
		ctx, cancel := context.WithCancel(h.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := h.app.RunShellCommand(ctx, app.RunShellCommandIn{PaneID: string(pane), Command: "sleep 5; exit 6"})
		f := h.wantFault(err, fault.Cancelled, "")
		id := f.Recovery[strings.LastIndex(f.Recovery, " ")+1:]
		got, err := h.app.GetRun(h.Context(), app.GetRunIn{RunID: id, Timeout: new(60.0)})
		if err != nil || got.ExitStatus == nil || *got.ExitStatus != 6 || !got.Complete {
			h.Errorf("get_run: %+v, %v; want status 6", got, err)
		}
	})
}

func TestBadRuns(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		pane := string(h.shell())
		for name, in := range map[string]app.RunShellCommandIn{
			"an index":        {PaneID: "0", Command: "true"},
			"no command":      {PaneID: pane, Command: " \n"},
			"a long command":  {PaneID: pane, Command: strings.Repeat("x", 65537)},
			"a negative wait": {PaneID: pane, Command: "true", Timeout: new(-1.0)},
		} {
			_, err := h.app.RunShellCommand(h.Context(), in)
			if !fault.Is(err, fault.InvalidInput) {
				h.Errorf("%s: got %v, want invalid_input", name, err)
			}
		}
		for name, id := range map[string]string{"unknown": "aaaaaaaaaaaaaaaa", "a path": "../x", "empty": ""} {
			_, err := h.app.GetRun(h.Context(), app.GetRunIn{RunID: id})
			if !fault.Is(err, fault.InvalidInput) && !fault.Is(err, fault.NotFound) {
				h.Errorf("run id %s: got %v", name, err)
			}
		}
	})
}

// A run that does not start says so, whatever else has ended by then.
func TestRunThatDoesNotStart(t *testing.T) {
	for range 20 {
		inHouse(t, fake.Options{}, func(h *house) {
			pane := h.shell()
			a := app.New(app.Ports{
				Reader: h.world, Events: h.world, Creator: h.world, Processes: h.world, Frames: h.world,
				Input: deaf{h.world},
			}, app.Options{})
			defer a.Close()
			out, err := a.RunShellCommand(h.Context(), app.RunShellCommandIn{PaneID: string(pane), Command: "echo ran", Timeout: new(0.2)})
			if err != nil || out.Started || out.Outcome != "timed_out" || out.ExitStatus != nil {
				h.Fatalf("got %+v, %v; want timed_out, not started", out, err)
			}
			again, err := a.GetRun(h.Context(), app.GetRunIn{RunID: out.RunID})
			if err != nil || again.Started || again.Outcome != "timed_out" {
				h.Fatalf("get_run: %+v, %v", again, err)
			}
			h.world.Type(pane, ` \. /fake/`+out.RunID+"/go\r")
			h.awaitPrompt(pane)
			if strings.Contains(h.world.Screen(pane), "\nran") {
				h.Fatal("it ran after it was reported as not started")
			}
		})
	}
}

// A deaf input loses what is typed.
type deaf struct{ ports.Input }

func (deaf) SendText(context.Context, guard.Precondition, string, bool) error { return nil }
