package control

import (
	"context"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// news is what a watch was told since it last looked.
type news struct {
	output bool // something was written
	check  bool // something may have changed that one has to ask for
	paused bool // tmux threw output away
	lost   bool // the client ended, or hears another session now
}

// A watch hears of one pane. What tmux says wakes it; what tmux does not say is asked for in the goroutine of whoever calls Next.
type watch struct {
	events *Events
	server tmux.Server
	pane   tmux.PaneID

	open  context.Context // ends with Close
	close context.CancelFunc
	busy  sync.Mutex // held by Next

	hub      *hub        // through which it hears; nil: not, or not any more
	polled   ports.Watch // instead, once no client can be had
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
		output: w.news.output || what.output, check: w.news.check || what.check,
		paused: w.news.paused || what.paused, lost: w.news.lost || what.lost,
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
	return taken
}

// differs reports whether a state is another one than the one told last.
func (w *watch) differs(state string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return state != w.state
}

// become notes a state, and reports whether it is another one.
func (w *watch) become(state string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	changed := w.state != state
	w.state = state
	return changed
}

// A witness is a client that tells when the answer to a list was heard, in the order of what is heard.
type witness struct {
	*client
	answered func()
}

// Run implements [tmuxserver.Conn].
func (w witness) Run(ctx context.Context, list tmuxserver.List) (tmuxserver.Result, error) {
	return w.run(ctx, list, w.answered)
}

// join begins to hear of the pane where it is, or to poll it: if there is a reason, or no client can be had.
func (w *watch) join(ctx context.Context, at tmuxserver.Location, why string) error {
	switch {
	case !at.Server.Version.AtLeast("3.3"):
		why = "tmux before 3.3 may crash when a pane dies whose output a control client has not read yet"
	case at.Fleeting:
		why = "tmux ends session " + string(at.Session) + " when a client leaves it (destroy-unattached)"
	}
	if why == "" {
		h, err := w.events.enter(ctx, at.Session, w)
		if err == nil {
			err = w.begin(ctx, h)
			if err == nil {
				return nil
			}
			w.events.leave(h, w)
		}
		switch {
		case ctx.Err() != nil, fault.Is(err, fault.NotFound), fault.Is(err, fault.StaleTarget):
			return err
		}
		why = err.Error()
	}
	w.events.refuse(why)
	polled, err := w.events.server.Watch(ctx, w.server, w.pane)
	w.polled = polled
	return err
}

// begin finds the pane through a hub's client.
func (w *watch) begin(ctx context.Context, h *hub) error {
	resume := tmuxserver.List{Commands: []tmuxserver.Command{{"refresh-client", "-A", string(w.pane) + ":continue"}}}
	if _, err := h.client.Run(ctx, resume); err != nil { // it may have been paused while nobody watched it
		return err
	}
	before := func() { w.tell(news{lost: w.take().lost}) } // what happened until here is not told
	at, err := tmuxserver.New(witness{h.client, before}, tmuxserver.Options{}).Locate(ctx, w.server, w.pane)
	if err != nil {
		return err
	}
	if at.Session != h.session {
		return broken(fault.NotSent, "the pane is in another session now", nil)
	}
	w.become(at.State)
	w.hub = h
	w.events.refuse("")
	return nil
}

// Next implements [ports.Watch].
func (w *watch) Next(ctx context.Context) (ports.Event, error) {
	w.busy.Lock()
	defer w.busy.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.open, cancel)()
	for w.ended == (ports.Event{}) {
		if ctx.Err() != nil {
			return ports.Event{}, interrupted(ctx, "")
		}
		if w.polled != nil {
			return w.polled.Next(ctx)
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return ports.Event{}, interrupted(ctx, "")
		}
		heard := w.take()
		event, err := w.look(ctx, heard)
		if err != nil {
			w.tell(heard) // it was told to nobody
			return ports.Event{}, err
		}
		if event != (ports.Event{}) {
			return event, nil
		}
	}
	return w.ended, nil
}

// look makes news an event.
func (w *watch) look(ctx context.Context, heard news) (ports.Event, error) {
	if heard.lost {
		return w.rejoin(ctx)
	}
	event := ports.Event{Output: heard.output, Gap: heard.paused}
	if heard.paused {
		resume := tmuxserver.List{Commands: []tmuxserver.Command{{"refresh-client", "-A", string(w.pane) + ":continue"}}}
		if _, err := w.hub.client.Run(ctx, resume); err != nil {
			return w.unheard(ctx, err)
		}
	}
	if heard.check {
		at, err := tmuxserver.New(w.hub.client, tmuxserver.Options{}).Locate(ctx, w.server, w.pane)
		switch {
		case fault.Is(err, fault.NotFound):
			w.ended = ports.Event{Gone: true}
			return w.ended, nil
		case err != nil:
			return w.unheard(ctx, err)
		case at.Session != w.hub.session:
			return w.rejoin(ctx)
		}
		event.State = w.become(at.State)
	}
	return event, nil
}

// unheard is what follows when the client did not answer: if it has ended, another one.
func (w *watch) unheard(ctx context.Context, err error) (ports.Event, error) {
	if ctx.Err() != nil || !w.hub.client.dead() {
		return ports.Event{}, err
	}
	return w.rejoin(ctx)
}

// rejoin finds out what became of a pane that is not heard of any more, and goes on hearing of it once, and then polling. What
// happened in between is a gap.
func (w *watch) rejoin(ctx context.Context) (ports.Event, error) {
	at, err := w.events.server.Locate(ctx, w.server, w.pane)
	if err == nil {
		w.quit()
		why := ""
		if w.replaced {
			why = "the control client of a session ended twice"
		}
		w.replaced = true
		err = w.join(ctx, at, why)
	}
	switch fault.KindOf(err) {
	case "":
		return ports.Event{Gap: true}, nil
	case fault.NotFound:
		w.ended = ports.Event{Gone: true}
	case fault.ServerGone, fault.StaleTarget:
		w.ended = ports.Event{ServerGone: true}
	default:
		return ports.Event{}, err
	}
	return w.ended, nil
}

// quit stops hearing.
func (w *watch) quit() {
	if w.hub != nil {
		w.events.leave(w.hub, w)
		w.hub = nil
	}
	if w.polled != nil {
		w.polled.Close()
	}
}

// Close ends Next and waits for it, and ends the client if nobody else hears through it.
func (w *watch) Close() {
	w.close()
	w.busy.Lock()
	defer w.busy.Unlock()
	w.quit()
}
