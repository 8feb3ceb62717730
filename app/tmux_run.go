package app

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
)

const tmuxRun = "tmux_run"

// scriptTime is how long a script may take by default.
const scriptTime = 5 * time.Second

// TmuxRunIn names an enrolled pane and a script.
type TmuxRunIn struct {
	Reference
	Script      string   `json:"script" jsonschema:"POSIX sh, at most 65536 bytes; it starts in the directory and with the exported environment of the pane's shell, without standard input"`
	StdoutLimit *int     `json:"stdout_limit,omitempty" min:"0" max:"262144" jsonschema:"bytes (65536); a script that writes more is ended, and fails"`
	StderrLimit *int     `json:"stderr_limit,omitempty" min:"0" max:"262144" jsonschema:"bytes (65536); as stdout_limit"`
	Timeout     *float64 `json:"timeout,omitempty" min:"0" jsonschema:"seconds (5, at most 120), after which the script is told to end"`
}

// TmuxRunOut is a script that ended.
type TmuxRunOut struct {
	ExitStatus       *int       `json:"exit_status,omitempty"`
	Signal           string     `json:"signal,omitempty" jsonschema:"that ended the script, such as SIGKILL, instead of an exit status"`
	Stdout           OutputOut  `json:"stdout"`
	Stderr           OutputOut  `json:"stderr"`
	OutputsOpen      bool       `json:"outputs_open,omitempty" jsonschema:"a process that the script left behind still had an output open: what it writes later is not here"`
	Receipt          RunReceipt `json:"receipt"`
	EffectiveTimeout float64    `json:"effective_timeout" jsonschema:"seconds"`
	TimeoutClamped   bool       `json:"timeout_clamped,omitempty" jsonschema:"more was asked for"`
}

// An OutputOut is all that a script wrote to one of its outputs.
type OutputOut struct {
	Encoding string `json:"encoding" enum:"utf-8,base64"`
	Data     string `json:"data" jsonschema:"untrusted"`
}

// A RunReceipt is what is known of a script that was authorized. It stands in results and in errors.
type RunReceipt struct {
	Authorization Authorization `json:"authorization"`
	Completion    string        `json:"completion" enum:"observed,unobserved" jsonschema:"whether the end of the script was seen"`
}

// An Authorization is for what tmux let one script pass.
type Authorization struct {
	RunID                string `json:"run_id"`
	ScriptDigest         string `json:"script_digest" jsonschema:"SHA-256"`
	ServerGeneration     string `json:"server_generation"`
	PaneID               string `json:"pane_id"`
	ProcessGeneration    string `json:"process_generation" jsonschema:"identity of the enrolled process, as tmux_wait has it"`
	EnrollmentGeneration string `json:"enrollment_generation"`
}

// frameBytes is more than a result takes beside its outputs.
const frameBytes = 2 << 10

// TmuxRun executes a script for the enrolled shell of a pane: check, reserve, prepare, authorize, execute. Nothing is typed.
func (a *App) TmuxRun(ctx context.Context, in TmuxRunIn) (TmuxRunOut, error) {
	ctx, err := a.admit(ctx, tmuxRun)
	if err != nil {
		return TmuxRunOut{}, err
	}
	deadline, err := wait.Within(in.Timeout, scriptTime)
	if err != nil {
		return TmuxRunOut{}, err
	}
	limits := enroll.Limits{Stdout: lo.FromPtrOr(in.StdoutLimit, enroll.DefaultOutput), Stderr: lo.FromPtrOr(in.StderrLimit, enroll.DefaultOutput)}
	order, err := enroll.NewOrder(newID(), in.Script, limits)
	if err != nil {
		return TmuxRunOut{}, err
	}
	if most := limits.Serialized() + frameBytes; most > a.options.MaxResultBytes {
		return TmuxRunOut{}, &fault.Error{
			Kind: fault.Capacity, Op: tmuxRun, Target: in.TargetID,
			Message:  fmt.Sprintf("the answer might take %d bytes, more than the %d that one may have: nothing was executed", most, a.options.MaxResultBytes),
			Recovery: "pass a smaller stdout_limit or stderr_limit",
		}
	}
	ctx, cancel := context.WithTimeout(ctx, deadline.Timeout)
	defer cancel()
	t, err := a.exact(ctx, tmux.DetailBrief, "target_id", in.Reference, tmux.KindPane)
	if err != nil {
		return TmuxRunOut{}, err
	}
	pane, _ := t.Pane(tmux.PaneID(in.TargetID))
	if pane.Dead {
		return TmuxRunOut{}, dead(pane.ID)
	}
	grant, completion, err := a.execute(ctx, t.Server, pane, order, in.Script)
	if err != nil {
		return TmuxRunOut{}, withReceipt(err, grant)
	}
	out := TmuxRunOut{
		Signal: completion.Signal, Stdout: describeOutput(completion.Stdout), Stderr: describeOutput(completion.Stderr),
		OutputsOpen: completion.Open, Receipt: receiptOf(grant, "observed"),
		EffectiveTimeout: deadline.Timeout.Seconds(), TimeoutClamped: deadline.Clamped,
	}
	if completion.Signal == "" {
		out.ExitStatus = &completion.Status
	}
	return out, nil
}

// execute has an order prepared, authorized and executed. The grant is set if tmux let the script pass, whatever came of it.
func (a *App) execute(ctx context.Context, server tmux.Server, pane tmux.Pane, order enroll.Order, script string) (grant enroll.Grant, completion enroll.Completion, err error) {
	e, shell, err := a.enrollments.prepare(pane, server, order)
	if err != nil {
		return grant, completion, err
	}
	defer func() {
		_, _ = change(&a.enrollments, func() (struct{}, error) { e.Finish(order.RunID); return struct{}{}, nil })
	}()
	helper, err := shell.Prepare(ctx, order)
	if err != nil {
		return grant, completion, err
	}
	defer func() { err = errors.Join(err, helper.Close()) }()
	evidence, err := a.Authorizer.Authorize(ctx, e.Subject(), order)
	if err != nil {
		return grant, completion, a.unauthorized(ctx, pane.ID, err)
	}
	if grant, err = change(&a.enrollments, func() (enroll.Grant, error) { return e.Authorize(evidence) }); err != nil {
		return enroll.Grant{}, completion, a.unauthorized(ctx, pane.ID, err)
	}
	if _, err = change(&a.enrollments, func() (struct{}, error) {
		return struct{}{}, e.Execute(grant, script, helper.Process())
	}); err != nil {
		return grant, completion, a.unauthorized(ctx, pane.ID, err)
	}
	completion, err = helper.Run(ctx, grant, script)
	return grant, completion, err
}

// unauthorized explains why tmux did not let a script pass that was prepared a moment before. Nothing was executed.
func (a *App) unauthorized(ctx context.Context, pane tmux.PaneID, err error) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	if f.Kind != fault.PreconditionFailed {
		unsent := *f
		unsent.Delivery = fault.NotSent // of the script: what may have been sent is a question to tmux
		unsent.Recovery = lo.CoalesceOrEmpty(f.Recovery, "nothing was executed: call again")
		return &unsent
	}
	t, err := a.topology(ctx, tmux.DetailBrief)
	if err != nil {
		return err
	}
	switch now, exists := t.Pane(pane); {
	case !exists:
		return &fault.Error{Kind: fault.NotFound, Target: string(pane), Message: "pane " + string(pane) + " is gone", Recovery: snapshotFirst}
	case now.Dead:
		return dead(pane)
	}
	return respawned(pane)
}

func newID() string {
	var random [10]byte
	_, _ = rand.Read(random[:]) // never fails: crypto/rand
	return frame.NewRunID(random)
}

func receiptOf(grant enroll.Grant, completion string) RunReceipt {
	return RunReceipt{
		Authorization: Authorization{
			RunID: grant.RunID, ScriptDigest: grant.Digest, ServerGeneration: string(grant.Subject.Server.Generation),
			PaneID: string(grant.Subject.Pane), ProcessGeneration: string(grant.Process), EnrollmentGeneration: grant.Enrollment,
		},
		Completion: completion,
	}
}

// withReceipt adds to a fault what was authorized before it.
func withReceipt(err error, grant enroll.Grant) error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || grant == (enroll.Grant{}) {
		return err
	}
	authorized := *f
	authorized.Receipt = receiptOf(grant, "unobserved")
	return &authorized
}

// describeOutput is what a script wrote, as text if it is UTF-8, and if that takes no more than was reserved for it.
func describeOutput(data []byte) OutputOut {
	if utf8.Valid(data) && enroll.AsText(data) {
		return OutputOut{Encoding: "utf-8", Data: string(data)}
	}
	return OutputOut{Encoding: "base64", Data: base64.StdEncoding.EncodeToString(data)}
}
