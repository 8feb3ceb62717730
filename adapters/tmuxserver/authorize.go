package tmuxserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

const opAuthorize = "authorize a script in"

var _ ports.Authorizer = (*Server)(nil)

// Authorize runs one list that prints the run and its digest, if the guard before it holds. What it prints is the evidence.
func (s *Server) Authorize(ctx context.Context, subject enroll.Subject, order enroll.Order) (enroll.Evidence, error) {
	condition, printed := grammar.Lives(subject), order.RunID+" "+order.Digest
	result, err := s.run(ctx, opAuthorize, string(subject.Pane), List{
		Guard: (*Guard)(&condition), Commands: []Command{grammar.Display(string(subject.Pane), printed)},
	})
	switch {
	case err != nil:
		return enroll.Evidence{}, err
	case !result.Passed && !grammar.SameLife(result.Found, subject.Server):
		return enroll.Evidence{}, staleTarget(opAuthorize, string(subject.Pane))
	case !result.Passed:
		return enroll.Evidence{}, &fault.Error{
			Kind: fault.PreconditionFailed, Op: opAuthorize, Target: string(subject.Pane),
			Message: fmt.Sprintf("pane %s is not as it was when it was enrolled (%s, not %s)", subject.Pane, result.Found, condition.Want),
		}
	case !strings.Contains(result.Replies[0].Output, printed):
		return enroll.Evidence{}, &fault.Error{
			Kind: fault.DecodeError, Op: opAuthorize, Target: string(subject.Pane), Delivery: fault.Observed,
			Message: fmt.Sprintf("tmux printed %.200q instead of the authorization", result.Replies[0].Output),
		}
	}
	return enroll.Evidence{
		Server: subject.Server.Generation, Pane: subject.Pane, PID: subject.PID, RunID: order.RunID, Digest: order.Digest,
	}, nil
}
