package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// stageVariable makes the test binary a stage that listens at the socket it names.
const stageVariable = "LIBTMUX_TEST_STAGE"

func init() {
	if path := os.Getenv(stageVariable); path != "" {
		if err := playStage(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// playStage accepts whoever connects, starts children, and writes to them what ends them, until there are no more orders.
func playStage(path string) error {
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_ = connection.Close()
		}
	}()
	children := map[int]io.Writer{}
	fmt.Println("listening")
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		var pid int
		var status string
		switch order := orders.Text(); order {
		case "start", "neglect":
			child := exec.Command("sh", "-c", "read status; exit $status")
			stdin, err := child.StdinPipe()
			if err != nil {
				return err
			}
			if err := child.Start(); err != nil {
				return err
			}
			if order == "start" {
				go func() { _ = child.Wait() }() // reaps it; how it ends is the other's question
			}
			children[child.Process.Pid] = stdin
			fmt.Println(child.Process.Pid)
		default:
			if _, err := fmt.Sscan(order, &pid, &status); err != nil {
				return err
			}
			if _, err := fmt.Fprintln(children[pid], status); err != nil {
				return err
			}
		}
	}
	return nil
}

// A stage is a process that listens at a socket and has children, as far as that is what a tmux server does, and the tmux that says
// which of them its panes have.
type stage struct {
	ports.Inspector // nothing but Variables is asked

	t      *testing.T
	server tmux.Server
	cmd    *exec.Cmd
	input  io.Writer
	output *bufio.Reader

	mu    sync.Mutex
	panes map[tmux.PaneID]int // the process; 0: the pane is dead
	gone  error               // what tmux answers instead
	asked int
	asks  func(ctx context.Context, n int) // before the nth answer; nil: nothing
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t, panes: map[tmux.PaneID]int{}}
	path := filepath.Join(t.TempDir(), "s")
	s.cmd = exec.Command(os.Args[0])
	s.cmd.Env, s.cmd.Stderr = append(os.Environ(), stageVariable+"="+path), os.Stderr
	input, inputErr := s.cmd.StdinPipe()
	output, outputErr := s.cmd.StdoutPipe()
	if err := errors.Join(inputErr, outputErr, s.cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // with it the pipes of its children close, and they end
		_ = s.cmd.Wait()
	})
	s.input, s.output = input, bufio.NewReader(output)
	if said := s.says(); said != "listening" {
		t.Fatalf("the stage says %q", said)
	}
	s.server = tmux.Server{
		SocketPath: path, PID: s.cmd.Process.Pid, StartTime: time.Unix(5, 0), Version: "3.4",
		Generation: tmux.NewGeneration(path, s.cmd.Process.Pid, 5),
	}
	return s
}

func (s *stage) says() string {
	s.t.Helper()
	line, err := s.output.ReadString('\n')
	if err != nil {
		s.t.Fatalf("the stage says %q: %v", line, err)
	}
	return strings.TrimSpace(line)
}

func (s *stage) order(format string, args ...any) {
	s.t.Helper()
	if _, err := fmt.Fprintf(s.input, format+"\n", args...); err != nil {
		s.t.Fatal(err)
	}
}

// start starts a child, or one that is not reaped when it ends, and gives a pane to it.
func (s *stage) start(pane tmux.PaneID, order string) (pid int) {
	s.t.Helper()
	s.order(order)
	pid, err := strconv.Atoi(s.says())
	if err != nil {
		s.t.Fatal(err)
	}
	s.give(pane, pid)
	return pid
}

func (s *stage) give(pane tmux.PaneID, pid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.panes[pane] = pid
}

// ask makes tmux do something before the nth answer from now on.
func (s *stage) ask(does func(ctx context.Context, n int)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.asks = 0, does
}

// kill ends the stage as a crash does, and tmux answers that no more.
func (s *stage) kill() {
	_ = s.cmd.Process.Kill() // once
	_ = s.cmd.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gone = &fault.Error{Kind: fault.ServerGone, Message: "nobody listens"}
}

// Variables answers as tmux does.
func (s *stage) Variables(ctx context.Context, server tmux.Server, pane tmux.PaneID, _ []string) (map[string]string, error) {
	s.mu.Lock()
	s.asked++
	asks, n := s.asks, s.asked
	s.mu.Unlock()
	if asks != nil {
		asks(ctx, n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	pid, ok := s.panes[pane]
	switch {
	case ctx.Err() != nil:
		return nil, &fault.Error{Kind: fault.Cancelled, Err: ctx.Err()}
	case s.gone != nil:
		return nil, s.gone
	case pane == "":
		return map[string]string{"pid": strconv.Itoa(server.PID)}, nil
	case !ok:
		return nil, &fault.Error{Kind: fault.NotFound}
	case pid == 0:
		return map[string]string{"pane_pid": "1", "pane_dead": "1"}, nil
	}
	return map[string]string{"pane_pid": strconv.Itoa(pid), "pane_dead": "0"}, nil
}

// questions is how many tmux has answered.
func (s *stage) questions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

// identityOf holds processes of a stage, until the test ends.
func identityOf(t *testing.T, s *stage) *process.Identity {
	t.Helper()
	identity := process.NewIdentity(s)
	t.Cleanup(identity.Close)
	return identity
}
