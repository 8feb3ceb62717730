package app_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// call calls a tool as a client does.
func (h *house) call(tool, arguments string) (any, error) {
	return h.app.Call(h.Context(), tool, json.RawMessage(arguments))
}

// twoSessions has main ($0) with @0 (panes %0 and %1) and @1 (%2), and other ($1) with @2 (%3) and @1 too.
func (h *house) twoSessions() {
	first := h.world.AddSession("main")
	h.world.Split(first)
	h.world.AddWindow("$0", "shared")
	h.world.AddSession("other")
	h.world.Link("@1", "$1")
}

func TestManaging(t *testing.T) {
	for _, c := range []struct {
		name, tool, arguments string
		want                  any // nil: InvalidInput
	}{
		{"a session's name", "rename", `{"target_id":"$0","name":"#(touch X)"}`, app.RenameOut{TargetID: "$0", Name: "#(touch X)"}},
		{"a window's name", "rename", `{"target_id":"@0","name":"-t"}`, app.RenameOut{TargetID: "@0", Name: "-t"}},
		{"a title", "rename", `{"target_id":"%1","name":""}`, app.RenameOut{TargetID: "%1"}},
		{"no name", "rename", `{"target_id":"@0","name":""}`, nil},
		{"a name with a colon", "rename", `{"target_id":"$0","name":"a:b"}`, nil},
		{"a name with a newline", "rename", `{"target_id":"@0","name":"a\nb"}`, nil},
		{"the name of another session", "rename", `{"target_id":"$0","name":"other"}`, nil},
		{"an index", "rename", `{"target_id":"0","name":"x"}`, nil},
		{"a pane in front", "select", `{"target_id":"%1"}`, app.SelectOut{TargetID: "%1"}},
		{"a window in front", "select", `{"target_id":"@0"}`, app.SelectOut{TargetID: "@0", SessionID: "$0"}},
		{"a linked window in front", "select", `{"target_id":"@1","session_id":"$1"}`, app.SelectOut{TargetID: "@1", SessionID: "$1"}},
		{"a linked window, without a session", "select", `{"target_id":"@1"}`, nil},
		{"a session in front", "select", `{"target_id":"$0"}`, nil},
		{"a layout", "select_layout", `{"window_id":"@0","layout":"even-horizontal"}`, app.SelectLayoutOut{WindowID: "@0", Layout: "89f5,80x24,0,0{39x24,0,0,0,40x24,40,0,1}"}},
		{"a layout in JSON", "select_layout", `{"window_id":"@0","layout":"{\"V\":2,\"L\":{\"t\":\"h\",\"w\":80,\"h\":24,\"x\":0,\"y\":0,\"c\":[` +
			`{\"t\":\"p\",\"w\":39,\"h\":24,\"x\":0,\"y\":0,\"i\":0,\"I\":\"%0\"},{\"t\":\"p\",\"w\":40,\"h\":24,\"x\":40,\"y\":0,\"i\":1,\"I\":\"%1\"}]}}"}`, app.SelectLayoutOut{WindowID: "@0", Layout: "89f5,80x24,0,0{39x24,0,0,0,40x24,40,0,1}"}},
		{"a layout string", "select_layout", `{"window_id":"@0","layout":"89f5,80x24,0,0{39x24,0,0,0,40x24,40,0,1}"}`, app.SelectLayoutOut{WindowID: "@0", Layout: "89f5,80x24,0,0{39x24,0,0,0,40x24,40,0,1}"}},
		{"a layout for fewer panes", "select_layout", `{"window_id":"@0","layout":"b25f,80x24,0,0,2"}`, nil},
		{"a layout that was changed", "select_layout", `{"window_id":"@0","layout":"89f5,80x24,0,0{40x24,0,0,0,39x24,41,0,1}"}`, nil},
		{"an unknown layout", "select_layout", `{"window_id":"@0","layout":"#(touch X)"}`, nil},
		{"a window's size", "resize", `{"target_id":"@0","width":100}`, app.ResizeOut{TargetID: "@0", Width: 100, Height: 24}},
		{"a pane's size", "resize", `{"target_id":"%0","height":5}`, app.ResizeOut{TargetID: "%0", Width: 80, Height: 5}},
		{"a zoom", "resize", `{"target_id":"%0","zoom":true}`, app.ResizeOut{TargetID: "%0", Width: 80, Height: 24, Zoomed: true}},
		{"a zoom and a size", "resize", `{"target_id":"%0","zoom":true,"width":3}`, nil},
		{"no size", "resize", `{"target_id":"%0"}`, nil},
		{"a window's zoom", "resize", `{"target_id":"@0","zoom":true}`, nil},
		{"an index for a window", "move_window", `{"window_id":"@0","index":6}`, app.MoveWindowOut{WindowID: "@0", Links: []app.LinkRow{{SessionID: "$0", Index: 6}}}},
		{"an index that is taken", "move_window", `{"window_id":"@0","index":1}`, nil},
		{"another session", "move_window", `{"window_id":"@0","session_id":"$1"}`, app.MoveWindowOut{WindowID: "@0", Links: []app.LinkRow{{SessionID: "$1", Index: 2}}}},
		{"a linked window moves", "move_window", `{"window_id":"@1","session_id":"$1"}`, nil},
		{"two places", "swap_panes", `{"pane_id":"%1","other_pane_id":"%3"}`, app.SwapPanesOut{Panes: []app.PlaceRow{{PaneID: "%1", WindowID: "@2"}, {PaneID: "%3", WindowID: "@0", Index: 1}}}},
		{"one place", "swap_panes", `{"pane_id":"%1","other_pane_id":"%1"}`, nil},
		{"an option", "set_option", `{"name":"mouse","value":"on"}`, app.SetOptionOut{Name: "mouse", Value: "on"}},
		{"an option of the user's", "set_option", `{"name":"@x","value":"#(touch X)","target_id":"%0"}`, app.SetOptionOut{Name: "@x", Value: "#(touch X)", TargetID: "%0"}},
		{"another option", "set_option", `{"name":"default-command","value":"id"}`, nil},
		{"synchronized everywhere", "set_option", `{"name":"synchronize-panes","value":"on"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.twoSessions()
				got, err := h.call(c.tool, c.arguments)
				if c.want == nil {
					h.wantFault(err, fault.InvalidInput, "")
					return
				}
				if err != nil {
					h.Fatal(err)
				}
				ignoringGeneration := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Generation" }, cmp.Ignore())
				if diff := cmp.Diff(c.want, got, ignoringGeneration); diff != "" {
					h.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// What a person looks at stays in front, whatever is rearranged; only select and a zoom change it.
func TestRearrangingMovesNoView(t *testing.T) {
	for _, call := range [][2]string{
		{"rename", `{"target_id":"%0","name":"x"}`},
		{"select_layout", `{"window_id":"@0","layout":"tiled"}`},
		{"resize", `{"target_id":"%0","height":3}`},
		{"move_window", `{"window_id":"@0","index":7}`},
		{"swap_panes", `{"pane_id":"%0","other_pane_id":"%1"}`},
		{"set_option", `{"name":"synchronize-panes","value":"on","target_id":"@0"}`},
	} {
		t.Run(call[0], func(t *testing.T) {
			inHouse(t, fake.Options{}, func(h *house) {
				h.twoSessions()
				h.world.Attach("$0", fake.Client{})
				h.world.Zoom("%1")
				if _, err := h.call(call[0], call[1]); err != nil {
					h.Fatal(err)
				}
				read, err := h.world.Topology(h.Context(), tmux.DetailBrief)
				if err != nil {
					h.Fatal(err)
				}
				window, _ := read.Window("@0")
				if seen := read.Clients[0]; seen.Window != "@0" || seen.Pane != "%1" || !window.Zoomed {
					h.Errorf("the person sees %+v of %+v", seen, window)
				}
			})
		})
	}
	inHouse(t, fake.Options{}, func(h *house) {
		h.twoSessions()
		h.world.Attach("$0", fake.Client{})
		_, err := h.call("move_window", `{"window_id":"@0","session_id":"$1"}`)
		h.wantFault(err, fault.Refused, fault.Attended)
		h.world.SelectWindow("$0", "@1")
		if _, err := h.call("move_window", `{"window_id":"@0","session_id":"$1"}`); err != nil {
			h.Error(err)
		}
	})
}

func TestSynchronizingSaysWhatFollows(t *testing.T) {
	inHouse(t, fake.Options{}, func(h *house) {
		h.twoSessions()
		for value, says := range map[string]string{"on": "amplifies later input", "off": ""} {
			out, err := h.app.SetOption(h.Context(), app.SetOptionIn{Name: "synchronize-panes", Value: value, TargetID: "@0"})
			if err != nil || !strings.Contains(out.Note, says) || (out.Note == "") != (says == "") {
				h.Errorf("%s: %+v, %v", value, out, err)
			}
		}
	})
}

// A restless person zooms and unzooms just before each change.
type restless struct {
	ports.Manager
	before func()
}

func (r restless) SetSize(ctx context.Context, server tmux.Server, request ports.SetSize) error {
	r.before()
	return r.Manager.SetSize(ctx, server, request)
}

func TestAZoomJustBeforeAChange(t *testing.T) {
	for times, kind := range map[int]fault.Kind{2: "", 3: fault.CommandFailed} {
		inHouse(t, fake.Options{}, func(h *house) {
			h.twoSessions()
			a := app.New(app.Ports{Reader: h.world, Processes: h.world, Manager: restless{h.world, func() {
				if times--; times >= 0 {
					h.world.Zoom("%1")
				}
			}}}, app.Options{})
			defer a.Close()
			out, err := a.Resize(h.Context(), app.ResizeIn{TargetID: "%0", Height: 4})
			if kind != "" {
				h.wantFault(err, kind, "")
			} else if err != nil || out.Height != 4 {
				h.Errorf("%+v, %v", out, err)
			}
		})
	}
}
