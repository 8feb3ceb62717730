package main

import "testing"

func TestTools(t *testing.T) {
	tmux := stub(t, absentTmux)
	steps := []string{"LIBTMUX_TOOLSETS=inspect", "LIBTMUX_TOOLS=kill_pane,get_run", "LIBTMUX_EXCLUDE_TOOLS=get_run"}
	for _, c := range []commandLine{
		{
			name: "on the server that serve would create", args: "tools",
			stdout: []string{
				`\(selected by default\): absent; serve creates one with the minimal configuration$`, `^list_panes +inspect +observe +default$`,
				`^kill_pane +teardown +delete +default, for that server alone$`, "not a sandbox",
			},
			absent: []string{`^tmux_capabilities .*observe`},
		},
		{
			name: "with a configuration of the person's", args: "tools", env: []string{"LIBTMUX_TMUX_CONFIG=/etc/tmux.conf"},
			stdout: []string{`: absent$`, `^kill_pane +teardown +add kill_pane to LIBTMUX_TOOLS or set LIBTMUX_TOOLSETS=inspect,manage,execute,teardown$`},
		},
		{
			name: "by steps, on a server that is selected", args: "tools --socket /tmp/nowhere/s", env: steps,
			stdout: []string{
				`/s \(selected by flag\): absent$`, `^list_panes +inspect +observe +LIBTMUX_TOOLSETS$`, `^kill_pane +teardown +delete +LIBTMUX_TOOLS$`,
				`^get_run +inspect +remove get_run from LIBTMUX_EXCLUDE_TOOLS$`,
				`^send_keys +execute +add send_keys to LIBTMUX_TOOLS or set LIBTMUX_TOOLSETS=inspect,execute$`,
			},
		},
		{
			name: "for programs", args: "tools --json --socket /tmp/nowhere/s", env: steps,
			stdout: []string{`"state": "absent"`, `"version": "3.9"`, `"by": "LIBTMUX_TOOLSETS"`, `"name": "kill_pane"`},
			absent: []string{`"name": "send_keys",\n +"toolset": "execute",\n +"effects"`},
		},
		{
			name: "by exact names, which deny the rest", args: "tools --enable-tool kill_pane --endpoint work", env: []string{"LIBTMUX_TOOLS=get_run"},
			stdout: []string{
				`^tmux_capabilities +- +observe +exact$`, `^kill_pane +teardown +delete +--enable-tool, LIBTMUX_TOOLS$`, `^get_run +inspect +observe +--enable-tool, LIBTMUX_TOOLS$`,
				`^send_keys +execute +pass --enable-tool send_keys$`,
			},
			absent: []string{`^list_panes .*observe`, `that server alone`},
		},
		{
			name: "by an endpoint alone", args: "tools --endpoint work",
			stdout: []string{`^tmux_capabilities +- +observe +exact$`, `^list_panes +inspect +pass --enable-tool list_panes$`},
		},
		{
			name: "where tmux cannot be run", args: "tools --tmux /nowhere/tmux",
			stdout: []string{`\(selected by default\): /nowhere/tmux is no tmux executable`, `^kill_pane +teardown +add`},
		},
	} {
		t.Run(c.name, func(t *testing.T) { c.invoke(t, tmux) })
	}
}
