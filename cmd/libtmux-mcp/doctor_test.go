package main

import (
	"testing"
	"time"
)

// hangBound is how long doctor may take before a test calls it hung. It promises 2 s; what it asks hangs for ten minutes.
const hangBound = 10 * time.Second

func TestDoctor(t *testing.T) {
	for _, c := range []struct {
		commandLine
		tmux string
	}{
		{commandLine{
			name:   "no server, and serve starts one",
			stdout: []string{`^ok +socket: /.*/libtmux-mcp, selected by default$`, `^ok +tmux executable: /.*/tmux, version 3\.9$`, `^ok +tmux server: absent; serve starts it$`},
		}, absentTmux},
		{commandLine{
			name: "no server where one is selected", args: " --socket /tmp/nowhere/s",
			stdout: []string{`^warning +tmux server: absent$`, `^ +-> .*create_session`},
		}, absentTmux},
		{commandLine{
			name: "no executable", args: " --tmux /nowhere/tmux", status: exitError,
			stdout: []string{`^failure +tmux executable: /nowhere/tmux is no tmux executable`, `^ +-> install tmux 3\.2a or newer`}, absent: []string{"tmux server"},
			stderr: []string{`^libtmux-mcp: doctor: 1 of \d+ do not work$`},
		}, absentTmux},
		{commandLine{
			name: "too old", status: exitError,
			stdout: []string{`^failure +tmux executable: tmux 3\.1c .* is too old$`, `^ +-> install tmux 3\.2a or newer`},
		}, "echo tmux 3.1c"},
		{commandLine{
			name: "no permission", status: exitError,
			stdout: []string{`^failure +tmux server: .*permission`, `^ +-> `},
		}, `if test "$1" = -V; then echo tmux 3.9; exit; fi; echo "error connecting to $3 (Permission denied)" >&2; exit 1`},
		{commandLine{
			name: "a server that hangs", status: exitError,
			stdout: []string{`^ok +tmux executable`, `^failure +tmux server: no answer within`, `^ +-> see whether that process is stopped`},
		}, `if test "$1" = -V; then echo tmux 3.9; exit; fi; exec sleep 600`},
		{commandLine{
			name: "one that hangs and does not end", status: exitError,
			stdout: []string{`^failure +tmux server: no answer within`},
		}, `if test "$1" = -V; then echo tmux 3.9; exit; fi; trap '' TERM; while :; do sleep 0.01; done`},
		{commandLine{
			name: "an executable that hangs", status: exitError,
			stdout: []string{`^failure +tmux executable: no answer within`},
		}, "exec sleep 600"},
		{commandLine{name: "an unknown flag", args: " --sockt x", status: exitUsage, stderr: []string{"--sockt"}}, absentTmux},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.args = "doctor" + c.args
			started := time.Now()
			c.invoke(t, stub(t, c.tmux))
			t.Logf("in %v", time.Since(started).Round(time.Millisecond))
			if took := time.Since(started); took > hangBound {
				t.Errorf("it took %v", took)
			}
		})
	}
}
