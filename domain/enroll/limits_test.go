package enroll_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

func TestOrders(t *testing.T) {
	usual := enroll.Limits{Stdout: enroll.DefaultOutput, Stderr: enroll.DefaultOutput}
	for _, c := range []struct {
		name   string
		script string
		limits enroll.Limits
		says   string // empty: it is accepted
	}{
		{"a script", "exit 3", usual, ""},
		{"no script", "", usual, "script is empty"},
		{"the longest", strings.Repeat("x", 65536), usual, ""},
		{"a byte more", strings.Repeat("x", 65537), usual, "script has 65537 bytes"},
		{"characters count as bytes", strings.Repeat("日", 21846), usual, "script has 65538 bytes"},
		{"NUL", "echo a\x00b", usual, "NUL"},
		{"any other byte", "\x01\xff\n\t'", usual, ""},
		{"no output wanted", "true", enroll.Limits{}, ""},
		{"the most output", "true", enroll.Limits{Stdout: 262144, Stderr: 262144}, ""},
		{"a byte more of stdout", "true", enroll.Limits{Stdout: 262145}, "stdout_limit 262145"},
		{"a byte more of stderr", "true", enroll.Limits{Stderr: 262145}, "stderr_limit 262145"},
		{"less than nothing", "true", enroll.Limits{Stdout: -1}, "stdout_limit -1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			order, err := enroll.NewOrder("r", c.script, c.limits)
			if c.says == "" {
				want := enroll.Order{RunID: "r", Digest: enroll.Digest(c.script), Limits: c.limits}
				if diff := cmp.Diff(want, order); err != nil || diff != "" {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				return
			}
			if !fault.Is(err, fault.InvalidInput) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want invalid_input that says %q", err, c.says)
			}
		})
	}
}

func TestDigest(t *testing.T) {
	if got := enroll.Digest("abc"); got != "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" { // FIPS 180-4
		t.Errorf("got %s", got)
	}
}

// Whatever the outputs are, neither as text nor as base64 do they take more than was reserved for them.
func TestSerializedIsTheWorstCase(t *testing.T) {
	texts := 0
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.StringOfN(rapid.RuneFrom([]rune("a\"\\\n\t\x01\x7f\u2028é日🎉<&>")), 1, 8, -1).Draw(t, "piece")
		output := []byte(strings.Repeat(piece, rapid.IntRange(0, enroll.MaxOutput/len(piece)).Draw(t, "times")))
		reserved := enroll.Limits{Stdout: len(output)}.Serialized()
		if encoded := base64.StdEncoding.EncodedLen(len(output)); encoded > reserved {
			t.Errorf("%d bytes of base64, though %d were reserved", encoded, reserved)
		}
		if !enroll.AsText(output) {
			return
		}
		texts++
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(string(output)); err != nil {
			t.Fatal(err)
		}
		if n := text.Len() - len("\"\"\n"); n > reserved {
			t.Errorf("%d bytes of text, though %d were reserved", n, reserved)
		}
	})
	if texts == 0 {
		t.Error("nothing was text")
	}
	if most := (enroll.Limits{Stdout: enroll.MaxOutput, Stderr: enroll.MaxOutput}).Serialized(); most > 1<<20-4096 {
		t.Errorf("the most output takes %d bytes, which no answer holds", most)
	}
}
