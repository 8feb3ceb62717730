//go:build integration

package integration_test

import (
	"path/filepath"
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

func TestFramesContract(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		porttest.Frames(t, func(t *testing.T) porttest.World {
			w := &framesWorld{tmuxWorld: newTmuxWorld(t, binary), place: filepath.Join(t.TempDir(), "frames")}
			w.ports.Frames, w.ports.Processes = w.Peer(), process.New(process.Options{})
			return w
		})
	})
}

// A framesWorld is a real tmux with frames of its own.
type framesWorld struct {
	*tmuxWorld
	place string
}

func (w *framesWorld) Peer() ports.Frames {
	frames, err := shell.Open(shell.Options{Dir: w.place})
	if err != nil {
		w.t.Fatal(err)
	}
	return frames
}
