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
	if err := ref.check(argument, kinds...); err != nil {
		return tmux.Topology{}, err
	}
	t, err := a.topology(referring(ctx, ref), detail)
	if err != nil {
		return tmux.Topology{}, err
	}
	return t, fromSnapshot(target.Exists(t, ref.TargetID))
}

// check refuses what is no reference to one of the kinds.
func (r Reference) check(argument string, kinds ...tmux.Kind) error {
	if r.Generation == "" {
		return fault.Invalidf(snapshotFirst, "generation is empty")
	}
	return fromSnapshot(target.Parse(argument, r.TargetID, kinds...))
}

type referenceKey struct{}

// referring binds a call to the life of the server that a reference names: wherever the call reads the topology it gets that of this
// life or a fault, and ids need no listing before it. See checkBound and known.
func referring(ctx context.Context, ref Reference) context.Context {
	return context.WithValue(ctx, referenceKey{}, ref)
}

func staleReference(ref Reference) *fault.Error {
	return &fault.Error{
		Kind: fault.StaleTarget, Target: ref.TargetID, Recovery: snapshotFirst,
		Message: ref.TargetID + " is of another life of tmux than the one that answers now",
	}
}

// fromSnapshot makes a fault about an id name the tool that gives ids where exact tools are on offer.
func fromSnapshot(err error) error { return recovering(err, snapshotFirst) }

// recovering is a fault with something else to do about it.
func recovering(err error, recovery string) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	told := *f
	told.Recovery = recovery
	return &told
}

// refTo is a reference to what has an id.
func refTo(server tmux.Server, id string) tmux.Ref {
	return tmux.Ref{Generation: server.Generation, Kind: target.Kind(id), ID: id}
}
