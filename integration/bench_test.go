//go:build integration

package integration_test

import (
	"context"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// times collects how long each round of a benchmark took, and reports the median and the 95th percentile in milliseconds.
type times []time.Duration

func (d *times) took(start time.Time) { *d = append(*d, time.Since(start)) }

func (d *times) report(b *testing.B, what string) {
	slices.Sort(*d)
	n := len(*d)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	b.ReportMetric(ms((*d)[n/2]), what+"-median-ms")
	b.ReportMetric(ms((*d)[min(n-1, n*95/100)]), what+"-p95-ms")
	b.ReportMetric(0, "ns/op") // the mean of rounds with different parts says nothing
}

// begin starts the built server and opens the session.
func begin(b *testing.B, args ...string) *pipes.Process {
	b.Helper()
	cmd := exec.Command(serverBinary(b), args...)
	cmd.Env = bareEnvironment(b)
	p, err := pipes.Start(cmd)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.Kill() }) // it has usually ended by then
	ctx, cancel := context.WithTimeout(b.Context(), hangBound)
	defer cancel()
	if _, err := p.Initialize(ctx); err != nil {
		b.Fatal(err)
	}
	return p
}

// ask calls a tool that must answer.
func ask(b *testing.B, p *pipes.Process, tool string, arguments fields) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), hangBound)
	defer cancel()
	if result, err := p.Call(ctx, tool, arguments); err != nil || result.IsError {
		b.Fatalf("%s: %+v, %v", tool, result, err)
	}
}

func BenchmarkStartToInitialize(b *testing.B) {
	server := newServer(b, "tmux")
	var d times
	for b.Loop() {
		start := time.Now()
		p := begin(b, "--socket", server.Socket)
		d.took(start)
		_ = p.Kill()
	}
	d.report(b, "initialize")
}

// BenchmarkEndDuringAWait closes the input while a call waits for 60 s.
func BenchmarkEndDuringAWait(b *testing.B) {
	server := startServer(b, "tmux", "cat")
	var d times
	for b.Loop() {
		p := begin(b, "--socket", server.Socket)
		answered := make(chan struct{})
		go func() {
			defer close(answered)
			_, _ = p.Call(b.Context(), "wait_for_text", fields{"pane_id": "%0", "patterns": []string{"never"}, "timeout": 60}) // ends with the session
		}()
		ask(b, p, "get_server_info", fields{}) // answered after the wait was received
		start := time.Now()
		ctx, cancel := context.WithTimeout(b.Context(), hangBound)
		if err := p.Close(ctx); err != nil {
			b.Fatal(err)
		}
		cancel()
		d.took(start)
		<-answered
	}
	d.report(b, "end")
}

// BenchmarkRun runs true in a bash, beside one exec of tmux.
func BenchmarkRun(b *testing.B) {
	server := startServer(b, "tmux", "env", "PS1=$ ", "bash", "--noprofile", "--norc")
	p := begin(b, "--socket", server.Socket)
	ask(b, p, "run_shell_command", fields{"pane_id": "%0", "command": "true"})
	var run, exec times
	for b.Loop() {
		start := time.Now()
		ask(b, p, "run_shell_command", fields{"pane_id": "%0", "command": "true"})
		run.took(start)
		start = time.Now()
		server.Tmux(b, "display-message", "-p", "#{pid}")
		exec.took(start)
	}
	run.report(b, "run")
	exec.report(b, "exec")
}

// BenchmarkListPanes lists 100 panes, beside tmux's own listing.
func BenchmarkListPanes(b *testing.B) {
	server := startServer(b, "tmux", "cat")
	for range 99 {
		server.Tmux(b, "new-window", "-d", "cat")
	}
	p := begin(b, "--socket", server.Socket)
	var list, own times
	for b.Loop() {
		start := time.Now()
		ask(b, p, "list_panes", fields{})
		list.took(start)
		start = time.Now()
		server.Tmux(b, "list-panes", "-a", "-F", "#{pane_id} #{window_id} #{pane_index} #{pane_pid} #{pane_tty} #{q:pane_title} #{q:pane_current_command} #{q:pane_current_path} #{pane_left} #{pane_top} #{pane_width} #{pane_height} #{pane_active} #{pane_dead} #{pane_input_off} #{pane_synchronized} #{pane_mode} #{alternate_on}")
		own.took(start)
	}
	list.report(b, "list")
	own.report(b, "own")
}
