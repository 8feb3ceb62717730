// Package tmux holds the values that describe one tmux server: its identity, sessions, windows,
// links, panes and clients, and the topology that joins them. It has no behaviour beyond look-up.
package tmux

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// A SessionID is tmux's stable id of a session, "$N"; it is never reused while the server lives.
type SessionID string

// A WindowID is tmux's stable id of a window, "@N"; it is never reused while the server lives.
type WindowID string

// A PaneID is tmux's stable id of a pane, "%N"; it is never reused while the server lives, but the
// process inside it changes when the pane is respawned.
type PaneID string

// A Kind names what an id or a reference stands for.
type Kind string

// The kinds of entity that a tmux server has.
const (
	KindSession    Kind = "session"
	KindWindow     Kind = "window"
	KindWindowLink Kind = "window_link"
	KindPane       Kind = "pane"
	KindClient     Kind = "client"
)

// Sigils are the first bytes of ids, by kind. Source: tmux(1), COMMANDS.
const (
	SessionSigil = '$'
	WindowSigil  = '@'
	PaneSigil    = '%'
)

// A Generation identifies one life of one tmux server. Two generations are equal exactly if socket,
// process and start time are; otherwise it is opaque.
type Generation string

// NewGeneration derives the generation of the server that listens at socketPath (resolved) as process pid
// since startTime (epoch seconds, tmux's #{start_time}).
func NewGeneration(socketPath string, pid int, startTime int64) Generation {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", socketPath, pid, startTime))
	return Generation("g" + hex.EncodeToString(sum[:8]))
}

// A ProcessGeneration identifies one process of a pane. Two are equal exactly if the process is the same one; whatever pid a later
// process gets, it has another. Otherwise it is opaque.
type ProcessGeneration string

// NewProcessGeneration derives the generation of a process that a server's pane was started with, which has begun at a moment that
// no other process of the same pid shares: on Linux in clock ticks since boot.
func NewProcessGeneration(server Generation, pid int, began uint64) ProcessGeneration {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", server, pid, began))
	return ProcessGeneration("p" + hex.EncodeToString(sum[:8]))
}

// A Ref names one entity in one life of a server.
type Ref struct {
	Generation Generation `json:"generation"`
	Kind       Kind       `json:"kind"`
	ID         string     `json:"id"`
}

// A Server is the identity of a running tmux server.
type Server struct {
	SocketPath string    // absolute and resolved
	PID        int       // in the server's own PID namespace
	StartTime  time.Time // whole seconds
	Version    Version   // of the server, which may differ from the installed binary's
	Generation Generation
}

// A Version is a tmux version as tmux prints it, such as "3.2a", "3.4" or "next-3.8".
type Version string

// Compare orders versions by number and then by letter suffix: negative if v is older than w. A "next-" prefix
// sorts just below the release it announces, and a version without numbers ("master") is newer than all.
func (v Version) Compare(w Version) int {
	a, b := v.key(), w.key()
	for i := range a {
		if a[i] != b[i] {
			return a[i] - b[i]
		}
	}
	return 0
}

// AtLeast reports whether v is w or newer.
func (v Version) AtLeast(w Version) bool { return v.Compare(w) >= 0 }

func (v Version) key() [4]int {
	text, next := strings.CutPrefix(strings.TrimPrefix(string(v), "tmux "), "next-")
	var major, minor int
	if n, _ := fmt.Sscanf(text, "%d.%d", &major, &minor); n < 2 {
		return [4]int{1 << 20}
	}
	letter := 0
	if last := text[len(text)-1]; last >= 'a' && last <= 'z' {
		letter = int(last-'a') + 1
	}
	released := 1
	if next {
		released = 0
	}
	return [4]int{major, minor, released, letter}
}
