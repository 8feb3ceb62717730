package control

import (
	"context"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/wake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// news is what a watch was told since it last looked: that there is something to look at, at least.
type news struct {
	written bool // something was written to the pane's terminal
	shown   bool // something changed otherwise
	late    bool // it came by the subscription, which says nothing of what is written later in the same second
	moved   bool // the pane may be in another session
	lost    bool // the client ended, or hears another session now
}

// A watch hears of one pane. What is written to the pane's terminal it tells at once; what else it hears makes the goroutine of whoever
// calls Next look what there is.
type watch struct {
	events *Events
	server tmux.Server
	pane   tmux.PaneID

	open  context.Context // ends with Close
	close context.CancelFunc
	busy  sync.Mutex // held by Next

	hub      *hub   // through which it hears; nil: not, or not any more
	unlisten func() // to the pane's terminal; nil: it does not
	last     screen.Capture
	rhythm   wake.Rhythm
	polled   ports.Watch // instead, once no client can be had
	told     bool        // something was written since it last looked
	replaced bool        // it hears through another client than at first
	ended    ports.Event // Gone or ServerGone, once it happened

	wake  chan struct{} // holds one while there are news
	mu    sync.Mutex
	news  news
	state string // of the pane, as it was last told
}

// tell adds to the news.
func (w *watch) tell(what news) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.news = news{
		written: w.news.written || what.written, shown: w.news.shown || what.shown, late: w.news.late || what.late,
		moved: w.news.moved || what.moved, lost: w.news.lost || what.lost,
	}
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// take takes the news.
func (w *watch) take() news {
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.news
	w.news = news{}
	select {
	case <-w.wake:
	default:
	}
	return taken
}

// become notes a state, and reports whether it is another one.
func (w *watch) become(state string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := w.state != state
	w.state = state
	return changed
}

// join begins to hear of the pane where it is, or to poll it: if there is a reason, or it cannot be heard.
func (w *watch) join(ctx context.Context, at tmuxserver.Location, why string) error {
	if at.Fleeting {
		why = "tmux ends session " + string(at.Session) + " when a client leaves it (destroy-unattached)"
	}
	if why == "" {
		h, err := w.events.enter(ctx, at, w)
		if err == nil {
			w.hub = h
			if err = w.begin(ctx); err == nil {
				w.events.refuse("")
				return nil
			}
			w.quit()
		}
		switch {
		case ctx.Err() != nil, fault.Is(err, fault.NotFound), fault.Is(err, fault.StaleTarget), fault.Is(err, fault.Refused):
			return err
		}
		why = err.Error()
	}
	w.events.refuse(why)
	polled, err := w.events.server.Watch(ctx, w.server, w.pane)
	w.polled = polled
	return err
}

// begin hears of the pane, and then looks what there is.
func (w *watch) begin(ctx context.Context) error {
	if err := w.hub.subscribe(ctx, w.pane); err != nil {
		return err
	}
	if err := w.follow(ctx); err != nil {
		return err
	}
	var err error
	w.last, err = w.hub.reader().Capture(ctx, ports.CaptureRequest{Server: w.server, Pane: w.pane})
	w.rhythm.Looked(false, true) // the state has this second already, and does not tell of what else is written in it
	return err
}

// follow hears of the pane where it is now, and what its process writes to its terminal.
func (w *watch) follow(ctx context.Context) error {
	at, err := w.hub.server().Locate(ctx, w.server, w.pane)
	if err != nil {
		return err
	}
	if at.Session != w.hub.session {
		return broken(fault.NotSent, "the pane is in another session now", nil)
	}
	w.become(at.State)
	if at.Dead { // until it is respawned nothing is written, and then its state is another one
		return nil
	}
	stop, err := w.events.terminals.Listen(at, func(written bool) { w.tell(news{written: written}) })
	if err != nil {
		return broken(fault.NotSent, "what is written to "+at.TTY+" is not told", err)
	}
	w.deafen()
	w.unlisten = stop
	return nil
}

// deafen does not hear any more what is written to the pane's terminal.
func (w *watch) deafen() {
	if w.unlisten != nil {
		w.unlisten()
		w.unlisten = nil
	}
}

// Next implements [ports.Watch].
func (w *watch) Next(ctx context.Context) (ports.Event, error) {
	w.busy.Lock()
	defer w.busy.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.open, cancel)()
	for w.ended == (ports.Event{}) {
		if w.polled != nil {
			return w.polled.Next(ctx)
		}
		woken := w.rhythm.Await(ctx, w.wake)
		if ctx.Err() != nil {
			if woken {
				w.tell(news{}) // it was told to nobody
			}
			return ports.Event{}, interrupted(ctx, "")
		}
		heard := w.take()
		if heard == (news{written: heard.written}) && (woken || w.rhythm.Follows()) {
			w.rhythm.Looked(woken, false) // whoever is told does
			w.told = w.told || heard.written
			return ports.Event{Output: heard.written, Again: !heard.written}, nil
		}
		event, err := w.look(ctx, heard)
		if err != nil {
			w.tell(heard) // likewise
			return ports.Event{}, err
		}
		if event != (ports.Event{}) {
			return event, nil
		}
	}
	return w.ended, nil
}

// look finds out what happened.
func (w *watch) look(ctx context.Context, heard news) (ports.Event, error) {
	if heard.lost {
		return w.rejoin(ctx)
	}
	now, err := w.capture(ctx)
	if err != nil {
		return w.end(err)
	}
	event := ports.Difference(w.last, now)
	event.Output, event.Again = heard.written || event.Output && !w.told, event.Output && w.told
	w.rhythm.Looked(heard != news{} || event.Output || event.State, heard.late)
	respawned := now.Pane.PID != w.last.Pane.PID
	w.last, w.told = now, heard.written
	if heard.moved || respawned {
		if err := w.follow(ctx); err != nil {
			return w.rejoin(ctx)
		}
	}
	return event, nil
}

// capture captures the pane, over the client if that can be, and else the other way.
func (w *watch) capture(ctx context.Context) (screen.Capture, error) {
	request := ports.CaptureRequest{Server: w.server, Pane: w.pane}
	capture, err := w.hub.reader().Capture(ctx, request)
	if err != nil && ctx.Err() == nil {
		return w.events.server.Capture(ctx, request)
	}
	return capture, err
}

// end is what an error of looking means.
func (w *watch) end(err error) (ports.Event, error) {
	switch fault.KindOf(err) {
	case fault.NotFound:
		w.ended = ports.Event{Gone: true}
	case fault.ServerGone, fault.StaleTarget:
		w.ended = ports.Event{ServerGone: true}
	default:
		return ports.Event{}, err
	}
	return w.ended, nil
}

// rejoin finds out what became of a pane that is not heard of any more, and goes on hearing of it once, and then polling. What
// happened in between is a gap.
func (w *watch) rejoin(ctx context.Context) (ports.Event, error) {
	at, err := w.events.server.Locate(ctx, w.server, w.pane)
	if err == nil {
		why := ""
		if w.hub != nil && w.hub.client.dead() {
			if w.replaced {
				why = "the control client of a session ended twice"
			}
			w.replaced = true
		}
		w.quit()
		err = w.join(ctx, at, why)
	}
	if err != nil {
		event, err := w.end(err)
		if err != nil {
			w.tell(news{lost: true}) // whoever asks next finds out
		}
		return event, err
	}
	return ports.Event{Gap: true}, nil
}

// quit stops hearing.
func (w *watch) quit() {
	if w.hub != nil {
		w.deafen()
		w.events.leave(w.hub, w)
		w.hub = nil
	}
	if w.polled != nil {
		w.polled.Close()
	}
}

// Close ends Next and waits for it, and lets the client end if nobody else hears through it.
func (w *watch) Close() {
	w.close()
	w.busy.Lock()
	defer w.busy.Unlock()
	w.quit()
}
