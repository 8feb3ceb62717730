package control

import (
	"context"
	"io"
)

// A Stream is the connection of one control-mode client, which stays the same thing whatever carries it. Reads and writes
// may come from different goroutines; Close ends both, and the client with them: when it returns the client is gone.
type Stream interface {
	io.ReadWriteCloser
	PID() int // of the client, as tmux knows it
}

// A Dial makes a client that runs these tmux commands, as one process is given them. If they attach it, it stays. What tmux made of
// them shows in what is read.
type Dial func(ctx context.Context, argv []string) (Stream, error)

// A Markable is a stream into which one can put a line of one's own, which is read behind all that tmux has written by then.
type Markable interface {
	Stream
	Mark(line string) error
}
