//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake/streamtest"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A shown screen is what can be told of a pane.
type shown struct {
	State string
	Rows  []string // with the blanks that were written
	Lines []string // of rows that go on in the next one, without blanks at their ends
}

// failing is what a test and a property have in common.
type failing interface {
	Helper()
	Fatalf(format string, args ...any)
}

// A pairedServer is a real server for the real halves of terminal pairs.
type pairedServer struct {
	*realServer
	version tmux.Version
	dir     string // of FIFOs
	pairs   int
}

func newPairedServer(t *testing.T, binary string) *pairedServer {
	t.Helper()
	s := &pairedServer{realServer: startServer(t, binary, "cat"), dir: t.TempDir()}
	s.Tmux(t, "set-option", "-g", "history-limit", strconv.Itoa(streamtest.Limit))
	s.version = tmux.Version(s.Tmux(t, "display-message", "-p", "#{version}"))
	return s
}

// A terminalPair is a fake pane and a real one that get the same bytes and the same sizes.
type terminalPair struct {
	server *pairedServer
	real   string // its pane
	feed   *os.File
	world  *fake.World
	faked  tmux.PaneID
	marks  int // titles that said that everything before was shown
}

func (s *pairedServer) pair(t failing) *terminalPair {
	t.Helper()
	p := &terminalPair{server: s, world: fake.New(fake.Options{
		Version: s.version, Width: streamtest.Width, Height: streamtest.Height,
	})}
	session := p.world.SessionOf(p.world.AddSession("main", "record"))
	p.world.SetOption("", "history-limit", strconv.Itoa(streamtest.Limit))
	p.faked = p.world.AddWindow(session, "pair", "record")

	s.pairs++
	fifo := filepath.Join(s.dir, strconv.Itoa(s.pairs))
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatalf("%v", err)
	}
	var err error
	if p.real, err = s.Try("new-window", "-d", "-P", "-F", "#{pane_id}", "stty -echo; exec cat "+fifo); err != nil {
		t.Fatalf("%v: %s", err, p.real)
	}
	p.resizeReal(t, streamtest.Width, streamtest.Height)
	if p.feed, err = os.OpenFile(fifo, os.O_WRONLY, 0); err != nil { // waits for the program
		t.Fatalf("%v", err)
	}
	p.print(t, "")
	return p
}

func (p *terminalPair) close() {
	_ = p.feed.Close() // ends the program
	p.world.Close()
}

func (p *terminalPair) mark() string { return "mark " + strconv.Itoa(p.marks) }

// print shows text on both, and then a title that says that it was.
func (p *terminalPair) print(t failing, text string) {
	t.Helper()
	p.marks++
	text += "\x1b\\\x1b]2;" + p.mark() + "\x07"
	p.world.Print(p.faked, text)
	if _, err := p.feed.WriteString(text); err != nil {
		t.Fatalf("%v", err)
	}
}

func (p *terminalPair) resize(t failing, width, height int) {
	t.Helper()
	p.showReal(t) // what was printed has to be shown in the old size
	p.resizeReal(t, width, height)
	p.world.Resize(p.world.WindowOf(p.faked), width, height)
}

func (p *terminalPair) resizeReal(t failing, width, height int) {
	t.Helper()
	if out, err := p.server.Try("resize-window", "-t", p.real, "-x", strconv.Itoa(width), "-y", strconv.Itoa(height)); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func (p *terminalPair) play(t failing, steps []streamtest.Step) {
	t.Helper()
	for _, step := range steps {
		if step.Print != "" {
			p.print(t, step.Print)
		} else {
			p.resize(t, step.Width, step.Height)
		}
	}
}

// showReal waits until the real pane has shown everything, and gives what it shows then.
func (p *terminalPair) showReal(t failing) shown {
	t.Helper()
	const gap = "== gap =="
	rows := []string{"capture-pane", "-p", "-N", "-S", "-", "-t", p.real}
	if p.server.version.AtLeast("3.4") {
		rows = append(rows, "-T")
	}
	state := "#{cursor_x},#{cursor_y} history #{history_size} size #{pane_width}x#{pane_height} alternate #{alternate_on}"
	args := slices.Concat([]string{"display-message", "-p", "-t", p.real, "#{pane_title}\n" + state, ";"}, rows, []string{
		";", "display-message", "-p", gap, ";", "capture-pane", "-p", "-J", "-S", "-", "-t", p.real,
	})
	for range 2000 { // a few milliseconds each
		out, err := p.server.Try(args...)
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		rest, done := strings.CutPrefix(out, p.mark()+"\n")
		if !done {
			continue
		}
		state, rest, _ := strings.Cut(rest, "\n")
		rows, lines, _ := strings.Cut(rest, gap+"\n")
		return shown{state, p.written(strings.Split(strings.TrimSuffix(rows, "\n"), "\n")), bare(strings.Split(lines, "\n"))}
	}
	t.Fatalf("the terminal never comes to %q", p.mark())
	return shown{}
}

// showFake is what the fake pane shows.
func (p *terminalPair) showFake(t failing) shown {
	t.Helper()
	capture := func(request ports.CaptureRequest) []string {
		request.Pane, request.History = p.faked, ports.AllHistory
		got, err := p.world.Capture(context.Background(), request)
		if err != nil {
			t.Fatalf("%v", err)
		}
		return got.Rows
	}
	topology, err := p.world.Topology(context.Background(), tmux.DetailFull)
	if err != nil {
		t.Fatalf("%v", err)
	}
	at := topology.Panes[slices.IndexFunc(topology.Panes, func(pane tmux.Pane) bool { return pane.ID == p.faked })]
	alternate := 0
	if at.Alternate {
		alternate = 1
	}
	return shown{
		fmt.Sprintf("%d,%d history %d size %dx%d alternate %d", at.CursorX, at.CursorY, at.HistorySize, at.Width, at.Height, alternate),
		p.written(capture(ports.CaptureRequest{Blanks: true})), bare(capture(ports.CaptureRequest{Join: true})),
	}
}

// written is what can be told of rows. Before 3.3 tmux gives cells that nobody wrote too, as many as it has allocated, which is
// a matter of how the output was read.
func (p *terminalPair) written(rows []string) []string {
	if p.server.version.AtLeast("3.3") {
		return rows
	}
	return bare(rows)
}

// bare leaves out blanks at the ends of lines and empty lines at the end.
func bare(lines []string) []string {
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}
