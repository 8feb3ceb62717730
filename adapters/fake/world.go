// Package fake is an in-memory tmux: the reference model of tmux as ports sees it. It has sessions, windows linked into
// several sessions, panes with a screen, a history and a shell that interprets what is typed, clients, options with
// inheritance, modes, dead panes, processes, restarts, and frames without FIFOs. It differs between versions where
// tmux differs.
//
// A World is one machine of one user: its tmux server, which may be absent, and the processes in its panes. World
// implements the ports; the methods that are in no port are what happens on the world's side, done by a person or
// a program. Nothing outside the process is touched: no process is started and no file is written, only
// directories are looked up. It works in testing/synctest bubbles.
//
// The terminal of a pane is tmux's, with the faults of each version. It is held to real ones by the streams of streamtest and
// by random ones. What is different:
//
//   - A capture with styles looks the same but is not the same bytes: each row begins and ends without any style, and
//     hyperlinks and line drawing characters have none.
//   - Before 3.3 a capture with blanks has cells that nobody wrote; how many depends in tmux on how it reads the output.
//   - Nothing is answered to a query (of the cursor, of what the terminal is), and there are no sixel images.
//   - How wide a character is comes from Go's tables, not from the C library's. Before 3.4, tmux also treats C1 controls in
//     UTF-8 otherwise.
//   - A mark for which tmux has no room in a cell is lost, where tmux shows it by itself.
//   - In 3.3, a zero width joiner joins what is read with it; what is written at once counts as that.
//   - From 3.6 on, tmux composes Hangul from jamo and flags from regional indicators, and knows which emoji take a skin tone;
//     here every single character does, as in 3.4.
//   - Of malformed control sequences (a second prefix, a number beyond 32 bits, more than 24 numbers, an intermediate character
//     before a number) some are taken for what they would be without the fault.
//   - The titles that a program sets by an application program command (ESC _) are not taken, nor is the name that it
//     gives its window (ESC k), which tmux takes only where allow-rename is on.
//   - The options alternate-screen and scroll-on-clear are as by default.
package fake

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

var (
	_ ports.Reader    = (*World)(nil)
	_ ports.Input     = (*World)(nil)
	_ ports.Creator   = (*World)(nil)
	_ ports.Processes = (*World)(nil)
	_ ports.Frames    = (*World)(nil)
	_ ports.Frames    = (*Frames)(nil)
	_ fmt.Stringer    = (*World)(nil)
)

// Options says which machine a World models. The zero value is a tmux 3.4 with bash, where no server runs.
type Options struct {
	Version tmux.Version // of tmux: "3.2a" to "3.8"; an older one faults with Unsupported
	Socket  string       // path; default /fake/tmux/default
	Denied  bool         // the socket may not be opened by this user
	Shell   guard.Shell  // default shell of panes; default bash
	Prompt  string       // PS1 of that shell; default "$ "
	Width   int          // cells of a new session; default 80
	Height  int          // rows of a new session; default 24

	Untracked  ports.Lack // what this machine lacks to hold processes; empty: nothing
	Unobserved bool       // the kernel tells nobody but its parent how a process ended
}

// A World is one machine with its tmux.
type World struct {
	options Options
	ctx     context.Context // ends with the world
	end     context.CancelFunc
	own     *Frames // of the process that the test is

	mu       sync.Mutex
	closed   bool
	work     sync.WaitGroup
	changed  chan struct{} // closed and replaced at every change
	server   *server       // nil if absent
	lastPID  int
	begun    uint64 // how many processes panes were started with
	nextPID  int    // of the next process, if a test says so; else 0
	process  map[int]*process
	programs map[string]Program
	files    map[string][]byte
	markers  map[*os.File]io.Reader // see World.open
	frames   map[string]*staged     // by run id
	holders  map[holding]*staged    // the frame that holds a pane
	caller   ports.Caller

	invitations map[string]*invited // by enrollment
}

// New makes a world without a server. Close ends it.
func New(options Options) *World {
	options.Version = cmp.Or(options.Version, "3.4")
	options.Socket = cmp.Or(options.Socket, "/fake/tmux/default")
	options.Shell = cmp.Or(options.Shell, guard.Bash)
	options.Prompt = cmp.Or(options.Prompt, "$ ")
	options.Width = cmp.Or(options.Width, 80)
	options.Height = cmp.Or(options.Height, 24)
	ctx, end := context.WithCancel(context.Background())
	w := &World{
		options:  options,
		ctx:      ctx,
		end:      end,
		changed:  make(chan struct{}),
		lastPID:  4000,
		process:  map[int]*process{},
		programs: standardPrograms(),
		files:    map[string][]byte{},
		markers:  map[*os.File]io.Reader{},
		frames:   map[string]*staged{},
		holders:  map[holding]*staged{},
		caller:   ports.Caller{How: ports.CallerUnknown},

		invitations: map[string]*invited{},
	}
	w.own = &Frames{world: w}
	return w
}

// Close ends the server and every process, and waits until all of them are gone. It may be called more than once.
func (w *World) Close() {
	w.mu.Lock()
	w.closed = true
	if w.server != nil {
		w.stopServer()
	}
	w.mu.Unlock()
	w.end()
	w.work.Wait()
}

// touch tells everybody who waits that something changed. Called with the mutex held, as is every unexported method of World, and of
// what stands in it, that does not say otherwise.
func (w *World) touch() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// wait blocks until the condition holds or the context ends. The mutex is held at entry and at return, and free between.
func (w *World) wait(ctx context.Context, condition func() bool) error {
	for !condition() {
		if err := ctx.Err(); err != nil {
			return err
		}
		changed := w.changed
		w.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		w.mu.Lock()
	}
	return nil
}

// newPID gives a process id that was never used, unless a test says which.
func (w *World) newPID() int {
	if pid := w.nextPID; pid != 0 {
		w.nextPID = 0
		return pid
	}
	w.lastPID++
	return w.lastPID
}

// String draws the whole world, for tests that fail.
func (w *World) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var b strings.Builder
	if w.server == nil {
		fmt.Fprintf(&b, "tmux %s, no server at %s\n", w.options.Version, w.options.Socket)
		return b.String()
	}
	s := w.server
	fmt.Fprintf(&b, "tmux %s at %s, pid %d, since %s, %s\n",
		s.id.Version, s.id.SocketPath, s.id.PID, s.id.StartTime.UTC().Format(time.DateTime), s.id.Generation)
	for _, session := range s.sessions {
		fmt.Fprintf(&b, "session %s %q:", session.id, session.name)
		for _, link := range session.links {
			mark := ""
			if link == session.current {
				mark = "*"
			}
			fmt.Fprintf(&b, " %d=%s%s", link.index, link.window.id, mark)
		}
		b.WriteByte('\n')
	}
	for _, client := range s.clients {
		fmt.Fprintf(&b, "client %s on %s %+v\n", client.name, client.session.id, client.Client)
	}
	for _, window := range s.windows {
		fmt.Fprintf(&b, "window %s %q %dx%d zoomed=%t %s\n",
			window.id, window.name, window.width, window.height, window.zoomed, window.layout())
		for _, pane := range window.panes {
			pane.draw(&b)
		}
	}
	for key, frame := range w.holders {
		fmt.Fprintf(&b, "run %s holds %s\n", frame.plan.RunID, key.pane)
	}
	return b.String()
}
