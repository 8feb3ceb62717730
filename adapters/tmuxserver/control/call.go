package control

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A call is one command list on its way. Markers stand between its commands and, on a line of its own that tmux runs
// whatever became of the list, at its end; they hold a nonce, so that nothing that a command prints can pass for one.
type call struct {
	nonce string
	list  tmuxserver.List
	done  chan outcome // holds one

	result tmuxserver.Result
	seen   int  // markers
	over   bool // the guard did not hold or a command failed: tmux drops the rest
	cut    bool // the answer is longer than is taken
}

// An outcome is how a call ended.
type outcome struct {
	result tmuxserver.Result
	err    error
}

func newCall(list tmuxserver.List) *call {
	return &call{
		nonce: rand.Text(), list: list, done: make(chan outcome, 1),
		result: tmuxserver.Result{Replies: make([]tmuxserver.Reply, len(list.Commands))},
	}
}

func (c *call) marker(i int) string { return c.nonce + "-" + strconv.Itoa(i) + "-" }
func (c *call) end() string         { return c.nonce + "-end-" }
func (c *call) refused() string     { return c.nonce + "-refused-" }

// text is what is sent.
func (c *call) text() string {
	var commands []tmuxserver.Command
	if g := c.list.Guard; g != nil {
		commands = append(commands, grammar.Hold(g.Target, g.Format, g.Want, c.refused()))
	}
	for i, command := range c.list.Commands {
		commands = append(commands, print(c.marker(i)), command)
	}
	var text strings.Builder
	render(&text, append(commands, print(c.marker(len(c.list.Commands)))))
	render(&text, []tmuxserver.Command{print(c.end())})
	return text.String()
}

func print(text string) tmuxserver.Command { return tmuxserver.Command{"display-message", "-p", text} }

// hear takes the next block of a command of this client's, and reports whether it was the last one of the call.
func (c *call) hear(block Block) (last bool) {
	replies := c.result.Replies
	switch {
	case block.Output == c.end()+"\n":
		return true
	case c.over:
	case c.seen <= len(replies) && block.Output == c.marker(c.seen)+"\n":
		if c.seen > 0 {
			replies[c.seen-1].State = tmuxserver.Done
		}
		c.result.Passed = true
		c.seen++
	case !block.Failed:
		if c.seen > 0 && c.seen <= len(replies) {
			replies[c.seen-1].Output += block.Output
			c.cut = c.cut || block.Cut
		}
	case c.list.Guard != nil && strings.Contains(block.Output, c.refused()):
		_, found, _ := strings.Cut(block.Output, c.refused())
		c.result.Found, _, _ = strings.Cut(found, c.refused())
		c.over = true
	case len(replies) > 0: // without a marker before it: tmux rejects the list as a whole
		reply := &replies[min(max(c.seen-1, 0), len(replies)-1)]
		reply.State, reply.Error = tmuxserver.Failed, block.Output
		c.over = true
	}
	return false
}

// began reports whether something of the list ran.
func (c *call) began() bool { return c.seen > 0 || c.over }

// outcome is the answer, once all of it was heard.
func (c *call) outcome() outcome {
	switch {
	case c.cut:
		return outcome{err: &fault.Error{
			Kind: fault.Capacity, Delivery: fault.PossiblySent, Message: "tmux answered with more than is taken", Recovery: "ask for less at once",
		}}
	case !c.over && c.seen <= len(c.result.Replies):
		return outcome{err: broken(fault.PossiblySent, fmt.Sprintf("an answer without its marker %d of %d", c.seen, len(c.result.Replies)), nil)}
	}
	return outcome{result: c.result}
}

// broken is the fault of a connection that did not do what it should.
func broken(delivery fault.Delivery, message string, err error) *fault.Error {
	return &fault.Error{Kind: fault.TransportError, Delivery: delivery, Message: "control mode: " + message, Err: err}
}
