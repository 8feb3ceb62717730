// Package enroll holds the rules by which the interactive shell of a pane is enrolled for authored commands: invited, accepted, and then
// for each run prepared, authorized once for one script, and executed by a helper of its own.
package enroll

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// The limits.
const (
	MaxPanes      = 8                 // that are invited or enrolled at once
	DefaultLife   = 60 * time.Second  // of an invitation
	MaxLife       = 300 * time.Second // of an invitation
	MaxScript     = 64 << 10          // bytes
	DefaultOutput = 64 << 10          // bytes of each output
	MaxOutput     = 256 << 10         // bytes of each output
)

// Limits bound the outputs of a script, each by itself. A script that writes more has failed.
type Limits struct {
	Stdout int // bytes
	Stderr int // bytes
}

// Serialized is how many bytes both outputs take at the most in an answer in JSON, as text or as base64.
func (l Limits) Serialized() int { return serialized(l.Stdout) + serialized(l.Stderr) }

// escaped is how many bytes one byte of text takes at the most in JSON.
const escaped = 6

// smallText is how long the JSON of a text may be whatever its base64 takes.
const smallText = 64 << 10

func serialized(n int) int { return max(base64Length(n), min(escaped*n, smallText)) }

func base64Length(n int) int { return (n + 2) / 3 * 4 }

// AsText reports whether an output in UTF-8 may stand in an answer as text. One whose JSON would be much longer than base64 is, being full of
// control characters, may not: no more was reserved for it.
func AsText(data []byte) bool {
	n := 0
	for _, r := range string(data) {
		switch {
		case r == '"' || r == '\\' || r == '\n' || r == '\t' || r == '\r':
			n += 2
		case r < ' ' || r == '\u2028' || r == '\u2029' || r == 0x7f:
			n += escaped
		default:
			n += utf8.RuneLen(r)
		}
	}
	return n <= max(base64Length(len(data)), smallText)
}

// An Order is one run that is to be prepared: which script, by its digest, and within which limits.
type Order struct {
	RunID  string // random; lower-case letters and the digits 2 to 7
	Digest string // of the script
	Limits Limits
}

// NewOrder checks a script and its limits. What is out of bounds is InvalidInput.
func NewOrder(runID, script string, limits Limits) (Order, error) {
	switch {
	case script == "":
		return Order{}, fault.Invalidf("pass a POSIX sh script", "script is empty")
	case len(script) > MaxScript:
		return Order{}, fault.Invalidf(fmt.Sprintf("at most %d bytes; put the rest into a file", MaxScript), "script has %d bytes", len(script))
	case strings.ContainsRune(script, 0):
		return Order{}, fault.Invalidf("leave the NUL out", "script holds a NUL byte, which no shell can read")
	}
	for name, limit := range map[string]int{"stdout_limit": limits.Stdout, "stderr_limit": limits.Stderr} {
		if limit < 0 || limit > MaxOutput {
			return Order{}, fault.Invalidf(fmt.Sprintf("0 to %d bytes", MaxOutput), "%s %d is out of range", name, limit)
		}
	}
	return Order{RunID: runID, Digest: Digest(script), Limits: limits}, nil
}

// Digest is what identifies a script: its SHA-256 in lower-case hexadecimal digits.
func Digest(script string) string {
	sum := sha256.Sum256([]byte(script))
	return hex.EncodeToString(sum[:])
}
