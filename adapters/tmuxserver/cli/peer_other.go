//go:build !linux

package cli

import (
	"context"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// serverExecutable is not known here.
func serverExecutable(context.Context, string) (version tmux.Version, path string, lives bool) {
	return "", "", true
}
