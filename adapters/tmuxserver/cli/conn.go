// Package cli is the Conn that starts one tmux process for each command list. It needs nothing but the executable, and
// it alone can start a server. Control-mode clients it makes without a process.
package cli

import (
	"context"
	"os"
	"strings"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Options say which server is meant and how it is reached.
type Options struct {
	Tmux       string   // executable: a path or a name; empty: tmux, from PATH or the usual directories
	SocketPath string   // absolute; see SocketPath for a name's
	Config     string   // path of the configuration of a server that is started; empty: tmux's own
	Env        []string // of the tmux processes, as os.Environ; nil: this process's. TMUX and TMUX_PANE never reach them
	MaxOutput  int      // bytes that one command list may print; 0: 64 MiB
}

// A Conn reaches one server by its socket.
type Conn struct {
	options Options
	socket  string
	env     []string

	mu         sync.Mutex
	executable Executable // found once; zero until then
}

var _ tmuxserver.Conn = (*Conn)(nil)

// New makes a Conn and touches nothing. A socket path that tmux could never use is InvalidInput.
func New(options Options) (*Conn, error) {
	if err := checkSocketPath(options.SocketPath); err != nil {
		return nil, err
	}
	if options.Env == nil {
		options.Env = os.Environ()
	}
	if options.MaxOutput == 0 {
		options.MaxOutput = 64 << 20
	}
	return &Conn{options: options, socket: resolve(options.SocketPath), env: environment(options.Env)}, nil
}

// Socket is the path of the server's socket, with symbolic links resolved as far as it existed when the Conn was made.
func (c *Conn) Socket() string { return c.socket }

// Run runs one tmux process for the list.
func (c *Conn) Run(ctx context.Context, list tmuxserver.List) (tmuxserver.Result, error) {
	var configs []string
	if c.options.Config != "" {
		configs = []string{c.options.Config}
	}
	return c.run(ctx, list, configs)
}

// run runs a list; a server that it starts reads the configurations, or tmux's own if there are none.
func (c *Conn) run(ctx context.Context, list tmuxserver.List, configs []string) (tmuxserver.Result, error) {
	frame := newFrame(list)
	call := call{argv: frame.argv}
	if list.Start {
		call.start, call.configs = true, configs
		call.env = []string{startedVariable + "=" + frame.nonce}
	}
	out, err := c.exec(ctx, call)
	if err != nil {
		return tmuxserver.Result{}, err
	}
	if result, complete := frame.parse(list, out); complete {
		ports.ClientEnded(ctx, out.status)
		return result, nil
	}
	began := frame.began(list, out)
	if began && out.status == 0 {
		return tmuxserver.Result{}, tmuxserver.Unmarked()
	}
	return tmuxserver.Result{}, c.transportFault(ctx, out, began)
}

// Load feeds the buffer through tmux's standard input.
func (c *Conn) Load(ctx context.Context, buffer string, data []byte) error {
	out, err := c.exec(ctx, call{argv: []string{"load-buffer", "-b", buffer, "-"}, stdin: data})
	if err != nil {
		return err
	}
	if out.status == 0 && len(out.stderr) == 0 && len(out.stdout) == 0 {
		return nil
	}
	return c.transportFault(ctx, out, false)
}

// greatestList is how many bytes the arguments of a list may have, each with a NUL: tmux sends them in one imsg of 16384
// bytes.
const greatestList = 16364

// Room is what tmux's client protocol leaves.
func (c *Conn) Room(list tmuxserver.List) int {
	used := 0
	for _, argument := range newFrame(list).argv {
		used += len(argument) + 1
	}
	if n := len(list.Commands); n > 0 && !strings.HasSuffix(list.Commands[n-1][len(list.Commands[n-1])-1], ";") {
		used++ // a semicolon at the end of what it grows by is escaped
	}
	return greatestList - used
}

// environment drops what would make tmux take this process for a client inside a pane.
func environment(env []string) []string {
	var kept []string
	for _, variable := range env {
		switch name, _, _ := strings.Cut(variable, "="); name {
		case "TMUX", "TMUX_PANE":
		default:
			kept = append(kept, variable)
		}
	}
	return kept
}

// hasLocale reports whether the environment says in what encoding programs write.
func hasLocale(env []string) bool {
	for _, variable := range env {
		switch name, value, _ := strings.Cut(variable, "="); name {
		case "LC_ALL", "LC_CTYPE", "LANG":
			if value != "" {
				return true
			}
		}
	}
	return false
}

func transport(delivery fault.Delivery, recovery, message string, err error) *fault.Error {
	return &fault.Error{Kind: fault.TransportError, Message: message, Recovery: recovery, Delivery: delivery, Err: err}
}
