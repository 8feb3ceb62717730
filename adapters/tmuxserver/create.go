package tmuxserver

import (
	"context"
	"maps"
	"os"
	"slices"
	"unicode/utf8"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

const (
	opSession = "create session"
	opWindow  = "create a window in"
	opSplit   = "split"
)

// NewSession creates a session, and the server if there is none.
func (s *Server) NewSession(ctx context.Context, request ports.NewSession) (ports.Created, error) {
	if err := checkNew(request.Start, request.Cwd, request.Name, request.WindowName); err != nil {
		return ports.Created{}, err
	}
	nonce := grammar.NewNonce()
	list := List{Start: true, Commands: []Command{grammar.NewSession(nonce, request)}}
	if request.In.Generation != "" {
		alive := grammar.Alive(request.In)
		list.Start, list.Guard = false, (*Guard)(&alive)
	}
	result, err := s.create(ctx, opSession, request.Name, list)
	if err != nil {
		return ports.Created{}, err
	}
	if !result.Passed {
		return ports.Created{}, &fault.Error{
			Kind: fault.StaleTarget, Op: opSession, Target: request.Name, Message: "tmux restarted since it was looked at",
			Recovery: "list what exists now (list_sessions)",
		}
	}
	created, err := s.created(nonce, result)
	if err != nil {
		return created, err
	}
	var rest []Command
	if !grammar.PlainName(request.WindowName) {
		rest = append(rest, grammar.RenameWindow(created.Window, request.WindowName))
	}
	if (request.Width > 0 || request.Height > 0) && !grammar.SizesNewSession(created.Server.Version) {
		rest = append(rest, grammar.ResizeWindow(created.Window, request.Width, request.Height))
	}
	return created, s.complete(ctx, opSession, created, rest)
}

// NewWindow creates a window in a session that still exists.
func (s *Server) NewWindow(ctx context.Context, server tmux.Server, request ports.NewWindow) (ports.Created, error) {
	if err := checkNew(request.Start, request.Cwd, request.Name); err != nil {
		return ports.Created{}, err
	}
	nonce := grammar.NewNonce()
	created, found, err := s.createIn(ctx, opWindow, grammar.Exists(server, string(request.Session)), nonce, grammar.NewWindow(nonce, request))
	if err == nil && found != "" {
		err = missing(opWindow, string(request.Session), found, server)
	}
	if err != nil || grammar.PlainName(request.Name) {
		return created, err
	}
	return created, s.complete(ctx, opWindow, created, []Command{grammar.RenameWindow(created.Window, request.Name)})
}

// SplitWindow splits a pane that still exists. A zoom ends with a split unless it is asked to keep it, which would zoom a window
// that is not: the guard tells which one it is.
func (s *Server) SplitWindow(ctx context.Context, server tmux.Server, request ports.SplitWindow) (ports.Created, error) {
	if err := checkNew(request.Start, request.Cwd, request.Size); err != nil {
		return ports.Created{}, err
	}
	nonce := grammar.NewNonce()
	for zoomed := false; ; zoomed = !zoomed {
		condition := grammar.Splittable(server, request.Pane, zoomed)
		created, found, err := s.createIn(ctx, opSplit, condition, nonce, grammar.SplitWindow(nonce, request, zoomed))
		if err == nil && found != "" {
			if err = missing(opSplit, string(request.Pane), found, server); err == nil && ctx.Err() == nil {
				continue
			}
		}
		created.Session = ""
		return created, err
	}
}

// createIn runs a creation under a condition; found is not empty if that did not hold.
func (s *Server) createIn(ctx context.Context, op string, condition grammar.Condition, nonce grammar.Nonce, command Command) (created ports.Created, found string, err error) {
	result, err := s.create(ctx, op, condition.Target, List{Guard: (*Guard)(&condition), Commands: []Command{command}})
	if err != nil || !result.Passed {
		return ports.Created{}, result.Found, err
	}
	created, err = s.created(nonce, result)
	return created, "", err
}

// create runs a list whose one command is a creation. What tmux rejected for a reason that it checks before has made nothing.
func (s *Server) create(ctx context.Context, op, target string, list List) (Result, error) {
	if s.conn.Room(list) < 0 {
		return Result{}, &fault.Error{
			Kind: fault.InvalidInput, Op: op, Target: target, Effects: &fault.Effects{State: "none"},
			Message: op + ": the arguments, variables and names are more than tmux takes at once", Recovery: "pass less: some 15 KiB in all, or put it into a file",
		}
	}
	result, err := s.run(ctx, op, target, list)
	if e, ok := err.(*fault.Error); ok && e.Delivery == fault.Observed { //nolint:errorlint // made here, not wrapped
		if e.Kind == fault.NotFound || e.Kind == fault.InvalidInput || grammar.NoRoom(e.Message) {
			e.Effects = &fault.Effects{State: "none"}
		}
	}
	return result, err
}

// complete does what a creation alone cannot. A fault says what was created nevertheless.
func (s *Server) complete(ctx context.Context, op string, created ports.Created, rest []Command) error {
	if len(rest) == 0 {
		return nil
	}
	condition := grammar.Exists(created.Server, string(created.Pane))
	result, err := s.run(ctx, op, string(created.Window), List{Guard: (*Guard)(&condition), Commands: rest})
	if err == nil && !result.Passed {
		err = missing(op, string(created.Pane), result.Found, created.Server)
	}
	if e, ok := err.(*fault.Error); ok { //nolint:errorlint // made here, not wrapped
		e.Delivery = fault.Observed
		e.Effects = &fault.Effects{State: "known", Created: lo.Compact([]string{string(created.Session), string(created.Window), string(created.Pane)})}
		return e
	}
	return err
}

func (s *Server) created(nonce grammar.Nonce, result Result) (ports.Created, error) {
	row, err := one(grammar.CreatedTable, nonce, result.Replies[0].Output, "")
	if err != nil {
		return ports.Created{}, err
	}
	server, err := s.identify(row.Server)
	return ports.Created{Server: server, Session: row.Session, Window: row.Window, Pane: row.Pane, ServerStarted: result.Started}, err
}

// checkNew checks what tmux would take silently for something else.
func checkNew(start ports.Start, cwd string, texts ...string) error {
	literal := slices.Concat(start.Argv, slices.Collect(maps.Keys(start.Environment)), slices.Collect(maps.Values(start.Environment)))
	for _, text := range literal {
		if err := noNUL("an argument", text); err != nil {
			return err
		}
	}
	for _, text := range append(texts, cwd) {
		if err := noNUL("an argument", text); err != nil {
			return err
		}
		if !utf8.ValidString(text) && text != cwd {
			return fault.Invalidf("pass UTF-8", "%q is not UTF-8", text)
		}
	}
	if cwd == "" {
		return nil
	}
	info, err := os.Stat(cwd)
	if err == nil && info.IsDir() {
		return nil
	}
	e := fault.Invalidf("pass an existing directory", "cwd %q is not a directory", cwd)
	e.Err = err
	return e
}
