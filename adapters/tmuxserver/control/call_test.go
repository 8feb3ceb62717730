package control

import (
	"errors"
	"io"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A call ends with the block of its last command, whichever of its markers tmux gave up printing, and says if it cannot be understood.
func TestCallsWithoutAMarker(t *testing.T) {
	list := tmuxserver.List{Guard: &tmuxserver.Guard{Want: "1"}, Commands: []tmuxserver.Command{{"first"}, {"second"}}}
	whole := []tmuxserver.Reply{{State: tmuxserver.Done, Output: "1\n"}, {State: tmuxserver.Done, Output: "2\n"}}
	for _, c := range []struct {
		name    string
		missing int // of the blocks
		kind    fault.Kind
	}{
		{"all there", -1, ""},
		{"behind the guard", 1, fault.DecodeError},
		{"between the commands", 3, fault.DecodeError},
		{"behind the last", 5, fault.DecodeError},
		{"at the end", 6, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			call := newCall(list)
			said := []string{"escape-time 10", call.marker(0), "1", call.marker(1), "2", call.marker(2), call.end()}
			for i, output := range said {
				if i == c.missing {
					output = ""
				}
				if last := call.hear(Block{Own: true, Output: output + "\n"}); last != (i == len(said)-1) {
					t.Fatalf("block %d was the last one: %v", i, last)
				}
			}
			out := <-call.done
			if got := fault.KindOf(out.err); got != c.kind {
				t.Fatalf("%v, want %q", out.err, c.kind)
			}
			if diff := cmp.Diff(whole, out.result.Replies); c.kind == "" && diff != "" {
				t.Errorf("replies (-want +got):\n%s", diff)
			}
		})
	}
}

// A list that tmux rejects ends there, also if its last marker is missing.
func TestARefusedCallWithoutItsMarker(t *testing.T) {
	call := newCall(tmuxserver.List{Commands: []tmuxserver.Command{{"first"}, {"second"}}})
	for i, block := range []Block{{Failed: true, Output: "no\n"}, {Output: unprinted}} {
		if last := call.hear(block); last != (i == 1) {
			t.Fatalf("block %d was the last one: %v", i, last)
		}
	}
	if out := <-call.done; out.err != nil || out.result.Replies[0].State != tmuxserver.Failed || out.result.Replies[1].State != tmuxserver.NotRun {
		t.Errorf("%+v", out)
	}
}

// A guard that tmux gave up ends the list, of whatever it is the guard.
func TestACallWhoseGuardIsGivenUp(t *testing.T) {
	for _, commands := range [][]tmuxserver.Command{nil, {{"first"}}} {
		call := newCall(tmuxserver.List{Guard: &tmuxserver.Guard{Want: "1"}, Commands: commands})
		for i, block := range []Block{{Failed: true, Output: "ambiguous option: \n"}, {Output: call.end() + "\n"}} {
			if last := call.hear(block); last != (i == 1) {
				t.Fatalf("block %d was the last one: %v", i, last)
			}
		}
		if out := <-call.done; out.err != nil || !out.result.GivenUp || out.result.Passed {
			t.Errorf("%d commands: %+v", len(commands), out)
		}
	}
}

// A shut stream is one whose other end takes so many bytes more, and nothing is read any more once it is closed.
type shut struct {
	io.Reader
	takes int
	close func() error
}

func (s shut) Write(p []byte) (int, error) { return min(s.takes, len(p)), syscall.EPIPE }
func (s shut) Close() error                { return s.close() }
func (s shut) PID() int                    { return 1 }

// Of a list of which not one line could be written nothing ran, so that it may go another way.
func TestCallsThatCannotBeWritten(t *testing.T) {
	for _, c := range []struct {
		takes    int
		delivery fault.Delivery
	}{{0, fault.NotSent}, {10, fault.NotSent}, {1000, fault.PossiblySent}} {
		said, saying := io.Pipe()
		client := newClient(shut{said, c.takes, sync.OnceValue(saying.Close)}, "/s", func(Message) {})
		if _, err := io.WriteString(saying, "%session-changed $0 main\n"); err != nil {
			t.Fatal(err)
		}
		_, err := client.Run(t.Context(), tmuxserver.List{Commands: []tmuxserver.Command{{"first"}}})
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Delivery != c.delivery || errors.Is(err, errNotRun) != (c.delivery == fault.NotSent) {
			t.Errorf("%d bytes were taken: %#v", c.takes, err)
		}
		<-client.ended
	}
}
