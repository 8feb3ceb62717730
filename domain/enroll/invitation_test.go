package enroll_test

import (
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func subject(pid int) enroll.Subject {
	return enroll.Subject{Server: tmux.Server{PID: 1, Generation: "g1", Version: "3.4"}, Pane: "%1", PID: pid}
}

func invite(t interface{ Fatal(...any) }, of enroll.Subject, now time.Time) enroll.Invitation {
	invitation, err := enroll.Invite("e1", "secret", of, now, enroll.DefaultLife)
	if err != nil {
		t.Fatal(err)
	}
	return invitation
}

func TestWhoIsInvited(t *testing.T) {
	for _, c := range []struct {
		name    string
		version tmux.Version
		life    time.Duration
		want    fault.Kind // empty: nobody minds
	}{
		{"the usual life", "3.4", enroll.DefaultLife, ""},
		{"the longest life", "3.3", 300 * time.Second, ""},
		{"a longer life", "3.4", 300*time.Second + 1, fault.InvalidInput},
		{"no life", "3.4", 0, fault.InvalidInput},
		{"less", "3.4", -time.Second, fault.InvalidInput},
		{"an old tmux", "3.2a", enroll.DefaultLife, fault.Unsupported},
		{"a tmux of a letter", "3.3a", enroll.DefaultLife, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			of := subject(7)
			of.Server.Version = c.version
			now := time.Now()
			got, err := enroll.Invite("e1", "secret", of, now, c.life)
			if fault.KindOf(err) != c.want || err == nil && !got.ExpiresAt.Equal(now.Add(c.life)) {
				t.Errorf("got %+v, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestWhoIsRejected(t *testing.T) {
	now := time.Now()
	invitation := invite(t, subject(7), now)
	right := enroll.Hello{Token: "secret", Version: "5.9", PID: 7, Own: true}
	for _, c := range []struct {
		name   string
		change func(*enroll.Hello)
		after  time.Duration
		want   enroll.Rejection
	}{
		{"the shell", func(*enroll.Hello) {}, 0, ""},
		{"at the last moment", func(*enroll.Hello) {}, enroll.DefaultLife - 1, ""},
		{"too late", func(*enroll.Hello) {}, enroll.DefaultLife, enroll.Expired},
		{"another token", func(h *enroll.Hello) { h.Token = "Secret" }, 0, enroll.WrongToken},
		{"the start of the token", func(h *enroll.Hello) { h.Token = "secre" }, 0, enroll.WrongToken},
		{"no token", func(h *enroll.Hello) { h.Token = "" }, 0, enroll.WrongToken},
		{"a shell inside it", func(h *enroll.Hello) { h.PID = 8 }, 0, enroll.WrongProcess},
		{"a process that is not known", func(h *enroll.Hello) { h.PID = 0 }, 0, enroll.WrongProcess},
		{"another user", func(h *enroll.Hello) { h.Own = false }, 0, enroll.WrongUser},
		{"an older zsh", func(h *enroll.Hello) { h.Version = "5.8.1" }, 0, enroll.WrongShell},
		{"a corrected zsh", func(h *enroll.Hello) { h.Version = "5.9.2" }, 0, ""},
		{"a newer zsh", func(h *enroll.Hello) { h.Version = "5.10" }, 0, enroll.WrongShell},
		{"a longer number", func(h *enroll.Hello) { h.Version = "5.90" }, 0, enroll.WrongShell},
		{"a patched one", func(h *enroll.Hello) { h.Version = "5.9.0.1-test" }, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			hello := right
			c.change(&hello)
			if got := invitation.Judge(hello, now.Add(c.after)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if c.want != "" && c.want.Says() == "" {
				t.Errorf("%q is not said in words", c.want)
			}
		})
	}
}
