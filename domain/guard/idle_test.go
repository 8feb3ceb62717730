package guard_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/guard"
)

// atPrompt is a sample of bash idle at its prompt, to be changed by a case.
func atPrompt(change func(*guard.Sample)) guard.Sample {
	s := guard.Sample{
		Leader: 7, Command: "bash", Executable: "bash", Argv: []string{"bash"}, State: 'S', SameUser: true,
		WaitChannel: "poll_schedule_timeout.constprop.0", ReadCount: -1, Age: time.Minute,
	}
	if change != nil {
		change(&s)
	}
	return s
}

func TestClassify(t *testing.T) {
	canonical := func(s *guard.Sample, channel string, count int) {
		s.Canonical, s.Echo, s.WaitChannel, s.ReadCount = true, true, channel, count
	}
	cases := map[string]struct {
		sample guard.Sample
		state  guard.Foreground
		shell  guard.Shell
		reason string
	}{
		"at the prompt":            {atPrompt(nil), guard.AtPrompt, guard.Bash, "bash waits at its prompt"},
		"no evidence":              {guard.Sample{Err: errors.New("no /proc")}, guard.ForegroundUnknown, "", "the foreground cannot be inspected: no /proc"},
		"zero sample":              {guard.Sample{}, guard.ForegroundUnknown, "", "a program runs in the foreground and may not be inspected"},
		"leader gone":              {guard.Sample{Leader: 7, LeaderGone: true}, guard.ForegroundBusy, "", "a job runs in the foreground whose first process has ended"},
		"leader unreaped":          {guard.Sample{Leader: 7, Command: "true", State: 'Z'}, guard.ForegroundBusy, "", "a job runs in the foreground whose first process has ended"},
		"executable unreadable":    {guard.Sample{Leader: 7, Command: "sudo", State: 'S'}, guard.ForegroundUnknown, "", "sudo runs in the foreground and may not be inspected"},
		"another user's shell":     {atPrompt(func(s *guard.Sample) { s.SameUser = false }), guard.ForegroundNot, guard.Bash, "bash runs as another user, who could not read a staged command"},
		"computing":                {atPrompt(func(s *guard.Sample) { s.State, s.WaitChannel = 'R', "" }), guard.ForegroundBusy, guard.Bash, "bash is at work"},
		"on the disk":              {atPrompt(func(s *guard.Sample) { s.State = 'D' }), guard.ForegroundBusy, guard.Bash, "bash is at work"},
		"stopped":                  {atPrompt(func(s *guard.Sample) { s.State = 'T' }), guard.ForegroundBusy, guard.Bash, "bash is stopped"},
		"wait channel hidden":      {atPrompt(func(s *guard.Sample) { s.WaitChannel = "" }), guard.ForegroundUnknown, guard.Bash, "the system does not tell what bash waits for"},
		"waits for a child":        {atPrompt(func(s *guard.Sample) { s.WaitChannel = "do_wait" }), guard.ForegroundBusy, guard.Bash, "bash waits for something else than input"},
		"fish computes its prompt": {atPrompt(func(s *guard.Sample) { s.Executable, s.WaitChannel = "fish", "futex_do_wait" }), guard.ForegroundBusy, guard.Fish, "fish waits for something else than input"},
		"read builtin":             {atPrompt(func(s *guard.Sample) { canonical(s, "wait_woken", 0x1000) }), guard.ForegroundBusy, guard.Bash, "bash runs something that reads the terminal"},
		"read -s":                  {atPrompt(func(s *guard.Sample) { s.Canonical, s.WaitChannel = true, "wait_woken" }), guard.ForegroundBusy, guard.Bash, "bash reads without echo"},
		"read -n":                  {atPrompt(func(s *guard.Sample) { s.Echo, s.WaitChannel = true, "wait_woken" }), guard.ForegroundBusy, guard.Bash, "the terminal of bash is raw, and not by its line editor"},
		"bash without editing":     {atPrompt(func(s *guard.Sample) { s.Argv = []string{"bash", "--noediting"}; canonical(s, "wait_woken", 0x400) }), guard.AtPrompt, guard.Bash, "bash waits at its prompt"},
		"its read builtin":         {atPrompt(func(s *guard.Sample) { s.Argv = []string{"bash", "--noediting"}; canonical(s, "wait_woken", 0x1000) }), guard.ForegroundBusy, guard.Bash, "bash runs something that reads the terminal"},
		"raw, but without editing": {atPrompt(func(s *guard.Sample) { s.Argv = []string{"bash", "--noediting"} }), guard.ForegroundBusy, guard.Bash, "the terminal of bash is raw, and not by its line editor"},
		"dash":                     {atPrompt(func(s *guard.Sample) { s.Executable = "dash"; canonical(s, "wait_woken", 0x2000) }), guard.AtPrompt, guard.Dash, "dash waits at its prompt"},
		"dash as sh, older kernel": {atPrompt(func(s *guard.Sample) {
			s.Executable, s.Argv = "dash", []string{"-sh"}
			canonical(s, "n_tty_read", 0x400)
		}), guard.AtPrompt, guard.Dash, "dash waits at its prompt"},
		"dash, read builtin":         {atPrompt(func(s *guard.Sample) { s.Executable = "dash"; canonical(s, "wait_woken", 1) }), guard.ForegroundBusy, guard.Dash, "dash runs something that reads the terminal"},
		"dash, syscall unreadable":   {atPrompt(func(s *guard.Sample) { s.Executable = "dash"; canonical(s, "wait_woken", -1) }), guard.ForegroundBusy, guard.Dash, "dash runs something that reads the terminal"},
		"dash reads a pipe":          {atPrompt(func(s *guard.Sample) { s.Executable = "dash"; canonical(s, "anon_pipe_read", 0x2000) }), guard.ForegroundBusy, guard.Dash, "dash waits for something else than input"},
		"dash in a raw terminal":     {atPrompt(func(s *guard.Sample) { s.Executable, s.ReadCount = "dash", 0x2000 }), guard.ForegroundBusy, guard.Dash, "the terminal of dash is raw, and not by its line editor"},
		"zsh without its editor":     {atPrompt(func(s *guard.Sample) { s.Executable = "zsh"; canonical(s, "wait_woken", 1) }), guard.ForegroundBusy, guard.Zsh, "zsh runs something that reads the terminal"},
		"vim":                        {atPrompt(func(s *guard.Sample) { s.Executable = "vim.basic" }), guard.ForegroundNot, "", "vim.basic runs in the foreground"},
		"python3":                    {atPrompt(func(s *guard.Sample) { s.Executable = "python3.11" }), guard.ForegroundNot, "", "python3.11 runs in the foreground"},
		"ssh":                        {atPrompt(func(s *guard.Sample) { s.Executable = "ssh" }), guard.ForegroundNot, "", "ssh runs in the foreground"},
		"tmux":                       {atPrompt(func(s *guard.Sample) { s.Executable = "tmux" }), guard.ForegroundNot, "", "tmux runs in the foreground"},
		"a name that begins like sh": {atPrompt(func(s *guard.Sample) { s.Executable = "fishnet" }), guard.ForegroundNot, "", "fishnet runs in the foreground"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := guard.Classify(c.sample)
			if got.State != c.state || got.Shell != c.shell || got.Reason != c.reason {
				t.Errorf("%+v\nwant %s, shell %q, %q\ngot  %+v", c.sample, c.state, c.shell, c.reason, got)
			}
			if got.PID != c.sample.Leader || got.Age != c.sample.Age {
				t.Errorf("want leader %d, age %v, got %+v", c.sample.Leader, c.sample.Age, got)
			}
		})
	}
}

// TestClassifyReadsTheCommandLine gives each command line to a shell that otherwise looks idle.
func TestClassifyReadsTheCommandLine(t *testing.T) {
	const (
		idle       = "waits at its prompt"
		dashC      = "runs a command given with -c"
		script     = "runs the script"
		restricted = "is a restricted shell"
		another    = "runs in the foreground"
	)
	cases := []struct {
		executable, line string
		want             string
	}{
		{"bash", "-bash", "bash " + idle},
		{"bash", "/bin/bash -l", "bash " + idle},
		{"bash", "sh -i", "bash " + idle},
		{"bash", "bash --norc --rcfile /etc/rc -i", "bash " + idle},
		{"bash", "bash --init-file /etc/rc", "bash " + idle},
		{"bash", "bash -O extglob +O dotglob -o vi", "bash " + idle},
		{"bash", "bash -eo pipefail", "bash " + idle},
		{"bash", "bash -s one two", "bash " + idle},
		{"bash", "bash -is -- one", "bash " + idle},
		{"bash", "bash --", "bash " + idle},
		{"bash", "bash -C", "bash " + idle},
		{"bash", "bash -c true", "bash " + dashC},
		{"bash", "bash -lic true", "bash " + dashC},
		{"bash", "bash /tmp/x", "bash " + script},
		{"bash", "bash -o vi /tmp/x", "bash " + script},
		{"bash", "bash -- -x", "bash " + script},
		{"bash", "bash - x", "bash " + script},
		{"bash", "rbash", "bash " + restricted},
		{"bash", "-rbash", "bash " + restricted},
		{"bash", "bash -ir", "bash " + restricted},
		{"bash", "bash --restricted", "bash " + restricted},
		{"bash-static", "bash", "bash " + idle},
		{"zsh-5.9", "-zsh", "zsh " + idle},
		{"zsh", "zsh -f +Z", "zsh " + idle},
		{"zsh", "zsh --emulate sh", "zsh " + idle},
		{"zsh", "zsh -o extendedglob x", "zsh " + script},
		{"zsh", "zsh -fc true", "zsh " + dashC},
		{"fish", "fish -C ls", "fish " + idle},
		{"fish", "fish --init-command=ls", "fish " + idle},
		{"fish", "fish --init-command ls -l", "fish " + idle},
		{"fish", "fish -c ls", "fish " + dashC},
		{"fish", "fish --command=ls", "fish " + dashC},
		{"fish", "fish -N x.fish", "fish " + script},
		{"mksh", "mksh -T !", "mksh " + idle},
		{"lksh", "-lksh", "lksh " + idle},
		{"ksh93", "-ksh", "ksh93 " + idle},
		{"ksh93", "rksh93", "ksh93 " + restricted},
		{"ksh", "rksh", "ksh " + restricted},
		{"busybox", "busybox ash", "busybox ash " + idle},
		{"busybox", "busybox sh -l", "busybox sh " + idle},
		{"busybox", "-ash", "busybox ash " + idle},
		{"busybox.nosuid", "/bin/sh", "busybox sh " + idle},
		{"busybox", "ash -c true", "busybox ash " + dashC},
		{"busybox", "ash x", "busybox ash " + script},
		{"busybox", "busybox vi x", "vi " + another},
		{"busybox", "vi x", "vi " + another},
		{"busybox", "busybox", "busybox " + another},
	}
	for _, c := range cases {
		t.Run(c.executable+": "+c.line, func(t *testing.T) {
			got := guard.Classify(atPrompt(func(s *guard.Sample) { s.Executable, s.Argv = c.executable, strings.Fields(c.line) }))
			if !strings.HasPrefix(got.Reason, c.want) {
				t.Errorf("want %q, got %q", c.want, got.Reason)
			}
			if idle := strings.HasSuffix(c.want, idle); idle != (got.State == guard.AtPrompt) {
				t.Errorf("want at prompt: %v, got %+v", idle, got)
			}
		})
	}
}

func TestAgree(t *testing.T) {
	idle := guard.Process{State: guard.AtPrompt, Shell: guard.Zsh, Name: "zsh", PID: 7, Age: 1, Reason: "zsh waits at its prompt"}
	later := idle
	later.Age = 2
	python := guard.Process{State: guard.ForegroundNot, Name: "python3", PID: 8, Reason: "python3 runs in the foreground"}
	blind := guard.Process{State: guard.ForegroundUnknown, Reason: "no /proc"}
	inner := idle
	inner.PID = 9
	cases := map[string]struct{ a, b, want guard.Process }{
		"the same":        {idle, later, later},
		"a program began": {idle, python, guard.Process{State: guard.ForegroundBusy, Shell: guard.Zsh, Name: "python3", PID: 8, Reason: "the foreground is changing: zsh waits at its prompt, then python3 runs in the foreground"}},
		"a program ended": {python, idle, guard.Process{State: guard.ForegroundBusy, Shell: guard.Zsh, Name: "zsh", PID: 7, Age: 1, Reason: "the foreground is changing: python3 runs in the foreground, then zsh waits at its prompt"}},
		"another shell":   {idle, inner, guard.Process{State: guard.ForegroundBusy, Shell: guard.Zsh, Name: "zsh", PID: 9, Age: 1, Reason: "the foreground is changing: zsh waits at its prompt, then zsh waits at its prompt"}},
		"blind at first":  {blind, idle, blind},
		"blind at last":   {idle, blind, blind},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, guard.Agree(c.a, c.b)); diff != "" {
				t.Errorf("want (-) and got (+):\n%s", diff)
			}
		})
	}
}
