package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/process"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/shell"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// doctorLooks is how long doctor waits for tmux in all. With the half second in which a tmux that hangs is ended, it answers
// within 2 s.
const doctorLooks = time.Second

// A finding is what doctor says of one thing.
type finding struct {
	verdict string // ok, warning, failure
	about   string
	said    string
	remedy  string // what to do about it; empty: nothing
}

// A diagnosis is what doctor found so far.
type diagnosis []finding

func (d *diagnosis) ok(about, format string, args ...any) {
	*d = append(*d, finding{"ok", about, fmt.Sprintf(format, args...), ""})
}

func (d *diagnosis) warn(about, said, remedy string) {
	*d = append(*d, finding{"warning", about, said, remedy})
}

func (d *diagnosis) fail(about string, err error) {
	found := finding{"failure", about, err.Error(), "report it, with this output"}
	if f, ok := errors.AsType[*fault.Error](err); ok {
		found.remedy = lo.CoalesceOrEmpty(f.Recovery, found.remedy)
		if f.Kind == fault.Deadline {
			found.said = fmt.Sprintf("no answer within %v", doctorLooks)
			found.remedy = "see whether that process is stopped or busy (ps), end it, or choose another socket or executable"
		}
	}
	*d = append(*d, found)
}

// doctor says what works here and what to do about what does not. It changes nothing in tmux. That something does not work is
// its error.
func doctor(ctx context.Context, out io.Writer, c config) error {
	ctx, cancel := context.WithTimeout(ctx, doctorLooks)
	defer cancel()
	conn, err := cli.New(cli.Options{Tmux: lo.FromPtr(c.flags.Tmux), SocketPath: c.socketPath, Config: c.tmuxConfig})
	if err != nil {
		return err
	}
	found := c.examine(ctx, conn)
	var text strings.Builder
	for _, f := range found {
		fmt.Fprintf(&text, "%-8s %s: %s\n", f.verdict, f.about, f.said)
		if f.remedy != "" {
			fmt.Fprintf(&text, "%-8s -> %s\n", "", f.remedy)
		}
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return err
	}
	if failures := lo.CountBy(found, func(f finding) bool { return f.verdict == "failure" }); failures > 0 {
		return fmt.Errorf("doctor: %d of %d do not work", failures, len(found))
	}
	return nil
}

func (c config) examine(ctx context.Context, conn *cli.Conn) diagnosis {
	var d diagnosis
	d.ok("version", "libtmux-mcp %s", version)
	if _, err := shell.Open(shell.Options{}); err != nil {
		d.fail("directory of runs", err)
	} else {
		d.ok("directory of runs", "private, and ours")
	}
	d.ok("socket", "%s, selected by %s", conn.Socket(), c.selected)
	executable, err := conn.Executable(ctx)
	if err != nil {
		d.fail("tmux executable", err)
		return d
	}
	d.ok("tmux executable", "%s, version %s", executable.Path, executable.Version)
	server := tmuxserver.New(conn, tmuxserver.Options{})
	application := app.New(app.Ports{
		Reader: server, Processes: process.New(process.Options{TMUX: c.environment["TMUX"], TMUXPane: c.environment["TMUX_PANE"]}),
	}, app.Options{SocketPath: conn.Socket()})
	defer application.Close()
	info, err := application.GetServerInfo(ctx, app.GetServerInfoIn{})
	switch {
	case err != nil:
		d.fail("tmux server", err)
		return d
	case info.Server == "absent" && c.selected == selectedByDefault:
		d.ok("tmux server", "absent; serve starts it")
		return d
	case info.Server == "absent":
		d.warn("tmux server", "absent", "start it, or let create_session do so")
		return d
	}
	d.server(info, executable)
	panes, err := application.ListPanes(ctx, app.ListPanesIn{Detail: "full"})
	if err != nil {
		d.fail("panes", err)
		return d
	}
	d.panes(panes.Panes)
	return d
}

// server is about the server that runs, the caller in it, and who looks.
func (d *diagnosis) server(info app.GetServerInfoOut, executable cli.Executable) {
	if info.Version == string(executable.Version) {
		d.ok("tmux server", "version %s, pid %d, %d sessions; its socket may be used", info.Version, info.PID, info.Sessions)
	} else {
		d.warn("tmux server", fmt.Sprintf("version %s, pid %d: not the version %s of the executable", info.Version, info.PID, executable.Version),
			"restart the server when nobody needs it, or name its own executable (--tmux)")
	}
	if info.CallerPaneID == "" {
		d.ok("caller", "in no pane of this server, as far as can be seen from here")
	} else {
		d.ok("caller", "pane %s (known by %s); nothing is typed into it", info.CallerPaneID, info.CallerFound)
	}
	if len(info.TerminalClients) == 0 {
		d.ok("attached people", "none")
	} else {
		d.ok("attached people", "at %s", strings.Join(info.TerminalClients, ", "))
	}
}

// panes is about what people see, and where commands can be run.
func (d *diagnosis) panes(panes []app.PaneRow) {
	ids := func(rows []app.PaneRow) string {
		return strings.Join(lo.Map(rows, func(p app.PaneRow, _ int) string { return p.PaneID }), ", ")
	}
	if seen := lo.Filter(panes, func(p app.PaneRow, _ int) bool { return p.Attended }); len(seen) > 0 {
		d.ok("seen panes", "%s: input to them is refused unless the person agrees", ids(seen))
	}
	idle := lo.Filter(panes, func(p app.PaneRow, _ int) bool { return p.Foreground == "at_prompt" })
	if len(idle) == 0 {
		d.warn("shells", fmt.Sprintf("none of %d panes has a shell at its prompt, so no command can be run in them", len(panes)),
			"create_session, create_window and split_window make one")
	}
	shells := lo.GroupBy(idle, func(p app.PaneRow) string { return p.Command })
	for _, name := range slices.Sorted(maps.Keys(shells)) {
		d.ok("shells", "%s at its prompt in %s", name, ids(shells[name]))
	}
	unknown := lo.Filter(panes, func(p app.PaneRow, _ int) bool { return p.Foreground == "unknown" })
	if len(unknown) > 0 {
		d.warn("processes", "those in "+ids(unknown)+" cannot be inspected, so nothing is run there", "run this server as the user of those panes, on their machine")
	}
}
