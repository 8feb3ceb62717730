//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A run costs so many command lists: each is a process of tmux, unless a control-mode client carries it.
func TestRunSendsFewLists(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		s := startServer(t, binary, "env", "PS1=$ ", "bash", "--noprofile", "--norc")
		s.Screen(t, "%0", "$")
		counted := &countingConn{Conn: cliConn(t, s, cli.Options{Env: plainEnv(t)})}
		server := tmuxserver.New(counted, tmuxserver.Options{})
		frames, err := shell.Open(shell.Options{Dir: filepath.Join(t.TempDir(), "frames")})
		if err != nil {
			t.Fatal(err)
		}
		application := app.New(app.Ports{
			Reader: server, Events: server, Input: server, Processes: process.New(process.Options{}), Frames: frames,
		}, app.Options{})
		t.Cleanup(application.Close)
		run := func() {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), hangBound)
			defer cancel()
			out, err := application.RunShellCommand(ctx, app.RunShellCommandIn{PaneID: "%0", Command: "true"})
			if err != nil || out.Outcome != "completed" {
				t.Fatalf("%+v, %v", out, err)
			}
		}
		listed, err := application.ListPanes(t.Context(), app.ListPanesIn{})
		if err != nil {
			t.Fatal(err)
		}
		read, err := server.Topology(t.Context(), tmux.DetailBrief)
		if err != nil || len(listed.Panes) != 1 {
			t.Fatal(listed, err)
		}

		// In one run: the listing with the prompt, the line, the anchor, the output; after it the prompt, who was there, and the prompt
		// again. Before tmux 3.5 the prompt is looked at after the listing, and each capture is preceded by the question whether there is a
		// hook. A machine that is too slow for the prompt to be learned after a run looks at it once more.
		captures, others, again := int32(4), int32(3), int32(1)
		if !read.Server.Version.AtLeast("3.5") {
			captures, again = 10, 2
		}
		eventually(t, "a run sends that many lists", func() (bool, string) {
			before := counted.runs.Load()
			run()
			sent := counted.runs.Load() - before
			for last := int32(-1); last != sent; sent = counted.runs.Load() - before { // what follows the run too
				last = sent
				<-time.After(300 * time.Millisecond)
			}
			return sent == captures+others || sent == captures+others+again, fmt.Sprintf("%d lists, want %d", sent, captures+others)
		})
	})
}
