// Package pipes drives a built server binary as an MCP client does: one JSON-RPC message a line on its stdin and
// stdout. It is strict where clients are: whatever else stands on stdout is kept as a stray.
package pipes

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"sync"
)

// A Process is a running server binary and the session with it. Its methods are safe for concurrent use.
type Process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	ended  chan struct{} // closed when stdout is at its end and the process was waited for
	stderr safeBuffer

	mu      sync.Mutex
	last    int                     // id of the newest request
	pending map[string]chan message // by id
	notes   []json.RawMessage       // notifications received
	strays  []string                // lines on stdout that are no JSON-RPC
	serve   func(Request) any       // answers the server's requests; nil: nobody does
	exit    error                   // of Wait, once ended is closed
}

// A message is any JSON-RPC message.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// An Error is a JSON-RPC error: the request was not served. A tool that failed answers a Result instead.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error is the message and its code.
func (e *Error) Error() string { return fmt.Sprintf("JSON-RPC error %d: %s", e.Code, e.Message) }

// ErrEnded answers requests when the process has ended or closed its stdout.
var ErrEnded = errors.New("the server process has ended")

// Start runs a command. The caller ends it by Close or Kill.
func Start(cmd *exec.Cmd) (*Process, error) {
	p := &Process{cmd: cmd, ended: make(chan struct{}), pending: map[string]chan message{}}
	cmd.Stderr = &p.stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.stdin = stdin
	go p.read(stdout)
	return p, nil
}

// read hands answers to those who wait until stdout ends, and then waits for the process.
func (p *Process) read(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			p.take(line)
		}
		if err != nil {
			break
		}
	}
	exit := p.cmd.Wait()
	p.mu.Lock()
	p.exit = exit
	p.mu.Unlock()
	close(p.ended)
}

func (p *Process) take(line []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var m message
	if err := json.Unmarshal(line, &m); err != nil || m.Version != "2.0" || line[len(line)-1] != '\n' {
		p.strays = append(p.strays, string(line))
		return
	}
	if m.Method != "" {
		p.notes = append(p.notes, bytes.Clone(line))
		if m.ID != nil && p.serve != nil {
			go p.answer(p.serve, m.ID, bytes.Clone(line))
		}
		return
	}
	answer, ok := p.pending[string(m.ID)]
	if !ok {
		p.strays = append(p.strays, string(line))
		return
	}
	delete(p.pending, string(m.ID))
	answer <- m // buffered: never blocks
}

// A Request is one of the server's.
type Request struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// Serve lets a function answer the server's requests from now on, each in a goroutine of its own. What it returns is the result.
func (p *Process) Serve(answer func(Request) any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serve = answer
}

func (p *Process) answer(answer func(Request) any, id json.RawMessage, line []byte) {
	var asked Request
	_ = json.Unmarshal(line, &asked) // it was read before
	result, err := json.Marshal(answer(asked))
	if err != nil {
		panic(err) // of the test's own making
	}
	_ = p.send(message{Version: "2.0", ID: id, Result: result}) // to a server that has ended: nobody waits for it
}

// Request sends a request and waits for its result. The error is an *Error if the server answered one.
func (p *Process) Request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	answer := make(chan message, 1)
	p.mu.Lock()
	p.last++
	id := strconv.Itoa(p.last)
	p.pending[id] = answer
	p.mu.Unlock()
	if err := p.send(message{Version: "2.0", ID: json.RawMessage(id), Method: method, Params: params}); err != nil {
		return nil, err
	}
	select {
	case m := <-answer:
		return result(m)
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	case <-p.ended:
	}
	select {
	case m := <-answer: // the answer came just before the end
		return result(m)
	default:
		return nil, fmt.Errorf("%s: %w; stderr: %s", method, ErrEnded, p.Stderr())
	}
}

// Last is the id of the newest request.
func (p *Process) Last() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

func result(m message) (json.RawMessage, error) {
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

// Notify sends a notification.
func (p *Process) Notify(method string, params any) error {
	return p.send(message{Version: "2.0", Method: method, Params: params})
}

func (p *Process) send(m message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = p.stdin.Write(append(line, '\n')) // one write: lines of several requests do not mix
	return err
}

// CloseInput closes the server's stdin, which ends the session.
func (p *Process) CloseInput() error { return p.stdin.Close() }

// PID is the process's id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Kill ends the process with SIGKILL.
func (p *Process) Kill() error { return p.cmd.Process.Kill() }

// Wait waits until the process has ended and answers how: nil for exit status 0, an *exec.ExitError otherwise.
func (p *Process) Wait(ctx context.Context) error {
	select {
	case <-p.ended:
	case <-ctx.Done():
		return fmt.Errorf("the server process goes on: %w", ctx.Err())
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exit
}

// Close closes the server's stdin and waits for its end. If ctx ends first the process is killed.
func (p *Process) Close(ctx context.Context) error {
	closed := p.CloseInput()
	err := p.Wait(ctx)
	if ctx.Err() != nil {
		err = errors.Join(err, p.Kill())
		<-p.ended
	}
	return errors.Join(closed, err)
}

// Stderr is what the process has written to stderr so far.
func (p *Process) Stderr() string { return p.stderr.String() }

// Strays are the lines on stdout so far that were no JSON-RPC, or answers that nobody had asked for.
func (p *Process) Strays() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.strays...)
}

// Notifications are the server's notifications and requests so far, as they came.
func (p *Process) Notifications() []json.RawMessage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]json.RawMessage(nil), p.notes...)
}

// A safeBuffer may be read while the process writes.
type safeBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *safeBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(data)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
