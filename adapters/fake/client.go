package fake

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Client says what kind of client attaches. The zero value is a terminal through which a person looks.
type Client struct {
	Control    bool // a control-mode client
	Silent     bool // with Control: it is not told what panes write (-f no-output)
	Suspended  bool // suspended or locked
	ActivePane bool // attached with -f active-pane
	Own        bool // of the process that the test is: no port shows it
}

type client struct {
	Client
	name     string
	pid      int
	session  *session
	created  time.Time
	activity time.Time
}

// Attach attaches a client to a session and gives its name.
func (w *World) Attach(to tmux.SessionID, kind Client) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.running()
	session := s.session(to)
	if session == nil {
		panic("fake: attach: no session " + string(to))
	}
	s.lastClient++
	made := &client{
		Client: kind, name: fmt.Sprintf("/dev/pts/%d", 100+s.lastClient), pid: w.newPID(), session: session,
		created: time.Now().Truncate(time.Second), activity: time.Now().Truncate(time.Second),
	}
	if kind.Control {
		made.name = fmt.Sprintf("client-%d", made.pid)
	}
	s.clients = append(s.clients, made)
	w.touch()
	return made.name
}

// Detach detaches a client.
func (w *World) Detach(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.running()
	s.clients = slices.DeleteFunc(s.clients, func(c *client) bool { return c.name == name })
	w.touch()
}

// Activity is a key that the person at a client pressed, which no pane got.
func (w *World) Activity(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, client := range w.running().clients {
		if client.name == name {
			client.activity = time.Now().Truncate(time.Second)
		}
	}
	w.touch()
}

// viewers is #{window_active_clients_list} without the clients that have no terminal.
func (s *server) viewers(of *window) string {
	var names []string
	for _, client := range s.clients {
		if client.session.current.window == of && !client.Control {
			names = append(names, client.name)
		}
	}
	return strings.Join(names, ",")
}
