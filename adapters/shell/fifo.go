package shell

import (
	"bytes"
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A reader reads the lines that the shell says. It is for one goroutine at a time.
type reader struct {
	file *os.File
	rest []byte
}

// openReader opens the FIFO at path, which has no writer yet. Close-on-exec is Go's default: nobody inherits our ends.
func openReader(path string) (reader, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	return reader{file: file}, err
}

// line waits for the next line, without its newline. It ends with ctx and can then be called again.
func (r *reader) line(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		_ = r.file.SetReadDeadline(time.Unix(1, 0)) // fails only if the file is closed, and then Read ends too
	})
	defer func() {
		if !stop() {
			<-interrupted
			_ = r.file.SetReadDeadline(time.Time{})
		}
	}()
	for {
		if line, rest, found := bytes.Cut(r.rest, []byte("\n")); found {
			r.rest = rest
			return string(line), nil
		}
		chunk := make([]byte, 256)
		n, err := r.file.Read(chunk)
		r.rest = append(r.rest, chunk[:n]...)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return "", ctx.Err()
		}
		if err != nil {
			return "", err
		}
	}
}
