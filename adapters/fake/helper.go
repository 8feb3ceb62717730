package fake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/samber/lo"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/interp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// A helper is the child of an enrolled shell.
type helper struct {
	shell *enrolled
	order enroll.Order
	self  *process
	once  sync.Once
}

var _ ports.Helper = (*helper)(nil)

// Process implements [ports.Helper].
func (h *helper) Process() enroll.Helper {
	return enroll.Helper{PID: h.self.pid, Parent: h.shell.subject.PID, Own: true, Fresh: true}
}

// Run implements [ports.Helper].
func (h *helper) Run(ctx context.Context, grant enroll.Grant, script string) (enroll.Completion, error) {
	const op = "run a script in"
	pane, t := string(h.shell.subject.Pane), h.shell.shell.terminal
	if enroll.Digest(script) != h.order.Digest {
		return enroll.Completion{}, failed(fault.CommandFailed, op, pane, "the script is not the one that was authorized")
	}
	lost := func(kind fault.Kind, message string) error {
		f := failed(kind, op, pane, "%s", message)
		f.Delivery, f.Effects = fault.PossiblySent, &fault.Effects{State: "unknown"}
		return f
	}
	file, err := parse(script)
	if err != nil {
		return enroll.Completion{Status: 2, Stderr: fmt.Appendf(nil, "sh: syntax error: %v\n", err)}, nil
	}
	rewrite(file)
	runner, err := h.runner()
	if err != nil {
		return enroll.Completion{}, lost(fault.Internal, err.Error())
	}
	full := make(chan string, 2)
	stdout, stderr := bounded{name: "stdout", limit: grant.Limits.Stdout, full: full}, bounded{name: "stderr", limit: grant.Limits.Stderr, full: full}
	if err := interp.StdIO(nil, &stdout, &stderr)(runner); err != nil {
		return enroll.Completion{}, lost(fault.Internal, err.Error())
	}
	running, cancel := context.WithCancel(context.WithValue(ctx, noInputKey{}, true))
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	status := statusOf(runner.Run(running, file))
	select {
	case name := <-full:
		f := failed(fault.Capacity, op, pane, "%s of the script is longer than its limit", name)
		f.Delivery, f.Effects = fault.Observed, &fault.Effects{State: "unknown"}
		return enroll.Completion{}, f
	default:
	}
	switch {
	case t.ctx.Err() != nil:
		return enroll.Completion{}, lost(fault.CommandFailed, "the helper ended without a report")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return enroll.Completion{}, lost(fault.Deadline, "the script did not end in time")
	case ctx.Err() != nil:
		return enroll.Completion{}, lost(fault.Cancelled, "the call was cancelled")
	}
	return enroll.Completion{Status: status, Stdout: stdout.data.Bytes(), Stderr: stderr.data.Bytes()}, nil
}

// noInputKey marks a context in which nothing can be read from standard input.
type noInputKey struct{}

// runner is a new shell in the directory of the enrolled one, with what that exported.
func (h *helper) runner() (*interp.Runner, error) {
	s := h.shell.shell
	w := h.shell.world
	w.mu.Lock()
	defer w.mu.Unlock()
	environment := map[string]string{}
	keep := func(name string, variable expand.Variable) bool {
		delete(environment, name)
		if variable.Exported {
			environment[name] = variable.String()
		}
		return true
	}
	s.runner.Env.Each(keep)
	for name, variable := range s.runner.Vars {
		keep(name, variable)
	}
	pairs := lo.MapToSlice(environment, func(name, value string) string { return name + "=" + value })
	runner, err := interp.New(append(s.handlers(), interp.Dir("/"), interp.Env(expand.ListEnviron(pairs...)))...)
	if err == nil {
		runner.Dir = s.runner.Dir
	}
	return runner, err
}

// Close implements [ports.Helper].
func (h *helper) Close() error {
	h.once.Do(func() {
		w := h.shell.world
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.process, h.self.pid)
		h.shell.helper = nil
		w.touch()
	})
	return nil
}

// A bounded output fails when it is longer than its limit.
type bounded struct {
	mu    sync.Mutex
	name  string
	limit int
	data  bytes.Buffer
	full  chan<- string
}

// errFull ends the script.
var errFull = errors.New("the output is longer than its limit")

func (b *bounded) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.data.Len()+len(data) > b.limit {
		select {
		case b.full <- b.name:
		default: // said already
		}
		return 0, errFull
	}
	return b.data.Write(data)
}
