package app

import "slices"

// The hints that whole groups of tools share. Terminal content comes from outside, so that reading it is openWorld.
var (
	reads      = Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}
	manages    = Hints{Idempotent: true}
	rearranges = Hints{}
	creates    = Hints{OpenWorld: true}
	restarts   = Hints{Destructive: true, OpenWorld: true}
	types      = Hints{Destructive: true, OpenWorld: true}
	destroys   = Hints{Destructive: true}
)

// catalogue is every tool, in the order in which they are listed.
func catalogue() []Tool {
	return slices.Concat(inspectRows(), manageRows(), executeRows(), teardownRows(), exactRows())
}
