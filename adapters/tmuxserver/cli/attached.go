package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// An Attached is a control-mode client of this process: a connection to the server, and two pipes whose other ends the server has. What tmux
// says is read from the one, and command lines are written to the other.
type Attached struct {
	in, out *os.File
	back    *os.File // the end to which tmux writes
	peer    *peer
	ended   chan struct{} // closed when the connection has ended
}

var _ io.ReadWriteCloser = (*Attached)(nil)

// Attach makes a control-mode client that runs these commands, as a tmux process is given them. If they do not attach it, it ends when
// they have. It starts no server, and has no environment. The context bounds the connecting. The caller closes it.
//
// A process of tmux's would do the same, but before 3.7 its way to say who it is can end the server.
func (c *Conn) Attach(ctx context.Context, argv []string) (*Attached, error) {
	version, err := c.serverVersion(ctx)
	if err != nil {
		return nil, err
	}
	if !version.AtLeast(Oldest) {
		return nil, &fault.Error{
			Kind: fault.Unsupported, Message: "the server at " + c.socket + " is tmux " + string(version) + ", which is too old",
			Recovery: "start it with tmux " + string(Oldest) + " or newer", Delivery: fault.NotSent,
		}
	}
	hello, err := introduce(flagNoStart|flagControl|flagUTF8, value(c.env, "TERM"), argv)
	if err != nil {
		return nil, transport(fault.NotSent, "", "no control client can be attached", err)
	}
	p, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		p.close()
		return nil, transport(fault.NotSent, "", "a control client needs a pipe", err)
	}
	defer theirIn.Close()
	out, theirOut, err := os.Pipe()
	if err != nil {
		p.close()
		_ = in.Close() // nobody has its other end
		return nil, transport(fault.NotSent, "", "a control client needs a pipe", err)
	}
	stop := context.AfterFunc(ctx, p.close)
	mark := descriptorMark(version)
	if err = p.pass(messageStdin, theirIn, mark); err == nil {
		if err = p.pass(messageStdout, theirOut, mark); err == nil {
			err = p.say(hello)
		}
	}
	if err != nil {
		err = c.unheard(ctx, err)
	}
	if !stop() && err == nil {
		err = contextFault(ctx, fault.PossiblySent)
	}
	if err != nil {
		p.close()
		_, _, _ = in.Close(), out.Close(), theirOut.Close() // likewise
		return nil, err
	}
	a := &Attached{in: in, out: out, back: theirOut, peer: p, ended: make(chan struct{})}
	go a.follow()
	return a, nil
}

// follow hears the server until the connection ends, and then says so as a tmux process does.
func (a *Attached) follow() {
	defer close(a.ended)
	why := a.hear()
	_ = a.back.SetWriteDeadline(time.Now().Add(termGrace)) // if nobody reads
	_, _ = a.back.WriteString(strings.TrimSpace("%exit "+why) + "\n")
	a.peer.close()
	_ = a.back.Close() // it is not used any more
}

// hear answers the server, and is why it let the client go.
func (a *Attached) hear() (why string) {
	lost := "server exited unexpectedly"
	for {
		m, err := a.peer.next()
		if err != nil {
			return lost
		}
		switch m.kind {
		case messageExit:
			lost, why = "", m.text(4)
			err = a.peer.say(compose(nil, messageExiting, nil))
		case messageShutdown, messageDetach, messageDetachKill, messageExec:
			lost = ""
			err = a.peer.say(compose(nil, messageExiting, nil))
		case messageExited:
			return why
		case messageReadOpen, messageWriteOpen:
			err = a.peer.refuse(m)
		}
		if err != nil {
			return lost
		}
	}
}

// PID is this process's id, which is the client's for tmux.
func (*Attached) PID() int { return os.Getpid() }

// Read reads what tmux says.
func (a *Attached) Read(p []byte) (int, error) { return a.out.Read(p) }

// Mark puts a line of less than a page among what is read, behind all that tmux has written.
func (a *Attached) Mark(line string) error {
	_, err := a.back.WriteString(line + "\n")
	return err
}

// Write sends to tmux.
func (a *Attached) Write(p []byte) (int, error) { return a.in.Write(p) }

// detachGrace is how long tmux may take to let a client go that has ended its input.
const detachGrace = time.Second

// Close detaches the client, by the end of its input, and waits until tmux let it go; if it does not, the connection is closed, which tmux
// will see. Somebody should go on reading meanwhile.
func (a *Attached) Close() error {
	_ = a.in.Close() // a second time is fine
	timer := time.NewTimer(detachGrace)
	defer timer.Stop()
	select {
	case <-a.ended:
	case <-timer.C:
		a.peer.close()
		<-a.ended
	}
	if err := a.out.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}

// value is a variable's in an environment.
func value(env []string, name string) string {
	for _, variable := range env {
		if text, ok := strings.CutPrefix(variable, name+"="); ok {
			return text
		}
	}
	return ""
}
