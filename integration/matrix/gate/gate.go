// Package gate is a version gate of the matrix's own: a claim about tmux that its test holds to a real one. The matrix
// breaks it on purpose, to show that a wrong gate turns red exactly the cells where it is wrong.
package gate

import (
	"cmp"
	"os"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// Variable of the environment claims another version than the right one.
const Variable = "MATRIX_GATE"

// Since is the tmux that first has the command server-access. Source: tmux's CHANGES, "CHANGES FROM 3.2a TO 3.3".
const Since = tmux.Version("3.3")

// Open reports what the gate says of a version: whether it has the command.
func Open(version tmux.Version) bool {
	return version.AtLeast(tmux.Version(cmp.Or(os.Getenv(Variable), string(Since))))
}
