package control

import (
	"context"
	"io"
)

// A Stream is the connection of one attached control-mode client, which stays the same thing whatever carries it. Reads and writes
// may come from different goroutines; Close ends both, and the client with them: when it returns the client is gone.
type Stream interface {
	io.ReadWriteCloser
	PID() int // of the client, as tmux knows it
}

// A Dial makes a client that runs one tmux command, which attaches it, with these arguments. Whether tmux attached it shows in
// what is read.
type Dial func(ctx context.Context, attach []string) (Stream, error)
