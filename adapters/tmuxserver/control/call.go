package control

import (
	"crypto/rand"
	"strconv"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A call is one command list on its way. Behind each of its commands stands a marker, behind its guard too, and on a line of its own
// that tmux runs whatever became of the list, another one; they hold a nonce, so that nothing that a command prints can pass for one.
type call struct {
	nonce string
	list  tmuxserver.List
	done  chan outcome // holds one

	result   tmuxserver.Result
	unsent   bool // not one line of it was written
	began    bool // something of it was heard
	passed   int  // markers, and one for a guard that there is not
	over     bool // the guard did not hold or a command failed: tmux drops the rest
	cut      bool // the answer is longer than is taken
	answered bool // done holds how it ended, or held it
}

// An outcome is how a call ended.
type outcome struct {
	result tmuxserver.Result
	err    error
}

func newCall(list tmuxserver.List) *call {
	c := &call{
		nonce: rand.Text(), list: list, done: make(chan outcome, 1),
		result: tmuxserver.Result{Replies: make([]tmuxserver.Reply, len(list.Commands))},
	}
	if list.Guard == nil {
		c.passed, c.result.Passed = 1, true
	}
	return c
}

func (c *call) marker(i int) string { return c.nonce + "-" + strconv.Itoa(i) + "-" }
func (c *call) end() string         { return c.nonce + "-end-" }
func (c *call) refused() string     { return c.nonce + "-refused-" }

// text is what is sent.
func (c *call) text() string {
	var commands []tmuxserver.Command
	if g := c.list.Guard; g != nil {
		commands = append(commands, grammar.Hold(g.Target, g.Format, g.Want, c.refused()), print(c.marker(0)))
	}
	for i, command := range c.list.Commands {
		commands = append(commands, command, print(c.marker(i+1)))
	}
	var text strings.Builder
	if len(commands) > 0 {
		render(&text, commands)
	}
	render(&text, []tmuxserver.Command{print(c.end())})
	return text.String()
}

// unprinted is what stands instead of a marker that tmux gave up printing, because it did not get to run for 100 ms.
const unprinted = "\n"

func print(text string) tmuxserver.Command { return tmuxserver.Command{"display-message", "-p", text} }

// hear takes the next block of a command of this client's, and reports whether it was the last one of the call. The answer does not
// wait for that one if all went well.
func (c *call) hear(block Block) (last bool) {
	replies, current := c.result.Replies, c.passed-1 // -1: the guard
	first := !c.began
	c.began = true
	waits := c.over || current == len(replies) // for the marker at the end alone
	switch {
	case block.Output == c.end()+"\n", waits && block.Output == unprinted:
		c.answer(c.outcome())
		return true
	case waits:
	case block.Output == c.marker(c.passed)+"\n":
		if current >= 0 {
			replies[current].State = tmuxserver.Done
		}
		c.result.Passed = true
		if c.passed++; c.passed > len(replies) {
			c.answer(c.outcome())
		}
	case !block.Failed:
		if current >= 0 {
			replies[current].Output += block.Output
			c.cut = c.cut || block.Cut
		}
	case c.list.Guard != nil && strings.Contains(block.Output, c.refused()):
		_, found, _ := strings.Cut(block.Output, c.refused())
		c.result.Found, _, _ = strings.Cut(found, c.refused())
		c.over = true
	case c.list.Guard != nil && current < 0 && grammar.GivenUp(block.Output):
		c.result.GivenUp, c.over = true, true
	case len(replies) > 0:
		reply := &replies[max(current, 0)]
		reply.State, reply.Error = tmuxserver.Failed, block.Output
		c.over = true
		if first && strings.HasPrefix(block.Output, "parse error: ") { // tmux rejects the list as a whole
			c.result.Passed = false
		}
	}
	return false
}

// answer gives an outcome to who waits for it, unless there was one.
func (c *call) answer(out outcome) {
	if !c.answered {
		c.answered = true
		c.done <- out
	}
}

// outcome is the answer, once all of it was heard that matters.
func (c *call) outcome() outcome {
	switch {
	case c.cut:
		return outcome{err: &fault.Error{
			Kind: fault.Capacity, Delivery: fault.PossiblySent, Message: "tmux answered with more than is taken", Recovery: "ask for less at once",
		}}
	case !c.over && c.passed <= len(c.result.Replies):
		return outcome{err: tmuxserver.Unmarked()}
	}
	return outcome{result: c.result}
}

// broken is the fault of a connection that did not do what it should.
func broken(delivery fault.Delivery, message string, err error) *fault.Error {
	return &fault.Error{Kind: fault.TransportError, Delivery: delivery, Message: "control mode: " + message, Err: err}
}
