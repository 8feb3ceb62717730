package app

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// A Failure is an error as docs/errors.md shows it, in that order.
type Failure struct {
	Code     fault.Kind     `json:"code"`
	Reason   fault.Reason   `json:"reason,omitempty"`
	Target   string         `json:"target,omitempty"`
	Delivery fault.Delivery `json:"delivery"`
	Message  string         `json:"message"`
	Recovery string         `json:"recovery,omitempty"`
	Effects  *fault.Effects `json:"effects,omitempty"`
	Receipt  any            `json:"receipt,omitempty"`
}

// Failure is what an error of a call of the tool says to its caller.
func (t Tool) Failure(err error) Failure {
	f := t.faultOf(err)
	failure := Failure{
		Code: code(f.Kind), Reason: f.Reason, Target: f.Target, Delivery: cmp.Or(f.Delivery, fault.NotSent),
		Message: f.Error(), Recovery: f.Recovery, Effects: f.Effects, Receipt: f.Receipt,
	}
	if failure.Effects == nil && failure.Delivery == fault.PossiblySent && t.changes() {
		failure.Effects = &fault.Effects{State: "unknown"}
	}
	return failure
}

// changes reports whether a call may leave anything different from before.
func (t Tool) changes() bool { return t.Effect != surface.Observe || t.Reach != surface.ReachNone }

// faultOf finds the fault in an error, or says what an error without one means.
func (t Tool) faultOf(err error) *fault.Error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	f := &fault.Error{Kind: fault.Internal, Op: t.Name, Err: err, Message: "this server failed"}
	switch {
	case errors.Is(err, context.Canceled):
		f.Kind, f.Message = fault.Cancelled, "the call was cancelled"
	case errors.Is(err, context.DeadlineExceeded):
		f.Kind, f.Message = fault.Deadline, "the call did not end in time"
	}
	if t.changes() { // how far it came is not known
		f.Delivery = fault.PossiblySent
		f.Recovery = "inspect the state before you retry"
	}
	return f
}

// code is the one table from kinds of fault to codes on the wire. A guard that was false at dispatch should have been
// explained by its use case; that it was not is this server's mistake.
func code(kind fault.Kind) fault.Kind {
	switch kind {
	case fault.InvalidInput, fault.NotFound, fault.StaleTarget, fault.StaleCursor, fault.InvalidFilter, fault.Refused,
		fault.Unsupported, fault.Capacity, fault.Deadline, fault.Cancelled, fault.CommandFailed, fault.DecodeError,
		fault.IncompleteSnapshot, fault.ServerGone, fault.TransportError:
		return kind
	case fault.Internal, fault.PreconditionFailed:
		return fault.Internal
	}
	return fault.Internal
}

// explained makes sure that an error of a call leaves as a fault that may be shown, with something to do about it that can be done
// here: a recovery that names tools which are withheld says so.
func (a *App) explained(err error, op string) error {
	err = asFault(err, op)
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	named := lo.Uniq(toolNames.FindAllString(f.Recovery, -1))
	missing := lo.Filter(named, func(name string, _ int) bool {
		return !a.surface.Offers(name) && slices.ContainsFunc(a.Withheld(), func(m surface.Member) bool { return m.Name == name })
	})
	if len(missing) > 0 {
		f.Recovery += " (not on offer here: " + strings.Join(missing, ", ") + "; whoever starts this server can enable it, tmux://capabilities says how)"
	}
	return err
}

// toolNames finds what may be names of tools. Those of one word are left out: they stand in sentences as verbs.
var toolNames = regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b`)
