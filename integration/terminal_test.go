//go:build integration

package integration_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake/streamtest"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The fake's terminal shows what a real one does, stream by stream. The adapter for a real tmux, which has to find out where
// lines begin, says the same as the fake, which knows it.
func TestTerminalShowsStreamsAsTmuxDoes(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := newPairedServer(t, binary)
		adapter := cliServer(t, server.realServer)
		for _, stream := range streamtest.Streams() {
			t.Run(stream.Name, func(t *testing.T) {
				pair := server.pair(t)
				defer pair.close()
				pair.play(t, stream.Steps)
				if diff := cmp.Diff(pair.showReal(t), pair.showFake(t)); diff != "" {
					t.Fatalf("real (-) and fake (+) differ:\n%s\n%v", diff, pair.world)
				}
				lines := func(reader ports.Reader, pane tmux.PaneID) (rows []string, starts []int) {
					got := capture(t, reader, ports.CaptureRequest{Pane: pane, History: ports.AllHistory, Join: true, Starts: true})
					return got.Rows, got.Starts
				}
				realRows, realStarts := lines(adapter, tmux.PaneID(pair.real))
				fakeRows, fakeStarts := lines(pair.world, pair.faked)
				if diff := cmp.Diff(realRows, fakeRows); diff != "" {
					t.Errorf("lines of real (-) and fake (+):\n%s", diff)
				}
				if diff := cmp.Diff(realStarts, fakeStarts); diff != "" {
					t.Errorf("starts of real (-) and fake (+):\n%s", diff)
				}
			})
		}
	})
}

// randomBound is how long random streams are compared, for each tmux.
const randomBound = 10 * time.Second

func TestTerminalShowsRandomStreamsAsTmuxDoes(t *testing.T) {
	eachTmux(t, func(t *testing.T, binary string) {
		server := newPairedServer(t, binary)
		begin, compared, differ := time.Now(), 0, false
		rapid.Check(t, func(t *rapid.T) {
			steps := rapid.SliceOfN(randomStep(server.version), 1, 4).Draw(t, "steps")
			if time.Since(begin) > randomBound && !differ { // what differs is made smaller without a bound
				return
			}
			pair := server.pair(t)
			defer pair.close()
			pair.play(t, steps)
			if diff := cmp.Diff(pair.showReal(t), pair.showFake(t)); diff != "" {
				differ = true
				t.Fatalf("real (-) and fake (+) differ:\n%s\n%v", diff, pair.world)
			}
			compared++
		})
		if compared == 0 {
			t.Fatal("nothing was compared")
		}
		t.Logf("%d streams compared", compared)
	})
}

func randomStep(version tmux.Version) *rapid.Generator[streamtest.Step] {
	text := rapid.SliceOfN(randomSequence(version), 1, 14)
	print := rapid.Custom(func(t *rapid.T) streamtest.Step {
		return streamtest.Step{Print: strings.Join(text.Draw(t, "text"), "")}
	})
	resize := rapid.Custom(func(t *rapid.T) streamtest.Step {
		return streamtest.Step{Width: rapid.IntRange(4, 24).Draw(t, "width"), Height: rapid.IntRange(2, 10).Draw(t, "height")}
	})
	return rapid.OneOf(print, print, resize)
}

// randomSequence is one piece of a stream: text, or a sequence with numbers inside, at and beyond the screen's edges. What the
// fake's package comment excepts is left out.
func randomSequence(version tmux.Version) *rapid.Generator[string] {
	number := rapid.OneOf(
		rapid.Just(""), rapid.Map(rapid.IntRange(0, 8), strconv.Itoa), rapid.SampledFrom([]string{"20", "99"}),
	)
	control := func(finals string) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			text := "\x1b[" + number.Draw(t, "first")
			if rapid.IntRange(0, 3).Draw(t, "more") == 0 {
				text += ";" + number.Draw(t, "second")
			}
			return text + string(rapid.SampledFrom([]byte(finals)).Draw(t, "final"))
		})
	}
	joined := []string{"❤\ufe0f", "\ufe0f", "\u200d", "👩\u200d🚀"}
	if version.AtLeast("3.3") && !version.AtLeast("3.4") {
		joined = joined[:2] // whether a joiner joins depends on how its bytes are read
	}
	return rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,14}`),
		rapid.StringMatching(`[a-z ]{1,30}`),
		rapid.SampledFrom([]string{"日", "本語", "é", "e\u0301", "\u0301", "🎉", "한글", "\u200b", "👍\U0001f3fd"}),
		rapid.SampledFrom(joined),
		rapid.SampledFrom([]string{"\n", "\n", "\n", "\r", "\b", "\t", "\v", "\x1bD", "\x1bM", "\x1bE"}),
		rapid.SampledFrom([]string{"\x1b7", "\x1b8", "\x1b#8", "\x1bH", "\x1bc", "\x1b[4h", "\x1b[4l", "\x1b[s", "\x1b[u"}),
		control("ABCDEFGHd`f"),
		control("H"),
		control("JKXP@LMSTZbg"),
		control("r"),
		rapid.SampledFrom([]string{
			"\x1b[?6h", "\x1b[?6l", "\x1b[?7h", "\x1b[?7l", "\x1b[?47h", "\x1b[?47l", "\x1b[?1047h", "\x1b[?1047l",
			"\x1b[?1049h", "\x1b[?1049l", "\x1b[?3h", "\x1b[?25l", "\x1b[?2004h",
			"\x1b[41m", "\x1b[m", "\x1b[31m", "\x1b[38;5;3m", "\x1b[48:2::1:2:3m",
		}),
		rapid.SampledFrom([]string{
			"\x1bkn\x1b\\", "\x1bPtmux;\x1b\x1b[2J\x1b\\", "\x1b]2;Мир\x07", "\x1b_a\x1b\\", "\x1b^b\x1b\\", "\x1bXc\x1b\\",
			"\x1b(0", "\x1b(B", "\x0e", "\x0f", "\xff", "\xc3", "\xe6\x97", "\x9b", "\x7f", "\x1b[22;2t", "\x1b[23;2t",
			"\x1b[6n", "\x1b[c", "\x1b[>c", "\x1b[1:2H", "\x1b[1 q", "\x1b[!p", "\x1b[5;5;5r",
		}),
	)
}
