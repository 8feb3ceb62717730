package frame

import (
	"encoding/base32"
	"regexp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

// Runs reports whether a framed command can run in a shell of that family.
func Runs(shell guard.Shell) bool {
	switch shell {
	case guard.Bash, guard.Zsh, guard.Dash, guard.Mksh, guard.Busybox, guard.Fish, guard.Ksh:
		return true
	}
	return false
}

var (
	runID = regexp.MustCompile(`^[a-z0-9]{1,40}$`)
	token = regexp.MustCompile(`^[A-Z2-7]{1,20}$`)
)

// ValidRunID reports whether id is a run's: up to 40 lower-case letters and digits, which may stand in a path.
func ValidRunID(id string) bool { return runID.MatchString(id) }

// ValidToken reports whether a token can stand in the row that a frame shows.
func ValidToken(text string) bool { return token.MatchString(text) }

const lower = "abcdefghijklmnopqrstuvwxyz234567"

// NewRunID makes a run's id of random bytes: 16 characters.
func NewRunID(random [10]byte) string {
	return base32.NewEncoding(lower).EncodeToString(random[:])
}

// NewToken makes a token of random bytes: 8 characters, which no output holds by chance and which leave room in a narrow pane.
func NewToken(random [5]byte) string { return base32.StdEncoding.EncodeToString(random[:]) }
