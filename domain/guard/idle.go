package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/samber/lo"
)

// Classify judges one sample: whether an interactive shell of our uid waits at its prompt. A shell between two commands looks
// like that for an instant, so that two samples some 50 ms apart should Agree.
//
// The rules were measured on Linux with eleven shells. What is left undecidable from outside are the builtins that open
// the line editor themselves (bash's "read -e", zsh's vared, fish's read): they look like a prompt.
func Classify(s Sample) Process {
	p := Process{Name: s.Executable, PID: s.Leader, Age: s.Age}
	if p.Name == "" {
		p.Name = s.Command
	}
	conclude := func(state Foreground, format string, args ...any) Process {
		p.State, p.Reason = state, fmt.Sprintf(format, args...)
		return p
	}
	switch {
	case s.Err != nil:
		return conclude(ForegroundUnknown, "the foreground cannot be inspected: %v", s.Err)
	case s.LeaderGone || s.State == 'Z':
		return conclude(ForegroundBusy, "a job runs in the foreground whose first process has ended")
	case s.Executable == "":
		return conclude(ForegroundUnknown, "%s runs in the foreground and may not be inspected", lo.CoalesceOrEmpty(p.Name, "a program"))
	}
	line, ok := parseShell(s.Executable, s.Argv)
	p.Name = line.name
	if !ok {
		return conclude(ForegroundNot, "%s runs in the foreground", line.name)
	}
	p.Shell = line.shell
	switch {
	case !s.SameUser:
		return conclude(ForegroundNot, "%s runs as another user, who could not read a staged command", line.name)
	case line.restricted:
		return conclude(ForegroundNot, "%s is a restricted shell, in which no framed command can run", line.name)
	case line.command:
		return conclude(ForegroundBusy, "%s runs a command given with -c", line.name)
	case line.script != "":
		return conclude(ForegroundBusy, "%s runs the script %q", line.name, line.script)
	case s.State == 'T', s.State == 't':
		return conclude(ForegroundBusy, "%s is stopped", line.name)
	case s.State != 'S':
		return conclude(ForegroundBusy, "%s is at work", line.name)
	case s.WaitChannel == "":
		return conclude(ForegroundUnknown, "the system does not tell what %s waits for", line.name)
	case !waitsForInput(s.WaitChannel):
		return conclude(ForegroundBusy, "%s waits for something else than input", line.name)
	case line.edits && !s.Canonical && !s.Echo:
		return conclude(AtPrompt, "%s waits at its prompt", line.name)
	case !s.Canonical:
		return conclude(ForegroundBusy, "the terminal of %s is raw, and not by its line editor", line.name)
	case !s.Echo:
		return conclude(ForegroundBusy, "%s reads without echo", line.name)
	case readsScript(line, s.ReadCount):
		return conclude(AtPrompt, "%s waits at its prompt", line.name)
	}
	return conclude(ForegroundBusy, "%s runs something that reads the terminal", line.name)
}

// Agree joins two judgements of one pane, the later one second. Unless both say the same of the same process, the
// foreground is changing, which is busy.
func Agree(a, b Process) Process {
	if a.State == b.State && a.PID == b.PID && a.Shell == b.Shell {
		return b
	}
	if a.State == ForegroundUnknown {
		return a
	}
	if b.State == ForegroundUnknown {
		return b
	}
	changing := b
	changing.State, changing.Shell = ForegroundBusy, lo.CoalesceOrEmpty(b.Shell, a.Shell)
	changing.Reason = fmt.Sprintf("the foreground is changing: %s, then %s", a.Reason, b.Reason)
	return changing
}

// inputWaits are the kernel functions in which a process sleeps that waits for terminal input by read, poll, select or epoll.
// Source: measured on Linux 6.18; n_tty_read is where older kernels show it.
var inputWaits = []string{"wait_woken", "n_tty_read", "do_select", "do_poll", "do_sys_poll", "ep_poll", "do_epoll_wait"}

func waitsForInput(channel string) bool {
	name, _, _ := strings.Cut(channel, ".") // compilers append .constprop.0 and the like
	return name == "poll_schedule_timeout" || slices.Contains(inputWaits, name)
}

// readsScript reports whether a shell that leaves the editing of lines to the terminal reads its next command, by how
// much it asks for: its read builtin asks for one byte (dash) or for 4096 (bash).
func readsScript(line shellLine, count int) bool {
	switch line.shell {
	case Dash:
		return count >= 0x400
	case Bash:
		return line.noEditing && count == 0x400
	case Zsh, Mksh, Busybox, Fish, Ksh: // they ask for one byte in both cases, or always edit
	}
	return false
}
