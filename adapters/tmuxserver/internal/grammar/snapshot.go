package grammar

import (
	"strconv"

	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// listings are the commands that list the entities of each kind. Windows are listed once for each link, and so are their panes.
var listings = map[tmux.Kind][]string{
	tmux.KindSession:    {"list-sessions"},
	tmux.KindWindow:     {"list-windows", "-a"},
	tmux.KindWindowLink: {"list-windows", "-a"},
	tmux.KindPane:       {"list-panes", "-a"},
	tmux.KindClient:     {"list-clients"},
}

// SnapshotTable describes all fields of a kind.
func SnapshotTable(kind tmux.Kind) Table[map[string]string] {
	var table Table[map[string]string]
	for _, field := range snapshot.Fields(kind) {
		if field.Type == snapshot.Text {
			table = append(table, VariablesTable([]string{field.Name})...)
			continue
		}
		table = append(table, id(field.Name, func(row *map[string]string, v string) {
			if *row == nil {
				*row = map[string]string{}
			}
			(*row)[field.Name] = v
		}))
	}
	return table
}

// ListSnapshot lists the entities of a kind with the fields of a table.
func ListSnapshot(kind tmux.Kind, nonce Nonce) []string {
	return append(append([]string{}, listings[kind]...), "-F", SnapshotTable(kind).Format(nonce))
}

// Uncounted is what session_attached is without so many of the clients that tmux counts.
func Uncounted(attached string, own int) string {
	n, err := strconv.Atoi(attached)
	if err != nil {
		return attached // what it is then said to be is a fault of decoding
	}
	return strconv.Itoa(n - own)
}
