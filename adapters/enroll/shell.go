package enroll

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// silence is how long a shell that does not answer is waited for: one that waits at its prompt answers within milliseconds.
const silence = time.Second

// A Shell is an enrolled zsh.
type Shell struct {
	subject enroll.Subject
	who     *peer
	at      *place
	up      *os.File // what it says
	down    *os.File // what it is asked
	orders  chan struct{}
	work    sync.WaitGroup
	gone    chan struct{}
	once    sync.Once

	mu      sync.Mutex
	answers chan answer // of the order that is being prepared or executed
	runID   string      // its
	helper  *Helper     // its; nil if there is none
	ended   bool
}

// An answer is one line of the shell's: "ready", "refused" with a reason, "done" with the helper's exit status.
type answer struct{ word, rest string }

var _ ports.Shell = (*Shell)(nil)

// begin listens to the shell until it ends.
func (s *Shell) begin() {
	s.work.Go(func() {
		lines := bufio.NewScanner(s.up)
		for lines.Scan() {
			s.heard(lines.Text())
		}
		s.end()
	})
	s.work.Go(func() {
		s.who.wait()
		s.end()
	})
}

// heard passes an answer to who waits for it. Answers to older orders are of no use to anybody.
func (s *Shell) heard(line string) {
	words := strings.Fields(line)
	if len(words) < 2 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if words[1] != s.runID || s.answers == nil {
		return
	}
	select {
	case s.answers <- answer{word: words[0], rest: strings.Join(words[2:], " ")}:
	default: // more than a shell says
	}
}

// end makes the shell gone.
func (s *Shell) end() {
	s.once.Do(func() { close(s.gone) })
}

// Gone implements ports.Shell.
func (s *Shell) Gone() <-chan struct{} { return s.gone }

// Close implements ports.Shell.
func (s *Shell) Close() error {
	s.mu.Lock()
	ended, helper := s.ended, s.helper
	s.ended = true
	s.mu.Unlock()
	if ended {
		return nil
	}
	s.end()
	err := s.shut()
	if helper != nil {
		err = errors.Join(err, helper.release())
	}
	s.work.Wait()
	if err := errors.Join(err, s.at.remove()); err != nil {
		return failed("close the enrollment of", string(s.subject.Pane), err)
	}
	return nil
}

// shut closes what this process has of the shell.
func (s *Shell) shut() error {
	err := errors.Join(s.up.Close(), s.who.close())
	if s.down != nil {
		err = errors.Join(err, s.down.Close())
	}
	return err
}

func (s *Shell) lost() error {
	return &fault.Error{
		Kind: fault.NotFound, Op: opPrepare, Target: string(s.subject.Pane), Message: fmt.Sprintf("the shell that was enrolled in pane %s is gone", s.subject.Pane),
		Recovery: "ask the operator to enroll the pane again",
	}
}

func (s *Shell) refused(reason fault.Reason, message, recovery string) error {
	return &fault.Error{
		Kind: fault.Refused, Reason: reason, Op: opPrepare, Target: string(s.subject.Pane),
		Message: fmt.Sprintf("pane %s %s", s.subject.Pane, message), Recovery: recovery,
	}
}

func (s *Shell) busy(why string) error {
	return s.refused(fault.Busy, "is busy: "+why, "wait until its shell is at its prompt (capture_pane), and call again")
}

// Prepare implements ports.Shell.
func (s *Shell) Prepare(ctx context.Context, order enroll.Order) (ports.Helper, error) {
	select {
	case s.orders <- struct{}{}:
	case <-ctx.Done():
		return nil, failed(opPrepare, string(s.subject.Pane), ctx.Err())
	}
	h, err := s.prepare(ctx, order)
	if err != nil {
		<-s.orders
		return nil, failed(opPrepare, string(s.subject.Pane), err)
	}
	return h, nil
}

func (s *Shell) prepare(ctx context.Context, order enroll.Order) (*Helper, error) {
	select {
	case <-s.gone:
		return nil, s.lost()
	default:
	}
	state, err := readStat(s.subject.PID)
	if err != nil || !s.who.alive() {
		return nil, s.lost()
	}
	if state.foreground != s.subject.PID {
		return nil, s.busy("a job runs in the foreground")
	}
	listener, err := listen(s.at.file(order.RunID))
	if err != nil {
		return nil, err
	}
	answers := make(chan answer, 4)
	s.mu.Lock()
	s.answers, s.runID = answers, order.RunID
	s.mu.Unlock()
	h := &Helper{shell: s, order: order, answers: answers, listener: listener}
	err = h.begin(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.ended {
		err = s.lost()
	}
	if err != nil {
		return nil, errors.Join(err, h.release())
	}
	s.helper = h
	return h, nil
}

// ask sends a request. The FIFO is full only with those that the shell has not come to read: it reads all that is there.
func (s *Shell) ask(order enroll.Order) error {
	if err := s.down.SetWriteDeadline(time.Now().Add(silence)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.down, "%s %s\n", order.RunID, order.Digest)
	return err
}

// meet waits for the helper, which is a child of the shell that began after it was asked. Whoever else connects is turned away.
func (s *Shell) meet(listener *net.UnixListener, asked uint64) (*net.UnixConn, enroll.Helper, error) {
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			return nil, enroll.Helper{}, err
		}
		found, err := s.judge(conn, asked)
		if err == nil && s.subject.Admits(found) {
			return conn, found, nil
		}
		_ = conn.Close() // nothing was said
	}
}

func (s *Shell) judge(conn *net.UnixConn, asked uint64) (enroll.Helper, error) {
	who, err := peerOf(conn)
	if err != nil {
		return enroll.Helper{}, err
	}
	state, err := readStat(who.pid)
	if err == nil && !who.alive() {
		err = io.ErrUnexpectedEOF
	}
	return enroll.Helper{PID: who.pid, Parent: state.parent, Own: who.uid == os.Geteuid(), Fresh: who.began >= asked}, errors.Join(err, who.close())
}
