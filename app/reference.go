package app

import (
	"context"
	"errors"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Reference names one entity in one life of the server, in the arguments of the exact tools.
type Reference struct {
	Generation string `json:"generation" jsonschema:"as it stands beside the id, in a ref or a creation"`
	TargetID   string `json:"target_id" jsonschema:"stable id ($1, @1 or %1)"`
}

const snapshotFirst = "call tmux_snapshot, and pass generation and id together and unchanged"

// exact reads the server for a call that was given a reference, under whatever name its id has among the arguments: to an entity of
// one of the kinds that exists in that life of the server. In another life it is stale, whatever has that id there. The server
// of the answer goes with whatever is done next, so that no other life can get it either.
func (a *App) exact(ctx context.Context, detail tmux.Detail, argument string, ref Reference, kinds ...tmux.Kind) (tmux.Topology, error) {
	if ref.Generation == "" {
		return tmux.Topology{}, fault.Invalidf(snapshotFirst, "generation is empty")
	}
	if err := target.Parse(argument, ref.TargetID, kinds...); err != nil {
		return tmux.Topology{}, fromSnapshot(err)
	}
	t, err := a.topology(ctx, detail)
	switch {
	case err != nil:
		return tmux.Topology{}, err
	case t.Running && t.Server.Generation != tmux.Generation(ref.Generation):
		return tmux.Topology{}, staleReference(ref)
	}
	return t, fromSnapshot(target.Exists(t, ref.TargetID))
}

func staleReference(ref Reference) *fault.Error {
	return &fault.Error{
		Kind: fault.StaleTarget, Target: ref.TargetID, Recovery: snapshotFirst,
		Message: ref.TargetID + " is of another life of tmux than the one that answers now",
	}
}

// fromSnapshot makes a fault about an id name the tool that gives ids where exact tools are on offer.
func fromSnapshot(err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	exact := *f
	exact.Recovery = snapshotFirst
	return &exact
}
