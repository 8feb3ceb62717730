package enroll

import (
	"crypto/subtle"
	"fmt"
	"strings"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Subject is who is enrolled: the process of one pane, in one life of the server.
type Subject struct {
	Server tmux.Server
	Pane   tmux.PaneID
	PID    int
}

// An Invitation lets one shell enroll once, while it has not expired.
type Invitation struct {
	Enrollment string // identity of the enrollment that may come of it; random
	Token      string // random; only what the shell sources tells it
	Subject    Subject
	ExpiresAt  time.Time // with a monotonic reading
}

// Invite makes an invitation. A life that is not within (0, MaxLife] is InvalidInput; a server older than tmux 3.3 is Unsupported.
func Invite(enrollment, token string, subject Subject, now time.Time, life time.Duration) (Invitation, error) {
	if life <= 0 || life > MaxLife {
		return Invitation{}, fault.Invalidf(fmt.Sprintf("more than 0, at most %v", MaxLife), "an invitation of %v is out of range", life)
	}
	if !subject.Server.Version.AtLeast("3.3") {
		return Invitation{}, &fault.Error{
			Kind: fault.Unsupported, Op: "invite the shell of", Target: string(subject.Pane),
			Message:  fmt.Sprintf("the server is tmux %s; shells are enrolled with tmux 3.3 or newer", subject.Server.Version),
			Recovery: "use run_shell_command, or a newer tmux",
		}
	}
	return Invitation{Enrollment: enrollment, Token: token, Subject: subject, ExpiresAt: now.Add(life)}, nil
}

// A Hello is how a shell answers an invitation: what it said, and what the kernel says of it.
type Hello struct {
	Token   string
	Version string // of zsh, as it said
	PID     int    // 0: in another PID namespace
	Own     bool   // its user is that of this process
	Process tmux.ProcessGeneration
}

// A Rejection is why a shell is not enrolled.
type Rejection string

// The rejections.
const (
	Expired      Rejection = "expired"
	WrongToken   Rejection = "wrong_token"
	WrongUser    Rejection = "wrong_user"
	WrongProcess Rejection = "wrong_process"
	WrongShell   Rejection = "wrong_shell"
	Malformed    Rejection = "malformed"
	Taken        Rejection = "taken"
)

// Says is the rejection in words, for who sourced the setup.
func (r Rejection) Says() string {
	return map[Rejection]string{
		Expired:      "the invitation has expired",
		WrongToken:   "the setup is not that of this invitation",
		WrongUser:    "this shell is another user's",
		WrongProcess: "this shell is not the process of the invited pane: source the setup in that pane, and in no shell inside another one",
		WrongShell:   "this is not zsh " + Shell + " (or " + Shell + ".N)",
		Malformed:    "what the setup said was not understood",
		Taken:        "the invitation was used already",
	}[r]
}

// Shell is the version of zsh that can be enrolled, as can its corrections, such as 5.9.2: what the setup relies on is known of no other.
const Shell = "5.9"

// Judge says why a shell may not enroll; empty if it may.
func (i Invitation) Judge(hello Hello, now time.Time) Rejection {
	switch {
	case !now.Before(i.ExpiresAt):
		return Expired
	case !hello.Own:
		return WrongUser
	case subtle.ConstantTimeCompare([]byte(hello.Token), []byte(i.Token)) != 1:
		return WrongToken
	case hello.PID == 0 || hello.PID != i.Subject.PID:
		return WrongProcess
	case hello.Version != Shell && !strings.HasPrefix(hello.Version, Shell+"."):
		return WrongShell
	}
	return ""
}
