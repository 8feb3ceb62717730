package porttest

import (
	"context"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Processes runs the contract of [ports.Processes].
func Processes(t *testing.T, newWorld func(t *testing.T) World) {
	// becomes waits until the foreground of a pane is something.
	becomes := func(t *testing.T, w World, id tmux.PaneID, want guard.Foreground) guard.Sample {
		t.Helper()
		at := pane(t, w, id)
		var sample guard.Sample
		eventually(t, w, "the foreground of "+string(id)+" is "+string(want), func() (bool, any) {
			sample = w.Ports().Sample(bounded(t), at)
			return guard.Classify(sample).State == want, sample
		})
		return sample
	}
	sends := func(t *testing.T, w World, id tmux.PaneID, text string, enter bool) {
		t.Helper()
		succeeds(t, w, w.Ports().SendText(bounded(t), precondition(t, w, true, id), text, enter))
	}
	runCases(t, newWorld, []testCase{
		{"a shell at its prompt, at work, and at its prompt again", func(t *testing.T, w World) {
			id := w.Session("main", Shell)
			prompts(t, w, id)
			sample := becomes(t, w, id, guard.AtPrompt)
			if !sample.SameUser || sample.Leader != pane(t, w, id).PID || len(sample.Argv) == 0 || sample.State != 'S' || sample.Age < 0 {
				t.Errorf("sample %+v", sample)
			}
			sends(t, w, id, "while :; do :; done", true)
			becomes(t, w, id, guard.ForegroundBusy)
			succeeds(t, w, w.Ports().SendKeys(bounded(t), precondition(t, w, true, id), []string{"C-c"}))
			becomes(t, w, id, guard.AtPrompt)
		}},
		{"another program in the foreground", func(t *testing.T, w World) {
			id := w.Session("main", Shell)
			prompts(t, w, id)
			sends(t, w, id, "sleep 99", true)
			if sample := becomes(t, w, id, guard.ForegroundNot); sample.Executable != "sleep" || sample.Leader == pane(t, w, id).PID {
				t.Errorf("sample %+v, want sleep", sample)
			}
		}},
		{"a pane without a shell", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			if got := guard.Classify(w.Ports().Sample(bounded(t), pane(t, w, id))); got.State == guard.AtPrompt {
				t.Errorf("a recorder is %+v", got)
			}
		}},
		{"what cannot be inspected is in the sample", func(t *testing.T, w World) {
			id := w.Session("main", Shell)
			w.Session("other", Recorder)
			at := pane(t, w, id)
			w.Kill(string(id))
			eventually(t, w, "the process is gone", func() (bool, any) {
				sample := w.Ports().Sample(bounded(t), at)
				return sample.Err != nil, sample
			})
		}},
		{"no sample after its context", func(t *testing.T, w World) {
			id := w.Session("main", Shell)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if sample := w.Ports().Sample(ctx, pane(t, w, id)); sample.Err == nil {
				t.Errorf("sample %+v, want an error", sample)
			}
		}},
		{"the caller is in none of these panes, which is not known", func(t *testing.T, w World) {
			w.Session("main", Shell)
			got := w.Ports().Caller(bounded(t), topology(t, w))
			if want := (ports.Caller{How: ports.CallerUnknown}); got != want {
				t.Errorf("caller %+v, want %+v", got, want)
			}
		}},
		{"a stopped process", func(t *testing.T, w World) {
			id := w.Session("main", Shell)
			prompts(t, w, id)
			sends(t, w, id, "sleep 99", true)
			leader := becomes(t, w, id, guard.ForegroundNot).Leader
			if stopped, exists := w.Ports().Stopped(bounded(t), leader); stopped || !exists {
				t.Errorf("at work: stopped %t, exists %t", stopped, exists)
			}
			succeeds(t, w, w.Ports().SendKeys(bounded(t), precondition(t, w, true, id), []string{"C-z"}))
			eventually(t, w, "it is stopped", func() (bool, any) {
				stopped, exists := w.Ports().Stopped(bounded(t), leader)
				return stopped && exists, exists
			})
			becomes(t, w, id, guard.AtPrompt)
			w.Kill(string(id))
			eventually(t, w, "it is gone", func() (bool, any) {
				stopped, exists := w.Ports().Stopped(bounded(t), leader)
				return !stopped && !exists, exists
			})
		}},
	})
}
