package control

import (
	"context"
	"maps"
	"strings"
	"sync"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/wake"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// An Events watches panes through one client for each session in which something is watched, and only while it is. Where no client
// can be had, or the kernel does not tell what is written to a pane's terminal, the watches poll.
//
// Three sources wake a watch, and none of them costs tmux a command: the kernel, at once, when a program writes to the pane's
// terminal; tmux's notifications of modes, layouts and windows, at once; and a subscription to the pane's state, once a second, which
// has what the others have not, such as characters that the terminal itself echoes. Then the pane is captured, over the client unless that
// costs tmux memory, and what differs is told.
type Events struct {
	clients *Clients
	server  *tmuxserver.Server // locates panes, and polls them
	running sync.WaitGroup     // clients

	terminals wake.Terminals
	mu        sync.Mutex
	hubs      map[tmux.SessionID]*hub
	closed    bool
	polling   string // why the newest watch polls; empty if it does not
}

var _ ports.Events = (*Events)(nil)

// NewEvents makes an Events; nothing is attached yet. Close it. The server must not run its commands through these clients' watches, and leave
// the clients out of what it shows.
func NewEvents(clients *Clients, server *tmuxserver.Server) *Events {
	return &Events{clients: clients, server: server, hubs: map[tmux.SessionID]*hub{}}
}

// Polling says why the newest watch polls. Empty: it does not.
func (e *Events) Polling() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.polling
}

// Watch implements [ports.Events].
func (e *Events) Watch(ctx context.Context, server tmux.Server, pane tmux.PaneID) (ports.Watch, error) {
	at, err := e.server.Locate(ctx, server, pane)
	if err != nil {
		return nil, err
	}
	w := &watch{events: e, server: at.Server, pane: pane, wake: make(chan struct{}, 1)}
	w.open, w.close = context.WithCancel(context.Background())
	if err := w.join(ctx, at, ""); err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// refuse notes why a watch polls.
func (e *Events) refuse(why string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.polling = why
}

// A hub is the client of one session and the watches that hear through it.
type hub struct {
	events  *Events
	session tmux.SessionID
	leaks   bool               // its tmux keeps what it shows of a pane to a control client
	opened  chan struct{}      // closed when it is known whether there is a client
	abandon context.CancelFunc // ends it
	client  *client            // nil if none could be had
	err     error              // why

	mu      sync.Mutex
	watches watches
}

// watches are a set.
type watches map[*watch]bool

// of reports whether a pane is watched.
func (ws watches) of(pane tmux.PaneID) bool {
	for w := range ws {
		if w.pane == pane {
			return true
		}
	}
	return false
}

// subscription begins the name under which tmux reports changes of the state of a pane, each second; the pane's number follows.
const subscription = "libtmux-mcp-"

// enter makes a watch hear through the hub of a session, whose client is attached if there is none yet.
func (e *Events) enter(ctx context.Context, at tmuxserver.Location, w *watch) (*hub, error) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, broken(fault.NotSent, "this server is closing", nil)
	}
	h := e.hubs[at.Session]
	if h == nil {
		h = &hub{events: e, session: at.Session, leaks: leaks(at.Server.Version), opened: make(chan struct{}), watches: watches{}}
		used, abandon := context.WithCancel(context.WithoutCancel(ctx))
		h.abandon = abandon
		e.hubs[at.Session] = h
		e.running.Go(func() { h.run(used) })
	}
	h.mu.Lock()
	h.watches[w] = true
	h.mu.Unlock()
	e.mu.Unlock()
	select {
	case <-h.opened:
	case <-ctx.Done():
		e.leave(h, w)
		return nil, interrupted(ctx, "")
	}
	if h.err != nil {
		e.leave(h, w)
		return nil, h.err
	}
	return h, nil
}

// subscribe makes tmux report the state of a pane.
func (h *hub) subscribe(ctx context.Context, pane tmux.PaneID) error {
	name := subscription + strings.TrimPrefix(string(pane), "%")
	result, err := h.client.Run(ctx, tmuxserver.List{Commands: []tmuxserver.Command{
		{"refresh-client", "-B", name + ":" + string(pane) + ":" + tmuxserver.StateFormat},
	}})
	if err == nil && result.Replies[0].State != tmuxserver.Done {
		err = broken(fault.NotSent, "subscribe: "+result.Replies[0].Error, nil)
	}
	return err
}

// watched reports whether a pane is watched through the client, and that is attached.
func (h *hub) watched(pane tmux.PaneID) bool {
	select {
	case <-h.opened:
	default:
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.watches.of(pane) && h.client != nil && !h.client.dead()
}

// server is the server as it is reached over the client.
func (h *hub) server() *tmuxserver.Server {
	return tmuxserver.New(h.client, tmuxserver.Options{})
}

// reader is the server as its panes are captured: over the client, or, where that costs tmux memory, as if there were none.
func (h *hub) reader() *tmuxserver.Server {
	if h.leaks {
		return h.events.server
	}
	return h.server()
}

// leave ends what a watch hears through a hub; the last one closes the client, and does not wait until that has ended.
func (e *Events) leave(h *hub, w *watch) {
	e.mu.Lock()
	h.mu.Lock()
	delete(h.watches, w)
	last := len(h.watches) == 0
	h.mu.Unlock()
	if last && e.hubs[h.session] == h {
		delete(e.hubs, h.session)
	}
	e.mu.Unlock()
	if last {
		h.abandon()
	}
}

// run attaches the client, and ends it when it is not used any more.
func (h *hub) run(used context.Context) {
	defer h.abandon()
	h.client, h.err = h.events.clients.open(used, h.session, h.hear)
	close(h.opened)
	if h.err != nil {
		return
	}
	select {
	case <-h.client.ended:
	case <-used.Done():
	}
	h.client.close()
	h.lose()
}

// Close ends the clients of all watches, which poll from then on. When it returns the clients have ended.
func (e *Events) Close() {
	e.mu.Lock()
	e.closed = true
	for _, h := range e.hubs {
		h.abandon()
	}
	e.mu.Unlock()
	e.running.Wait()
}

// lose tells all watches that nothing is heard of their panes any more. Whoever comes next attaches anew.
func (h *hub) lose() {
	h.events.mu.Lock()
	if h.events.hubs[h.session] == h {
		delete(h.events.hubs, h.session)
	}
	h.events.mu.Unlock()
	h.tell(everyone, news{lost: true})
}

// hear takes a notification. It runs where the client reads, and so never waits.
func (h *hub) hear(m Message) {
	switch m.Name {
	case "%pane-mode-changed":
		h.tell(of(m.Rest), news{shown: true})
	case "%subscription-changed": // name $session @window index %pane : value
		fields, value, _ := strings.Cut(m.Rest, " : ")
		if words := strings.Fields(fields); len(words) == 5 && strings.HasPrefix(words[0], subscription) {
			h.tell(func(w *watch) bool { return of(words[4])(w) && w.become(value) }, news{late: true})
		}
	case "%session-changed":
		if session, _, _ := strings.Cut(m.Rest, " "); session != string(h.session) {
			h.lose()
		}
	case "%layout-change", "%window-close", "%unlinked-window-close":
		h.tell(everyone, news{moved: true}) // a pane may be gone, elsewhere or resized
	}
}

func everyone(*watch) bool { return true }

// of selects the watches of a pane.
func of(pane string) func(w *watch) bool {
	return func(w *watch) bool { return string(w.pane) == pane }
}

// tell tells some of the watches.
func (h *hub) tell(whom func(w *watch) bool, what news) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range maps.Keys(h.watches) {
		if whom(w) {
			w.tell(what)
		}
	}
}
