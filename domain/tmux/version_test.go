package tmux_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestVersionOrder(t *testing.T) {
	ordered := []tmux.Version{"2.9a", "3.1c", "3.2", "3.2a", "3.3", "3.3a", "3.4", "3.5a", "3.6b", "3.7c", "next-3.8", "3.8", "3.10", "master"}
	for i, v := range ordered {
		for j, w := range ordered {
			got := v.Compare(w)
			if (got < 0) != (i < j) || (got > 0) != (i > j) {
				t.Errorf("%s compared with %s: %d", v, w, got)
			}
		}
	}
	if !tmux.Version("3.2a").AtLeast("3.2a") || tmux.Version("3.2").AtLeast("3.2a") {
		t.Error("AtLeast is not inclusive, or ignores the letter")
	}
}

func TestGenerationsDiffer(t *testing.T) {
	g := tmux.NewGeneration("/tmp/s", 1, 2)
	for _, other := range []tmux.Generation{tmux.NewGeneration("/tmp/t", 1, 2), tmux.NewGeneration("/tmp/s", 12, 2), tmux.NewGeneration("/tmp/s", 1, 3)} {
		if other == g {
			t.Errorf("two lives share generation %s", g)
		}
	}
	if tmux.NewGeneration("/tmp/s", 1, 2) != g {
		t.Error("one life has two generations")
	}
}

func TestProcessGenerationsDiffer(t *testing.T) {
	p := tmux.NewProcessGeneration("g1", 1, 2)
	for _, other := range []tmux.ProcessGeneration{
		tmux.NewProcessGeneration("g2", 1, 2), tmux.NewProcessGeneration("g1", 12, 2), tmux.NewProcessGeneration("g1", 1, 3),
	} {
		if other == p {
			t.Errorf("two processes share generation %s", p)
		}
	}
	if tmux.NewProcessGeneration("g1", 1, 2) != p {
		t.Error("one process has two generations")
	}
}
