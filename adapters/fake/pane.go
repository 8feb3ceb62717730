package fake

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

type pane struct {
	world    *World
	window   *window
	id       tmux.PaneID
	pid      int
	path     string
	title    string
	mode     string
	inputOff bool
	dead     bool
	status   int    // of a dead pane, if no signal
	signal   string // that killed a dead pane
	died     time.Time
	spawned  spawn // how it was started first
	started  time.Time
	began    uint64 // which of the world's processes it was, whatever its pid
	options  options
	grid     *grid
	received []byte // by whatever program was there
	terminal *terminal
}

// errHangUp is why everything in a pane ends when the pane does.
var errHangUp = errors.New("the terminal is gone")

// A spawn says what starts in a pane.
type spawn struct {
	argv        []string          // empty: the default shell
	cwd         string            // absolute; empty: /
	environment map[string]string // besides what the world has
}

// name is what tmux names a window after.
func (s spawn) name(w *World) string {
	if len(s.argv) == 0 {
		return string(w.options.Shell)
	}
	return path.Base(s.argv[0])
}

// newPane makes a pane without a process.
func (w *World) newPane(in *window, spec spawn) *pane {
	w.server.lastPane++
	number := w.server.lastPane
	made := &pane{
		world:   w,
		window:  in,
		id:      tmux.PaneID(fmt.Sprintf("%%%d", number)),
		path:    "/",
		spawned: spec,
		title:   "fake",
		options: options{},
	}
	made.enter(spec.cwd)
	made.grid = newGrid(in.width, in.height, w.historyLimit(in), w.options.Version, &made.title)
	return made
}

// enter makes a directory the pane's, unless it is empty.
func (p *pane) enter(directory string) {
	if directory == "" {
		return
	}
	p.path = directory
	if resolved, err := filepath.EvalSymlinks(directory); err == nil {
		p.path = resolved
	}
}

// start starts the pane's process: its shell, or a program in place of it.
func (w *World) start(p *pane, spec spawn) {
	w.begun++
	p.began = w.begun
	p.pid, p.started, p.dead, p.status, p.signal = w.newPID(), time.Now(), false, 0, ""
	name, argv := string(w.options.Shell), []string{string(w.options.Shell)}
	if len(spec.argv) > 0 {
		name, argv = path.Base(spec.argv[0]), spec.argv
	}
	self := &process{pid: p.pid, name: name, argv: argv}
	w.process[p.pid] = self
	p.terminal = &terminal{pane: p, echo: true, canonical: true, foreground: self}
	p.terminal.ctx, p.terminal.end = context.WithCancelCause(w.ctx)
	if len(spec.argv) == 0 {
		w.startShell(p)
	} else {
		w.startProgram(p, self)
	}
	w.touch()
}

// hangUp ends everything in the pane.
func (p *pane) hangUp() {
	p.terminal.end(errHangUp)
	p.ends(0, hangUpSignal)
	for pid, process := range p.world.process {
		if process.pid == p.pid || process.of == p.terminal {
			delete(p.world.process, pid)
		}
	}
	p.world.touch()
}

// hangUpSignal is what the end of a terminal sends to who lives by it.
const hangUpSignal = 1

// ends says how the pane's own process has ended, unless that is known.
func (p *pane) ends(status, signal int) {
	if self := p.world.process[p.pid]; self != nil && self.exit == nil {
		self.exit = &ports.Exit{At: time.Now(), Observed: !p.world.options.Unobserved, Status: status, Signal: signal}
	}
}

// exit is what becomes of the pane when its own process ended: with remain-on-exit it stays, dead.
func (t *terminal) exit(status int, signal string) {
	if t.ctx.Err() != nil {
		return // it was killed meanwhile
	}
	p := t.pane
	w := p.world
	number, _ := strconv.Atoi(signal) // none: 0
	p.ends(status, number)
	if p.option("remain-on-exit", "off") != "on" {
		w.closePane(p)
		return
	}
	p.hangUp()
	p.dead, p.status, p.signal, p.died = true, status, signal, time.Now()
	p.grid.write([]byte("\r\nPane is dead"))
	w.touch()
}

// write shows what a program wrote. The terminal turns LF into CR LF.
func (p *pane) write(data []byte) {
	p.grid.write([]byte(strings.ReplaceAll(string(data), "\n", "\r\n")))
	p.world.touch()
}

// draw prints a pane for World.String.
func (p *pane) draw(b *strings.Builder) {
	fmt.Fprintf(b, "  pane %s pid=%d", p.id, p.pid)
	for name, on := range map[string]bool{
		"active": p.window.active == p, "dead": p.dead, "input-off": p.inputOff,
		"synchronized": p.synchronized(), "alternate": p.grid.alternate,
	} {
		if on {
			b.WriteString(" " + name)
		}
	}
	if p.mode != "" {
		b.WriteString(" mode=" + p.mode)
	}
	fmt.Fprintf(b, " %dx%d history=%d cursor=%d,%d foreground=%s\n",
		p.grid.width, p.grid.height, p.grid.history(), p.grid.x, p.grid.y, strings.Join(p.terminal.foreground.argv, " "))
	for row := range strings.SplitSeq(p.grid.shown(), "\n") {
		b.WriteString("  | " + row + "\n")
	}
}
