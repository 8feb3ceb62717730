//go:build integration

package integration_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// A wire is a session with the built server, byte by byte, for what no client would send.
type wire struct {
	*testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *os.File
	stderr bytes.Buffer // to be read after the end
	lines  chan string  // of stdout, once listen was called; closed at its end
	ended  chan error   // of cmd.Wait
}

// open starts a command whose output nobody reads yet. At the test's end it is killed if it is still there.
func open(t *testing.T, cmd *exec.Cmd) *wire {
	t.Helper()
	w := &wire{T: t, cmd: cmd, lines: make(chan string, 1024), ended: make(chan error, 1)}
	cmd.Stderr = &w.stderr
	var err error
	if w.in, err = cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w.out, cmd.Stdout = out, theirs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = theirs.Close() // the child has its own
	waited := make(chan struct{})
	go func() {
		w.ended <- cmd.Wait()
		close(waited)
	}()
	t.Cleanup(func() {
		_ = w.in.Close()
		_ = out.Close()
		_ = cmd.Process.Kill() // it has ended, if all went well
		<-waited
	})
	return w
}

// dial opens a wire to the released server and initializes the session.
func dial(t *testing.T, args ...string) *wire {
	t.Helper()
	cmd := exec.Command(serverBinary(t), args...)
	cmd.Env = bareEnvironment(t)
	w := open(t, cmd)
	w.listen()
	w.greet()
	return w
}

// listen begins to read.
func (w *wire) listen() {
	go func() {
		defer close(w.lines)
		for in := bufio.NewReader(w.out); ; {
			line, err := in.ReadString('\n')
			if line != "" {
				w.lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
}

// The frames that begin a session.
const (
	initializeFrame  = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"wire","version":"1"}}}`
	initializedFrame = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
)

func (w *wire) greet() {
	w.Helper()
	w.send(initializeFrame)
	if hello := w.reply(); hello.ID != `"hello"` || hello.Result == nil {
		w.Fatalf("initialize answers %+v", hello)
	}
	w.send(initializedFrame)
}

// send writes a line.
func (w *wire) send(line string) {
	w.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.Fatalf("sending %.200q: %v", line, err)
	}
}

// callTool sends a tool's call without waiting for its answer. id is JSON.
func (w *wire) callTool(id, tool string, arguments args) {
	w.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		w.Fatal(err)
	}
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, text))
}

// A wireReply is an answer. ID is JSON.
type wireReply struct {
	ID     string
	Result *struct {
		IsError    bool
		Structured map[string]any `json:"structuredContent"`
		Content    []struct{ Text string }
	}
	Error *struct {
		Code    int
		Message string
	}
}

// outcome is the outcome of a tool that answered, or the code of its error.
func (r wireReply) outcome() string {
	switch {
	case r.Error != nil:
		return fmt.Sprintf("JSON-RPC error %d: %s", r.Error.Code, r.Error.Message)
	case r.Result.IsError && len(r.Result.Content) == 1:
		var failure struct{ Error struct{ Code string } }
		if err := json.Unmarshal([]byte(r.Result.Content[0].Text), &failure); err != nil {
			return err.Error()
		}
		return failure.Error.Code
	}
	return fmt.Sprint(r.Result.Structured["outcome"])
}

// reply is the next answer.
func (w *wire) reply() wireReply {
	w.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			w.Fatal("the output has ended")
		}
		return w.parse(line)
	case <-time.After(hangBound):
		w.Fatalf("no answer within %v", hangBound)
	}
	panic("unreachable")
}

func (w *wire) parse(line string) wireReply {
	w.Helper()
	var read struct {
		Version string          `json:"jsonrpc"`
		RawID   json.RawMessage `json:"id"`
		wireReply
	}
	if err := json.Unmarshal([]byte(line), &read); err != nil || read.Version != "2.0" || read.RawID == nil || !strings.HasSuffix(line, "\n") {
		w.Fatalf("the answer %q is none: %v", line, err)
	}
	read.ID = string(read.RawID)
	return read.wireReply
}

// rest are the answers until the end of the output, by id.
func (w *wire) rest() map[string]wireReply {
	w.Helper()
	answers := map[string]wireReply{}
	for bound := time.After(hangBound); ; {
		select {
		case line, ok := <-w.lines:
			if !ok {
				return answers
			}
			answer := w.parse(line)
			if _, twice := answers[answer.ID]; twice {
				w.Errorf("%s was answered twice", answer.ID)
			}
			answers[answer.ID] = answer
		case <-bound:
			w.Fatalf("the output has not ended within %v", hangBound)
		}
	}
}

// ping proves that the session lives, and that nothing else was answered.
func (w *wire) ping() {
	w.Helper()
	w.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
	if pong := w.reply(); pong.ID != `"ping"` || pong.Error != nil {
		w.Fatalf("a ping is answered by %+v", pong)
	}
}

// exit waits until the process has ended, and gives its status and how long that took.
func (w *wire) exit() (status int, took time.Duration) {
	w.Helper()
	begun := time.Now()
	select {
	case err := <-w.ended:
		if err != nil && w.cmd.ProcessState.ExitCode() < 0 {
			w.Errorf("the server died: %v", err)
		}
	case <-time.After(endBound):
		w.Fatalf("the server has not ended within %v", endBound)
	}
	return w.cmd.ProcessState.ExitCode(), time.Since(begun)
}
