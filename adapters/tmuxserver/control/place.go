package control

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
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

// keep waits until the client is told or ends, and makes another one if tmux gave up its guard.
func (p *place) keep() {
	err := p.watch()
	for tries := 1; tries < mostClients && errors.Is(err, errGivenUp); tries++ {
		err = p.watch()
	}
	p.of.end(p, err)
}

// mostClients are tried for a wait.
const mostClients = 3

var errGivenUp = tmuxserver.GivenUp()

func (p *place) watch() error {
	ctx, cancel := context.WithTimeout(context.Background(), openTime)
	defer cancel()
	condition, hearing := grammar.Alive(p.server), hearing{nonce: rand.Text()}
	stream, err := p.of.dial(ctx, grammar.Argv(
		grammar.Hold(condition.Target, condition.Format, condition.Want, hearing.refused()),
		print(hearing.begins()), print(hearing.begins()), grammar.Wait(p.on.channel),
		print(hearing.wakes()+grammar.EmptyFormat), print(hearing.wakes()+grammar.EmptyFormat),
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
	case grammar.GivenUp(h.failed):
		return errGivenUp
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

// A hearing is what was heard of a wait. Its client prints something before and after it, twice: tmux gives up printing if it does not get to run
// for 100 ms.
type hearing struct {
	nonce string

	begun  bool   // the guard held
	waits  bool   // tmux took up the wait
	woken  bool   // and ended it
	early  bool   // at once
	empty  bool   // because the last session ended, and the server with it
	failed string // tmux's words
	late   bool   // something ran between the wait and what follows it
	last   int    // number of the last command
}

func (h *hearing) begins() string  { return h.nonce + "-begins-" }
func (h *hearing) wakes() string   { return h.nonce + "-wakes-" }
func (h *hearing) refused() string { return h.nonce + "-refused-" }

func (h *hearing) over() bool { return h.woken || h.failed != "" }

// hear takes one block. tmux numbers all commands that it runs: if a wait did not have to wait, nothing ran before what follows it,
// and otherwise the signal did.
func (h *hearing) hear(block Block) {
	next := block.Number == h.last+1
	switch {
	case h.over():
	case block.Failed:
		h.failed = strings.TrimSpace(block.Output)
	case block.Output == h.begins()+"\n":
		h.begun = true
	case h.begun && strings.HasPrefix(block.Output, h.wakes()):
		h.woken, h.early = true, next && !h.late
		h.empty = grammar.Ends(strings.TrimSpace(strings.TrimPrefix(block.Output, h.wakes())))
	case h.waits:
		h.late = h.late || !next
	case h.begun && block.Output == "": // a wait prints nothing
		h.waits = true
	}
	h.last = block.Number
}
