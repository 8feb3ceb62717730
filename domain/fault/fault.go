// Package fault is the vocabulary of failure: what kind of failure it was, what is known of its delivery
// and effects, and what the caller can do next. Adapters translate into it once; nobody above an adapter
// matches on error strings.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// A Kind says what went wrong, in the terms of the wire contract.
type Kind string

// The kinds of fault.
const (
	InvalidInput       Kind = "invalid_input"
	NotFound           Kind = "not_found"
	StaleTarget        Kind = "stale_target"
	StaleCursor        Kind = "stale_cursor"
	InvalidFilter      Kind = "invalid_filter"
	Refused            Kind = "refused"
	Unsupported        Kind = "unsupported"
	Capacity           Kind = "capacity"
	Deadline           Kind = "deadline"
	Cancelled          Kind = "cancelled"
	CommandFailed      Kind = "command_failed"
	DecodeError        Kind = "decode_error"
	IncompleteSnapshot Kind = "incomplete_snapshot"
	ServerGone         Kind = "server_gone"
	TransportError     Kind = "transport_error"
	Internal           Kind = "internal"

	// PreconditionFailed is what a port answers when a guard was false at the moment of dispatch. It never
	// leaves the application, which looks again and names the reason.
	PreconditionFailed Kind = "precondition_failed"
)

// A Reason refines Refused.
type Reason string

// The reasons of a refusal, in the order of their precedence for input.
const (
	Dead         Reason = "dead"
	InputOff     Reason = "input_off"
	InMode       Reason = "in_mode"
	CallerPane   Reason = "caller_pane"
	Synchronized Reason = "synchronized"
	Attended     Reason = "attended"
	NotAShell    Reason = "not_a_shell"
	Busy         Reason = "busy"
	Draft        Reason = "draft"
	HoldsCaller  Reason = "holds_caller"
	Hooked       Reason = "hooked"
)

// A Delivery says what is known of whether tmux got what was to be sent. The zero value means NotSent.
type Delivery string

// The deliveries.
const (
	NotSent      Delivery = "not_sent"
	PossiblySent Delivery = "possibly_sent"
	Observed     Delivery = "observed"
)

// Effects says what is known of what a failed change did.
type Effects struct {
	State   string   `json:"state"`             // none, known or unknown
	Created []string `json:"created,omitempty"` // ids
	Bytes   *int     `json:"bytes,omitempty"`   // how many bytes of the text went, if a delivery was partial
}

// An Error is a failure with what is known of it.
type Error struct {
	Kind     Kind
	Op       string // what was being done, in words: "send keys"
	Target   string // id of what it was done to; empty if none
	Reason   Reason // only with Refused
	Message  string // what is wrong, for a person or a model; names the operation or the argument
	Recovery string // what to do next, naming a tool where there is one; empty if nothing helps
	Delivery Delivery
	Effects  *Effects
	Receipt  any   // of an authorized run, if known
	Err      error // the original; nil if the fault arose here
}

// Error is the message, or what stands in for one, and the original after it.
func (e *Error) Error() string {
	parts := []string{e.Message}
	if e.Message == "" {
		parts[0] = strings.Join(strings.Fields(e.Op+" "+e.Target), " ") + ": " + string(e.Kind)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap gives the original.
func (e *Error) Unwrap() error { return e.Err }

// KindOf finds the kind of the first fault in err's chain; Internal for an error that is no fault, and empty
// for nil.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is a fault of that kind.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// Invalidf is a fault of kind InvalidInput. Recovery says what a right argument is.
func Invalidf(recovery, format string, args ...any) *Error {
	return &Error{Kind: InvalidInput, Message: fmt.Sprintf(format, args...), Recovery: recovery}
}
