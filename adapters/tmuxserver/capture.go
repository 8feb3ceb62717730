package tmuxserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/internal/grammar"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

const opCapture = "capture"

// slacks are how many rows more than wanted are read, attempt by attempt, where the history may grow between two
// command lists; then the whole history is.
var slacks = []int{0, 2000}

// Capture reads the pane's state and rows in one command list, which tmux runs only if no capture hook is effective.
func (s *Server) Capture(ctx context.Context, request ports.CaptureRequest) (screen.Capture, error) {
	capture, err := anew(func() (screen.Capture, error) { return s.captureFrom(ctx, request) })
	if fault.Is(err, fault.NotFound) {
		// A server that ends has no panes any more, but answers those who came before; a newcomer it turns away.
		alive := List{Commands: []Command{grammar.Display("", "#{pid}")}}
		if _, gone := s.run(ctx, opCapture, string(request.Pane), alive); fault.Is(gone, fault.ServerGone) {
			return screen.Capture{}, gone
		}
	}
	return capture, err
}

// captureFrom finds out where to begin.
func (s *Server) captureFrom(ctx context.Context, request ports.CaptureRequest) (screen.Capture, error) {
	server, history := request.Server, 0
	if server.Version == "" || !grammar.SeesCaptureHook(server.Version) {
		state, err := s.preflight(ctx, request)
		if err != nil {
			return screen.Capture{}, err
		}
		server, history = state.Server, state.Pane.HistorySize
	}
	switch {
	case request.FromRow == nil:
		return s.capture(ctx, request, server, grammar.FromScreen(request))
	case grammar.ExpandsRows(server.Version):
		return s.capture(ctx, request, server, grammar.FromRow(*request.FromRow))
	}
	for _, slack := range slacks {
		capture, err := s.capture(ctx, request, server, grammar.Near(*request.FromRow-slack, history))
		if err != nil || capture.First <= *request.FromRow {
			return capture, err
		}
		history = capture.Pane.HistorySize
	}
	return s.capture(ctx, request, server, grammar.FromOldest())
}

// preflight reads what a capture has to know before it: the version of the server, the size of the history, and, because
// tmux before 3.5 cannot say it in a format, the effective capture hook.
func (s *Server) preflight(ctx context.Context, request ports.CaptureRequest) (grammar.PaneState, error) {
	nonce, target := grammar.NewNonce(), grammar.Seen(request.Session, request.Pane)
	list := List{Commands: []Command{
		grammar.Display(target, grammar.PaneStateTable.Format(nonce)),
		grammar.ShowCaptureHook(target),
	}}
	if request.Server.PID != 0 { // that another server answers is said before what it lacks
		condition := grammar.ExistsIn(request.Server, request.Session, request.Pane)
		list.Guard = (*Guard)(&condition)
	}
	result, err := s.run(ctx, opCapture, string(request.Pane), list)
	if err != nil {
		return grammar.PaneState{}, err
	}
	if !result.Passed {
		return grammar.PaneState{}, unseen(request, result.Found, request.Server)
	}
	state, err := s.paneState(nonce, request, result.Replies[0].Output, request.Server.Version)
	if err != nil {
		return state, err
	}
	if grammar.HasCaptureHook(result.Replies[1].Output) {
		return state, s.hooked(ctx, request)
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
		return state, notSeen(request)
	}
	return state, nil
}

// capture runs one guarded capture in the life of server. What it holds begins at the row that was asked for, or at a later
// one if start was one.
func (s *Server) capture(ctx context.Context, request ports.CaptureRequest, server tmux.Server, start grammar.Start) (screen.Capture, error) {
	nonce := grammar.NewNonce()
	condition := grammar.Capturable(server, request.Session, request.Pane)
	list := List{Guard: (*Guard)(&condition), Commands: captureCommands(nonce, request, server, start)}
	result, err := s.run(ctx, opCapture, string(request.Pane), list)
	if err != nil {
		return screen.Capture{}, err
	}
	if !result.Passed {
		if err := unseen(request, result.Found, server); err != nil {
			return screen.Capture{}, err
		}
		return screen.Capture{}, s.hooked(ctx, request)
	}
	return s.parseCapture(nonce, request, server, start, result.Replies)
}

func captureCommands(nonce grammar.Nonce, request ports.CaptureRequest, server tmux.Server, start grammar.Start) []Command {
	commands := []Command{
		grammar.Display(grammar.Seen(request.Session, request.Pane), grammar.PaneStateTable.Format(nonce)),
		grammar.Capture(start, request, server.Version),
	}
	if request.Join || request.Wraps {
		commands = append(commands, grammar.CaptureRows(start, request, server.Version))
	}
	return commands
}

// parseCapture understands the answers to captureCommands.
func (s *Server) parseCapture(nonce grammar.Nonce, request ports.CaptureRequest, server tmux.Server, start grammar.Start, replies []Reply) (screen.Capture, error) {
	state, err := s.paneState(nonce, request, replies[0].Output, server.Version)
	if err != nil {
		return screen.Capture{}, err
	}
	if !grammar.PaneStateTable.Alone(nonce, replies[0].Output) {
		return screen.Capture{}, printed(request.Pane)
	}
	capture := screen.Capture{Server: state.Server, Pane: state.Pane, Joined: request.Join, First: start.Row(state.Pane)}
	return capture, fill(&capture, request, grammar.Split(replies[1].Output), grammar.Split(replies[len(replies)-1].Output))
}

// fill puts what was captured into a capture, from the row on that was asked for. The rows are those of which the lines
// consist; without Join or Wraps, they are the same.
func fill(capture *screen.Capture, request ports.CaptureRequest, lines, rows []string) error {
	height := capture.Pane.HistorySize + capture.Pane.Height
	if len(rows) != height-capture.First {
		return incomplete(request.Pane, fmt.Sprintf("%d rows of %d to %d", len(rows), capture.First, height))
	}
	skip := 0
	if request.FromRow != nil {
		skip = min(max(*request.FromRow-capture.First, 0), len(rows))
	}
	capture.First += skip
	if !request.Join && !request.Wraps {
		capture.Rows = rows[skip:]
		return nil
	}
	starts, ok := grammar.Starts(rows, lines)
	if !ok {
		return incomplete(request.Pane, "lines that its rows do not make up")
	}
	if request.Wraps {
		trimmed, goesOn := wraps(rows, starts)
		capture.Rows, capture.Wraps = trimmed[skip:], goesOn[skip:]
		return nil
	}
	for i, start := range starts {
		end := len(rows)
		if i+1 < len(starts) {
			end = starts[i+1]
		}
		if end <= skip {
			continue
		}
		line := lines[i]
		if start < skip {
			start, line = skip, strings.Join(rows[skip:end], "")
		}
		capture.Rows = append(capture.Rows, strings.TrimRight(line, " "))
		if request.Starts {
			capture.Starts = append(capture.Starts, capture.First-skip+start)
		}
	}
	return nil
}

// wraps tells which rows go on in the next, given those that begin a line, and trims the others.
func wraps(rows []string, starts []int) (trimmed []string, goesOn []bool) {
	goesOn = make([]bool, len(rows))
	for i, row := range rows {
		_, begins := slices.BinarySearch(starts, i+1)
		if goesOn[i] = i+1 < len(rows) && !begins; !goesOn[i] {
			row = strings.TrimRight(row, " ")
		}
		trimmed = append(trimmed, row)
	}
	return trimmed, goesOn
}

func incomplete(pane tmux.PaneID, what string) error {
	return &fault.Error{
		Kind: fault.DecodeError, Op: opCapture, Target: string(pane), Delivery: fault.Observed,
		Message: fmt.Sprintf("tmux answered the capture of %s with %s", pane, what),
	}
}

// printed is the refusal to capture where a hook prints into the answers: which rows are the pane's could not be told.
func printed(pane tmux.PaneID) error {
	return &fault.Error{
		Kind: fault.Refused, Reason: fault.Hooked, Op: opCapture, Target: string(pane),
		Message:  fmt.Sprintf("pane %s cannot be captured: an after-display-message hook prints into tmux's answers", pane),
		Recovery: "remove the hook",
	}
}

// hooked is the refusal to capture a pane with a capture hook; it names where the hook is set, if that can still be told.
func (s *Server) hooked(ctx context.Context, request ports.CaptureRequest) error {
	what := grammar.CaptureHook
	target := grammar.Seen(request.Session, request.Pane)
	result, err := s.conn.Run(ctx, List{Commands: []Command{
		grammar.ShowCaptureHookOf(target, false), grammar.ShowCaptureHookOf(target, true),
	}})
	if err == nil { // else the refusal stands without it
		for i, level := range []string{"session", "global"} {
			if set := grammar.CaptureHooks(result.Replies[i].Output); len(set) > 0 {
				what = fmt.Sprintf("%s, set at %s level,", strings.Join(set, " and "), level)
				break
			}
		}
	}
	return &fault.Error{
		Kind: fault.Refused, Reason: fault.Hooked, Op: opCapture, Target: string(request.Pane),
		Message:  fmt.Sprintf("pane %s has the hook %s which would run with every capture", request.Pane, what),
		Recovery: "remove the hook (set-hook -u), or use a pane of another session",
	}
}

// unseen says which of what the guard of a capture begins with did not hold; nil if all of it did.
func unseen(request ports.CaptureRequest, found string, server tmux.Server) error {
	switch {
	case !grammar.SameLife(found, server):
		return staleTarget(opCapture, string(request.Pane))
	case !grammar.SamePane(found, server, request.Session, request.Pane):
		return notSeen(request)
	}
	return nil
}

// notSeen says that the pane does not exist, or not in the session that was asked for.
func notSeen(request ports.CaptureRequest) *fault.Error {
	f := notFound(opCapture, string(request.Pane))
	if request.Session != "" {
		f.Message = fmt.Sprintf("%s does not exist in session %s", request.Pane, request.Session)
	}
	return f
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
