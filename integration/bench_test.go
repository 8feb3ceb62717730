//go:build integration

package integration_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// rest is how long the product and tmux are left alone before what is measured, as they are between two calls of an agent.
const rest = 200 * time.Millisecond

// benchTmux is the tmux that is measured: the first one under test.
func benchTmux() string {
	first, _, _ := strings.Cut(os.Getenv("TMUX_BINARIES"), ",")
	if first == "" {
		return "tmux"
	}
	return first
}

// begin starts the built server and opens the session.
func begin(b *testing.B, args ...string) *pipes.Process {
	b.Helper()
	cmd := exec.Command(serverBinary(b), append([]string{"--tmux", benchTmux()}, args...)...)
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

// scripted runs one tmux command in a process of tmux, as scripts do.
func scripted(b *testing.B, s *realServer, args ...string) {
	b.Helper()
	cmd := exec.Command(s.Binary, append([]string{"-S", s.Socket}, args...)...)
	cmd.Env = bareEnvironment(b)
	if out, err := cmd.Output(); err != nil || len(out) == 0 {
		b.Fatalf("%q answered %q, %v", cmd.Args, out, err)
	}
}

// withBackends runs a benchmark with each of some backends.
func withBackends(b *testing.B, backends []string, run func(b *testing.B, backend string)) {
	b.Helper()
	for _, backend := range backends {
		b.Run(backend, func(b *testing.B) { run(b, backend) })
	}
}

// BenchmarkLine writes a line in a pane and waits until wait_for_text has answered, and until %output is read from a control-mode client.
func BenchmarkLine(b *testing.B) {
	withBackends(b, []string{"control", "auto", "cli"}, func(b *testing.B, backend string) {
		fifo := filepath.Join(b.TempDir(), "lines")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			b.Fatal(err)
		}
		lines, err := os.OpenFile(fifo, os.O_RDWR, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer lines.Close()
		s := startServer(b, benchTmux(), "cat", fifo)
		raw := s.control(b, "main")
		p := begin(b, "--socket", s.Socket, "--backend", backend)
		ask(b, p, "list_panes", fields{})
		write := func(line string) {
			if _, err := fmt.Fprintln(lines, line); err != nil {
				b.Fatal(err)
			}
		}
		m := measure(b, "a line is written, until the answer of wait_for_text, --backend "+backend, "until its %output is read")
		if m.target = 3; backend == "cli" {
			m.target = 0
		}
		for round := 0; b.Loop(); round++ {
			line := fmt.Sprintf("raw-%d-", round)
			time.Sleep(rest)
			start := time.Now()
			write(line)
			for said := ""; !strings.HasPrefix(said, "%output") || !strings.Contains(said, line); {
				if said, err = raw.replies.ReadString('\n'); err != nil {
					b.Fatal(err)
				}
			}
			m.yardstick.took(start)

			line = fmt.Sprintf("wait-%d-", round)
			ended := make(chan error, 1)
			go func() {
				_, err := p.Call(b.Context(), "wait_for_text", fields{"pane_id": "%0", "patterns": []string{line}, "timeout": 20})
				ended <- err
			}()
			time.Sleep(rest) // it waits by then
			start = time.Now()
			write(line)
			if err := <-ended; err != nil {
				b.Fatal(err)
			}
			m.product.took(start)
		}
	})
}

// BenchmarkConn sends a list over a control-mode client, through the Conn and by hand.
func BenchmarkConn(b *testing.B) {
	s := startServer(b, benchTmux(), "cat")
	raw := s.control(b, "main")
	other := cliConn(b, s, cli.Options{Env: plainEnv(b)})
	conn := control.NewConn(controlClients(other), other)
	defer conn.Close()
	list := tmuxserver.List{Commands: []tmuxserver.Command{{"display-message", "-p", "#{pid}"}}}
	m := measure(b, "a round trip through Conn, over a control-mode client", "the same command and answer by hand")
	m.target = 1.5
	for first := true; b.Loop(); first = false {
		for range 20 {
			start := time.Now()
			if _, err := conn.Run(b.Context(), list); err != nil {
				b.Fatal(err)
			}
			if !first { // which attaches
				m.product.took(start)
			}
			start = time.Now()
			if _, err := raw.run(list.Commands[0]); err != nil {
				b.Fatal(err)
			}
			m.yardstick.took(start)
		}
	}
}

// brief are the fields of a brief listing.
const brief = "#{pane_id} #{window_id} #{pane_index} #{pane_pid} #{pane_tty} #{q:pane_title} #{q:pane_current_command} #{q:pane_current_path} " +
	"#{pane_left} #{pane_top} #{pane_width} #{pane_height} #{pane_active} #{pane_dead} #{pane_input_off} #{pane_synchronized} #{pane_mode} #{alternate_on}"

// BenchmarkListPanes lists 100 panes, beside tmux's own listing.
func BenchmarkListPanes(b *testing.B) {
	withBackends(b, []string{"control", "auto"}, func(b *testing.B, backend string) {
		s := startServer(b, benchTmux(), "cat")
		s.Tmux(b, "resize-window", "-x", "200", "-y", "50")
		for window := range 10 {
			if window > 0 {
				s.Tmux(b, "new-window", "cat")
			}
			for range 9 {
				s.Tmux(b, "split-window", "cat")
				s.Tmux(b, "select-layout", "tiled")
			}
		}
		p := begin(b, "--socket", s.Socket, "--backend", backend)
		m := measure(b, "list_panes of 100 panes, brief, --backend "+backend, "tmux list-panes of the same fields, as a process")
		m.target = 1.3
		for b.Loop() {
			time.Sleep(rest / 10)
			start := time.Now()
			ask(b, p, "list_panes", fields{})
			m.product.took(start)
			start = time.Now()
			scripted(b, s, "list-panes", "-a", "-F", brief)
			m.yardstick.took(start)
		}
	})
}

// BenchmarkRun runs true in a bash, beside one tmux process.
func BenchmarkRun(b *testing.B) {
	withBackends(b, []string{"control", "auto"}, func(b *testing.B, backend string) {
		s := startServer(b, benchTmux(), "env", "PS1=$ ", "bash", "--noprofile", "--norc")
		p := begin(b, "--socket", s.Socket, "--backend", backend)
		ask(b, p, "list_panes", fields{})
		ask(b, p, "run_shell_command", fields{"pane_id": "%0", "command": "true"}) // after which the prompt is known
		m := measure(b, "run_shell_command of true in bash, --backend "+backend, "tmux display-message, as a process")
		if m.target = 6; backend == "control" {
			m.target = 2.5
		}
		for b.Loop() {
			time.Sleep(rest)
			start := time.Now()
			ask(b, p, "run_shell_command", fields{"pane_id": "%0", "command": "true"})
			m.product.took(start)
			time.Sleep(rest)
			start = time.Now()
			scripted(b, s, "display-message", "-p", "#{pid}")
			m.yardstick.took(start)
		}
	})
}

// BenchmarkStart starts the server and waits for its first answer.
func BenchmarkStart(b *testing.B) {
	s := startServer(b, benchTmux(), "cat")
	m := measure(b, "start to the reply to initialize", "tmux display-message, as a process")
	for b.Loop() {
		start := time.Now()
		p := begin(b, "--socket", s.Socket)
		m.product.took(start)
		_ = p.Kill()
		start = time.Now()
		scripted(b, s, "display-message", "-p", "#{pid}")
		m.yardstick.took(start)
	}
}

// BenchmarkEnd closes the input while a call waits for 60 s.
func BenchmarkEnd(b *testing.B) {
	s := startServer(b, benchTmux(), "cat")
	m := measure(b, "end of the input during a wait, to the end of the process", "")
	for b.Loop() {
		p := begin(b, "--socket", s.Socket)
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
		m.product.took(start)
		<-answered
	}
}

// BenchmarkMemory reads how much memory an idle server has.
func BenchmarkMemory(b *testing.B) {
	withBackends(b, []string{"control", "auto"}, func(b *testing.B, backend string) {
		s := startServer(b, benchTmux(), "cat")
		m := measure(b, "memory of the idle server, --backend "+backend+", MiB", "")
		for b.Loop() {
			p := begin(b, "--socket", s.Socket, "--backend", backend)
			ask(b, p, "list_panes", fields{})
			ask(b, p, "capture_pane", fields{"pane_id": "%0"})
			time.Sleep(rest)
			m.product = append(m.product, resident(b, p.PID()))
			_ = p.Kill()
		}
	})
}

// resident is the resident memory of a process in MiB.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		b.Fatal(err)
	}
	return kib / 1024
}
