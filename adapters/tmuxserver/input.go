package tmuxserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

const (
	opType  = "send text to"
	opKeys  = "send keys to"
	opPaste = "paste into"
)

// SendText types text in as few guarded lists as it fits into.
func (s *Server) SendText(ctx context.Context, pre guard.Precondition, text string, enter bool) error {
	if err := noNUL("text", text); err != nil {
		return err
	}
	condition := grammar.Input(pre)
	var last []Command
	if enter {
		last = append(last, grammar.Press(pre.Pane, "Enter"))
	}
	for sent := 0; ; {
		rest := text[sent:]
		list := List{Guard: (*Guard)(&condition), Commands: last}
		if rest != "" {
			list.Commands = append([]Command{grammar.Type(pre.Pane, "")}, last...)
			piece := rest
			if room := s.conn.Room(list); room < len(rest) {
				if room < 1 {
					return tooLong(opType, pre.Pane)
				}
				piece, list.Commands = rest[:room], list.Commands[:1]
			}
			list.Commands[0] = grammar.Type(pre.Pane, piece)
			rest = rest[len(piece):]
		}
		if err := s.input(ctx, opType, pre, list); err != nil {
			return partly(err, sent)
		}
		if sent = len(text) - len(rest); rest == "" {
			return nil
		}
	}
}

// SendKeys presses keys in one guarded list.
func (s *Server) SendKeys(ctx context.Context, pre guard.Precondition, keys []string) error {
	for _, key := range keys {
		if err := noNUL("key", key); err != nil {
			return err
		}
	}
	condition := grammar.Input(pre)
	list := List{Guard: (*Guard)(&condition)}
	if len(keys) > 0 {
		list.Commands = []Command{grammar.Press(pre.Pane, keys...)}
	}
	if s.conn.Room(list) < 0 {
		return tooLong(opKeys, pre.Pane)
	}
	return s.input(ctx, opKeys, pre, list)
}

// Paste stages the text in a buffer of its own and guards only the paste, which deletes the buffer.
func (s *Server) Paste(ctx context.Context, pre guard.Precondition, text string, bracket ports.Bracket) error {
	if err := noNUL("text", text); err != nil {
		return err
	}
	condition := grammar.Input(pre)
	list := List{Guard: (*Guard)(&condition)}
	if text == "" {
		return s.input(ctx, opPaste, pre, list)
	}
	buffer := "libtmux-mcp-" + rand.Text()
	list.Commands = []Command{grammar.PasteBuffer(pre.Pane, buffer, bracket, pre.Server.Version)}
	err := s.conn.Load(ctx, buffer, []byte(text))
	if err != nil {
		err = notDelivered(naming(opPaste, string(pre.Pane), err))
	} else {
		err = s.input(ctx, opPaste, pre, list)
	}
	if err != nil {
		s.discard(ctx, buffer)
	}
	return err
}

// input runs a guarded list that gives input to a pane.
func (s *Server) input(ctx context.Context, op string, pre guard.Precondition, list List) error {
	result, err := s.run(ctx, op, string(pre.Pane), list)
	if err != nil || result.Passed {
		return err
	}
	if !grammar.SameLife(result.Found, pre.Server) {
		return staleTarget(op, string(pre.Pane))
	}
	return &fault.Error{
		Kind: fault.PreconditionFailed, Op: op, Target: string(pre.Pane),
		Message: fmt.Sprintf("pane %s is not as it was when it was checked (%s, not %s)", pre.Pane, result.Found, list.Guard.Want),
	}
}

// discardTime bounds the removal of a buffer after the call's own context ended.
const discardTime = 2 * time.Second

// discard deletes a buffer that may be there or not.
func (s *Server) discard(ctx context.Context, buffer string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTime)
	defer cancel()
	_, _ = s.conn.Run(ctx, List{Commands: grammar.DeleteBuffer[Command](buffer)}) // the fault that led here is the one to tell
}

// partly adds to a fault how much of the text went before it.
func partly(err error, sent int) error {
	e, ok := err.(*fault.Error) //nolint:errorlint // made here, not wrapped
	if !ok || sent == 0 {
		return err
	}
	e.Effects = &fault.Effects{State: "known", Bytes: &sent}
	if e.Delivery == fault.PossiblySent {
		e.Effects.State = "unknown"
	} else {
		e.Delivery = fault.Observed
	}
	return e
}

// notDelivered corrects a fault of a preparation: of the input itself nothing was sent.
func notDelivered(err error) error {
	if e, ok := err.(*fault.Error); ok { //nolint:errorlint // made here, not wrapped
		e.Delivery = fault.NotSent
	}
	return err
}

func noNUL(what, value string) error {
	if strings.ContainsRune(value, 0) {
		return fault.Invalidf("leave NUL out; a terminal has no use for it", "%s holds NUL, which tmux cannot pass on", what)
	}
	return nil
}

func tooLong(op string, pane tmux.PaneID) error {
	return &fault.Error{
		Kind: fault.InvalidInput, Op: op, Target: string(pane), Message: fmt.Sprintf("%s %s: more than tmux takes at once", op, pane),
		Recovery: "send less at once",
	}
}
