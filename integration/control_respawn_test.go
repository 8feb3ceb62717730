//go:build integration

package integration_test

import (
	"context"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// TestControlRespawns ends programs that write without pause, in every way, while they are watched: tmux ends at once if a control
// client has not got then what they wrote. The events of the watches do not matter.
func TestControlRespawns(t *testing.T) {
	rounds := often(30)
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary, "yes")
		events, server, _ := controlEvents(t, s)
		all := topology(t, server)
		s.Tmux(t, "set-option", "-g", "remain-on-exit", "on")
		watch := func(pane tmux.PaneID) {
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			watch := watching(t, events, all.Server, pane)
			go func() {
				defer close(ended)
				for {
					if event, err := watch.Next(ctx); err != nil || event.Gone || event.ServerGone {
						return
					}
					_, _ = events.Reader(server).Capture(ctx, ports.CaptureRequest{Server: all.Server, Pane: pane}) // as a wait does
				}
			}()
			t.Cleanup(func() {
				cancel()
				<-ended
			})
		}
		watch("%0")
		watch("%0")
		for range rounds {
			s.Tmux(t, "respawn-pane", "-k", "-t", "%0")
			s.Tmux(t, "respawn-pane", "-k", "-t", "%0", "yes | head -c 100000; exit 1") // dies while it writes
			other := s.Tmux(t, "split-window", "-d", "-P", "-F", "#{pane_id}", "-t", "%0", "yes")
			watch(tmux.PaneID(other))
			eventually(t, "the pane is dead", func() (bool, string) {
				dead := s.Tmux(t, "display-message", "-p", "-t", "%0", "#{pane_dead}")
				return dead == "1", dead
			})
			s.Tmux(t, "respawn-pane", "-t", "%0", "yes")
			s.Tmux(t, "kill-pane", "-t", other)
		}
		if now := topology(t, server); now.Server.Generation != all.Server.Generation || len(now.Panes) != 1 {
			t.Errorf("the server was %+v and is %+v, with %d panes; want the same and one pane", all.Server, now.Server, len(now.Panes))
		}
	})
}
