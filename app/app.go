// Package app is the application: the catalogue of tools, their arguments and results, and the use cases behind them. It
// works over ports alone and knows neither the protocol that calls it nor the grammar of tmux.
package app

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/target"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// Ports are what the application borrows from outside: whoever made them closes them. One that no tool on offer needs may be nil.
type Ports struct {
	Reader     ports.Reader
	Events     ports.Events
	Input      ports.Input
	Creator    ports.Creator
	Inspector  ports.Inspector
	Snapshots  ports.Snapshots
	Manager    ports.Manager
	Channels   ports.Channels
	Terminator ports.Terminator
	Processes  ports.Processes
	Identity   ports.Identity
	Frames     ports.Frames

	Enrollments ports.Enrollments
	Authorizer  ports.Authorizer
}

// Options configure an application. The zero value is usable.
type Options struct {
	CallTimeout    time.Duration // for calls that do not wait; 5 s if 0
	AskTimeout     time.Duration // for a person to answer; 2 min if 0
	MaxResultBytes int           // of JSON in one answer; DefaultMaxResultBytes if 0
	SocketPath     string        // of the server, for answers while none runs
	Backend        string        // how commands reach tmux, for get_server_info
	Polling        func() string // why waits poll; empty: control clients wake them; nil: not told
	Endpoint       string        // public alias of the server; "local" if empty
	Logger         *slog.Logger  // discards if nil

	AcquisitionTimeout time.Duration   // for reading a snapshot; 5 s if 0
	Retention          snapshot.Limits // of captures that have cursors

	Surface *surface.Selection // of the catalogue; every tool if nil
	Launch  Launch             // how the process was started, for Capabilities
	Audit   func(AuditEntry)   // told of every call that has ended, by any goroutine; nil: nobody
}

// DefaultMaxResultBytes is how much JSON one answer may have.
const DefaultMaxResultBytes = 1 << 20

// An App is one application over one tmux server. It is safe for concurrent use. Close it. Everything keeps to the surface: Tools,
// Call, and the methods that tools are made of, for who embeds them. What is not selected is Unsupported to those, and reaches no port.
type App struct {
	Ports
	options Options
	surface surface.Selection
	tools   []Tool // those that the surface offers
	log     *slog.Logger

	acknowledged target.Acknowledgement
	sealer       screen.Sealer // of cursors
	claims       claims
	runs         *registry
	enrollments  enrollments
	retained     *retention
}

// New makes an application. Nothing is read or started yet.
func New(outside Ports, options Options) *App {
	options.CallTimeout = lo.CoalesceOrEmpty(options.CallTimeout, 5*time.Second)
	options.AskTimeout = lo.CoalesceOrEmpty(options.AskTimeout, 2*time.Minute)
	options.AcquisitionTimeout = lo.CoalesceOrEmpty(options.AcquisitionTimeout, 5*time.Second)
	options.MaxResultBytes = lo.CoalesceOrEmpty(options.MaxResultBytes, DefaultMaxResultBytes)
	options.Endpoint = lo.CoalesceOrEmpty(options.Endpoint, DefaultEndpoint)
	logger := options.Logger
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	offered := lo.FromPtrOr(options.Surface, surface.All(Members()))
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails: crypto/rand
	retainedKey := sha256.Sum256(append([]byte("retained"), key...))
	return &App{
		Ports: outside, options: options, log: logger,
		surface: offered, tools: offeredTools(offered),
		sealer: screen.Sealer{Key: key}, runs: newRegistry(), retained: newRetention(options.Retention, retainedKey[:]),
	}
}

// Close ends what the application owns: enrollments, invited and accepted, the attendance of runs, and captures that are retained. Commands that still run go on and record their status.
func (a *App) Close() {
	a.enrollments.close()
	a.runs.close()
	a.retained.Close()
}

// Tools are the tools that this application offers, in the order of the catalogue.
func (a *App) Tools() []Tool { return slices.Clone(a.tools) }

// Call calls a tool with arguments in JSON and returns its Out value. Unknown tools and arguments that do not fit are InvalidInput, an
// answer of more JSON than one may have is Capacity; every error is a *fault.Error. A tool that does not wait is given the call
// timeout; the time in which a person is asked (see WithPerson) does not count.
func (a *App) Call(ctx context.Context, name string, arguments json.RawMessage) (any, error) {
	out, _, err := a.answer(ctx, name, arguments)
	return out, err
}

// Answer is Call for who wants the Out value as JSON.
func (a *App) Answer(ctx context.Context, name string, arguments json.RawMessage) (json.RawMessage, error) {
	_, encoded, err := a.answer(ctx, name, arguments)
	return encoded, err
}

func (a *App) answer(ctx context.Context, name string, arguments json.RawMessage) (out any, encoded json.RawMessage, err error) {
	tool, ok := lo.Find(a.tools, func(t Tool) bool { return t.Name == name })
	if !ok {
		return nil, nil, fault.Invalidf("call one of: "+strings.Join(lo.Map(a.tools, func(t Tool, _ int) string { return t.Name }), ", "),
			"there is no tool %q", name)
	}
	return a.perform(ctx, tool, arguments, a.options.MaxResultBytes)
}

// perform calls a tool that is on offer. What it answers may have so many bytes of JSON.
func (a *App) perform(ctx context.Context, tool Tool, arguments json.RawMessage, most int) (out any, encoded json.RawMessage, err error) {
	audited := a.auditing(tool, arguments)
	var asked ports.Answer
	defer func() { audited(out, err, asked) }()
	out, encoded, err = a.once(ctx, tool, arguments, most)
	for reasons := []fault.Reason(nil); ; {
		refused := askable(tool, err)
		if refused == nil || slices.Contains(reasons, refused.Reason) {
			return out, encoded, err
		}
		reasons = append(reasons, refused.Reason)
		if ctx, arguments, asked, err = a.ask(ctx, tool, arguments, refused); err != nil {
			return nil, nil, err
		}
		out, encoded, err = a.once(ctx, tool, arguments, most)
	}
}

// once calls a tool and asks nobody.
func (a *App) once(ctx context.Context, tool Tool, arguments json.RawMessage, most int) (out any, encoded json.RawMessage, err error) {
	if !tool.Waits {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.options.CallTimeout)
		defer cancel()
	}
	if ctx, err = a.admit(ctx, tool.Name); err == nil {
		out, err = tool.call(ctx, a, arguments)
	}
	if err == nil {
		encoded, err = tool.encode(out, most)
	}
	if err != nil {
		return nil, nil, a.explained(err, tool.Name)
	}
	return out, encoded, nil
}

// asFault makes sure that an error leaves as a fault that may be shown.
func asFault(err error, op string) error {
	f, ok := errors.AsType[*fault.Error](err)
	switch {
	case ok && f.Kind != fault.PreconditionFailed:
		if f.Recovery == "" {
			f.Recovery = lo.CoalesceOrEmpty(refusals[f.Reason], recoveries[f.Kind])
		}
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return &fault.Error{Kind: fault.Deadline, Op: op, Message: "no answer in time", Delivery: fault.PossiblySent, Recovery: inspectFirst, Err: err}
	case errors.Is(err, context.Canceled):
		return &fault.Error{Kind: fault.Cancelled, Op: op, Message: "the call was cancelled", Delivery: fault.PossiblySent, Recovery: inspectFirst, Err: err}
	}
	return &fault.Error{Kind: fault.Internal, Op: op, Message: "a defect in this server", Delivery: fault.PossiblySent, Err: err}
}

// recoveries are what to do after the faults of ports, which do not know the tools.
var recoveries = map[fault.Kind]string{
	fault.NotFound:      "call list_panes",
	fault.StaleTarget:   "call list_panes",
	fault.ServerGone:    "call get_server_info; create_session starts a server",
	fault.Deadline:      inspectFirst,
	fault.Cancelled:     inspectFirst,
	fault.CommandFailed: inspectFirst,
}

// refusals are what to do when a port refuses.
var refusals = map[fault.Reason]string{
	fault.Hooked: "ask the person to remove the after-capture-pane hook: what it does at each capture is not known here",
	fault.Busy:   "call get_run, or use another pane (list_panes)",
}

const inspectFirst = "inspect the state before you retry (list_panes, capture_pane)"

// topology reads the server and drops the attention of clients whose process is stopped: nobody sees through them, and
// tmux does not know.
func (a *App) topology(ctx context.Context, detail tmux.Detail) (tmux.Topology, error) {
	t, err := a.Reader.Topology(ctx, detail)
	return a.seen(ctx, t, err)
}

// seen is what topology makes of a topology.
func (a *App) seen(ctx context.Context, t tmux.Topology, err error) (tmux.Topology, error) {
	if err == nil && t.Running {
		err = checkBound(ctx, t.Server)
	}
	if err != nil {
		return tmux.Topology{}, err
	}
	for i, c := range t.Clients {
		if stopped, _ := a.Processes.Stopped(ctx, c.PID); stopped {
			t.Clients[i].Suspended = true
		}
	}
	return t, nil
}

// listing reads the server for an answer that shows ids, and acknowledges its generation.
func (a *App) listing(ctx context.Context, detail tmux.Detail) (tmux.Topology, error) {
	t, err := a.topology(ctx, detail)
	if err == nil && t.Running {
		a.acknowledged.Listed(t.Server.Generation)
	}
	return t, err
}

// known reads the server for a call that was given an id, which must be of the generation that was listed last, or of that of the
// reference in which it stood.
func (a *App) known(ctx context.Context, detail tmux.Detail, id, lister string) (tmux.Topology, error) {
	t, err := a.topology(ctx, detail)
	return t, a.check(ctx, t, err, id, lister)
}

// check is what known asks of a topology.
func (a *App) check(ctx context.Context, t tmux.Topology, err error, id, lister string) error {
	if _, exact := ctx.Value(referenceKey{}).(Reference); err != nil || !t.Running || exact {
		return err
	}
	return a.acknowledged.Check(t.Server.Generation, id, lister)
}

// knownPane parses a pane id and finds the pane.
func (a *App) knownPane(ctx context.Context, detail tmux.Detail, text string) (tmux.Topology, tmux.Pane, error) {
	id, err := target.ParsePane("pane_id", text)
	if err != nil {
		return tmux.Topology{}, tmux.Pane{}, err
	}
	t, err := a.known(ctx, detail, text, "list_panes")
	if err != nil {
		return tmux.Topology{}, tmux.Pane{}, err
	}
	pane, err := target.Pane(t, id)
	return t, pane, err
}

// knownPrompt finds a pane as knownPane does, and what it shows at the same instant if that can be had with it.
func (a *App) knownPrompt(ctx context.Context, id tmux.PaneID) (tmux.Topology, tmux.Pane, *screen.Capture, error) {
	t, prompt, err := a.Reader.Look(ctx, tmux.DetailBrief, promptOf(tmux.Server{}, id))
	t, err = a.seen(ctx, t, err)
	if err := a.check(ctx, t, err, string(id), "list_panes"); err != nil {
		return tmux.Topology{}, tmux.Pane{}, nil, err
	}
	pane, err := target.Pane(t, id)
	return t, pane, prompt, err
}
