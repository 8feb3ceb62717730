//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// nothing is written and shows nowhere, so that only the kernel tells of it.
const nothing = "\x1b[0m"

// A locatingConn may change what is answered when a pane is located.
type locatingConn struct {
	tmuxserver.Conn
	located func(result *tmuxserver.Result) error
}

func (c *locatingConn) Run(ctx context.Context, list tmuxserver.List) (tmuxserver.Result, error) {
	result, err := c.Conn.Run(ctx, list)
	if err == nil && len(list.Commands) == 1 && strings.Contains(strings.Join(list.Commands[0], " "), "pane_tty") {
		err = c.located(&result)
	}
	return result, err
}

// TestWatchListensAnew respawns a watched pane, whose new terminal cannot be found at once.
func TestWatchListensAnew(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary, "cat")
		fails := false
		server := tmuxserver.New(&locatingConn{cliConn(t, s, cli.Options{Env: plainEnv(t)}), func(*tmuxserver.Result) error {
			if !fails {
				return nil
			}
			fails = false
			return &fault.Error{Kind: fault.Deadline}
		}}, tmuxserver.Options{})
		watch := watching(t, server, topology(t, server).Server, "%0")
		fails = true
		s.Tmux(t, "respawn-pane", "-k", "-t", "%0", "cat")
		until(t, watch, func(e ports.Event) bool { return e.State })
		eventually(t, "what is written is told", func() (bool, string) {
			writeTo(t, s, "%0", nothing)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			event, err := watch.Next(ctx)
			return err == nil && event == ports.Event{Output: true}, fmt.Sprintf("%+v, %v", event, err)
		})
	})
}

// TestWatchUnheard watches a pane of whose terminal the kernel cannot tell.
func TestWatchUnheard(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary, "cat")
		server := tmuxserver.New(&locatingConn{cliConn(t, s, cli.Options{Env: plainEnv(t)}), func(result *tmuxserver.Result) error {
			result.Replies = slices.Clone(result.Replies)
			result.Replies[0].Output = strings.Replace(result.Replies[0].Output, "/dev/pts/", "/dev/none/", 1)
			return nil
		}}, tmuxserver.Options{})
		watch := watching(t, server, topology(t, server).Server, "%0")
		until(t, watch, func(e ports.Event) bool { return e.Again })
		writeTo(t, s, "%0", "hello") // while it looks often
		until(t, watch, wrote)
	})
}

// TestControlTellsAllAtOnce sees that what is written is told together with what else happens.
func TestControlTellsAllAtOnce(t *testing.T) {
	eachWatched(t, func(t *testing.T, s *realServer, events *control.Events, _ *tmuxserver.Server, all tmux.Topology) {
		watch := watching(t, events, all.Server, "%0")
		writeTo(t, s, "%0", nothing)
		s.Tmux(t, "copy-mode", "-t", "%0")
		until(t, watch, wrote)
	})
}
