//go:build !linux

package wake

import (
	"errors"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
)

// A Terminals knows nothing on this system.
type Terminals struct{}

// Listen is an error on this system.
func (*Terminals) Listen(grammar.Location, func(written bool)) (stop func(), err error) {
	return nil, errors.New("this system does not tell what is written to terminals")
}
