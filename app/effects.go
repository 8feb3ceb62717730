package app

import (
	"errors"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// withEffects says of the error of an exact change what is known of what it did: none if nothing went to tmux, or what the port
// knows, or that it is unknown, and stays so. A fault about an id names the tool that gives ids there.
func withEffects(err error) error {
	f, ok := errors.AsType[*fault.Error](asFault(err, "act"))
	if !ok {
		return err
	}
	known := *f
	if known.Effects == nil {
		known.Effects = &fault.Effects{State: "unknown"}
		if known.Delivery == "" || known.Delivery == fault.NotSent {
			known.Effects.State = "none"
		}
	}
	switch known.Kind { //nolint:exhaustive // only what is about ids
	case fault.NotFound, fault.StaleTarget, fault.ServerGone:
		known.Recovery = snapshotFirst
	}
	return &known
}
