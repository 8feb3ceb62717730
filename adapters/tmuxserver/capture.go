package tmuxserver

import (
	"context"
	"fmt"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

const opCapture = "capture"

// attempts bounds how often a capture from an absolute row is tried while the history grows.
const attempts = 8

// Capture reads the pane's state and rows in one command list, which tmux runs only if no capture hook is effective.
func (s *Server) Capture(ctx context.Context, request ports.CaptureRequest) (screen.Capture, error) {
	server, history := request.Server, 0
	if server.Version == "" || !grammar.SeesCaptureHook(server.Version) || request.FromRow != nil {
		state, err := s.preflight(ctx, request)
		if err != nil {
			return screen.Capture{}, err
		}
		server, history = state.Server, state.Pane.HistorySize
	}
	for range attempts {
		capture, err := s.capture(ctx, request, server, history)
		if err != nil {
			return screen.Capture{}, err
		}
		if request.FromRow == nil || capture.Pane.HistorySize == history {
			return capture, nil
		}
		history = capture.Pane.HistorySize
	}
	return screen.Capture{}, &fault.Error{
		Kind: fault.IncompleteSnapshot, Op: opCapture, Target: string(request.Pane), Delivery: fault.Observed,
		Message:  fmt.Sprintf("pane %s scrolled faster than its rows could be addressed", request.Pane),
		Recovery: "wait until it is quiet, or capture it without a cursor",
	}
}

// preflight reads what a capture has to know before it: the version of the server, the size of the history, and, because
// tmux before 3.5 cannot say it in a format, the effective capture hook.
func (s *Server) preflight(ctx context.Context, request ports.CaptureRequest) (grammar.PaneState, error) {
	nonce, target := grammar.NewNonce(), string(request.Pane)
	result, err := s.run(ctx, opCapture, target, List{Commands: []Command{
		grammar.Display(target, grammar.PaneStateTable.Format(nonce)),
		grammar.ShowCaptureHook(request.Pane),
	}})
	if err != nil {
		return grammar.PaneState{}, err
	}
	state, err := s.paneState(nonce, request, result.Replies[0].Output, request.Server.Version)
	if err != nil {
		return state, err
	}
	if hook := strings.TrimSpace(result.Replies[1].Output); hook != "" {
		return state, s.hooked(ctx, request.Pane)
	}
	return state, nil
}

// paneState parses the state of the pane and checks that it is of the server and pane that were asked for.
func (s *Server) paneState(nonce grammar.Nonce, request ports.CaptureRequest, output string, version tmux.Version) (grammar.PaneState, error) {
	state, err := one(grammar.PaneStateTable, nonce, output, version)
	if err != nil {
		return state, err
	}
	if state.Server, err = s.identify(state.Server); err != nil {
		return state, err
	}
	if wanted := request.Server.Generation; wanted != "" && state.Server.Generation != wanted {
		return state, staleTarget(opCapture, string(request.Pane))
	}
	if state.Pane.ID != request.Pane {
		return state, notFound(opCapture, string(request.Pane))
	}
	return state, nil
}

// capture runs one guarded capture in the life of server. history is the size of the history that FromRow is relative to.
func (s *Server) capture(ctx context.Context, request ports.CaptureRequest, server tmux.Server, history int) (screen.Capture, error) {
	nonce, target := grammar.NewNonce(), string(request.Pane)
	rows := grammar.Rows{All: request.History == ports.AllHistory, First: -request.History}
	if request.FromRow != nil {
		rows = grammar.Rows{First: max(*request.FromRow, 0) - history}
	}
	condition := grammar.Capturable(server, request.Pane)
	result, err := s.run(ctx, opCapture, target, List{Guard: (*Guard)(&condition), Commands: []Command{
		grammar.Display(target, grammar.PaneStateTable.Format(nonce)),
		grammar.Capture(request.Pane, rows, request),
	}})
	if err != nil {
		return screen.Capture{}, err
	}
	if !result.Passed {
		if err := missing(opCapture, target, result.Found, server); err != nil {
			return screen.Capture{}, err
		}
		return screen.Capture{}, s.hooked(ctx, request.Pane)
	}
	state, err := s.paneState(nonce, request, result.Replies[0].Output, server.Version)
	if err != nil {
		return screen.Capture{}, err
	}
	capture := screen.Capture{Server: state.Server, Pane: state.Pane, Joined: request.Join}
	switch {
	case rows.All:
	case request.FromRow != nil:
		capture.First = min(max(*request.FromRow, 0), state.Pane.HistorySize+state.Pane.Height)
	default:
		capture.First = max(state.Pane.HistorySize-request.History, 0)
	}
	if capture.First == state.Pane.HistorySize+state.Pane.Height {
		return capture, nil // below the screen: tmux would give its last row
	}
	capture.Rows = strings.Split(strings.TrimSuffix(result.Replies[1].Output, "\n"), "\n")
	if request.Join {
		for i, row := range capture.Rows {
			capture.Rows[i] = strings.TrimRight(row, " ")
		}
	}
	return capture, nil
}

// hooked is the refusal to capture a pane with a capture hook; it names the level that has it, if that can be told.
func (s *Server) hooked(ctx context.Context, pane tmux.PaneID) error {
	e := &fault.Error{
		Kind: fault.Refused, Reason: fault.Hooked, Op: opCapture, Target: string(pane),
		Message:  fmt.Sprintf("pane %s has a %s hook, which would run with every capture", pane, grammar.CaptureHook),
		Recovery: "remove the hook, or use another pane",
	}
	for _, level := range grammar.HookLevels {
		result, err := s.conn.Run(ctx, List{Commands: []Command{grammar.ShowCaptureHookAt(pane, level)}})
		if err != nil {
			return e // the refusal stands without its level
		}
		if reply := result.Replies[0]; reply.State == Done && strings.TrimSpace(reply.Output) != "" {
			e.Message = fmt.Sprintf("pane %s has a %s hook, set at %s level, which would run with every capture", pane, grammar.CaptureHook, level.Name)
			return e
		}
	}
	return e
}

func notFound(op, target string) *fault.Error {
	return &fault.Error{
		Kind: fault.NotFound, Op: op, Target: target, Message: target + " does not exist",
		Recovery: "list what exists (list_sessions, list_windows, list_panes)",
	}
}

// missing says which of what every guard begins with did not hold: the life of the server, or that the target exists;
// nil if both did.
func missing(op, target, found string, server tmux.Server) error {
	switch {
	case !grammar.SameLife(found, server):
		return staleTarget(op, target)
	case !grammar.SameTarget(found, server, target):
		return notFound(op, target)
	default:
		return nil
	}
}
