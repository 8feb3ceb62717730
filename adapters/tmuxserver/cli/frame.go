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
	return list.Guard != nil && grammar.Held(out.stdout) || f.marked(list, out.stdout, 0)
}

// marked reports whether a marker from a certain one on was printed.
func (f *frame) marked(list tmuxserver.List, printed string, from int) bool {
	for i := from; i <= len(list.Commands); i++ {
		if strings.Contains(printed, f.marker(i)) {
			return true
		}
	}
	return false
}

// parse reads the answer. It is not complete if neither all commands ran nor tmux said why not, or a marker is missing.
func (f *frame) parse(list tmuxserver.List, out output) (tmuxserver.Result, bool) {
	result := tmuxserver.Result{Replies: make([]tmuxserver.Reply, len(list.Commands))}
	result.Started = list.Start && strings.Contains(out.stdout, f.started()+f.nonce+".")
	if _, found, ok := strings.Cut(out.stderr, f.refused()); ok && list.Guard != nil {
		found, _, ok = strings.Cut(found, f.refused())
		result.Found = found
		return result, ok
	}
	_, rest, found := strings.Cut(out.stdout, f.marker(0)+"\n")
	switch {
	case found:
	case f.began(list, out):
		return result, false
	case list.Guard != nil && grammar.GivenUp(out.stderr):
		result.GivenUp = true
		return result, true
	case len(result.Replies) == 0, isTransport(out): // tmux was not there to read the list
		return result, false
	default: // tmux rejected the list
		result.Replies[0] = tmuxserver.Reply{State: tmuxserver.Failed, Error: out.stderr}
		return result, out.stderr != ""
	}
	result.Passed = true
	for i := range result.Replies {
		text, after, found := strings.Cut(rest, f.marker(i+1)+"\n")
		if !found {
			result.Replies[i] = tmuxserver.Reply{State: tmuxserver.Failed, Output: text, Error: out.stderr}
			return result, out.stderr != "" && !isTransport(out) && !f.marked(list, rest, i+2)
		}
		result.Replies[i] = tmuxserver.Reply{State: tmuxserver.Done, Output: text}
		rest = after
	}
	return result, true
}
