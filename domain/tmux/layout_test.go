package tmux_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// summed puts the checksum before the body of a layout.
func summed(body string) string { return fmt.Sprintf("%04x,%s", tmux.LayoutChecksum(body), body) }

func TestParseLayout(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want tmux.Cell
	}{
		"one pane": {"b25f,80x24,0,0,2", tmux.Cell{Width: 80, Height: 24, Pane: "%2"}},
		"two below each other": {"c195,80x24,0,0[80x12,0,0,0,80x11,0,13,1]", tmux.Cell{Width: 80, Height: 24, Cells: []tmux.Cell{
			{Width: 80, Height: 12, Pane: "%0"}, {Width: 80, Height: 11, Top: 13, Pane: "%1"},
		}}},
		"without the numbers of panes": {summed("80x24,0,0{40x24,0,0,39x24,41,0}"), tmux.Cell{Width: 80, Height: 24, Across: true, Cells: []tmux.Cell{
			{Width: 40, Height: 24}, {Width: 39, Height: 24, Left: 41},
		}}},
		"nested": {summed("80x24,0,0{40x24,0,0,39x24,41,0[39x12,41,0,7,39x11,41,13,8]}"), tmux.Cell{Width: 80, Height: 24, Across: true, Cells: []tmux.Cell{
			{Width: 40, Height: 24}, {Width: 39, Height: 24, Left: 41, Cells: []tmux.Cell{
				{Width: 39, Height: 12, Left: 41, Pane: "%7"}, {Width: 39, Height: 11, Left: 41, Top: 13, Pane: "%8"},
			}},
		}}},
	} {
		got, err := tmux.ParseLayout(c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if written := got.String(); written != c.text {
			t.Errorf("%s: written again it is %s, want %s", name, written, c.text)
		}
	}
	if cell, err := tmux.ParseLayout(summed("80x24,0,0{40x24,0,0,39x24,41,0[39x12,41,0,39x11,41,13]}")); err != nil || cell.Panes() != 3 {
		t.Errorf("%d panes, %v; want 3", cell.Panes(), err)
	}
}

func TestLayoutsThatAreNone(t *testing.T) {
	for name, c := range map[string]struct{ text, says string }{
		"nothing":                {"", "no layout string"},
		"a name":                 {"even-sideways", "no layout string"},
		"another checksum":       {"b25e,80x24,0,0,2", "checksum"},
		"an upper-case checksum": {"B25F,80x24,0,0,2", "checksum"},
		"no size":                {summed("80,0,0"), "no cell"},
		"a sign":                 {summed("-80x24,0,0"), "no cell"},
		"a leading zero":         {summed("080x24,0,0"), "no cell"},
		"beyond all numbers":     {summed("99999999999999999999x24,0,0"), "no cell"},
		"no room":                {summed("0x24,0,0"), "no room"},
		"too much room":          {summed("80x10001,0,0"), "too much"},
		"elsewhere":              {summed("80x24,1,0"), "does not begin"},
		"more":                   {summed("80x24,0,0,2,3"), "goes on"},
		"a format":               {summed("80x24,0,0#(touch X)"), "goes on"},
		"not closed":             {summed("80x24,0,0{40x24,0,0,39x24,41,0"), "not closed"},
		"wrongly closed":         {summed("80x24,0,0{40x24,0,0,39x24,41,0]"), "not closed"},
		"empty brackets":         {summed("80x24,0,0{}"), "no cell"},
		"a single cell":          {summed("80x24,0,0{80x24,0,0}"), "single"},
		"overlapping":            {summed("80x24,0,0{40x24,0,0,40x24,40,0}"), "beside"},
		"leaving room":           {summed("80x24,0,0{40x24,0,0,38x24,41,0}"), "fill"},
		"too wide":               {summed("80x24,0,0{40x24,0,0,40x24,41,0}"), "fill"},
		"of another height":      {summed("80x24,0,0{40x24,0,0,39x23,41,0}"), "fit"},
		"floating panes":         {summed("80x24,0,0<40x12,0,0>"), "goes on"},
		"too deep":               {summed(strings.Repeat("80x24,0,0{", 100)), "too deep"},
		"too long":               {summed(strings.Repeat("80x24,0,0{", 2000)), "no layout string"},
	} {
		if _, err := tmux.ParseLayout(c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want that it says %q", name, err, c.says)
		}
	}
}

func TestCheckOption(t *testing.T) {
	for _, c := range []struct {
		name, value string
		level       tmux.Kind
		says        string // of the refusal; empty: it may be set
	}{
		{"mouse", "on", tmux.KindSession, ""},
		{"mouse", "off", "", ""},
		{"mouse", "maybe", "", "one of"},
		{"mouse", "on", tmux.KindPane, "a pane"},
		{"history-limit", "5000", "", ""},
		{"history-limit", "-1", "", "a number"},
		{"history-limit", "1000001", "", "a number"},
		{"history-limit", "5e3", "", "a number"},
		{"history-limit", "5000", tmux.KindWindow, "a window"},
		{"remain-on-exit", "failed", tmux.KindPane, ""},
		{"remain-on-exit", "failed", tmux.KindSession, "a session"},
		{"synchronize-panes", "on", tmux.KindWindow, ""},
		{"synchronize-panes", "on", "", "whole server"},
		{"monitor-activity", "on", tmux.KindWindow, ""},
		{"@mine", "#(touch X)", tmux.KindPane, ""},
		{"@mine", "", "", ""},
		{"@", "x", "", "none of the options"},
		{"@a b", "x", "", "none of the options"},
		{"@a[0]", "x", "", "none of the options"},
		{"status", "off", "", "none of the options"},
		{"default-command", "id", "", "none of the options"},
		{"mou", "on", "", "none of the options"}, // tmux would take it for mouse
	} {
		err := tmux.CheckOption(c.name, c.value, c.level)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %q of %q: got %v, want that it says %q", c.name, c.value, c.level, err, c.says)
		}
	}
}
