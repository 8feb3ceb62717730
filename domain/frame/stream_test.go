package frame_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/frame"
)

func TestNewStream(t *testing.T) {
	for name, c := range map[string]struct {
		newest string
		total  int64
		want   string
	}{
		"all of it":                     {"я日", 5, "я日"},
		"all of it, no text":            {"\x8f\xd1\x8f", 3, "\x8f\xd1\x8f"},
		"cut between characters":        {"日", 9, "日"},
		"cut through two bytes":         {"\x8fя", 9, "я"},
		"cut after the first of three":  {"\x97\xa5日", 9, "日"},
		"cut after the first of four":   {"\x9f\x8e\x89x", 9, "x"},
		"nothing but a piece":           {"\x8e\x89", 9, "\x8e\x89"},
		"no text behind the cut":        {"\x8fя\xff", 9, "\x8fя\xff"},
		"no text at the cut":            {"\xff\xfeя", 9, "\xff\xfeя"},
		"more than the cut can leave":   {"\x80\x80\x80\x80x", 9, "\x80\x80\x80\x80x"},
		"a character that is not whole": {"\x8fя\xd1", 9, "\x8fя\xd1"},
		"nothing":                       {"", 9, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := frame.NewStream([]byte(c.newest), c.total)
			if diff := cmp.Diff(frame.Stream{Data: []byte(c.want), Total: c.total}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
