package app_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
	"github.com/libtmux-mcp/libtmux-mcp/ports/porttest"
)

func TestSearchPanes(t *testing.T) {
	for _, c := range []struct {
		name    string
		in      app.SearchPanesIn
		want    []string // pane and line
		stopped []string
	}{
		{"literal", app.SearchPanesIn{Pattern: "FAIL ("}, []string{"%0 FAIL (1)", "%2 FAIL (2)"}, nil},
		{"a regular expression", app.SearchPanesIn{Pattern: `^FAIL \(\d\)$`, Regex: true}, []string{"%0 FAIL (1)", "%2 FAIL (2)"}, nil},
		{"in a session", app.SearchPanesIn{Pattern: "FAIL", SessionID: "$1"}, []string{"%2 FAIL (2)"}, nil},
		{"in a window", app.SearchPanesIn{Pattern: "FAIL", WindowID: "@0"}, []string{"%0 FAIL (1)"}, nil},
		{"nowhere", app.SearchPanesIn{Pattern: "#{pid}"}, nil, nil},
		{"what scrolled away", app.SearchPanesIn{Pattern: "line 10", History: 100}, []string{"%1 line 10"}, nil},
		{"the newest of each pane", app.SearchPanesIn{Pattern: "line", MaxMatchesPerPane: 2}, []string{"%1 line 39", "%1 line 40"}, []string{"matches_per_pane"}},
		{"the first of all", app.SearchPanesIn{Pattern: "FAIL", MaxMatches: 1}, []string{"%0 FAIL (1)"}, []string{"matches"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				first := h.world.AddSession("main", "record")
				second := h.world.AddWindow("$0", "numbers", "record")
				h.world.Print(first, "FAIL (1)\r\n")
				for i := range 40 {
					h.world.Print(second, fmt.Sprintf("line %d\r\n", i+1))
				}
				h.world.Print(h.world.AddSession("other", "record"), "FAIL (2)\r\n")
				out, err := h.app.SearchPanes(h.Context(), c.in)
				if err != nil {
					h.Fatal(err)
				}
				got := lo.Map(out.Matches, func(m app.MatchRow, _ int) string { return m.PaneID + " " + m.Line })
				if diff := cmp.Diff(slices.Clip(append([]string{}, c.want...)), got); diff != "" {
					h.Errorf("matches (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(append([]string{}, c.stopped...), out.StoppedBy); diff != "" || out.Truncated != (len(c.stopped) > 0) || out.Total != len(got) {
					h.Errorf("%+v; limits (-want +got):\n%s", out, diff)
				}
			})
		})
	}
}

func TestSearchSaysWhatItLeftOut(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.Print(h.world.AddSession("main", "record"), "needle é"+strings.Repeat("日", 24)+"\r\n")
		hooked := h.world.AddSession("hooked", "record")
		h.world.SetOption(string(hooked), "after-capture-pane", "run-shell true")
		out, err := h.app.SearchPanes(h.Context(), app.SearchPanesIn{Pattern: "needle"})
		if err != nil || len(out.Matches) != 1 || len(out.Skipped) != 1 || out.Skipped[0].PaneID != string(hooked) || out.PanesSearched != 1 {
			h.Errorf("%+v, %v", out, err)
		}
		for range 200 {
			h.world.AddWindow("$0", "", "record")
		}
		out, err = h.app.SearchPanes(h.Context(), app.SearchPanesIn{Pattern: "needle"})
		if diff := cmp.Diff([]string{"panes"}, out.StoppedBy); err != nil || diff != "" || out.PanesSearched != 199 {
			h.Errorf("%d panes, %v; limits (-want +got):\n%s", out.PanesSearched, err, diff)
		}
		for _, in := range []app.SearchPanesIn{{}, {Pattern: "(", Regex: true}, {Pattern: "x", SessionID: "0"}} {
			_, err := h.app.SearchPanes(h.Context(), in)
			h.wantFault(err, fault.InvalidInput, "")
		}
	})
}

// However slow tmux is, the search ends within its time with what it has.
func TestSearchEndsInTime(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		for i := range 20 {
			h.world.AddSession(fmt.Sprint(i), "record")
		}
		slow := porttest.NewFaulty(porttest.Ports{Reader: h.world})
		slow.Inject("Lines", porttest.Fault{Delay: 1500 * time.Millisecond})
		a := app.New(app.Ports{Reader: slow, Processes: h.world}, app.Options{})
		defer a.Close()
		var out any
		var err error
		took := elapsed(func() { out, err = a.Call(h.Context(), "search_panes", []byte(`{"pattern":"x"}`)) })
		if err != nil || took > 5*time.Second {
			h.Fatalf("%v after %v", err, took)
		}
		found := out.(app.SearchPanesOut)
		if diff := cmp.Diff([]string{"time"}, found.StoppedBy); diff != "" || found.PanesSearched != 2 {
			h.Errorf("%d panes in %v; limits (-want +got):\n%s", found.PanesSearched, took, diff)
		}
	})
}

// A tall tmux shows in each pane the same lines, of which there are many.
type tall struct {
	ports.Reader
	rows []string
}

func (r tall) Lines(_ context.Context, request ports.LinesRequest) iter.Seq[ports.Lines] {
	return func(yield func(ports.Lines) bool) {
		for _, pane := range request.Panes {
			if !yield(ports.Lines{Pane: pane, Rows: r.rows, Starts: make([]int, len(r.rows))}) {
				return
			}
		}
	}
}

// A limit of all panes together ends the search after the pane in which it is reached, if more would follow.
func TestSearchIsBounded(t *testing.T) {
	for _, c := range []struct {
		name     string
		panes    int
		rows     []string
		searched int
		stopped  []string
	}{
		{"as much as may be", 4, slices.Repeat([]string{"x"}, 50_000), 4, []string{}},
		{"lines", 5, slices.Repeat([]string{"x"}, 50_000), 4, []string{"lines"}},
		{"bytes", 5, slices.Repeat([]string{strings.Repeat("x", 1<<10)}, 4<<10), 4, []string{"bytes"}},
		{"both", 5, slices.Repeat([]string{strings.Repeat("x", 1<<10)}, 200_000), 1, []string{"lines", "bytes"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				for i := range c.panes {
					h.world.AddSession(fmt.Sprint(i), "record")
				}
				a := app.New(app.Ports{Reader: tall{h.world, c.rows}, Processes: h.world}, app.Options{})
				defer a.Close()
				out, err := a.SearchPanes(h.Context(), app.SearchPanesIn{Pattern: "needle"})
				if diff := cmp.Diff(c.stopped, out.StoppedBy); err != nil || diff != "" || out.PanesSearched != c.searched || out.Truncated != (len(c.stopped) > 0) {
					h.Errorf("%d panes, truncated %t, %v; limits (-want +got):\n%s", out.PanesSearched, out.Truncated, err, diff)
				}
			})
		})
	}
}
