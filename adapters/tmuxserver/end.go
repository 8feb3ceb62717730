package tmuxserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

const (
	opEnd   = "end"
	opClear = "clear the history of"
)

var _ ports.Terminator = (*Server)(nil)

// End ends a target in one guarded list, which also lists what there is before and after it: what is missing then ended with it.
func (s *Server) End(ctx context.Context, server tmux.Server, ending guard.Ending) (ports.Ended, error) {
	nonce, condition := grammar.NewNonce(), grammar.End(server, ending)
	result, err := s.send(ctx, List{
		Guard:    (*Guard)(&condition),
		Commands: slices.Concat([]Command{grammar.Places(nonce)}, grammar.Kill[Command](ending), []Command{grammar.Places(nonce)}),
	})
	switch {
	case err != nil:
		return ports.Ended{}, naming(opEnd, ending.Target, err)
	case !result.Passed:
		if err := missing(opEnd, ending.Target, result.Found, server); err != nil {
			return ports.Ended{}, err
		}
		return ports.Ended{}, &fault.Error{
			Kind: fault.PreconditionFailed, Op: opEnd, Target: ending.Target,
			Message: fmt.Sprintf("%s is not as it was when it was checked (%s, not %s)", ending.Target, result.Found, condition.Want),
		}
	}
	last := len(result.Replies) - 1
	for i, reply := range result.Replies {
		if reply.State == Failed && !(i == last && grammar.NoTarget(reply.Error)) { // no session is left
			return ports.Ended{}, grammar.CommandFault(opEnd, ending.Target, reply.Error)
		}
	}
	before, err := grammar.PlaceTable.Parse(nonce, result.Replies[0].Output, server.Version)
	if err != nil {
		return ports.Ended{}, err
	}
	after, err := grammar.PlaceTable.Parse(nonce, result.Replies[last].Output, server.Version)
	if err != nil {
		return ports.Ended{}, err
	}
	return ports.Ended{
		Panes:    gone(before, after, func(p grammar.Place) tmux.PaneID { return p.Pane }),
		Windows:  gone(before, after, func(p grammar.Place) tmux.WindowID { return p.Window }),
		Sessions: gone(before, after, func(p grammar.Place) tmux.SessionID { return p.Session }),
	}, nil
}

// gone are the ids that were there before and are not after.
func gone[ID ~string](before, after []grammar.Place, of func(grammar.Place) ID) []ID {
	ids := func(places []grammar.Place) []ID {
		return lo.Uniq(lo.Map(places, func(p grammar.Place, _ int) ID { return of(p) }))
	}
	missing, _ := lo.Difference(ids(before), ids(after))
	number := func(id ID) int { n, _ := strconv.Atoi(string(id[1:])); return n }
	slices.SortFunc(missing, func(a, b ID) int { return cmp.Compare(number(a), number(b)) })
	return missing
}

// DropHistory drops what stands above a screen, and blanks the screen before if that is wanted: some versions would keep it as
// history.
func (s *Server) DropHistory(ctx context.Context, server tmux.Server, pane tmux.PaneID, screen bool) error {
	condition := grammar.OutOfMode(server, pane)
	list := List{Guard: (*Guard)(&condition), Commands: []Command{grammar.ClearHistory(pane)}}
	if screen {
		list.Commands = []Command{grammar.ResetScreen(pane), grammar.ClearHistory(pane)}
	}
	result, err := s.run(ctx, opClear, string(pane), list)
	if err != nil || result.Passed {
		return err
	}
	if err := missing(opClear, string(pane), result.Found, server); err != nil {
		return err
	}
	return &fault.Error{
		Kind: fault.Refused, Reason: fault.InMode, Op: opClear, Target: string(pane),
		Message:  fmt.Sprintf("pane %s is in a mode, which clearing its history would end", pane),
		Recovery: "wait until the person leaves the mode",
	}
}
