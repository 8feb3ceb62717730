package main // a command cannot be imported

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// asCommand in the environment makes this test binary the command itself.
const asCommand = "LIBTMUX_MCP_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// A commandLine is one invocation and what must come of it.
type commandLine struct {
	name   string
	args   string // blanks separate them
	env    []string
	status int
	stdout []string // regular expressions, each of which must match; ^ and $ are of a line
	absent []string // of which none may match stdout
	stderr []string
}

// absentTmux is a tmux 3.9 without a server.
const absentTmux = `if test "$1" = -V; then echo tmux 3.9; exit; fi
echo "error connecting to $3 (No such file or directory)" >&2; exit 1`

// stub writes a tmux executable.
func stub(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tmux")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// invoke runs a command line where TMUX_TMPDIR is empty, with tmux first in PATH.
func (c commandLine) invoke(t *testing.T, tmux string) {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), executable, strings.Fields(c.args)...)
	cmd.Env = append([]string{asCommand + "=1", "PATH=" + filepath.Dir(tmux) + ":/usr/bin:/bin", "TMUX_TMPDIR=" + t.TempDir()}, c.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	status := 0
	if err := cmd.Run(); err != nil {
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		status = ended.ExitCode()
	}
	if status != c.status {
		t.Errorf("exit status %d, want %d", status, c.status)
	}
	matches := func(pattern, text string) bool { return regexp.MustCompile("(?m)" + pattern).MatchString(text) }
	for _, pattern := range c.stdout {
		if !matches(pattern, stdout.String()) {
			t.Errorf("stdout does not match %q", pattern)
		}
	}
	for _, pattern := range c.absent {
		if matches(pattern, stdout.String()) {
			t.Errorf("stdout matches %q", pattern)
		}
	}
	for _, pattern := range c.stderr {
		if !matches(pattern, stderr.String()) {
			t.Errorf("stderr does not match %q", pattern)
		}
	}
	if c.status == exitUsage && (stdout.Len() > 0 || strings.Count(stderr.String(), "\n") != 1) {
		t.Error("a usage error is one line on stderr")
	}
	if t.Failed() {
		t.Logf("stdout:\n%s\nstderr:\n%s", stdout.String(), stderr.String())
	}
}

func TestSelectionsThatCannotBe(t *testing.T) {
	touched := filepath.Join(t.TempDir(), "touched")
	tmux := stub(t, "echo touched >"+touched)
	for _, c := range []commandLine{
		{name: "an unknown toolset", env: []string{"LIBTMUX_TOOLSETS=inspect,destroy"}, stderr: []string{`^libtmux-mcp: LIBTMUX_TOOLSETS: there is no "destroy" \(known: inspect, manage, execute, teardown\)$`}},
		{name: "also for tools", args: "tools", env: []string{"LIBTMUX_TOOLSETS=inspect,destroy"}, stderr: []string{`"destroy"`}},
		{name: "an empty element", env: []string{"LIBTMUX_TOOLSETS=inspect,"}, stderr: []string{`LIBTMUX_TOOLSETS="inspect," has an empty element \(known: inspect, `}},
		{name: "an unknown tool", env: []string{"LIBTMUX_TOOLSETS=", "LIBTMUX_TOOLS=send_key"}, stderr: []string{`LIBTMUX_TOOLS: there is no "send_key" \(known: .*send_keys`}},
		{name: "an empty exclusion", env: []string{"LIBTMUX_EXCLUDE_TOOLS=send_keys,,"}, stderr: []string{`LIBTMUX_EXCLUDE_TOOLS="send_keys,," has an empty element`}},
		{name: "an unknown tool by flag", args: "--enable-tool tmux_captur", stderr: []string{`--enable-tool: there is no "tmux_captur" \(known: .*tmux_capabilities`}},
		{name: "a comma list is no name", args: "--enable-tool list_panes,send_keys", stderr: []string{`--enable-tool: there is no "list_panes,send_keys"`}},
		{name: "no name", args: "--enable-tool=", stderr: []string{`--enable-tool: there is no ""`}},
		{name: "toolsets and an endpoint", args: "--endpoint x", env: []string{"LIBTMUX_TOOLSETS="}, stderr: []string{`LIBTMUX_TOOLSETS selects toolsets, where --endpoint`}},
		{name: "toolsets and exact tools", args: "tools --enable-tool list_panes", env: []string{"LIBTMUX_TOOLSETS=inspect"}, stderr: []string{`LIBTMUX_TOOLSETS selects toolsets`}},
		{name: "an endpoint with a slash", args: "--endpoint a/b", stderr: []string{`--endpoint: "a/b" is not 1 to 128 letters, digits, _ \. or -$`}},
		{name: "an empty endpoint", args: "--endpoint=", stderr: []string{`--endpoint: "" is not`}},
		{name: "a long endpoint", args: "--endpoint " + strings.Repeat("x", 129), stderr: []string{`--endpoint: "x+" is not`}},
		{name: "letters of other scripts", args: "doctor --endpoint é", stderr: []string{`--endpoint: "é" is not`}},
		{name: "an endpoint that is a resource", args: "--endpoint capabilities", stderr: []string{`--endpoint: "capabilities" is the name of a resource`}},
		{name: "both selectors", args: "tools --socket /tmp/x --socket-name x", stderr: []string{"--socket and --socket-name exclude each other"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.status = exitUsage
			c.invoke(t, tmux)
		})
	}
	if _, err := os.Stat(touched); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("tmux was touched: %v", err)
	}
}
