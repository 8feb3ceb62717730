package app

import "github.com/libtmux-mcp/libtmux-mcp/domain/tmux"

// A Listing heads every list: whose it is and how long.
type Listing struct {
	Server     string `json:"server" enum:"running,absent" jsonschema:"absent: no tmux server runs at the socket, so the list is empty"`
	Generation string `json:"generation,omitempty" jsonschema:"identity of this life of the server; ids count in it alone"`
	Total      int    `json:"total" jsonschema:"length of the list"`
}

func listingOf(t tmux.Topology, total int) Listing {
	if !t.Running {
		return Listing{Server: "absent"}
	}
	return Listing{Server: "running", Generation: string(t.Server.Generation), Total: total}
}
