// Command demo plays the main job through the built binary, against a real tmux of its own: an agent looks around,
// makes a pane, runs the tests of a small project there, reads their status and output, and is refused where it
// would do harm. It prints each question and answer, and exits with status 1 at the first answer that is not what
// the product promises.
//
//	go run ./integration/demo bin/libtmux-mcp
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// bound is how long the whole demonstration may take.
const bound = time.Minute

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: demo PATH-OF-LIBTMUX-MCP")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	ctx, cancel := context.WithTimeout(ctx, bound)
	err := run(ctx, os.Args[1])
	cancel()
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "\ndemo failed:", err)
		os.Exit(1)
	}
}

// run sets the stage, plays, and leaves nothing behind.
func run(ctx context.Context, binary string) (err error) {
	binary, err = filepath.Abs(binary)
	if err != nil {
		return err
	}
	s, err := newStage()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.strike()) }()

	cmd := exec.Command(binary, "--socket", s.socket)
	cmd.Env = s.environment()
	server, err := pipes.Start(cmd)
	if err != nil {
		return err
	}
	err = play(ctx, server, s)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if ended := server.Close(ending); ended != nil {
		err = errors.Join(err, fmt.Errorf("the server did not end well: %w; stderr: %s", ended, server.Stderr()))
	}
	if strays := server.Strays(); len(strays) > 0 {
		err = errors.Join(err, fmt.Errorf("stdout held what is no JSON-RPC: %q", strays))
	}
	if err == nil {
		fmt.Println("\nThe conversation is over; the server has ended, and its tmux still runs, as it should.")
	}
	return err
}
