package stdio_test

import (
	"errors"
	"io"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/stdio"
)

func TestPeerThatReadsNothingEndsTheSession(t *testing.T) {
	for _, test := range []struct {
		name    string
		options stdio.Options
		bigs    int
		took    time.Duration
		message string
	}{
		{"for too long", stdio.Options{}, 1, 5 * time.Second, "bytes within 5s"},
		{"for too long, by another limit", stdio.Options{WriteTimeout: time.Second}, 1, time.Second, "bytes within 1s"},
		{"of too much", stdio.Options{}, 5, 0, "more than 4194304 bytes unread"},
		{"of too much, by another limit", stdio.Options{MaxOutputBytes: 1 << 20}, 2, 0, "more than 1048576 bytes unread"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := start(t, memory, test.options)
				began := time.Now()
				s.send(greeting)
				s.call("wait", "wait") // is cancelled with the session
				for id := range test.bigs {
					s.call(string(rune('0'+id)), "big")
				}
				err := s.wait()
				if err == nil || !strings.Contains(err.Error(), test.message) {
					t.Errorf("the session ended with %v, want %q", err, test.message)
				}
				if took := time.Since(began); took != test.took {
					t.Errorf("the session ended after %v, want %v", took, test.took)
				}
				s.close()
			})
		})
	}
}

func TestPeerThatReadsSlowlyIsServed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, memory, stdio.Options{})
		s.send(greeting)
		s.call("1", "big")
		var got strings.Builder
		for page := make([]byte, 4096); strings.Count(got.String(), "\n") < 2; {
			time.Sleep(4 * time.Second)
			n, err := s.out.Read(page)
			if err != nil {
				t.Fatalf("reading after %d bytes: %v", got.Len(), err)
			}
			got.Write(page[:n])
		}
		if got.Len() < 1<<20 {
			t.Errorf("the peer was told only %d bytes", got.Len())
		}
		s.listen()
	})
}

// The limit is on what waits, not on a frame or on all frames together.
func TestPeerThatReadsMayBeToldMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, memory, stdio.Options{MaxOutputBytes: 1 << 20})
		for range 3 {
			s.call("1", "big")
			s.says("1", strings.Repeat("x", 1<<20))
			synctest.Wait()
		}
	})
}

func TestPeerThatTricklesCannotDelayTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := start(t, memory, stdio.Options{})
		s.send(greeting)
		s.call("1", "big")
		synctest.Wait()
		var trickle sync.WaitGroup
		trickle.Go(func() {
			for page := make([]byte, 4096); ; time.Sleep(2 * time.Second) {
				if _, err := s.out.Read(page); err != nil {
					return
				}
			}
		})
		began := time.Now()
		if err := s.end(); err == nil || !strings.Contains(err.Error(), "left unread at the end") {
			t.Errorf("the session ended with %v", err)
		}
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the session took %v to end, want 5s", took)
		}
		trickle.Wait()
	})
}

func TestUnreadPipeIsLetGo(t *testing.T) {
	for message, options := range map[string]stdio.Options{
		"bytes within 50ms":              {WriteTimeout: 50 * time.Millisecond},
		"more than 1048576 bytes unread": {MaxOutputBytes: 1 << 20},
	} {
		t.Run(message, func(t *testing.T) {
			s := start(t, pipes, options)
			s.send(greeting)
			s.call("1", "big")
			s.call("2", "big")
			if err := s.wait(); err == nil || !strings.Contains(err.Error(), message) {
				t.Errorf("the session ended with %v", err)
			}
			s.close()
		})
	}
}

func TestClosedOutputEndsTheSession(t *testing.T) {
	for _, test := range []struct {
		name    string
		streams streams
		want    error
	}{
		{"memory", memory, io.ErrClosedPipe},
		{"pipes", pipes, syscall.EPIPE},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := start(t, test.streams, stdio.Options{})
			if err := s.out.Close(); err != nil {
				t.Fatal(err)
			}
			s.send(greeting)
			if err := s.wait(); !errors.Is(err, test.want) {
				t.Errorf("the session ended with %v, want %v", err, test.want)
			}
			if err := s.in.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
