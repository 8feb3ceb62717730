// Package conntest is the contract suite of tmuxserver.Conn: whatever carries command lists to a real tmux passes it.
package conntest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// A Harness is a running tmux server with one session, whose window has the pane %0, and a Conn to it.
type Harness struct {
	Conn tmuxserver.Conn
	// Buffer reads paste buffers, one after the other, by another way than the Conn; nil if there is none of one of the names.
	Buffer func(t *testing.T, names ...string) []byte
	// Kill ends the server.
	Kill func(t *testing.T)
}

// hangBound is how long anything may take before it counts as hung.
const hangBound = 10 * time.Second

// Test runs the suite, each case on a fresh harness.
func Test(t *testing.T, fresh func(t *testing.T) Harness) {
	for _, c := range []struct {
		name string
		test func(t *testing.T, h Harness)
	}{
		{"every byte", everyByte},
		{"arguments that tmux could take for grammar", grammarLikeArguments},
		{"one reply a command", oneReplyEach},
		{"a failing command in the middle", failingCommand},
		{"a list that tmux rejects", rejectedList},
		{"output that imitates framing", imitatedFraming},
		{"output of many bytes", manyBytes},
		{"text in other scripts", otherScripts},
		{"hooks that print", printingHooks},
		{"hooks that fail", failingHooks},
		{"a guard that holds", guardHolds},
		{"a guard that does not", guardFails},
		{"a guard on a pane that does not exist", guardMissing},
		{"what a guard wants is literal", guardLiteral},
		{"room", room},
		{"load", load},
		{"cancelled before", cancelledBefore},
		{"cancelled while tmux waits", cancelledDuring},
		{"a deadline while tmux waits", deadlineDuring},
		{"many at once", manyAtOnce},
		{"no server", noServer},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, fresh(t)) })
	}
}

// run runs commands that must not fail as a whole.
func (h Harness) run(t *testing.T, list tmuxserver.List) tmuxserver.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	defer cancel()
	result, err := h.Conn.Run(ctx, list)
	if err != nil {
		t.Fatalf("Run(%q): %v", list.Commands, err)
	}
	if len(result.Replies) != len(list.Commands) {
		t.Fatalf("Run(%q) gave %d replies: %+v", list.Commands, len(result.Replies), result)
	}
	return result
}

// all runs commands that must all be done, and returns what each printed.
func (h Harness) all(t *testing.T, commands ...tmuxserver.Command) []string {
	t.Helper()
	var outputs []string
	for i, reply := range h.run(t, tmuxserver.List{Commands: commands}).Replies {
		if reply.State != tmuxserver.Done {
			t.Fatalf("%q: %+v", commands[i], reply)
		}
		outputs = append(outputs, reply.Output)
	}
	return outputs
}

func print(text string) tmuxserver.Command { return tmuxserver.Command{"display-message", "-p", text} }

func everyByte(t *testing.T, h Harness) {
	for first := 1; first < 256; first += 32 {
		var commands []tmuxserver.Command
		var names []string
		want := ""
		for b := first; b < min(first+32, 256); b++ {
			c, name := string([]byte{byte(b)}), fmt.Sprintf("b%d", b)
			text := c + "x" + c + c + "x" + c
			commands = append(commands, tmuxserver.Command{"set-buffer", "-b", name, "--", text})
			names, want = append(names, name), want+text
		}
		h.all(t, commands...)
		if diff := cmp.Diff(want, string(h.Buffer(t, names...))); diff != "" {
			t.Errorf("bytes from %d on (-sent +got):\n%s", first, diff)
		}
	}
}

func grammarLikeArguments(t *testing.T, h Harness) {
	for _, text := range []string{
		";", ";;", "a;", "a;;", `\;`, `a\;`, `a\\;`, `a\`, "a ; kill-server", "{", "}", "{ a }", "#{pid}", "#(touch x)", "$HOME", "~", "~/x",
		"'", `"`, `'"`, "a\nb", "a\r\nb", "\n", " ", "\t", "#", "# a", "a # b", "%if 1", "%%", "-x", "--", "A=b", `\n`, `\033`, `a\nb`, "$x{y}", "`",
		"%begin 1 1 1\n%end 1 1 1",
	} {
		h.all(t, tmuxserver.Command{"set-buffer", "-b", "x", "--", text})
		if diff := cmp.Diff(text, string(h.Buffer(t, "x"))); diff != "" {
			t.Errorf("%q (-sent +got):\n%s", text, diff)
		}
	}
	h.all(t, tmuxserver.Command{"set-option", "-s", "@empty", ""})
	if got := h.all(t, print("[#{@empty}]"))[0]; got != "[]\n" {
		t.Errorf("an empty argument came as %q", got)
	}
}

func oneReplyEach(t *testing.T, h Harness) {
	got := h.all(t, print("one"), tmuxserver.Command{"set-option", "-s", "@x", "y"}, print("two"), print(""), print("three"))
	if diff := cmp.Diff([]string{"one\n", "", "two\n", "\n", "three\n"}, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
	if result := h.run(t, tmuxserver.List{}); !result.Passed || result.Started {
		t.Errorf("no commands: %+v", result)
	}
}

func failingCommand(t *testing.T, h Harness) {
	list := tmuxserver.List{Commands: []tmuxserver.Command{
		print("one"), {"has-session", "-t", "=nowhere"}, {"set-option", "-s", "@ran", "yes"}, print("three"),
	}}
	got := h.run(t, list)
	if !got.Passed || got.Replies[0] != (tmuxserver.Reply{State: tmuxserver.Done, Output: "one\n"}) {
		t.Errorf("before the failing one: %+v", got)
	}
	if reply := got.Replies[1]; reply.State != tmuxserver.Failed || !strings.Contains(reply.Error, "can't find session: nowhere") {
		t.Errorf("the failing one: %+v", reply)
	}
	if diff := cmp.Diff([]tmuxserver.Reply{{}, {}}, got.Replies[2:]); diff != "" {
		t.Errorf("after the failing one (-want +got):\n%s", diff)
	}
	if got := h.all(t, print("next"), print("[#{@ran}]")); got[0] != "next\n" || got[1] != "[]\n" {
		t.Errorf("the next list: %q", got)
	}
}

func rejectedList(t *testing.T, h Harness) {
	for _, bad := range []tmuxserver.Command{{"no-such-command"}, {"display-message", "-Y"}} {
		got := h.run(t, tmuxserver.List{Commands: []tmuxserver.Command{{"set-option", "-s", "@ran", "yes"}, bad}})
		if reply := got.Replies[0]; got.Passed || reply.State != tmuxserver.Failed || reply.Error == "" {
			t.Errorf("%q: %+v", bad, got)
		}
	}
	if got := h.all(t, print("next"), print("[#{@ran}]")); got[0] != "next\n" || got[1] != "[]\n" {
		t.Errorf("the next list: %q", got)
	}
}

func imitatedFraming(t *testing.T, h Harness) {
	const text = "%begin 1 1 1\n%end 1 1 1\n%error 1 1 1\n%exit\n-0-\n-1-\nLIBTMUX-1-\n\n;\n"
	h.all(t, tmuxserver.Command{"set-option", "-s", "@text", text})
	got := h.all(t, print("before"), print("#{@text}"), print("after"))
	if diff := cmp.Diff([]string{"before\n", text + "\n", "after\n"}, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func manyBytes(t *testing.T, h Harness) {
	text := strings.Repeat("0123456789\n", 1000)
	h.all(t, tmuxserver.Command{"set-option", "-s", "@text", text})
	got := h.all(t, print(strings.Repeat("#{@text}", 100)), print("after"))
	if want := strings.Repeat(text, 100) + "\n"; got[0] != want || got[1] != "after\n" {
		t.Errorf("%d bytes came as %d, then %q", len(want), len(got[0]), got[1])
	}
}

func otherScripts(t *testing.T, h Harness) {
	const text = "ПРИВЕТ日本🎉é"
	if got := h.all(t, print(text))[0]; got != text+"\n" {
		t.Errorf("%q came as %q", text, got)
	}
}

func printingHooks(t *testing.T, h Harness) {
	for _, hook := range []string{"after-display-message", "after-list-sessions", "after-show-options", "after-set-option"} {
		h.all(t, tmuxserver.Command{"set-hook", "-g", hook, "display-message -p 'noise of a hook'"})
	}
	list := tmuxserver.List{
		Guard: &tmuxserver.Guard{Target: "%0", Format: "#{pane_id}", Want: "%0"},
		Commands: []tmuxserver.Command{
			print("<one>"), {"list-sessions", "-F", "<two>"}, {"set-option", "-s", "@x", "y"}, print("<four>"), {"has-session", "-t", "=nowhere"}, print("<six>"),
		},
	}
	got := h.run(t, list)
	for i, want := range []string{"<one>", "<two>", "", "<four>"} {
		reply := got.Replies[i]
		rest := strings.ReplaceAll(reply.Output, "noise of a hook\n", "")
		if reply.State != tmuxserver.Done || strings.TrimSpace(rest) != want {
			t.Errorf("reply %d: %+v, want %q", i, reply, want)
		}
	}
	if got.Replies[4].State != tmuxserver.Failed || got.Replies[5].State != tmuxserver.NotRun {
		t.Errorf("the failing command and the one after it: %+v", got.Replies[4:])
	}
}

func failingHooks(t *testing.T, h Harness) {
	h.all(t, tmuxserver.Command{"set-hook", "-g", "after-list-sessions", "has-session -t =nowhere"})
	got := h.all(t, print("one"), tmuxserver.Command{"list-sessions", "-F", "two"}, print("three"))
	if diff := cmp.Diff([]string{"one\n", "two\n", "three\n"}, got); diff != "" {
		t.Errorf("replies (-want +got):\n%s", diff)
	}
}

func guardHolds(t *testing.T, h Harness) {
	got := h.run(t, tmuxserver.List{
		Guard:    &tmuxserver.Guard{Target: "%0", Format: "#{pane_id};#{pane_in_mode}", Want: "%0;0"},
		Commands: []tmuxserver.Command{print("one"), print("two")},
	})
	want := tmuxserver.Result{Passed: true, Replies: []tmuxserver.Reply{
		{State: tmuxserver.Done, Output: "one\n"}, {State: tmuxserver.Done, Output: "two\n"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := h.run(t, tmuxserver.List{Guard: &tmuxserver.Guard{Target: "%0", Format: "#{pane_id}", Want: "%0"}}); !got.Passed {
		t.Errorf("a guard without commands: %+v", got)
	}
}

func guardFails(t *testing.T, h Harness) {
	got := h.run(t, tmuxserver.List{
		Guard:    &tmuxserver.Guard{Target: "%0", Format: "#{pane_id};#{pane_in_mode}", Want: "%0;1"},
		Commands: []tmuxserver.Command{{"set-option", "-s", "@ran", "yes"}, print("two")},
	})
	if diff := cmp.Diff(tmuxserver.Result{Found: "%0;0", Replies: make([]tmuxserver.Reply, 2)}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := h.run(t, tmuxserver.List{Guard: &tmuxserver.Guard{Target: "%0", Format: "#{pane_id}", Want: "%9"}}); got.Passed || got.Found != "%0" {
		t.Errorf("a guard without commands: %+v", got)
	}
	if got := h.all(t, print("[#{@ran}]")); got[0] != "[]\n" {
		t.Errorf("something ran: %q", got)
	}
}

func guardMissing(t *testing.T, h Harness) {
	for _, target := range []string{"%99", "$99:", "@99"} {
		got := h.run(t, tmuxserver.List{
			Guard:    &tmuxserver.Guard{Target: target, Format: "#{pane_id};#{session_id};#{window_id}", Want: target},
			Commands: []tmuxserver.Command{{"set-option", "-s", "@ran", "yes"}},
		})
		if got.Passed || strings.Contains(got.Found, "99") || got.Replies[0].State != tmuxserver.NotRun {
			t.Errorf("%s: %+v", target, got)
		}
	}
	if got := h.all(t, print("[#{@ran}]")); got[0] != "[]\n" {
		t.Errorf("something ran: %q", got)
	}
}

func guardLiteral(t *testing.T, h Harness) {
	for _, text := range []string{"a,b", "a}b", "{", "#{pid}", "#", "##", "#,", "*", "a?b", "[a]", `\`, `\*`, ":", "/dev/pts/1,/dev/pts/2", "%H", "$x", "a;", "é日", "a b", ""} {
		h.all(t, tmuxserver.Command{"set-option", "-s", "@text", text})
		guard := &tmuxserver.Guard{Target: "%0", Format: "#{@text}", Want: text}
		if got := h.run(t, tmuxserver.List{Guard: guard}); !got.Passed {
			t.Errorf("%q is not itself: %+v", text, got)
		}
		guard.Want = text + "x"
		if got := h.run(t, tmuxserver.List{Guard: guard}); got.Passed {
			t.Errorf("%q is %q", text, guard.Want)
		}
	}
	h.all(t, tmuxserver.Command{"set-option", "-s", "@text", "axb"})
	for _, want := range []string{"a?b", "a*b", "a[x]b", "*", "a#b"} {
		if got := h.run(t, tmuxserver.List{Guard: &tmuxserver.Guard{Target: "%0", Format: "#{@text}", Want: want}}); got.Passed {
			t.Errorf("%q matches %q", "axb", want)
		}
	}
}

func room(t *testing.T, h Harness) {
	list := tmuxserver.List{
		Guard:    &tmuxserver.Guard{Target: "%0", Format: "#{pane_id}", Want: "%0"},
		Commands: []tmuxserver.Command{print("one"), {"set-buffer", "-b", "x", "--", ""}},
	}
	room := h.Conn.Room(list)
	if room < 1000 {
		t.Fatalf("room for %d bytes", room)
	}
	for _, fill := range []string{"a", ";", `\`, "\xff", "\x01", "é;"} {
		text := strings.Repeat(fill, min(room, 1<<20)/len(fill))
		list.Commands[1][4] = text
		if got := h.run(t, list); got.Replies[1].State != tmuxserver.Done {
			t.Fatalf("%d bytes of %q: %+v", len(text), fill, got)
		}
		if got := string(h.Buffer(t, "x")); got != text {
			t.Errorf("%d bytes of %q came as %d", len(text), fill, len(got))
		}
		if left := h.Conn.Room(list); left < 0 {
			t.Errorf("%d bytes left after filling with %q", left, fill)
		}
	}
}

func (h Harness) load(t *testing.T, name, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangBound)
	defer cancel()
	if err := h.Conn.Load(ctx, name, []byte(text)); err != nil {
		t.Fatalf("load %d bytes: %v", len(text), err)
	}
}

func load(t *testing.T, h Harness) {
	var all strings.Builder
	for b := range 255 {
		all.WriteByte(byte(b + 1))
	}
	for name, text := range map[string]string{
		"one": "x", "newline": "\n", "no newline": "a\nb", "semicolon": ";", "every byte": all.String(),
		"200 KB": strings.Repeat(all.String(), 800), "-dash": "-",
	} {
		h.load(t, name, text)
		if got := string(h.Buffer(t, name)); got != text {
			t.Errorf("%s: %d bytes came as %d", name, len(text), len(got))
		}
	}
	h.load(t, "empty", "")
	if got := h.Buffer(t, "empty"); got != nil {
		t.Errorf("empty data made a buffer: %q", got)
	}
}

// wantFault checks the kind of an error and what it says of delivery.
func wantFault(t *testing.T, err error, kind fault.Kind, delivery fault.Delivery) {
	t.Helper()
	e, ok := err.(*fault.Error) //nolint:errorlint // the contract says *fault.Error
	if !ok || e.Kind != kind || (e.Delivery != delivery && (e.Delivery != "" || delivery != fault.NotSent)) {
		t.Errorf("got %#v, want %s, %s", err, kind, delivery)
	}
}

func cancelledBefore(t *testing.T, h Harness) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := h.Conn.Run(ctx, tmuxserver.List{Commands: []tmuxserver.Command{{"set-option", "-s", "@ran", "yes"}}})
	wantFault(t, err, fault.Cancelled, fault.NotSent)
	wantFault(t, h.Conn.Load(ctx, "x", []byte("x")), fault.Cancelled, fault.NotSent)
	if got := h.all(t, print("[#{@ran}]")); got[0] != "[]\n" || h.Buffer(t, "x") != nil {
		t.Errorf("something ran: %q", got)
	}
}

func cancelledDuring(t *testing.T, h Harness) {
	ctx, cancel := context.WithCancel(t.Context())
	endedDuring(t, h, ctx, cancel, fault.Cancelled)
}

func deadlineDuring(t *testing.T, h Harness) {
	ctx := expiring{t.Context(), make(chan struct{})}
	endedDuring(t, h, ctx, func() { close(ctx.done) }, fault.Deadline)
}

// An expiring context has a deadline that comes when its channel is closed, and so never too early on a machine under load.
type expiring struct {
	context.Context
	done chan struct{}
}

func (e expiring) Done() <-chan struct{} { return e.done }

func (e expiring) Err() error {
	select {
	case <-e.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// endedDuring runs a list that tmux begins and does not end, and ends its context then.
func endedDuring(t *testing.T, h Harness, ctx context.Context, end func(), kind fault.Kind) {
	t.Helper()
	done := make(chan error, 1)
	go func() {
		_, err := h.Conn.Run(ctx, tmuxserver.List{Commands: []tmuxserver.Command{{"set-option", "-s", "@ran", "yes"}, {"wait-for", "never"}}})
		done <- err
	}()
	for deadline := time.Now().Add(hangBound); h.all(t, print("#{@ran}"))[0] != "yes\n"; { // another list is not held up
		if time.Now().After(deadline) {
			t.Fatal("the list never ran")
		}
	}
	end()
	select {
	case err := <-done:
		wantFault(t, err, kind, fault.PossiblySent)
	case <-time.After(hangBound):
		t.Fatal("Run goes on after its context ended")
	}
	if got := h.all(t, print("next"))[0]; got != "next\n" {
		t.Errorf("the next list: %q", got)
	}
}

func manyAtOnce(t *testing.T, h Harness) {
	var wg sync.WaitGroup
	for i := range 24 {
		wg.Go(func() {
			for j := range 4 {
				want := fmt.Sprintf("%d-%d\n", i, j)
				result, err := h.Conn.Run(t.Context(), tmuxserver.List{Commands: []tmuxserver.Command{print(want[:len(want)-1]), {"list-sessions", "-F", "s"}, print("end")}})
				if err != nil || result.Replies[0].Output != want || result.Replies[2].Output != "end\n" {
					t.Errorf("%q: %+v, %v", want, result, err)
				}
			}
		})
	}
	wg.Wait()
}

func noServer(t *testing.T, h Harness) {
	h.Kill(t)
	_, err := h.Conn.Run(t.Context(), tmuxserver.List{Commands: []tmuxserver.Command{print("x")}})
	wantFault(t, err, fault.ServerGone, fault.NotSent)
	wantFault(t, h.Conn.Load(t.Context(), "x", []byte("x")), fault.ServerGone, fault.NotSent)
}
