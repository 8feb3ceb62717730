package screen

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Cursor remembers how far a reader has read the lines of a pane: everything above Row. The lines just above are its
// fingerprint, by which a later capture proves that it continues where the reader stopped.
type Cursor struct {
	Generation tmux.Generation
	Pane       tmux.PaneID
	PID        int // of the pane's process
	Width      int // cells
	Row        int // absolute row of the first line that was not finished
	History    int // rows above the screen
	First      int // absolute row of the first line of the fingerprint
	Lines      int // lines of the fingerprint
	Sum        [sumSize]byte
	Top        [topSize]byte // of the last line of the history, which tells whether the history was cleared
	Pending    [topSize]byte // of the lines that were not finished, which tells whether anything was written at all
}

// The sizes of the parts of a sealed cursor.
const (
	sumSize         = 8
	topSize         = 4
	sumsSize        = sumSize + topSize + topSize
	sealSize        = 8
	generationSize  = 4
	fingerprintSize = 8 // lines
	cursorVersion   = 1
)

// finished are the lines that output has left behind: those that end above the cursor's line. While the alternate screen is
// shown nothing on it is ever finished. The rest of the pane's rows begins at row next.
func finished(c Capture) (lines []string, starts []int, next int) {
	end := c.CursorRow()
	if c.Pane.Alternate {
		end = c.Pane.HistorySize
	}
	n := 0
	for n+1 < len(c.Starts) && c.Starts[n+1] <= end {
		n++
	}
	if n < len(c.Starts) {
		return c.Rows[:n], c.Starts[:n], c.Starts[n]
	}
	return nil, nil, c.First
}

// CursorAt is the cursor of a reader who has read all finished lines of a capture, which is joined, with starts, and
// reaches up to the oldest row or at least a fingerprint beyond the last finished line.
func CursorAt(c Capture) Cursor {
	lines, starts, next := finished(c)
	from := max(0, len(lines)-fingerprintSize)
	cursor := Cursor{
		Generation: c.Server.Generation, Pane: c.Pane.ID, PID: c.Pane.PID, Width: c.Pane.Width, Row: next,
		History: c.Pane.HistorySize, First: next, Lines: len(lines) - from, Sum: sum(lines[from:]),
	}
	if from < len(starts) {
		cursor.First = starts[from]
	}
	cursor.Top = top(lines, starts, cursor.History)
	cursor.Pending = pendingSum(c)
	return cursor
}

func pendingSum(c Capture) [topSize]byte {
	all := sum(Pending(c))
	return [topSize]byte(all[:])
}

// top is the sum of the last finished line that begins above a row.
func top(lines []string, starts []int, row int) [topSize]byte {
	i, _ := slices.BinarySearch(starts, row)
	all := sum(lines[max(0, i-1):i])
	return [topSize]byte(all[:])
}

func sum(lines []string) [sumSize]byte {
	h := sha256.New()
	for _, line := range lines {
		h.Write(binary.AppendUvarint(nil, uint64(len(line))))
		h.Write([]byte(line))
	}
	return [sumSize]byte(h.Sum(nil))
}

// A Sealer makes cursors opaque, and refuses what it did not seal. The key is a secret of one application.
type Sealer struct{ Key []byte }

// Seal is the cursor as text: about 60 characters of URL-safe base64.
func (s Sealer) Seal(c Cursor) string {
	pane, _ := strconv.ParseUint(string(c.Pane[1:]), 10, 32) // canonical: it came from tmux
	b := []byte{cursorVersion}
	b = append(b, shortGeneration(c.Generation)...)
	for _, n := range []int{int(pane), c.PID, c.Width, c.Row, c.History, c.First, c.Lines} {
		b = binary.AppendUvarint(b, uint64(n))
	}
	b = slices.Concat(b, c.Sum[:], c.Top[:], c.Pending[:])
	return base64.RawURLEncoding.EncodeToString(append(b, s.mac(b)...))
}

// Open reads a cursor that this sealer sealed for a pane. The generation is given back as it is in now if it is that one, and as an
// unknown other one if not. Anything else is StaleCursor.
func (s Sealer) Open(text string, pane tmux.PaneID, now tmux.Generation) (Cursor, error) {
	stale := func(why string) error {
		return &fault.Error{
			Kind: fault.StaleCursor, Op: "read a cursor", Target: string(pane), Message: "cursor " + why,
			Recovery: "call capture_pane, whose answer holds a new cursor",
		}
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < 1+generationSize+sumsSize+sealSize {
		return Cursor{}, stale("is not one that this server gave")
	}
	body, seal := raw[:len(raw)-sealSize], raw[len(raw)-sealSize:]
	if body[0] != cursorVersion || !hmac.Equal(seal, s.mac(body)) {
		return Cursor{}, stale("was altered, or is of another server process")
	}
	sums := body[len(body)-sumsSize:]
	c := Cursor{Pane: pane, Sum: [sumSize]byte(sums), Top: [topSize]byte(sums[sumSize:]), Pending: [topSize]byte(sums[sumSize+topSize:])}
	if bytes.Equal(body[1:1+generationSize], shortGeneration(now)) {
		c.Generation = now
	}
	numbers := body[1+generationSize : len(body)-sumsSize]
	var number int
	for _, field := range []*int{&number, &c.PID, &c.Width, &c.Row, &c.History, &c.First, &c.Lines} {
		n, size := binary.Uvarint(numbers)
		if size <= 0 {
			return Cursor{}, stale("is not one that this server gave")
		}
		*field, numbers = int(n), numbers[size:]
	}
	if of := tmux.PaneID(fmt.Sprintf("%c%d", tmux.PaneSigil, number)); of != pane {
		return Cursor{}, stale(fmt.Sprintf("is of pane %s, not of %s", of, pane))
	}
	return c, nil
}

func shortGeneration(g tmux.Generation) []byte {
	h := sha256.Sum256([]byte(g))
	return h[:generationSize]
}

func (s Sealer) mac(b []byte) []byte {
	h := hmac.New(sha256.New, s.Key)
	h.Write(b)
	return h.Sum(nil)[:sealSize]
}
