package stdio

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Lines cuts a stream into lines, in memory bounded by the longest line that is wanted.
type lines struct {
	from *bufio.Reader
	max  int    // bytes of a line, without its line feed
	long []byte // what a line has so far, if it did not fit the reader's buffer
	err  error  // what ended the stream
}

func newLines(from io.Reader, limit int) *lines {
	return &lines{from: bufio.NewReaderSize(from, 64<<10), max: limit}
}

// A longLine is the error of a line that was dropped for its length.
type longLine struct {
	max int
	id  jsonrpc.ID // invalid if it could not be read
}

func (l *longLine) Error() string { return fmt.Sprintf("the frame has more than %d bytes", l.max) }

// next returns the next line without its line feed, valid until the following call. It fails with a *longLine,
// after which there may be more, or with what ended the stream. The last line needs no line feed.
func (l *lines) next() ([]byte, error) {
	l.long = nil
	for l.err == nil {
		part, err := l.from.ReadSlice('\n')
		if err == nil {
			part = part[:len(part)-1]
		}
		more := errors.Is(err, bufio.ErrBufferFull)
		if !more {
			l.err = err
		}
		switch {
		case l.err != nil && !errors.Is(l.err, io.EOF):
			return nil, l.err // whoever ends the stream otherwise did not finish the line either
		case len(l.long)+len(part) > l.max:
			return nil, l.drop(part, more)
		case more:
			l.long = append(l.long, part...)
		case l.long != nil:
			return append(l.long, part...), nil
		case err == nil || len(part) > 0:
			return part, nil
		}
	}
	return nil, l.err
}

// drop reads the rest of a line of which part was read last, remembering nothing but its id.
func (l *lines) drop(part []byte, more bool) *longLine {
	var found salvage
	found.feed(l.long)
	found.feed(part)
	l.long = nil
	for more {
		rest, err := l.from.ReadSlice('\n')
		found.feed(rest)
		more = errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !more {
			l.err = err
		}
	}
	return &longLine{max: l.max, id: found.id()}
}
