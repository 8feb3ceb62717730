package app_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// batch makes a batch that as such must succeed.
func (h *house) batch(a *app.App, arguments string) app.CallReadToolsBatchOut {
	h.Helper()
	out, err := a.Call(h.Context(), "call_read_tools_batch", json.RawMessage(arguments))
	if err != nil {
		h.Fatalf("%s: %v", arguments, err)
	}
	return out.(app.CallReadToolsBatchOut)
}

// codes are the tools of a batch's rows, each with the code of its error.
func codes(out app.CallReadToolsBatchOut) []string {
	return lo.Map(out.Results, func(row app.BatchRow, _ int) string {
		if row.Error == nil {
			return row.Tool
		}
		return row.Tool + " " + string(row.Error.Code)
	})
}

func TestABatch(t *testing.T) {
	for _, c := range []struct {
		name, arguments string
		want            []string
	}{
		{
			"in order",
			`{"calls":[{"tool":"list_panes"},{"tool":"capture_pane","arguments":{"pane_id":"%0"}},{"tool":"list_sessions","arguments":{}}]}`,
			[]string{"list_panes", "capture_pane", "list_sessions"},
		},
		{
			"an error stops",
			`{"calls":[{"tool":"get_pane_info","arguments":{"pane_id":"%9"}},{"tool":"list_panes"}]}`,
			[]string{"get_pane_info not_found"},
		},
		{
			"or not, whatever is wrong",
			`{"on_error":"continue","calls":[{"tool":"get_pane_info","arguments":{"pane_id":"%9"}},{"tool":"get_pane_info","arguments":{"pane_id":0}},
			  {"tool":"get_pane_info","arguments":{"pane_id":"%0","x":1}},{"tool":"get_pane_info"},{"tool":"none"},{"tool":"list_panes"}]}`,
			[]string{
				"get_pane_info not_found", "get_pane_info invalid_input", "get_pane_info invalid_input", "get_pane_info invalid_input",
				"none invalid_input", "list_panes",
			},
		},
		{
			"what is wrong within arguments is wrong with their call alone",
			`{"on_error":"continue","calls":[{"tool":"get_pane_info","arguments":{"pane_id":"%0","pane_id":"%0"}},{"tool":"get_pane_info","arguments":{"pane_id":null}},
			  {"tool":"search_panes","arguments":{"pattern":"\u0000"}},{"tool":"search_panes","arguments":{"pattern":"\ud800"}},
			  {"tool":"search_panes","arguments":{"pattern":"` + "\xff" + `"}},{"tool":"search_panes","arguments":{"pattern":{"a":[{}]}}},
			  {"tool":"list_panes","arguments":{}}]}`,
			[]string{
				"get_pane_info invalid_input", "get_pane_info invalid_input", "search_panes invalid_input", "search_panes invalid_input",
				"search_panes invalid_input", "search_panes invalid_input", "list_panes",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.world.AddSession("main")
				if _, err := h.call("list_panes", "{}"); err != nil {
					h.Fatal(err)
				}
				out := h.batch(h.app, c.arguments)
				if diff := cmp.Diff(c.want, codes(out)); diff != "" {
					t.Errorf("rows (-want +got):\n%s", diff)
				}
				failed := lo.CountBy(c.want, func(row string) bool { return strings.Contains(row, " ") })
				if calls := strings.Count(c.arguments, `"tool"`); out.Failed != failed || out.Total != calls || out.Truncated {
					t.Errorf("got %d of %d failed, truncated %t; want %d of %d", out.Failed, out.Total, out.Truncated, failed, calls)
				}
			})
		})
	}
}

func TestBatchesThatCannotBe(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.AddSession("main")
		one := `{"tool":"list_panes"}`
		for name, c := range map[string]struct{ arguments, says string }{
			"no call":             {`{"calls":[]}`, "calls must be a list of 1 to 16 items, not one of 0"},
			"too many":            {`{"calls":[` + strings.Repeat(one+",", 16) + one + `]}`, "calls must be a list of 1 to 16 items"},
			"no tool":             {`{"calls":[{"arguments":{}}]}`, "calls[0].tool is missing"},
			"another word":        {`{"calls":[` + one + `],"on_error":"ignore"}`, "on_error must be"},
			"a list":              {`{"calls":[{"tool":"list_panes","arguments":[]}]}`, "calls[0].arguments must be an object"},
			"what is no argument": {`{"calls":[{"tool":"list_panes","argument":{}}]}`, `unknown argument "calls[0].argument"`},
		} {
			_, err := h.call("call_read_tools_batch", c.arguments)
			if f := h.wantFault(err, fault.InvalidInput, ""); !strings.Contains(f.Message, c.says) {
				t.Errorf("%s: %q does not say %q", name, f.Message, c.says)
			}
		}
		_, err := h.app.CallReadToolsBatch(h.Context(), app.CallReadToolsBatchIn{Calls: make([]app.BatchCall, 17)})
		h.wantFault(err, fault.InvalidInput, "")
	})
}

func TestABatchAnswersAsItsToolsDo(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.AddSession("main")
		if _, err := h.call("list_panes", "{}"); err != nil {
			h.Fatal(err)
		}
		for _, arguments := range []string{`{"pane_id":"%0"}`, `{"pane_id":"%9"}`, `{"pane_id":"0"}`, `{"pane_id":"%0","max_lines":1.0}`, `{}`} {
			got := h.batch(h.app, `{"calls":[{"tool":"capture_pane","arguments":`+arguments+`}]}`).Results[0]
			alone, err := h.app.Answer(h.Context(), "capture_pane", json.RawMessage(arguments))
			want := app.BatchRow{Tool: "capture_pane", Result: alone}
			if err != nil {
				want.Error = new(app.Tool{}.Failure(err))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-alone +in a batch):\n%s", arguments, diff)
			}
		}
	})
}

// A batch reaches what is on offer, looks only and does not wait: the row of a tool decides, also of one that comes later.
func TestWhatABatchReaches(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.AddSession("main")
		rows := lo.KeyBy(h.app.Tools(), func(tool app.Tool) string { return tool.Name })
		excluded := "show_environment"
		a := h.offering(frozen(t, app.Members(), surface.Wish{Exclude: excluded, Toolsets: new("inspect,manage,execute,teardown")}, ""))
		before, reached := h.world.String(), 0
		for _, m := range app.Members() {
			out := h.batch(a, fmt.Sprintf(`{"calls":[{"tool":%q}]}`, m.Name))
			denied := len(out.Results) == 1 && out.Results[0].Error != nil && strings.Contains(out.Results[0].Error.Message, "reaches no tool")
			row := rows[m.Name]
			want := m.Toolset != surface.Inspect || row.Waits || m.Name == excluded || m.Name == "call_read_tools_batch"
			if denied != want {
				t.Errorf("%s is denied: %t, want %t: %+v", m.Name, denied, want, out.Results)
			}
			if !denied {
				reached++
				if row.Effect != surface.Observe || row.Reach != surface.ReachNone {
					t.Errorf("a batch reaches %s, which does more than to look", m.Name)
				}
			}
			if denied && slices.Contains(strings.FieldsFunc(out.Results[0].Error.Recovery, func(r rune) bool { return strings.ContainsRune(" ,:", r) }), m.Name) {
				t.Errorf("%s: recovery %q", m.Name, out.Results[0].Error.Recovery)
			}
		}
		if reached < 10 || h.world.String() != before {
			t.Errorf("%d tools are reached, and the world is now\n%s", reached, h.world)
		}
	})
}

func TestABatchHasTheRoomOfOneAnswer(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.world.AddSession("main")
		h.world.Print("%0", strings.Repeat(strings.Repeat("x", 79)+"\r\n", 500))
		var audited []string
		a := app.New(h.ports(h.world), app.Options{MaxResultBytes: 64 << 10, Audit: func(e app.AuditEntry) { audited = append(audited, e.Tool+" "+e.Outcome) }})
		defer a.Close()
		if _, err := a.Call(h.Context(), "list_panes", nil); err != nil {
			h.Fatal(err)
		}
		audited = nil
		large := `{"tool":"capture_pane","arguments":{"pane_id":"%0","history":500,"max_lines":500,"max_bytes":32768}}`
		calls := `{"on_error":"continue","calls":[` + large + "," + large + `,{"tool":"list_panes"}]}`
		out := h.batch(a, calls)
		if diff := cmp.Diff([]string{"capture_pane", "capture_pane capacity", "list_panes"}, codes(out)); diff != "" || !out.Truncated || out.Failed != 1 {
			t.Errorf("%+v\n%s", out, diff)
		}
		want := []string{"capture_pane ok", "capture_pane capacity", "list_panes ok", "call_read_tools_batch ok"}
		if diff := cmp.Diff(want, audited); diff != "" {
			t.Errorf("audit (-want +got):\n%s", diff)
		}
		if encoded, err := a.Answer(h.Context(), "call_read_tools_batch", json.RawMessage(calls)); err != nil || len(encoded) > 64<<10 {
			t.Errorf("%d bytes, %v", len(encoded), err)
		}
	})
}

func TestAnAnswerHasACeiling(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		var audited []string
		small := func(bytes int) *app.App {
			a := app.New(h.ports(h.world), app.Options{MaxResultBytes: bytes, Audit: func(e app.AuditEntry) {
				audited = append(audited, strings.Join([]string{e.Tool, e.Outcome, string(e.Delivery)}, " "))
			}})
			h.Cleanup(a.Close)
			return a
		}
		whole, err := h.app.Answer(h.Context(), "list_panes", nil)
		if err != nil {
			h.Fatal(err)
		}
		if _, err := small(len(whole)).Answer(h.Context(), "list_panes", nil); err != nil {
			t.Errorf("at the ceiling: %v", err)
		}
		_, err = small(len(whole)-1).Call(h.Context(), "list_panes", nil)
		if f := h.wantFault(err, fault.Capacity, ""); !strings.Contains(f.Recovery, "ask for less") {
			t.Errorf("got %+v", f)
		}
		_, err = small(10).Answer(h.Context(), "create_session", nil)
		if f := h.wantFault(err, fault.Capacity, ""); f.Delivery != fault.Observed || !strings.Contains(f.Recovery, "do not repeat it") {
			t.Errorf("after a change: %+v", f)
		}
		if diff := cmp.Diff([]string{"list_panes ok ", "list_panes capacity not_sent", "create_session capacity observed"}, audited); diff != "" {
			t.Errorf("audit (-want +got):\n%s", diff)
		}
	})
}
