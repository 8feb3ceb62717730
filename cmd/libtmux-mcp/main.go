// Command libtmux-mcp is an MCP server on standard input and output through which an agent sees, waits on, runs in and
// manages tmux.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// version is set by the linker.
var version = "devel"

// memoryGoal is where the garbage collector begins to work harder instead of letting this process grow: a whole history is
// several megabytes, and garbage soon.
const memoryGoal = 48 << 20 // bytes

// The exit statuses.
const (
	exitOK    = 0
	exitError = 1 // the session ended with an error
	exitUsage = 2 // the command line or the environment is wrong; nothing was touched
)

func main() {
	// A peer that closes our standard output must be an error of a write, not the death of this process.
	signal.Ignore(syscall.SIGPIPE)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryGoal)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Environ()))
}

// run does what the arguments say and returns the exit status.
func run(ctx context.Context, args, environment []string) int {
	command, config, err := parse(args, environment)
	if err != nil {
		fmt.Fprintf(os.Stderr, "libtmux-mcp: %v\n", err)
		return exitUsage
	}
	switch command {
	case "help":
		_, err = fmt.Fprint(os.Stdout, config.help)
	case "version":
		_, err = fmt.Fprintf(os.Stdout, "libtmux-mcp %s\n", version)
	case "client-config":
		err = clientConfig(os.Stdout, config.client)
	case "doctor":
		err = doctor(ctx, os.Stdout, config)
	case "tools":
		err = tools(ctx, os.Stdout, config)
	default:
		err = serve(ctx, config)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "libtmux-mcp: %v\n", err)
		return exitError
	}
	return exitOK
}
