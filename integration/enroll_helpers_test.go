//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// speaking is a helper that connects, and then does what it is told. It has been given the script after "take".
func speaking(does string) []string {
	return []string{"zsh", "-fc", "zmodload zsh/net/socket zsh/system; zsocket $1; s=$REPLY; take() { sysread -i $s }; " + does, "helper"}
}

// Helpers that do not do what they should: each ends the run with its name, and leaves nothing in the shell.
func TestEnrolledHelpersThatMisbehave(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		const report = `LTR1\x01\0\0\0\0\0\0\0` // and two lengths
		for _, c := range []struct {
			name   string
			helper []string
			kind   fault.Kind
			says   string
		}{
			{"it is not there", []string{"/it's absent"}, fault.CommandFailed, "done 127"},
			{"it is killed before it connects", []string{"sh", "-c", "kill -9 $$"}, fault.CommandFailed, "done 137"},
			{"it ends before it has the script", speaking("exit"), fault.CommandFailed, "helper"}, // as its end or as the shell's word for it
			{"it ends with the script", speaking("take"), fault.CommandFailed, "without a report"},
			{"it says half a mark", speaking("take; print -rnu $s LT"), fault.CommandFailed, "without a report"},
			{"it ends when it has started", speaking("take; print -rnu $s LTS1"), fault.CommandFailed, "without a report"},
			{"it ends in its report", speaking("take; print -rnu $s $'LTS1" + report + `\0\0\0\x05\0\0\0\0four'`), fault.CommandFailed, "without a report"},
			{"its report is too long", speaking("take; print -rnu $s $'" + report + `\x7f\xff\xff\xff\0\0\0\0'`), fault.DecodeError, "malformed"},
			{"it says something else", speaking("take; print -rnu $s something else"), fault.DecodeError, "malformed"},
			{"it says much", speaking("take; print -rnu $s ${(l:1000000::x:)}"), fault.DecodeError, "malformed"},
			{"it says nothing", speaking("take; take"), fault.Deadline, "in time"},
		} {
			t.Run(c.name, func(t *testing.T) {
				z := inviteZsh(t, binary, c.helper...)
				shell := z.enrolls()
				order := orderFor(t, "true")
				helper, err := prepareScript(t, shell, order)
				if err == nil {
					ctx, cancel := boundedContext(t)
					if c.kind == fault.Deadline {
						ctx, cancel = context.WithTimeout(t.Context(), 100*time.Millisecond)
					}
					defer cancel()
					_, err = helper.Run(ctx, enroll.Grant{Limits: order.Limits}, "true")
					if err := helper.Close(); err != nil {
						t.Error(err)
					}
				}
				if f := wantFailure(t, err, c.kind, ""); !strings.Contains(f.Message, c.says) {
					t.Errorf("%v does not say %q", f, c.says)
				}
				z.nothingLeft()
			})
		}
	})
}

// What comes over the FIFOs and is no request or no answer makes no difference, or ends the enrollment if it has no end.
func TestEnrolledMessagesThatAreMalformed(t *testing.T) {
	eachEnrolling(t, func(t *testing.T, binary string) {
		z := inviteZsh(t, binary)
		shell := z.enrolls()
		for _, request := range []string{"\n", "x\n", "abcdefghijklmnop\n", "abcdefghijklmnop " + strings.Repeat("g", 64) + "\n", "../../../../../x " + strings.Repeat("a", 64) + "\n", strings.Repeat("\xff\x00", 2000), "\n"} {
			asks(t, z.invitation.Subject.PID, request)
		}
		const up = `$_libtmux_mcp_abcdefghijklmnop`
		z.enter(`print -nu ` + up + ` '\n' 'ready' '\n' ready 'abcdefghijklmnop\n' 'done x\n' $'\xff\0\n'`)
		if got, err := runScript(t, shell, "exit 5"); err != nil || got.Status != 5 {
			t.Errorf("afterwards: %+v, %v", got, err)
		}
		z.nothingLeft()
		z.enter(`repeat 20 { print -rnu ` + up + ` ${(l:4096::x:)} 2>/dev/null; sleep 0.01 }`) // longer than any answer
		select {
		case <-shell.Gone():
		case <-time.After(hangBound):
			t.Error("the shell is not gone")
		}
		if _, err := prepareScript(t, shell, orderFor(t, "true")); !fault.Is(err, fault.NotFound) {
			t.Errorf("afterwards: %v", err)
		}
		z.alive()
	})
}

// asks writes to the FIFO from which an enrolled shell reads requests.
func asks(t *testing.T, shell int, request string) {
	t.Helper()
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", shell))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range open {
		if name, err := os.Readlink(path); err != nil || !strings.HasSuffix(name, "/down (deleted)") {
			continue
		}
		file, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.WriteString(request); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("process %d has no FIFO open", shell)
}
