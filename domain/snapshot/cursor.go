package snapshot

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// The sizes of the parts of a cursor, in bytes.
const (
	numberSize   = 8
	positionSize = 4
	sealSize     = 12
)

// Cursor is a place in what is retained, as text: 32 characters of URL-safe base64.
func (r *Retention) Cursor(of Capture, position int) string {
	b := binary.BigEndian.AppendUint64(nil, of.number)
	b = binary.BigEndian.AppendUint32(b, uint32(position))
	return base64.RawURLEncoding.EncodeToString(append(b, r.seal(b)...))
}

// ID is what a capture is called where it is told: not a cursor, and good for none.
func (r *Retention) ID(of Capture) string {
	b := binary.BigEndian.AppendUint64([]byte("id"), of.number)
	return base64.RawURLEncoding.EncodeToString(r.seal(b))
}

func (r *Retention) seal(b []byte) []byte {
	h := hmac.New(sha256.New, r.key)
	h.Write(b)
	return h.Sum(nil)[:sealSize]
}

// Find is what a cursor stands in, and where. A cursor that was not given out, that is of another kind of capture, that belongs
// elsewhere as belongs says (why not; empty: it does), or whose capture is not retained any more is StaleCursor.
func Find[T any](r *Retention, now time.Time, cursor string, belongs func(T) string) (value T, position int, err error) {
	number, position, ok := r.open(cursor)
	if !ok {
		return value, 0, stale("is not one that this server process gave")
	}
	found, ok := r.find(now, number)
	if !ok {
		return value, 0, stale("is of a capture that has expired, or made room for others")
	}
	value, ok = found.(T)
	if !ok {
		return value, 0, stale("was given by another tool")
	}
	if why := belongs(value); why != "" {
		var none T
		return none, 0, stale(why)
	}
	return value, position, nil
}

func (r *Retention) open(cursor string) (number uint64, position int, ok bool) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) != numberSize+positionSize+sealSize {
		return 0, 0, false
	}
	body := raw[:numberSize+positionSize]
	if !hmac.Equal(raw[len(body):], r.seal(body)) {
		return 0, 0, false
	}
	return binary.BigEndian.Uint64(body), int(binary.BigEndian.Uint32(body[numberSize:])), true
}

func stale(why string) error {
	return &fault.Error{Kind: fault.StaleCursor, Message: "the cursor " + why, Recovery: "begin again without a cursor"}
}

// Page is what stands at a position, at most so much, and where the next begins; 0 if nothing follows.
func Page[T any](all []T, position, limit int) (page []T, next int) {
	position = min(position, len(all))
	end := min(position+limit, len(all))
	if end < len(all) {
		next = end
	}
	return all[position:end], next
}
