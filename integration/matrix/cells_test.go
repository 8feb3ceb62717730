package matrix_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix"
)

func TestCells(t *testing.T) {
	cells, err := matrix.Cells("3.4=mine:3.4, 3.6b=mine:3.6b,3.1c=mine:old")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]matrix.Cell{}
	for _, cell := range cells {
		got[cell.Name] = cell
	}
	if len(got) != len(cells) {
		t.Errorf("%d cells have %d names", len(cells), len(got))
	}
	for name, want := range map[string]matrix.Cell{
		"3.1c":  {Name: "3.1c", Refused: true, Image: "mine:old", ByHand: true},
		"3.2a":  {Name: "3.2a", Base: "ubuntu:22.04", Image: "libtmux-mcp/cell:3.2a"},
		"3.3a":  {Name: "3.3a", Base: "debian:12", Suite: "bookworm", Image: "libtmux-mcp/cell:3.3a"},
		"3.4":   {Name: "3.4", Image: "mine:3.4", ByHand: true},
		"3.6b":  {Name: "3.6b", Image: "mine:3.6b", ByHand: true},
		"forky": {Name: "forky", Base: "debian:forky", Suite: "forky", Image: "libtmux-mcp/cell:forky"},
	} {
		if diff := cmp.Diff(want, got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for name, title := range map[string]string{"3.4": "tmux-3.4", "sid": "sid"} {
		if got := got[name].Title(); got != title {
			t.Errorf("the tests of %s are titled %s, want %s", name, got, title)
		}
	}
}

func TestCellsThatAreNone(t *testing.T) {
	for _, extra := range []string{"3.4", "=image", "3.4="} {
		if cells, err := matrix.Cells(extra); err == nil || !strings.Contains(err.Error(), "EXTRA_CELLS") {
			t.Errorf("EXTRA_CELLS=%s gives %v, %v, want an error that names the variable", extra, cells, err)
		}
	}
}

func TestRequired(t *testing.T) {
	cells, err := matrix.Cells("")
	if err != nil {
		t.Fatal(err)
	}
	got, err := matrix.Required("3.3a, 3.1c", cells)
	if diff := cmp.Diff(map[string]bool{"3.3a": true, "3.1c": true}, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := matrix.Required("3.3a 3.33", cells); err == nil {
		t.Errorf("a cell that does not exist was required: %v", got)
	}
}
