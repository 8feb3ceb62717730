//go:build integration

package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// TestThreeWaitsInAFlood waits three times in a pane while 200 MB are written there: they end when the line comes, other calls are
// answered meanwhile, and neither the product nor tmux grows with what is written.
func TestThreeWaitsInAFlood(t *testing.T) {
	const (
		most  = 20 << 10        // KiB by which tmux may grow once it has grown as it may
		bound = 2 * time.Minute // of a machine that is at work elsewhere
	)
	all, first := often(200_000_000), often(50_000_000) // bytes: until then
	eachTmux(t, func(t *testing.T, tmux string) {
		for _, backend := range few(t, 0, 1, "auto", "control") {
			t.Run(backend, func(t *testing.T) {
				s := startServer(t, tmux)
				p, start := startMeasured(t, tmux, s, "--backend", backend)
				mark := filepath.Join(t.TempDir(), "mark")
				line := strings.Repeat("0123456789", 7)
				pane := s.window(t, 2000, "sh", "-c", fmt.Sprintf(
					"read x; yes %[1]s | head -c %[2]d; : >%[3]s; yes %[1]s | head -c %[4]d; echo; echo the end; exec sleep 600", line, first, mark, all-first))
				call(t, p, "list_panes", nil)
				cursor := call(t, p, "capture_pane", fields{"pane_id": pane}).text(t, "cursor")
				waits := make(chan pipes.Result, 3)
				for range cap(waits) {
					go func() {
						out, err := p.Call(t.Context(), "wait_for_text", fields{
							"pane_id": pane, "patterns": []string{"the end"}, "cursor": cursor, "timeout": bound.Seconds(),
						})
						if err != nil {
							t.Errorf("wait: %v", err)
						}
						waits <- out
					}()
				}
				s.Tmux(t, "send-keys", "-t", pane, "Enter")
				began := time.Now()
				server := number(t, s.Tmux(t, "display-message", "-p", "#{pid}"))
				grown, calls := 0, 0
				for left := cap(waits); left > 0; {
					select {
					case out := <-waits:
						left--
						if out.IsError || !strings.Contains(string(out.Data), `"outcome":"matched"`) {
							t.Errorf("a wait ended with %.300s", out.Data)
						}
					case <-time.After(100 * time.Millisecond): // others call now and then
						if time.Since(began) > bound {
							t.Fatalf("%d waits have not ended", left)
						}
						call(t, p, "list_panes", fields{"detail": "full"})
						call(t, p, "capture_pane", fields{"pane_id": pane})
						calls++
					}
					if _, err := os.Stat(mark); err == nil && grown == 0 {
						grown = memory(t, server, "VmRSS")
					}
				}
				t.Logf("%v, %d calls meanwhile", time.Since(began), calls)
				if calls == 0 {
					t.Error("it was over before anything else was called: this shows nothing")
				}
				if now := memory(t, server, "VmRSS"); grown == 0 || now-grown > most {
					t.Errorf("tmux grew from %d KiB to %d after the first %d bytes, want at most %d more", grown, now, first, most)
				}
				mustBeSmall(t, p, start)
			})
		}
	})
}
