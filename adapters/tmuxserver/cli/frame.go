package cli

import (
	"crypto/rand"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
)

// startedVariable reaches the environment of a server only from the process that started it.
const startedVariable = "LIBTMUX_MCP_STARTED"

// A frame is a command list as arguments for tmux, with a marker printed before, between and after its commands. A marker is
// a nonce and a number, so that neither output nor hooks can imitate it.
type frame struct {
	nonce string
	argv  []string
}

func newFrame(list tmuxserver.List) frame {
	f := frame{nonce: rand.Text()}
	if list.Start {
		f.add("display-message", "-p", f.started()+"#{"+startedVariable+"}.")
		f.add("set-environment", "-g", "-u", startedVariable)
	}
	if g := list.Guard; g != nil {
		f.add(grammar.Hold(g.Target, g.Format, g.Want, f.refused())...)
	}
	for i, command := range list.Commands {
		f.add("display-message", "-p", f.marker(i))
		f.add(command...)
	}
	f.add("display-message", "-p", f.marker(len(list.Commands)))
	return f
}

// add appends one command.
func (f *frame) add(command ...string) {
	if len(f.argv) > 0 {
		f.argv = append(f.argv, ";")
	}
	f.argv = append(f.argv, grammar.Argv(command)...)
}

func (f *frame) marker(i int) string { return f.nonce + "-" + strconv.Itoa(i) + "-" }
func (f *frame) started() string     { return f.nonce + "-started-" }
func (f *frame) refused() string     { return f.nonce + "-refused-" }

// began reports whether the first command may have run. The first marker may be missing: tmux gives up printing one if it does not get to run
// for 100 ms.
func (f *frame) began(list tmuxserver.List, out output) bool {
	for i := range len(list.Commands) + 1 {
		if strings.Contains(out.stdout, f.marker(i)) {
			return true
		}
	}
	return false
}

// parse reads the answer. It is not complete if neither all commands ran nor tmux said why not.
func (f *frame) parse(list tmuxserver.List, out output) (tmuxserver.Result, bool) {
	result := tmuxserver.Result{Replies: make([]tmuxserver.Reply, len(list.Commands))}
	result.Started = list.Start && strings.Contains(out.stdout, f.started()+f.nonce+".")
	if _, found, ok := strings.Cut(out.stderr, f.refused()); ok && list.Guard != nil {
		found, _, ok = strings.Cut(found, f.refused())
		result.Found = found
		return result, ok
	}
	_, rest, found := strings.Cut(out.stdout, f.marker(0)+"\n")
	if !found {
		// Nothing ran: tmux rejected the list, or was not there to read it.
		if len(result.Replies) == 0 || isTransport(out) {
			return result, false
		}
		result.Replies[0] = tmuxserver.Reply{State: tmuxserver.Failed, Error: out.stderr}
		return result, out.stderr != ""
	}
	result.Passed = true
	for i := range result.Replies {
		text, after, found := strings.Cut(rest, f.marker(i+1)+"\n")
		if !found {
			result.Replies[i] = tmuxserver.Reply{State: tmuxserver.Failed, Output: text, Error: out.stderr}
			return result, out.stderr != "" && !isTransport(out)
		}
		result.Replies[i] = tmuxserver.Reply{State: tmuxserver.Done, Output: text}
		rest = after
	}
	return result, true
}
