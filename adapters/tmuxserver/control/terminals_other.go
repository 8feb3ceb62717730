//go:build !linux

package control

import (
	"errors"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A terminals knows nothing on this system.
type terminals struct{}

var errUntold = errors.New("this system does not tell what is written to terminals")

func openTerminals(func(of func(pane tmux.PaneID) bool)) (*terminals, error) { return nil, errUntold }

func (*terminals) listen(tmuxserver.Location) error { return errUntold }

func (*terminals) forget(tmux.PaneID) {}

func (*terminals) close() {}
