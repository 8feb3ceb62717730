package porttest

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// respawning is what a respawn of a pane demands now.
func respawning(t *testing.T, w World, wish guard.RespawnWish) (tmux.Server, ports.Respawn) {
	t.Helper()
	read := topology(t, w)
	judged, refusal := guard.JudgeRespawn(read, wish, guard.Evidence{})
	if refusal != nil {
		t.Fatalf("%v\n%v", refusal, w)
	}
	return read.Server, ports.Respawn{Respawning: judged}
}

// keeps checks that a respawn fails, and that the process of the pane lives on.
func keeps(t *testing.T, w World, kind fault.Kind, server tmux.Server, request ports.Respawn) {
	t.Helper()
	before := pane(t, w, request.Pane)
	answered, err := w.Ports().Respawn(bounded(t), server, request)
	wants(t, w, kind, err)
	if after := pane(t, w, request.Pane); after.PID != before.PID || after.Dead != before.Dead || answered != (tmux.Pane{}) {
		t.Errorf("process %d, dead %t; want %d, %t\n%v", after.PID, after.Dead, before.PID, before.Dead, w)
	}
}

func respawn(t *testing.T, newWorld func(t *testing.T) World) {
	kill := func(id tmux.PaneID) guard.RespawnWish { return guard.RespawnWish{Pane: id, Kill: true} }
	runCases(t, newWorld, []testCase{
		{"the command of a dead pane", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			before := pane(t, w, id)
			w.Die(id)
			server, request := respawning(t, w, guard.RespawnWish{Pane: id})
			answered, err := w.Ports().Respawn(bounded(t), server, request)
			succeeds(t, w, err)
			after := pane(t, w, id)
			if answered.ID != id || answered.Dead || answered.PID == before.PID || answered.StartCommand != before.StartCommand || !answered.Full {
				t.Errorf("answered %+v, want %+v with another process", answered, before)
			}
			if after.PID != answered.PID || after.Dead {
				t.Errorf("answered %+v, and now there is %+v\n%v", answered, after, w)
			}
		}},
		{"of a pane that lives, if it may be killed; its mode ends, its history stays", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.Print(id, strings.Repeat("row\r\n", 40))
			eventually(t, w, "the rows are there", func() (bool, any) {
				size := pane(t, w, id).HistorySize
				return size == 17, size
			})
			w.Put(id, CopyMode)
			before := pane(t, w, id)
			server, request := respawning(t, w, kill(id))
			answered, err := w.Ports().Respawn(bounded(t), server, request)
			succeeds(t, w, err)
			if answered.PID == before.PID || answered.Dead || answered.Mode != "" || answered.HistorySize != before.HistorySize {
				t.Errorf("%+v became %+v\n%v", before, answered, w)
			}
		}},
		{"not of one that may not", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server, request := respawning(t, w, kill(id))
			request.Kill = false
			keeps(t, w, fault.PreconditionFailed, server, request)
		}},
		{"in another directory, whatever it is called", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			dir := filepath.Join(t.TempDir(), literal)
			succeeds(t, w, os.Mkdir(dir, 0o700))
			shell, err := w.Ports().NewWindow(bounded(t), topology(t, w).Server, ports.NewWindow{Session: sessionOf(t, w, id)})
			succeeds(t, w, err)
			server, request := respawning(t, w, kill(shell.Pane))
			request.Cwd = dir
			_, err = w.Ports().Respawn(bounded(t), server, request)
			succeeds(t, w, err)
			directoryOf(t, w, shell.Pane, dir)
			server, request = respawning(t, w, kill(shell.Pane))
			_, err = w.Ports().Respawn(bounded(t), server, request)
			succeeds(t, w, err)
			directoryOf(t, w, shell.Pane, dir)
		}},
		{"not in one that does not exist", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server, request := respawning(t, w, kill(id))
			request.Cwd = "/nonexistent/directory"
			keeps(t, w, fault.InvalidInput, server, request)
		}},
		{"not of another process", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server, request := respawning(t, w, kill(id))
			_, err := w.Ports().Respawn(bounded(t), server, request)
			succeeds(t, w, err)
			keeps(t, w, fault.PreconditionFailed, server, request)
		}},
		{"not where somebody looks meanwhile, unless that is confirmed", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server, request := respawning(t, w, kill(id))
			w.Attach(sessionOf(t, w, id), Terminal)
			keeps(t, w, fault.PreconditionFailed, server, request)
			server, request = respawning(t, w, guard.RespawnWish{Pane: id, Kill: true, ConfirmAttended: true})
			_, err := w.Ports().Respawn(bounded(t), server, request)
			succeeds(t, w, err)
		}},
		{"nor where a zoom shows it meanwhile", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.Split(id, Recorder)
			w.Attach(sessionOf(t, w, id), Terminal)
			server, request := respawning(t, w, guard.RespawnWish{Pane: id, Kill: true, ConfirmAttended: true})
			request.Unwatched = true
			w.Put(id, Zoomed)
			keeps(t, w, fault.PreconditionFailed, server, request)
		}},
		{"not while a control client is told what its session's panes write, before 3.8", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			other := w.Session("other", Recorder)
			server, request := respawning(t, w, kill(id))
			detach := w.Attach(sessionOf(t, w, id), Control)
			if server.Version.AtLeast("3.8") {
				_, err := w.Ports().Respawn(bounded(t), server, request)
				succeeds(t, w, err)
				return
			}
			keeps(t, w, fault.Unsupported, server, request)
			w.Die(other)
			w.Link(pane(t, w, other).Window, sessionOf(t, w, id))
			server, linked := respawning(t, w, guard.RespawnWish{Pane: other})
			keeps(t, w, fault.Unsupported, server, linked)
			detach()
			for _, request := range []ports.Respawn{request, linked} {
				_, err := w.Ports().Respawn(bounded(t), server, request)
				succeeds(t, w, err)
			}
		}},
		{"one that is not told, or of another session, does not matter", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			w.Attach(sessionOf(t, w, id), Silent)
			w.Attach(sessionOf(t, w, w.Session("other", Recorder)), Control)
			server, request := respawning(t, w, kill(id))
			_, err := w.Ports().Respawn(bounded(t), server, request)
			succeeds(t, w, err)
		}},
		{"no pane", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server, request := respawning(t, w, kill(id))
			request.Pane = "%99"
			_, err := w.Ports().Respawn(bounded(t), server, request)
			wants(t, w, fault.NotFound, err)
			if diff := cmp.Diff(1, len(topology(t, w).Panes)); diff != "" {
				t.Errorf("panes (-want +got):\n%s", diff)
			}
		}},
		{"another life of the server is stale", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server, request := respawning(t, w, kill(id))
			if again := newLife(t, w, Recorder); again != id {
				t.Fatalf("the new pane is %s", again)
			}
			keeps(t, w, fault.StaleTarget, server, request)
		}},
		{"no server, or no time", func(t *testing.T, w World) {
			id := w.Session("main", Recorder)
			server, request := respawning(t, w, kill(id))
			before := pane(t, w, id)
			endsWithContext(t, w, func(ctx context.Context) error {
				_, err := w.Ports().Respawn(ctx, server, request)
				return err
			})
			if after := pane(t, w, id); after.PID != before.PID {
				t.Errorf("process %d became %d", before.PID, after.PID)
			}
			w.Kill("")
			_, err := w.Ports().Respawn(bounded(t), server, request)
			wants(t, w, fault.ServerGone, err)
		}},
	})
}
