package control

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A place is one client that waits on a channel, and those here who wait through it.
type place struct {
	of      *Channels
	on      waitedOn
	server  tmux.Server
	stream  Markable      // set before asked is closed
	asked   chan struct{} // closed once tmux has taken up the wait
	ended   chan struct{} // closed once it is known how the wait ended
	retired chan struct{} // closed to end it

	// Of Channels' mutex.
	waiting int
	marks   map[string]chan struct{} // closed once they are read
	early   bool                     // the signal was sent before anybody waited
	over    bool
	err     error // how it ended; nil: with a signal
}

// keep waits until the client is told or ends.
func (p *place) keep() { p.of.end(p, p.watch()) }

func (p *place) watch() error {
	ctx, cancel := context.WithTimeout(context.Background(), openTime)
	defer cancel()
	condition, hearing := grammar.Alive(p.server), hearing{nonce: rand.Text()}
	stream, err := p.of.dial(ctx, grammar.Argv(
		grammar.Hold(condition.Target, condition.Format, condition.Want, hearing.refused()),
		print(hearing.begins()), grammar.Wait(p.on.channel), print(hearing.wakes()+grammar.EmptyFormat),
	))
	if err != nil {
		return err
	}
	p.stream = stream
	end := sync.OnceFunc(func() { _ = stream.Close() }) // it is gone, whatever it says
	heard := make(chan struct{})
	var ending sync.WaitGroup
	ending.Go(func() {
		select {
		case <-heard:
		case <-p.retired:
		}
		end()
	})
	defer ending.Wait()
	defer close(heard)

	parser := Parser{MaxOutput: maxOutput}
	buffer := make([]byte, 4<<10)
	for !hearing.over() {
		n, err := stream.Read(buffer)
		parser.Feed(buffer[:n], func(m Message) {
			if m.Block != nil {
				hearing.hear(*m.Block)
			} else if m.Name == mark && !hearing.over() { // behind the end of the wait, that is what is to be heard
				p.of.read(p, m.Rest)
			}
		})
		if hearing.waits {
			closeOnce(p.asked)
		}
		if err != nil {
			break
		}
	}
	return p.outcome(hearing)
}

func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}

// outcome is how the wait ended. A server that ends, or has no session any more, lets all who wait go on, as if it were for a signal.
func (p *place) outcome(h hearing) error {
	select {
	case <-p.retired:
		return closing(p.on.channel)
	default:
	}
	if h.empty {
		return p.gone("tmux ended")
	}
	p.of.mu.Lock()
	p.early = h.early || p.waiting == 0
	p.of.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), openTime)
	defer cancel()
	err := p.of.fresh.Lives(ctx, p.server)
	switch {
	case h.waits && fault.Is(err, fault.StaleTarget):
		return p.gone("tmux restarted")
	case err != nil:
		return err
	case h.woken:
		return nil
	case h.failed != "":
		return grammar.CommandFault(opWait, p.on.channel, h.failed)
	}
	return broken(fault.PossiblySent, fmt.Sprintf("the client that waited on %q ended; a signal that came since is lost", p.on.channel), nil)
}

func (p *place) gone(what string) error {
	return &fault.Error{Kind: fault.ServerGone, Op: opWait, Target: p.on.channel, Message: what + " while " + p.on.channel + " was waited on"}
}

// mark is the name of the marks among what a client reads.
const mark = "%mark"

// A hearing is what was heard of a wait. Its client prints something before and after it.
type hearing struct {
	nonce string

	begun  bool   // the guard held
	waits  bool   // tmux took up the wait
	woken  bool   // and ended it
	early  bool   // at once
	empty  bool   // because the last session ended, and the server with it
	failed string // tmux's words
	last   int    // number of the last command
}

func (h *hearing) begins() string  { return h.nonce + "-begins-" }
func (h *hearing) wakes() string   { return h.nonce + "-wakes-" }
func (h *hearing) refused() string { return h.nonce + "-refused-" }

func (h *hearing) over() bool { return h.woken || h.failed != "" }

// hear takes one block. tmux numbers all commands that it runs: if a wait did not have to wait, nothing ran before what follows it,
// and otherwise the signal did.
func (h *hearing) hear(block Block) {
	switch {
	case block.Failed:
		h.failed = strings.TrimSpace(block.Output)
	case !h.begun && (block.Output == h.begins()+"\n" || block.Output == unprinted):
		h.begun = true
	case h.begun && (strings.HasPrefix(block.Output, h.wakes()) || block.Output == unprinted):
		h.woken, h.early = true, block.Number == h.last+1
		h.empty = grammar.Ends(strings.TrimSpace(strings.TrimPrefix(block.Output, h.wakes())))
	case h.begun:
		h.waits = true
	}
	h.last = block.Number
}
