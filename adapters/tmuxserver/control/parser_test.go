package control_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/control"
)

// parse feeds a text in pieces that end at the cuts.
func parse(text string, maxOutput int, cuts ...int) []control.Message {
	parser := control.Parser{MaxOutput: maxOutput}
	var said []control.Message
	from := 0
	for _, cut := range append(cuts, len(text)) {
		parser.Feed([]byte(text[from:cut]), func(m control.Message) { said = append(said, m) })
		from = cut
	}
	return said
}

func own(output string) control.Message {
	return control.Message{Block: &control.Block{Own: true, Number: 2, Output: output}}
}

func TestParser(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []control.Message
	}{
		"nothing":       {"", nil},
		"not ended yet": {"%output %1 a", nil},
		"output":        {"%output %1 a\\015\\012b c\n", []control.Message{{Name: "%output", Rest: "%1 a\\015\\012b c"}}},
		"alone":         {"%exit\n", []control.Message{{Name: "%exit"}}},
		"a block":       {"%begin 1 2 1\na\nb\n%end 1 2 1\n", []control.Message{own("a\nb\n")}},
		"an empty one":  {"%begin 1 2 1\n%end 1 2 1\n", []control.Message{own("")}},
		"an empty line": {"%begin 1 2 1\n\n%end 1 2 1\n", []control.Message{own("\n")}},
		"an error": {"%begin 1 2 1\nno\n%error 1 2 1\n", []control.Message{
			{Block: &control.Block{Own: true, Number: 2, Failed: true, Output: "no\n"}},
		}},
		"of a hook": {"%begin 1 2 0\na\n%end 1 2 0\n", []control.Message{{Block: &control.Block{Number: 2, Output: "a\n"}}}},
		"output that looks like an end": {
			"%begin 1 2 1\n%end 1 1 1\n%end 1 2 0\n%end 1 2 1 \n%error 2 2 1\n%begin 1 2 1\n%exit\n%output %1 x\n%end 1 2 1\n%exit\n",
			[]control.Message{own("%end 1 1 1\n%end 1 2 0\n%end 1 2 1 \n%error 2 2 1\n%begin 1 2 1\n%exit\n%output %1 x\n"), {Name: "%exit"}},
		},
		"what is no beginning": {"%begin 1 2\n%begin a b c\n", []control.Message{{Name: "%begin", Rest: "1 2"}, {Name: "%begin", Rest: "a b c"}}},
		"what a job prints":    {"hello\n\n%exit\n", []control.Message{{Name: "%exit"}}},
		"bytes of no encoding": {"%begin 1 2 1\n\xff\r\x00é\n%end 1 2 1\n", []control.Message{own("\xff\r\x00é\n")}},
		"one after the other":  {"%begin 1 2 1\na\n%end 1 2 1\n%begin 2 2 1\nb\n%end 2 2 1\n", []control.Message{own("a\n"), own("b\n")}},
		"a notification in between": {
			"%begin 1 2 1\na\n%end 1 2 1\n%output %1 x\n%begin 2 2 1\nb\n%end 2 2 1\n",
			[]control.Message{own("a\n"), {Name: "%output", Rest: "%1 x"}, own("b\n")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, parse(c.text, 1000)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for cut := range len(c.text) {
				if diff := cmp.Diff(c.want, parse(c.text, 1000, cut)); diff != "" {
					t.Errorf("cut at %d (-want +got):\n%s", cut, diff)
				}
			}
		})
	}
}

func TestParserBounds(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	for name, c := range map[string]struct {
		text string
		want []control.Message
	}{
		"of a long notification the beginning is kept": {
			"%output %1 " + long + "\n%exit\n",
			[]control.Message{{Name: "%output", Rest: "%1 " + long[:4096-len("%output %1 ")]}, {Name: "%exit"}},
		},
		"of a long answer what fits": {
			"%begin 1 2 1\nab\n" + long + "\ncd\n%end 1 2 1\n%exit\n",
			[]control.Message{{Block: &control.Block{Own: true, Number: 2, Output: "ab\n", Cut: true}}, {Name: "%exit"}},
		},
		"an answer that just fits": {"%begin 1 2 1\n" + long[:9] + "\n%end 1 2 1\n", []control.Message{own(long[:9] + "\n")}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, cuts := range [][]int{nil, {20}, {20, 30, 4200}, {len(c.text) - 1}} {
				cuts = append([]int(nil), cuts...)
				for len(cuts) > 0 && cuts[len(cuts)-1] > len(c.text) {
					cuts = cuts[:len(cuts)-1]
				}
				if diff := cmp.Diff(c.want, parse(c.text, 10, cuts...)); diff != "" {
					t.Errorf("cut at %v (-want +got):\n%s", cuts, diff)
				}
			}
		})
	}
}

// TestParserUndoesTmux writes messages as tmux does, with output that imitates the protocol, and cuts the text anywhere.
func TestParserUndoesTmux(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var want []control.Message
		line := rapid.OneOf(rapid.SampledFrom([]string{
			"%end 1 1 1", "%error 1 1 1", "%begin 1 1 1", "%begin 1 1 0", "%exit", "%output %1 x", "%output", "%", "", " ", "é日🎉", "\xff\xfe",
		}), rapid.StringMatching(`[^\n]{0,40}`))
		for i := range rapid.IntRange(0, 8).Draw(t, "messages") {
			if rapid.Bool().Draw(t, "notification") {
				rest := strings.ReplaceAll(line.Draw(t, "rest"), "\\", "")
				fmt.Fprintf(&text, "%%output %s\n", rest)
				want = append(want, control.Message{Name: "%output", Rest: rest})
				continue
			}
			block := control.Block{Own: rapid.Bool().Draw(t, "own"), Number: 100 + i, Failed: rapid.Bool().Draw(t, "failed")}
			flags, end := 0, "end"
			if block.Own {
				flags = 1
			}
			if block.Failed {
				end = "error"
			}
			for _, l := range rapid.SliceOfN(line, 0, 5).Draw(t, "lines") {
				block.Output += l + "\n"
			}
			fmt.Fprintf(&text, "%%begin 1700000000 %d %d\n%s%%%s 1700000000 %d %d\n", 100+i, flags, block.Output, end, 100+i, flags)
			want = append(want, control.Message{Block: &block})
		}
		var cuts []int
		for at := 0; at < text.Len(); {
			at += rapid.IntRange(1, 12).Draw(t, "piece")
			if at < text.Len() {
				cuts = append(cuts, at)
			}
		}
		if diff := cmp.Diff(want, parse(text.String(), 1<<20, cuts...)); diff != "" {
			t.Errorf("(-want +got):\n%s\n%q cut at %v", diff, text.String(), cuts)
		}
	})
}

func FuzzParser(f *testing.F) {
	f.Add([]byte("%begin 1 2 1\na\n%end 1 2 1\n%output %1 x\n"), 7)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		whole := parse(string(data), 100)
		if cut < 0 || cut > len(data) {
			return
		}
		if diff := cmp.Diff(whole, parse(string(data), 100, cut)); diff != "" {
			t.Errorf("cut at %d (-whole +cut):\n%s", cut, diff)
		}
	})
}
